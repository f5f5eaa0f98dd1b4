#include "coordinator/net/outbox.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/wire/codec.h"

enum { QUEUE_BYTES_MAX = 256 << 20 }; /* enough for the rows of a million tasks */

struct peer_queue { /* messages for one peer: each a size and a packet */
    struct peer_queue *next;
    struct link *link;
    struct peer peer;
    struct text packets;
    size_t sent; /* bytes of packets */
};

struct outbox {
    struct peer_queue *queues;
    struct peer_queue *latest; /* used last: rows for one peer follow each other */
    bool urgent;
};

struct outbox *outbox_create(void)
{
    return xcalloc(1, sizeof(struct outbox));
}

static void free_queue(struct outbox *outbox, struct peer_queue **at)
{
    struct peer_queue *queue = *at;

    *at = queue->next;
    if (outbox->latest == queue)
        outbox->latest = NULL;
    text_clear(&queue->packets);
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
    }
    outbox->latest = *at;
    return *at;
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
    struct text *packets = &get_queue(outbox, link, to)->packets;
    size_t start = packets->length, size = 0;

    if (start > QUEUE_BYTES_MAX)
        return; /* the peer does not read; it may repeat its request */
    text_add_bytes(packets, (const char *)&size, sizeof(size));
    codec_pack(packets, type, message);
    size = packets->length - start - sizeof(size);
    memcpy(packets->bytes + start, &size, sizeof(size));
}

bool outbox_is_empty(const struct outbox *outbox)
{
    return !outbox->queues;
}

bool outbox_is_urgent(const struct outbox *outbox)
{
    return outbox->urgent;
}

/* Returns true when the queue is empty or its peer has left. */
static bool flush_queue(struct peer_queue *queue)
{
    struct err err;
    size_t size;

    while (queue->sent < queue->packets.length) {
        const char *at = queue->packets.bytes + queue->sent;

        memcpy(&size, at, sizeof(size));
        if (link_send_packed(queue->link, &queue->peer, at + sizeof(size), size, &err) <
            0) {
            if (err.code == ERR_LIMIT)
                return false;
            if (err.code != ERR_UNREACHABLE)
                log_warning("reply not sent: reason=\"%s\"", err.text);
            return true;
        }
        queue->sent += sizeof(size) + size;
    }
    return true;
}

bool outbox_flush(struct outbox *outbox)
{
    outbox->urgent = false;
    for (struct peer_queue **at = &outbox->queues; *at;) {
        if (flush_queue(*at))
            free_queue(outbox, at);
        else
            at = &(*at)->next;
    }
    return outbox->queues != NULL;
}
