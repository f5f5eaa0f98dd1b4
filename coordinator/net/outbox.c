#include "coordinator/net/outbox.h"

#include <stdlib.h>
#include <string.h>

#include "coordinator/net/in_flight.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/wire/codec.h"

static const struct outbox_limits default_limits = {
    .peer_bytes = 256 << 20, /* enough for the rows of a million tasks */
    .key_bytes = 256 << 20,
    .all_bytes = 512 << 20,
};

struct peer_queue { /* messages for one peer: each a size and a packet */
    struct peer_queue *next;
    struct link *link;
    struct peer peer;
    struct text packets;
    size_t sent; /* bytes of packets */
    struct in_flight *in_flight;
    bool is_cut; /* its messages were dropped; it gets no more until it is empty */
};

struct outbox {
    struct peer_queue *queues;
    struct peer_queue *latest; /* used last: rows for one peer follow each other */
    struct outbox_limits limits;
    size_t bytes; /* of all queues */
    bool urgent;
};

struct outbox *outbox_create(void)
{
    struct outbox *outbox = xcalloc(1, sizeof(*outbox));

    outbox->limits = default_limits;
    return outbox;
}

void outbox_set_limits(struct outbox *outbox, const struct outbox_limits *limits)
{
    outbox->limits = *limits;
}

static void free_queue(struct outbox *outbox, struct peer_queue **at)
{
    struct peer_queue *queue = *at;

    *at = queue->next;
    if (outbox->latest == queue)
        outbox->latest = NULL;
    outbox->bytes -= queue->packets.length;
    text_clear(&queue->packets);
    in_flight_destroy(queue->in_flight);
    free(queue);
}

void outbox_destroy(struct outbox *outbox)
{
    if (!outbox)
        return;
    while (outbox->queues)
        free_queue(outbox, &outbox->queues);
    free(outbox);
}

static struct peer_queue *
get_queue(struct outbox *outbox, struct link *link, const struct peer *peer)
{
    struct peer_queue **at = &outbox->queues;

    if (outbox->latest && outbox->latest->link == link &&
        peer_is_same(&outbox->latest->peer, peer))
        return outbox->latest;
    while (*at && ((*at)->link != link || !peer_is_same(&(*at)->peer, peer)))
        at = &(*at)->next;
    if (!*at) {
        *at = xcalloc(1, sizeof(**at));
        (*at)->link = link;
        (*at)->peer = *peer;
        (*at)->in_flight = in_flight_create();
    }
    outbox->latest = *at;
    return *at;
}

static void append(struct outbox *outbox,
                   struct peer_queue *queue,
                   enum message_type type,
                   const void *message)
{
    struct text *packets = &queue->packets;
    size_t start = packets->length, size = 0;

    text_add_bytes(packets, (const char *)&size, sizeof(size));
    codec_pack(packets, type, message);
    size = packets->length - start - sizeof(size);
    memcpy(packets->bytes + start, &size, sizeof(size));
    outbox->bytes += packets->length - start;
}

/* Replaces the messages of a peer that does not read by a refusal. */
static void cut(struct outbox *outbox, struct peer_queue *queue)
{
    static const struct msg_refused refused = {
        "limit", "the coordinator dropped the replies to this connection, because too "
                 "many were not read; read them faster, or request less"};

    log_warning("replies dropped, the peer does not read them: bytes=%zu",
                queue->packets.length - queue->sent);
    outbox->bytes -= queue->packets.length;
    text_clear(&queue->packets);
    queue->sent = 0;
    queue->is_cut = true;
    append(outbox, queue, MSG_REFUSED, &refused);
}

/* Returns the longest queue that is not cut, of this key or with key 0 of all; NULL:
 * none. Sets *bytes to the sum of all of them. */
static struct peer_queue *
find_longest(const struct outbox *outbox, uint32_t key, size_t *bytes)
{
    struct peer_queue *longest = NULL;

    *bytes = 0;
    for (struct peer_queue *queue = outbox->queues; queue; queue = queue->next) {
        if (key && queue->peer.key != key)
            continue;
        *bytes += queue->packets.length;
        if (!queue->is_cut &&
            (!longest || queue->packets.length > longest->packets.length))
            longest = queue;
    }
    return longest;
}

static void cut_longest(struct outbox *outbox, uint32_t key, size_t limit)
{
    struct peer_queue *longest;
    size_t bytes;

    while ((longest = find_longest(outbox, key, &bytes)) && bytes > limit)
        cut(outbox, longest);
}

static void keep_limits(struct outbox *outbox, struct peer_queue *queue)
{
    const struct outbox_limits *limits = &outbox->limits;

    if (queue->packets.length > limits->peer_bytes)
        cut(outbox, queue);
    if (outbox->bytes > limits->key_bytes && queue->peer.key)
        cut_longest(outbox, queue->peer.key, limits->key_bytes);
    if (outbox->bytes > limits->all_bytes)
        cut_longest(outbox, 0, limits->all_bytes);
}

void outbox_send(struct outbox *outbox,
                 struct link *link,
                 const struct peer *to,
                 enum message_type type,
                 const void *message)
{
    outbox->urgent = true;
    outbox_send_with_next_commit(outbox, link, to, type, message);
}

void outbox_send_with_next_commit(struct outbox *outbox,
                                  struct link *link,
                                  const struct peer *to,
                                  enum message_type type,
                                  const void *message)
{
    struct peer_queue *queue = get_queue(outbox, link, to);

    if (queue->is_cut)
        return;
    append(outbox, queue, type, message);
    keep_limits(outbox, queue);
}

bool outbox_is_empty(const struct outbox *outbox)
{
    return outbox->bytes == 0;
}

bool outbox_is_urgent(const struct outbox *outbox)
{
    return outbox->urgent;
}

/* Drops the messages, after they were sent or when the peer has left. */
static void clear(struct outbox *outbox, struct peer_queue *queue)
{
    outbox->bytes -= queue->packets.length;
    text_clear(&queue->packets);
    queue->sent = 0;
    queue->is_cut = false;
}

/* Small messages are copied, which costs less; their number limits their bytes. */
static int
send_one(struct peer_queue *queue, const char *packet, size_t size, struct err *err)
{
    return size <= OUTBOX_SMALL
               ? link_send_packed(queue->link, &queue->peer, packet, size, err)
               : in_flight_send(queue->in_flight, queue->link, &queue->peer, packet,
                                size, err);
}

/* Sends messages until the window is full. Returns false when messages are left. */
static bool flush_queue(struct outbox *outbox, struct peer_queue *queue)
{
    struct err err;
    size_t size;

    while (queue->sent < queue->packets.length) {
        const char *at = queue->packets.bytes + queue->sent;

        if (in_flight_bytes(queue->in_flight) >= OUTBOX_WINDOW)
            return false;
        memcpy(&size, at, sizeof(size));
        if (send_one(queue, at + sizeof(size), size, &err) < 0) {
            if (err.code == ERR_LIMIT)
                return false;
            if (err.code != ERR_UNREACHABLE)
                log_warning("reply not sent: reason=\"%s\"", err.text);
            break;
        }
        queue->sent += sizeof(size) + size;
    }
    clear(outbox, queue);
    return true;
}

enum outbox_rest outbox_flush(struct outbox *outbox)
{
    enum outbox_rest rest = OUTBOX_SENT;

    outbox->urgent = false;
    for (struct peer_queue **at = &outbox->queues; *at;) {
        struct peer_queue *queue = *at;
        const size_t sent = queue->sent;

        if (!flush_queue(outbox, queue)) {
            if (queue->sent - sent >= OUTBOX_WINDOW / 16)
                rest = OUTBOX_MOVING;
            else if (rest == OUTBOX_SENT)
                rest = OUTBOX_STALLED;
        } else if (in_flight_bytes(queue->in_flight) == 0) {
            free_queue(outbox, at);
            continue;
        }
        at = &queue->next;
    }
    return rest;
}

size_t outbox_in_flight(const struct outbox *outbox, const struct peer *peer)
{
    for (const struct peer_queue *queue = outbox->queues; queue; queue = queue->next)
        if (peer_is_same(&queue->peer, peer))
            return in_flight_bytes(queue->in_flight);
    return 0;
}
