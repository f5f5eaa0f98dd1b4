/* hostile_client.c - sends hostile messages to a coordinator
 *
 *   hostile_client CONTROL DATA SEED COUNT ROLE KEY SERVER_KEY LOG
 *
 * Sends COUNT random packets, or each case of hostile_packet.h once when COUNT is 0,
 * and reads what the coordinator answers. KEY has the role ROLE (worker, submit, admin
 * or read). LOG gets a line for each packet before it is sent. Exit code 1: the
 * coordinator did not read or did not answer in time. */
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
#include "lib/wire/frame.h"
#include "lib/wire/keys.h"
#include "lib/wire/link.h"
#include "tests/fuzz/hostile_packet.h"

enum {
    WAIT_MS = 60000,
    AGAIN_MS = 500,
    PACKETS_PER_PROBE = 20,
    PACKETS_PER_CONNECTION = 200,
    PROBE = 0x7a000000, /* numbers of probes are larger */
};

static const char *endpoints[2]; /* control, data */
static enum role role;
static struct keys *keys;
static struct link_hub *hub;
static struct link *links[2];
static struct hostile_values *values;
static struct codec_zone *zone;
static FILE *log_file;
static uint64_t sent, probes;
static bool is_random;
static bool reads; /* replies on this connection */

static void give_up(const char *what, const char *reason)
{
    fprintf(stderr, "hostile_client: after %" PRIu64 " packets: %s: %s\n", sent, what,
            reason);
    exit(1);
}

static void open_link(int which)
{
    const struct link_options options = {.endpoint = endpoints[which],
                                         .kind = which ? LINK_DATA : LINK_CONTROL,
                                         .keys = keys};
    struct err err;

    if (link_client_open(&links[which], hub, &options, &err) < 0 ||
        link_wait_connected(links[which], WAIT_MS, &err) < 0)
        give_up("connecting", err.text);
    reads = hostile_random(values, 16) > 0;
}

static void read_replies(void)
{
    struct incoming in;
    struct err err;

    for (int i = 0; i < 2; i++)
        while (link_receive(links[i], &in, &err) == 0 && in.kind)
            hostile_values_learn(values, in.kind, &in.message);
}

/* Sends one frame. A coordinator that is busy reads again within WAIT_MS. */
static void send_frame(struct link *link, const struct text *bytes, int flags)
{
    uint64_t until_ms = clock_mono_ms() + WAIT_MS;
    zmq_pollitem_t item = {.socket = link_socket(link), .events = ZMQ_POLLOUT};

    while (zmq_send(link_socket(link), text_get(bytes), bytes->length,
                    flags | ZMQ_DONTWAIT) < 0) {
        if (errno != EAGAIN)
            give_up("sending", zmq_strerror(errno));
        if (clock_mono_ms() > until_ms)
            give_up("sending", "the coordinator does not read");
        read_replies();
        zmq_poll(&item, 1, 10);
    }
}

static void send_packet(int which, const struct hostile_packet *packet)
{
    for (size_t i = packet->parts; i > 0; i--)
        send_frame(links[which], &packet->bytes, i > 1 ? ZMQ_SNDMORE : 0);
    sent++;
}

/* Returns true when the coordinator closes the connection because of this packet. */
static bool ends_connection(const struct hostile_packet *packet)
{
    struct err ignored;

    return packet->parts > 1 ||
           frame_check(text_get(&packet->bytes), packet->bytes.length,
                       &frame_limits_default, &ignored) < 0;
}

/* A valid request that ends a healthy coordinator is no defect of it. */
static bool is_permitted_shutdown(const struct hostile_packet *packet)
{
    const struct message *kind;
    union any_message message;
    struct err ignored;

    return permissions_allow(role, MSG_SHUTDOWN) && packet->parts == 1 &&
           codec_unpack(&kind, &message, text_get(&packet->bytes), packet->bytes.length,
                        zone, &ignored) == 0 &&
           kind->type == MSG_SHUTDOWN;
}

/* Sends a request whose answer has this number. */
static void send_probe(uint64_t number)
{
    const struct msg_worker_hello hello = {.protocol = MSG_PROTOCOL,
                                           .host = "hostile",
                                           .version = "0",
                                           .card = number % 4,
                                           .model = "Ascend910B2",
                                           .serial = "0"};
    struct err ignored; /* the caller sends the probe again */

    if (role == ROLE_WORKER) {
        link_send(links[0], NULL, MSG_WORKER_HELLO, &hello, &ignored);
        link_send(links[0], NULL, MSG_CLOCK_PING, &(struct msg_clock_ping){number},
                  &ignored);
    } else {
        link_send(links[0], NULL, MSG_EXPLAIN, &(struct msg_explain){.job_id = number},
                  &ignored);
    }
}

static bool is_answer(const struct incoming *in, uint64_t number)
{
    char text[64];

    snprintf(text, sizeof(text), "there is no job %" PRIu64, number);
    return (in->kind->type == MSG_CLOCK_PONG &&
            in->message.clock_pong.sent_ns == number) ||
           (in->kind->type == MSG_REFUSED && strstr(in->message.refused.text, text));
}

/* Waits for the answer to a probe. All packets before it on this connection have been
 * handled then. The probe can be lost with its connection, so it is sent again. */
static void probe(void)
{
    uint64_t number = PROBE + ++probes, until_ms = clock_mono_ms() + WAIT_MS;
    struct incoming in;
    struct err err;

    while (clock_mono_ms() < until_ms) {
        uint64_t again_ms = clock_mono_ms() + AGAIN_MS;

        send_probe(number);
        while (clock_mono_ms() < again_ms) {
            if (link_wait_receive(links[0], &in, AGAIN_MS, &err) < 0)
                continue;
            hostile_values_learn(values, in.kind, &in.message);
            if (is_answer(&in, number))
                return;
        }
    }
    give_up("waiting for an answer", "none came in time");
}

static void attack(const struct hostile_case *of, struct hostile_packet *packet)
{
    /* Groups go to the data socket; few messages go to the wrong socket. */
    int which = (of->kind->type == MSG_GROUP) != (hostile_random(values, 32) == 0);
    bool ends;

    hostile_packet_write(packet, of, values, is_random);
    if (is_permitted_shutdown(packet))
        return;
    hostile_case_log(log_file, of);
    send_packet(which, packet);
    if (reads)
        read_replies();
    ends = ends_connection(packet);
    if (sent % PACKETS_PER_PROBE == 0 && !ends)
        probe();
    if (ends || sent % PACKETS_PER_CONNECTION == 0) {
        link_close(links[which]);
        open_link(which);
    }
}

static void send_each_case(void)
{
    struct hostile_packet packet = {0};

    for (struct hostile_case at = {0}; hostile_case_next(&at);)
        attack(&at, &packet);
    text_clear(&packet.bytes);
}

/* Returns a message that the role may send; one of eight is any message. */
static const struct message *choose_message(void)
{
    size_t count = 0;

    while (messages[count].type != MSG_NONE)
        count++;
    for (;;) {
        const struct message *kind = &messages[hostile_random(values, count)];

        if (hostile_random(values, 8) == 0 || permissions_allow(role, kind->type))
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
    struct err err;

    if (argc != 9 || !role_parse(argv[5], &role))
        return 2;
    endpoints[0] = argv[1];
    endpoints[1] = argv[2];
    log_file = fopen(argv[8], "w");
    if (!log_file)
        give_up(argv[8], strerror(errno));
    if (keys_open_client(&keys, argv[6], argv[7], &err) < 0)
        give_up("reading keys", err.text);
    hub = link_hub_create();
    zone = codec_zone_create();
    values = hostile_values_create(strtoull(argv[3], NULL, 10));
    is_random = strcmp(argv[4], "0") != 0;
    for (int i = 0; i < 2; i++)
        open_link(i);
    if (is_random)
        send_random(strtoull(argv[4], NULL, 10));
    else
        send_each_case();
    probe();
    for (int i = 0; i < 2; i++)
        link_close(links[i]);
    link_hub_destroy(hub);
    keys_close(keys);
    codec_zone_destroy(zone);
    fclose(log_file);
    printf("%" PRIu64 " packets as %s; received:", sent, role_word(role));
    hostile_values_print(values);
    hostile_values_destroy(values);
    return 0;
}
