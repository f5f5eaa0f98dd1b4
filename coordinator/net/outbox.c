#include "coordinator/net/outbox.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/wire/codec.h"

enum { LANE_BYTES_MAX = 256 << 20 }; /* the rows of a job of a million tasks */

struct lane { /* what waits for one peer: a size and a packet each */
    struct lane *next;
    struct link *link;
    struct peer peer;
    struct text packets;
    size_t sent;
};

struct outbox {
    struct lane *lanes;
    struct lane *latest; /* rows come in runs to the same peer */
    bool urgent;
};

struct outbox *outbox_create(void)
{
    return xcalloc(1, sizeof(struct outbox));
}

static void free_lane(struct outbox *outbox, struct lane **at)
{
    struct lane *lane = *at;

    *at = lane->next;
    if (outbox->latest == lane)
        outbox->latest = NULL;
    text_clear(&lane->packets);
    free(lane);
}

void outbox_destroy(struct outbox *outbox)
{
    if (!outbox)
        return;
    while (outbox->lanes)
        free_lane(outbox, &outbox->lanes);
    free(outbox);
}

static struct lane *
get_lane(struct outbox *outbox, struct link *link, const struct peer *peer)
{
    struct lane **at = &outbox->lanes;

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
    struct text *packets = &get_lane(outbox, link, to)->packets;
    size_t start = packets->length, size = 0;

    if (start > LANE_BYTES_MAX)
        return; /* it does not read; it will ask again, or never */
    text_add_bytes(packets, (const char *)&size, sizeof(size));
    codec_pack(packets, type, message);
    size = packets->length - start - sizeof(size);
    memcpy(packets->bytes + start, &size, sizeof(size));
}

bool outbox_is_empty(const struct outbox *outbox)
{
    return !outbox->lanes;
}

bool outbox_is_urgent(const struct outbox *outbox)
{
    return outbox->urgent;
}

/* True when the lane is empty, or its peer gone. */
static bool flush_lane(struct lane *lane)
{
    struct err err;
    size_t size;

    while (lane->sent < lane->packets.length) {
        const char *at = lane->packets.bytes + lane->sent;

        memcpy(&size, at, sizeof(size));
        if (link_send_packed(lane->link, &lane->peer, at + sizeof(size), size, &err) <
            0) {
            if (err.code == ERR_LIMIT)
                return false;
            if (err.code != ERR_UNREACHABLE)
                log_warning("answer not sent: %s", err.text);
            return true;
        }
        lane->sent += sizeof(size) + size;
    }
    return true;
}

bool outbox_flush(struct outbox *outbox)
{
    outbox->urgent = false;
    for (struct lane **at = &outbox->lanes; *at;) {
        if (flush_lane(*at))
            free_lane(outbox, at);
        else
            at = &(*at)->next;
    }
    return outbox->lanes != NULL;
}
