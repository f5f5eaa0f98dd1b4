/* hostile_handshakes.c - sends broken handshakes to a port of a coordinator
 *
 *   hostile_handshakes PORT SEED COUNT
 *
 * Opens COUNT connections without a key. Each sends the bytes of a handshake or of a
 * message that were cut, changed or repeated. At most HELD connections stay open. Exit
 * code 1: the coordinator accepted a message, or accepts no connection any more. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/fuzz/hostile_values.h"

enum { HELD = 64, GREETING = 64, HELLO = 200 };

static struct hostile_values *values;

static void give_up(const char *what, const char *reason)
{
    fprintf(stderr, "hostile_handshakes: %s: %s\n", what, reason);
    exit(1);
}

static int dial(uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval limit = {.tv_sec = 30};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0 ||
        connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
        give_up("connecting", strerror(errno));
    return fd;
}

/* Adds the greeting of ZMTP 3.0 with the name of a security mechanism. */
static void add_greeting(struct text *bytes, const char *mechanism)
{
    char greeting[GREETING] = {(char)0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x7f, 3, 0};

    memcpy(greeting + 12, mechanism, strlen(mechanism));
    text_add_bytes(bytes, greeting, sizeof(greeting));
}

/* Adds a frame with a header of the short form; flags: 4 is a command. */
static void
add_frame(struct text *bytes, char flags, const char *name, const void *data, size_t n)
{
    size_t length = strlen(name);
    size_t head = length > 0 ? length + 1 : 0; /* the name follows its length */

    text_add_char(bytes, flags);
    text_add_char(bytes, (char)(head + n));
    if (length > 0)
        text_add_char(bytes, (char)length);
    text_add_bytes(bytes, name, length);
    text_add_bytes(bytes, data, n);
}

/* Adds a whole handshake of a peer without a valid key, and a message. */
static void write_handshake(struct text *bytes)
{
    static const char *const mechanisms[] = {"NULL", "PLAIN", "CURVE", "GSSAPI"};
    static const char ready[] = "\x0bSocket-Type\x00\x00\x00\x06"
                                "DEALER";
    static const char message[] = "\x82\xa4type\x31\xab"
                                  "active_only\xc2";
    char hello[HELLO - 6] = {1, 0};

    for (size_t i = 74; i < sizeof(hello); i++)
        hello[i] = (char)hostile_random(values, 256);
    add_greeting(bytes, mechanisms[hostile_random(values, COUNT(mechanisms))]);
    if (hostile_random(values, 2))
        add_frame(bytes, 4, "HELLO", hello, sizeof(hello));
    if (hostile_random(values, 2))
        add_frame(bytes, 4, "INITIATE", hello, 100 + hostile_random(values, 90));
    add_frame(bytes, 4, "READY", ready, sizeof(ready) - 1);
    add_frame(bytes, 0, "", message, sizeof(message) - 1);
}

static void change(struct text *bytes)
{
    for (uint64_t i = hostile_random(values, 4); i > 0; i--)
        bytes->bytes[hostile_random(values, bytes->length)] =
            (char)hostile_random(values, 256);
    if (hostile_random(values, 4) == 0)
        bytes->length = hostile_random(values, bytes->length) + 1;
    if (hostile_random(values, 16) == 0)
        for (int i = 0; i < 100000; i++)
            text_add_char(bytes, (char)hostile_random(values, 256));
}

/* A coordinator answers an accepted message with an msgpack map that has a type. */
static void check_answer(int fd)
{
    char answer[4096];
    ssize_t size = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);

    if (size > 0 && memmem(answer, (size_t)size, "\xa4type", 5))
        give_up("a message without a key", "the coordinator answered it");
}

int main(int argc, char **argv)
{
    int held[HELD];
    struct text bytes = {0};

    if (argc != 4)
        return 2;
    uint16_t port = (uint16_t)strtoul(argv[1], NULL, 10);
    uint64_t count = strtoull(argv[3], NULL, 10);
    values = hostile_values_create(strtoull(argv[2], NULL, 10));
    for (uint64_t i = 0; i < count; i++) {
        if (i >= HELD) {
            check_answer(held[i % HELD]);
            close(held[i % HELD]);
        }
        held[i % HELD] = dial(port);
        text_reset(&bytes);
        write_handshake(&bytes);
        change(&bytes);
        (void)!send(held[i % HELD], bytes.bytes, bytes.length, MSG_NOSIGNAL);
    }
    for (uint64_t i = 0; i < count && i < HELD; i++) {
        check_answer(held[i]);
        close(held[i]);
    }
    text_clear(&bytes);
    hostile_values_destroy(values);
    printf("%llu connections without a key\n", (unsigned long long)count);
    return 0;
}
