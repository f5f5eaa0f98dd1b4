#include "worker/lease/waiting_lease.h"

#include <assert.h>
#include <stdlib.h>

#include "lib/base/err.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/wire/codec.h"
#include "lib/wire/messages.h"

struct waiting_lease {
    uint64_t run_id;
    struct text packet;
    struct codec_zone *zone;
    union any_message message;
    bool is_open; /* the message is the packet's */
};

struct waiting_lease *waiting_lease_create(void)
{
    struct waiting_lease *next = xcalloc(1, sizeof(*next));

    next->zone = codec_zone_create();
    return next;
}

void waiting_lease_destroy(struct waiting_lease *next)
{
    if (!next)
        return;
    codec_zone_destroy(next->zone);
    text_clear(&next->packet);
    free(next);
}

uint64_t waiting_lease_run_id(const struct waiting_lease *next)
{
    return next->run_id;
}

void waiting_lease_put(struct waiting_lease *next, const struct msg_lease *lease)
{
    assert(next->run_id == 0);
    text_reset(&next->packet);
    codec_pack(&next->packet, MSG_LEASE, lease);
    next->run_id = lease->run_id;
    next->is_open = false;
}

const struct msg_lease *waiting_lease_look(struct waiting_lease *next)
{
    const struct message *kind;
    struct err err;

    if (next->run_id == 0)
        return NULL;
    if (!next->is_open) {
        next->is_open = codec_unpack(&kind, &next->message, next->packet.bytes,
                                     next->packet.length, next->zone, &err) == 0;
        assert(next->is_open); /* we packed it */
    }
    return next->is_open ? &next->message.lease : NULL;
}

const struct msg_lease *waiting_lease_take(struct waiting_lease *next)
{
    const struct msg_lease *lease = waiting_lease_look(next);

    next->run_id = 0;
    return lease;
}

void waiting_lease_keep(struct waiting_lease *next)
{
    next->run_id = next->message.lease.run_id;
}

void waiting_lease_drop(struct waiting_lease *next)
{
    next->run_id = 0;
}
