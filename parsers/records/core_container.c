#include "parsers/records/core_container.h"

#include <stdio.h>

#include "lib/capture/format/format.h"

enum { UNIT_BYTES = CORE_UNIT_HEAD_BYTES + CORE_UNIT_ROOM_BYTES };

bool core_container_next(struct core_container *units, struct core_unit *unit)
{
    while (units->size - units->at >= UNIT_BYTES) {
        const uint8_t *head = units->bytes + units->at;
        unsigned core = load_u16(head), kind = load_u16(head + 2);
        size_t valid = load_u32(head + 4);

        units->at += UNIT_BYTES;
        if (core >= CORE_UNIT_CORES || kind >= CORE_UNIT_KINDS) {
            units->invalid++;
            continue;
        }
        *unit = (struct core_unit){
            .channel = core * CORE_UNIT_KINDS + kind,
            .bytes = head + CORE_UNIT_HEAD_BYTES,
            .size = valid < CORE_UNIT_ROOM_BYTES ? valid : CORE_UNIT_ROOM_BYTES,
        };
        return true;
    }
    return false;
}

size_t core_container_tail(const struct core_container *units)
{
    return units->size - units->at;
}

void core_channel_name(char out[32], unsigned channel)
{
    static const char *const kinds[CORE_UNIT_KINDS] = {"cubecore", "veccore0",
                                                       "veccore1"};

    snprintf(out, 32, "core%u.%s", channel / CORE_UNIT_KINDS,
             kinds[channel % CORE_UNIT_KINDS]);
}
