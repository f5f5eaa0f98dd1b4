#include "worker/lease/waiting_lease.h"

#include <assert.h>
#include <stdlib.h>

#include "lib/base/err.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/wire/codec.h"
#include "lib/wire/messages.h"

enum { KEEP_BYTES = 64 << 10 }; /* memory that a slot keeps for the next lease */

struct waiting_lease {
    uint64_t run_id;
    struct text packet;
    struct codec_zone *zone;
    union any_message message;
    bool is_open; /* `message` is the unpacked packet */
};

struct waiting_lease *waiting_lease_create(void)
{
    struct waiting_lease *slot = xcalloc(1, sizeof(*slot));

    slot->zone = codec_zone_create();
    return slot;
}

void waiting_lease_destroy(struct waiting_lease *slot)
{
    if (!slot)
        return;
    codec_zone_destroy(slot->zone);
    text_clear(&slot->packet);
    free(slot);
}

void waiting_lease_trim(struct waiting_lease *slot)
{
    if (slot->packet.room <= KEEP_BYTES)
        return;
    text_clear(&slot->packet);
    codec_zone_destroy(slot->zone);
    slot->zone = codec_zone_create();
    slot->is_open = false;
}

size_t waiting_lease_bytes(const struct waiting_lease *slot)
{
    return slot->packet.room;
}

uint64_t waiting_lease_run_id(const struct waiting_lease *slot)
{
    return slot->run_id;
}

void waiting_lease_put(struct waiting_lease *slot, const struct msg_lease *lease)
{
    assert(slot->run_id == 0);
    waiting_lease_trim(slot);
    text_reset(&slot->packet);
    codec_pack(&slot->packet, MSG_LEASE, lease);
    slot->run_id = lease->run_id;
    slot->is_open = false;
}

const struct msg_lease *waiting_lease_peek(struct waiting_lease *slot)
{
    const struct message *kind;
    struct err err;

    if (slot->run_id == 0)
        return NULL;
    if (!slot->is_open) {
        slot->is_open = codec_unpack(&kind, &slot->message, slot->packet.bytes,
                                     slot->packet.length, slot->zone, &err) == 0;
        assert(slot->is_open); /* this module packed it */
    }
    return slot->is_open ? &slot->message.lease : NULL;
}

const struct msg_lease *waiting_lease_take(struct waiting_lease *slot)
{
    const struct msg_lease *lease = waiting_lease_peek(slot);

    slot->run_id = 0;
    return lease;
}

void waiting_lease_restore(struct waiting_lease *slot)
{
    slot->run_id = slot->message.lease.run_id;
}

void waiting_lease_drop(struct waiting_lease *slot)
{
    slot->run_id = 0;
}
