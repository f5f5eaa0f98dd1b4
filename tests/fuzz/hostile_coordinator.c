/* hostile_coordinator.c - sends hostile messages to a worker
 *
 *   hostile_coordinator CONTROL DATA SEED COUNT LOG
 *
 * Serves both endpoints and waits for the hello of a worker. Then sends COUNT random
 * packets, or each case of hostile_packet.h once when COUNT is 0. LOG gets a line for
 * each packet before it is sent. Exit code 1: the worker sent no hello, or did not
 * answer in time. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zmq.h>

#include "coordinator/net/permissions.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/wire/codec.h"
#include "lib/wire/link.h"
#include "tests/fuzz/hostile_packet.h"

enum { WAIT_MS = 60000, PACKETS_PER_PROBE = 50 };

static struct link *links[2];
static struct peer workers[2]; /* on control and data; size 0: none */
static bool has_hello;         /* since the last reset */
static uint64_t answered;      /* number of the last probe that was answered */
static struct hostile_values *values;
static struct codec_zone *zone;
static FILE *log_file;
static uint64_t sent, probes;
static bool is_random;

static void give_up(const char *what, const char *reason)
{
    fprintf(stderr, "hostile_coordinator: after %" PRIu64 " packets: %s: %s\n", sent,
            what, reason);
    exit(1);
}

static const struct msg_welcome welcome = {.protocol = MSG_PROTOCOL,
                                           .heartbeat_ms = 1000,
                                           .store_id = "hostile"};

static void handle(int which, const struct incoming *in)
{
    const struct msg_refused refused = {"not-found", "send worker_hello first"};
    struct err ignored;

    workers[which] = in->peer;
    hostile_values_learn(values, in->kind, &in->message);
    if (in->kind->type == MSG_OUTPUT)
        answered = in->message.output.ticket;
    if (in->kind->type == MSG_HEARTBEAT && has_hello)
        link_send(links[which], &in->peer, MSG_HEARTBEAT_REPLY,
                  &(struct msg_heartbeat_reply){in->message.heartbeat.run_id},
                  &ignored);
    if (in->kind->type == MSG_HEARTBEAT && !has_hello)
        link_send(links[which], &in->peer, MSG_REFUSED, &refused, &ignored);
    if (in->kind->type == MSG_WORKER_HELLO) {
        has_hello = true;
        link_send(links[which], &in->peer, MSG_WELCOME, &welcome, &ignored);
    }
}

static void read_messages(void)
{
    zmq_pollitem_t items[2] = {{.socket = link_socket(links[0]), .events = ZMQ_POLLIN},
                               {.socket = link_socket(links[1]), .events = ZMQ_POLLIN}};
    struct incoming in;
    struct err err;

    zmq_poll(items, 2, 1);
    for (int i = 0; i < 2; i++)
        while (link_receive(links[i], &in, &err) == 0 && in.kind)
            handle(i, &in);
}

static void wait_for_hello(void)
{
    uint64_t until_ms = clock_mono_ms() + WAIT_MS;

    while (!has_hello || workers[0].size == 0) {
        if (clock_mono_ms() > until_ms)
            give_up("waiting for worker_hello", "none came in time");
        read_messages();
    }
}

/* Returns false when the worker is not connected. A message is lost then. */
static bool send_frame(int which, const void *bytes, size_t size, int flags)
{
    uint64_t until_ms = clock_mono_ms() + WAIT_MS;

    while (zmq_send(link_socket(links[which]), bytes, size, flags | ZMQ_DONTWAIT) < 0) {
        if (errno == EHOSTUNREACH)
            return false;
        if (errno != EAGAIN)
            give_up("sending", zmq_strerror(errno));
        if (clock_mono_ms() > until_ms)
            give_up("sending", "the worker does not read");
        read_messages();
    }
    return true;
}

static void send_packet(int which, const struct hostile_packet *packet)
{
    if (!send_frame(which, workers[which].bytes, workers[which].size, ZMQ_SNDMORE)) {
        has_hello = false;
        workers[which].size = 0;
        wait_for_hello();
        return;
    }
    for (size_t i = packet->parts; i > 0; i--)
        send_frame(which, text_get(&packet->bytes), packet->bytes.length,
                   i > 1 ? ZMQ_SNDMORE : 0);
    sent++;
}

/* Asks for output with a new ticket until the answer arrives. A worker that lost its
 * connection, or that was sent an early end of its session, sends a hello first. */
static void probe(void)
{
    uint64_t number = 0x7a000000 + ++probes, until_ms = clock_mono_ms() + WAIT_MS;
    uint64_t again_ms = 0;
    struct err err;

    while (answered != number) {
        uint64_t now = clock_mono_ms();

        if (now > until_ms)
            give_up("waiting for an answer", "none came in time");
        if (now >= again_ms && workers[0].size > 0) {
            link_send(links[0], &workers[0], MSG_READ_OUTPUT,
                      &(struct msg_read_output){.ticket = number}, &err);
            again_ms = now + 100;
        }
        read_messages();
    }
}

/* Messages that end a healthy worker are no defect of it. */
static bool ends_a_healthy_worker(const struct hostile_packet *packet)
{
    const struct message *kind;
    union any_message message;
    struct err ignored;

    if (packet->parts > 1 || codec_unpack(&kind, &message, text_get(&packet->bytes),
                                          packet->bytes.length, zone, &ignored) < 0)
        return false;
    return kind->type == MSG_GO_AWAY ||
           (kind->type == MSG_WELCOME && message.welcome.protocol != MSG_PROTOCOL);
}

static void attack(const struct hostile_case *of, struct hostile_packet *packet)
{
    bool is_of_data =
        of->kind->type == MSG_GROUP_ACK || of->kind->type == MSG_GROUP_REFUSED;
    int which = workers[1].size > 0 && (is_of_data || hostile_random(values, 32) == 0);

    hostile_packet_write(packet, of, values, is_random);
    if (ends_a_healthy_worker(packet))
        return;
    hostile_case_log(log_file, of);
    send_packet(which, packet);
    if (sent % PACKETS_PER_PROBE == 0)
        probe();
}

/* Valid leases with the longest command that fits: the script checks that the worker
 * keeps the memory of few of them. */
static void send_large_leases(void)
{
    enum { LEASES = 160, BYTES = 3 << 20 };
    char *word = xmalloc(BYTES + 1);
    const char *words[] = {"/bin/true", word};
    struct text packet = {0};

    memset(word, 'x', BYTES);
    word[BYTES] = '\0';
    for (uint64_t i = 1; i <= LEASES; i++) {
        struct msg_lease lease = {.run_id = 0x4c000000 + i,
                                  .job_name = "large",
                                  .world_size = 1,
                                  .command = {words, 2},
                                  .card = 2};

        text_reset(&packet);
        codec_pack(&packet, MSG_LEASE, &lease);
        fprintf(log_file, "large lease %" PRIu64 "\n", i);
        if (send_frame(0, workers[0].bytes, workers[0].size, ZMQ_SNDMORE))
            send_frame(0, text_get(&packet), packet.length, 0);
        sent++;
        if (sent % 20 == 0)
            probe();
    }
    text_clear(&packet);
    free(word);
}

static void send_each_case(void)
{
    struct hostile_packet packet = {0};

    for (struct hostile_case at = {0}; hostile_case_next(&at);)
        attack(&at, &packet);
    text_clear(&packet.bytes);
}

/* Returns a message that no coordinator accepts, so a worker may accept it; one of
 * eight is any message. */
static const struct message *choose_message(void)
{
    size_t count = 0;

    while (messages[count].type != MSG_NONE)
        count++;
    for (;;) {
        const struct message *kind = &messages[hostile_random(values, count)];

        if (hostile_random(values, 8) == 0 ||
            (!permissions_allow(ROLE_ALL, kind->type) && kind->type < MSG_SUBMIT))
            return kind;
    }
}

static void send_random(uint64_t count)
{
    struct hostile_packet packet = {0};
    struct hostile_case at;

    for (uint64_t i = 0; i < count; i++) {
        hostile_case_random(&at, choose_message(), values);
        attack(&at, &packet);
    }
    text_clear(&packet.bytes);
}

int main(int argc, char **argv)
{
    struct link_hub *hub = link_hub_create();
    struct err err;

    if (argc != 6)
        return 2;
    log_file = fopen(argv[5], "w");
    if (!log_file)
        give_up(argv[5], strerror(errno));
    for (int i = 0; i < 2; i++) {
        const struct link_options options = {.endpoint = argv[1 + i],
                                             .kind = i ? LINK_DATA : LINK_CONTROL};

        if (link_server_open(&links[i], hub, &options, &err) < 0)
            give_up("serving", err.text);
    }
    zone = codec_zone_create();
    values = hostile_values_create(strtoull(argv[3], NULL, 10));
    is_random = strcmp(argv[4], "0") != 0;
    wait_for_hello();
    send_large_leases();
    if (is_random)
        send_random(strtoull(argv[4], NULL, 10));
    else
        send_each_case();
    /* The worker obeys a valid welcome with up to ten minutes between heartbeats. */
    link_send(links[0], &workers[0], MSG_WELCOME, &welcome, &err);
    probe();
    for (int i = 0; i < 2; i++)
        link_close(links[i]);
    link_hub_destroy(hub);
    codec_zone_destroy(zone);
    fclose(log_file);
    printf("%" PRIu64 " packets to the worker; received:", sent);
    hostile_values_print(values);
    hostile_values_destroy(values);
    return 0;
}
