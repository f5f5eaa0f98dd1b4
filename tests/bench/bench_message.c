/* bench_message.c - a control message of 64 bytes, packed, sent, received and unpacked,
 * compared with the same bytes over a bare DEALER and ROUTER; and the allocations that
 * packing and unpacking need */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zmq.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/text.h"
#include "lib/wire/codec.h"
#include "lib/wire/link.h"
#include "tests/bench/ratio.h"

enum { ROUNDS = 200, WINDOW = 250, BYTES = 64, PATIENCE_MS = 10000, RANKS = 16 };

/* Replaces the allocator of the C library, also for the shared libraries, to count the
 * allocations of this thread. The threads of ZeroMQ are not counted. A sanitizer has an
 * allocator of its own; a sanitized build counts nothing. */
static _Thread_local uint64_t allocations;

#ifndef __SANITIZE_ADDRESS__
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}
#endif

static const struct msg_ok message = {.text = "0123456789012345678901234567890123456789"
                                              "0123456789"};

struct pair {
    struct link *server, *client;
    void *router, *dealer;
};

static void give_up(const char *what)
{
    fprintf(stderr, "bench_message: %s\n", what);
    exit(1);
}

static double ours(void *arg)
{
    struct pair *pair = arg;
    struct incoming in;
    struct err err;
    uint64_t start = clock_mono_ns();

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < WINDOW; i++)
            if (link_send(pair->client, NULL, MSG_OK, &message, &err) < 0)
                give_up(err.text);
        for (int i = 0; i < WINDOW; i++)
            if (link_wait_receive(pair->server, &in, PATIENCE_MS, &err) < 0 ||
                strlen(in.message.ok.text) != strlen(message.text))
                give_up(err.text);
    }
    return (double)(clock_mono_ns() - start);
}

static double bare(void *arg)
{
    struct pair *pair = arg;
    char bytes[BYTES] = {0}, peer[256];
    uint64_t start = clock_mono_ns();

    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < WINDOW; i++)
            if (zmq_send(pair->dealer, bytes, sizeof(bytes), 0) < 0)
                give_up(zmq_strerror(zmq_errno()));
        for (int i = 0; i < WINDOW; i++)
            if (zmq_recv(pair->router, peer, sizeof(peer), 0) < 0 ||
                zmq_recv(pair->router, bytes, sizeof(bytes), 0) != BYTES)
                give_up(zmq_strerror(zmq_errno()));
    }
    return (double)(clock_mono_ns() - start);
}

/* Prints the allocations of one message that is packed and unpacked ROUNDS times. */
static void
count_allocations(const char *name, enum message_type type, const void *from)
{
    const struct message *kind;
    union any_message out;
    struct codec_zone *zone = codec_zone_create();
    struct text packed = {0};
    struct err err;
    uint64_t start = 0;

    for (int round = -1; round < ROUNDS; round++) {
        if (round == 0) /* the first message created the buffers */
            start = allocations;
        text_reset(&packed);
        codec_pack(&packed, type, from);
        if (codec_unpack(&kind, &out, packed.bytes, packed.length, zone, &err) < 0)
            give_up(err.text);
    }
    double each = (double)(allocations - start) / ROUNDS;
    ratio_print(name, each, "allocations per message, packed and unpacked", "<= 0",
                each <= 0);
    codec_zone_destroy(zone);
    text_clear(&packed);
}

/* A lease of a gang is the longest message except groups and job files. */
static void count_allocations_of_lease(void)
{
    const char *texts[RANKS];
    uint64_t cards[RANKS];

    for (int i = 0; i < RANKS; i++) {
        texts[i] = "host-0123.example.org";
        cards[i] = (uint64_t)i % 8;
    }
    const struct text_list list = {texts, RANKS};
    const struct msg_lease lease = {
        .command = list,
        .env = list,
        .hosts = list,
        .addresses = list,
        .card_addresses = list,
        .cards = {cards, RANKS},
    };
    count_allocations("lease of 16 ranks", MSG_LEASE, &lease);
}

static void open_pair(struct pair *pair, struct link_hub *hub, const char *folder)
{
    char ours_at[128], bare_at[128];
    struct err err;

    snprintf(ours_at, sizeof(ours_at), "ipc://%s/ours", folder);
    snprintf(bare_at, sizeof(bare_at), "ipc://%s/bare", folder);
    const struct link_options options = {.endpoint = ours_at};
    if (link_server_open(&pair->server, hub, &options, &err) < 0 ||
        link_client_open(&pair->client, hub, &options, &err) < 0 ||
        link_wait_connected(pair->client, PATIENCE_MS, &err) < 0)
        give_up(err.text);
    pair->router = zmq_socket(link_hub_context(hub), ZMQ_ROUTER);
    pair->dealer = zmq_socket(link_hub_context(hub), ZMQ_DEALER);
    if (zmq_bind(pair->router, bare_at) < 0 || zmq_connect(pair->dealer, bare_at) < 0)
        give_up(zmq_strerror(zmq_errno()));
}

int main(void)
{
    char folder[] = "/tmp/muster-bench-XXXXXX";
    struct link_hub *hub = link_hub_create();
    struct pair pair;
    struct text packed = {0};
    struct err err;

    codec_pack(&packed, MSG_OK, &message);
    if (packed.length != BYTES || !mkdtemp(folder))
        give_up("cannot begin");
    count_allocations("message of 64 B", MSG_OK, &message);
    count_allocations_of_lease();
    open_pair(&pair, hub, folder);
    ours(&pair);
    bare(&pair);
    double ratio =
        ratio_median(bare, ours, &pair); /* messages a second to each other */
    ratio_print("control messages, 64 B", ratio, "bare DEALER/ROUTER over ipc",
                ">= 0.7", ratio >= 0.7);

    zmq_close(pair.router);
    zmq_close(pair.dealer);
    link_close(pair.client);
    link_close(pair.server);
    link_hub_destroy(hub);
    text_clear(&packed);
    return folder_remove(folder, &err) < 0;
}
