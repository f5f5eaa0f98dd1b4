#include "parsers/records/core_container.h"

#include <stdio.h>

#include "lib/capture/format/format.h"

enum { WHOLE = UNIT_HEAD_BYTES + UNIT_ROOM_BYTES };

bool unit_next(struct core_container *units, struct unit *unit)
{
    while (units->size - units->at >= WHOLE) {
        const uint8_t *head = units->bytes + units->at;
        unsigned core = load_u16(head), kind = load_u16(head + 2);
        size_t valid = load_u32(head + 4);

        units->at += WHOLE;
        if (core >= UNIT_CORES || kind >= UNIT_KINDS) {
            units->strangers++;
            continue;
        }
        *unit = (struct unit){
            .channel = core * UNIT_KINDS + kind,
            .bytes = head + UNIT_HEAD_BYTES,
            .size = valid < UNIT_ROOM_BYTES ? valid : UNIT_ROOM_BYTES,
        };
        return true;
    }
    return false;
}

size_t core_container_tail(const struct core_container *units)
{
    return units->size - units->at;
}

void unit_channel_name(char out[32], unsigned channel)
{
    static const char *const kinds[UNIT_KINDS] = {"cubecore", "veccore0", "veccore1"};

    snprintf(out, 32, "core%u.%s", channel / UNIT_KINDS, kinds[channel % UNIT_KINDS]);
}
