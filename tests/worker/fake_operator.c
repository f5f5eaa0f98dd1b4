/* fake_operator.c LAUNCHES [END] - for tests: an operator that acts as the inject
 * library
 *
 * Sends HELLO, sends PREPARE for each launch, and writes the records of a profiled
 * launch. END is empty, "hang" (wait for ever after the last launch), "crash" or
 * "fail". */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/format/records.h"
#include "lib/shm/control_channel.h"

static struct ring ring;
static int channel, bell;

static void put(uint16_t kind, const void *record, size_t size)
{
    struct iovec piece = {(void *)record, size};
    const uint64_t one = 1;

    while (!ring_put(&ring, 0, kind, 1, &piece, 1))
        usleep(1000);
    if (ring_reader_slept(&ring) && write(bell, &one, sizeof(one)) < 0)
        exit(9);
}

static void join(void)
{
    union control_message message;
    int ends[2], fds[CONTROL_FDS_MAX];

    if (!getenv(CONTROL_ENV) || control_pair(ends) < 0)
        exit(9);
    control_message_init(&message, CONTROL_HELLO);
    message.hello.pid = (uint32_t)getpid();
    strcpy(message.hello.program, "fake_operator");
    if (control_send(atoi(getenv(CONTROL_ENV)), &message, &ends[1], 1) < 0)
        exit(9);
    close(ends[1]);
    channel = ends[0];
    if (!control_wait(channel, 10000) || control_receive(channel, &message, fds) <= 0 ||
        ring_map(&ring, fds[0], message.config.ring_bytes, message.config.ring_lanes) <
            0)
        exit(9);
    bell = fds[1];
}

static uint32_t ask(uint64_t launch)
{
    union control_message message;
    int ends[2], fds[CONTROL_FDS_MAX];

    control_message_init(&message, CONTROL_PREPARE);
    message.prepare.launch = launch;
    message.prepare.chip = 5;
    message.prepare.simulated = 1;
    strcpy(message.prepare.kernel, "fake_kernel");
    if (control_pair(ends) < 0 || control_send(channel, &message, &ends[1], 1) < 0 ||
        !control_wait(ends[0], 10000) || control_receive(ends[0], &message, fds) <= 0)
        exit(9);
    close(ends[0]);
    close(ends[1]);
    return message.decision.answer;
}

static void profile(uint64_t number)
{
    struct record_launch launch = {.launch = number};
    struct record_launch_end end = {.launch = number, .complete = 1};
    static union {
        struct record_channel_bytes head;
        uint8_t bytes[sizeof(struct record_channel_bytes) + 60000];
    } piece;

    put(RECORD_LAUNCH, &launch, sizeof(launch));
    piece.head.length = sizeof(piece);
    piece.head.launch = number;
    piece.head.bytes = 60000;
    put(RECORD_CHANNEL_BYTES, &piece, sizeof(piece));
    put(RECORD_LAUNCH_END, &end, sizeof(end));
}

int main(int argc, char **argv)
{
    const char *end = argc > 2 ? argv[2] : "";

    join();
    for (int i = 1; i <= atoi(argv[1]); i++)
        if (ask((uint64_t)i) == CONTROL_PROFILE)
            profile((uint64_t)i);
    puts("this is the last line");
    fflush(stdout);
    if (strcmp(end, "hang") == 0)
        for (;;)
            pause();
    if (strcmp(end, "crash") == 0)
        raise(SIGSEGV);
    return strcmp(end, "fail") == 0 ? 5 : 0;
}
