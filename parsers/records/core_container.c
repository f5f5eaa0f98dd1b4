#include "parsers/records/core_container.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/capture/format/format.h"

/* Returns true when a complete unit follows, and sets the bytes of its space. */
static bool has_unit(const struct core_container *units, size_t *room)
{
    size_t left = units->size - units->at;

    if (left < CORE_UNIT_HEAD_BYTES)
        return false;
    *room =
        units->packed ? load_u32(units->bytes + units->at + 4) : CORE_UNIT_ROOM_BYTES;
    return left - CORE_UNIT_HEAD_BYTES >= *room;
}

bool core_container_next(struct core_container *units, struct core_unit *unit)
{
    size_t room;

    while (has_unit(units, &room)) {
        const uint8_t *head = units->bytes + units->at;
        unsigned core = load_u16(head), kind = load_u16(head + 2);
        size_t valid = load_u32(head + 4);

        units->at += CORE_UNIT_HEAD_BYTES + room;
        if (core >= CORE_UNIT_CORES || kind >= CORE_UNIT_KINDS) {
            units->invalid++;
            continue;
        }
        *unit = (struct core_unit){
            .channel = core * CORE_UNIT_KINDS + kind,
            .bytes = head + CORE_UNIT_HEAD_BYTES,
            .size = valid < room ? valid : room,
        };
        return true;
    }
    return false;
}

size_t core_container_tail(const struct core_container *units)
{
    return units->size - units->at;
}

static unsigned channel_of(const uint8_t *head)
{
    return (unsigned)load_u16(head) * CORE_UNIT_KINDS + load_u16(head + 2);
}

/* Returns the offset of the first unit of this channel or of a later one. */
static size_t find_unit(const struct text *packed, unsigned channel)
{
    const uint8_t *bytes = (const uint8_t *)text_get(packed);
    size_t at = 0;

    while (at < packed->length && channel_of(bytes + at) < channel)
        at += CORE_UNIT_HEAD_BYTES + load_u32(bytes + at + 4);
    return at;
}

/* Makes room for `size` bytes at offset `at`. */
static uint8_t *insert(struct text *text, size_t at, const void *bytes, size_t size)
{
    size_t behind = text->length - at;

    text_add_bytes(text, bytes, size); /* at the end, which gets the memory */
    memmove(text->bytes + at + size, text->bytes + at, behind);
    memcpy(text->bytes + at, bytes, size);
    return (uint8_t *)text->bytes + at;
}

bool core_container_add(struct text *packed,
                        unsigned channel,
                        uint64_t offset,
                        const uint8_t *bytes,
                        uint32_t size,
                        size_t *present)
{
    const uint8_t head[CORE_UNIT_HEAD_BYTES] = {
        [0] = (uint8_t)(channel / CORE_UNIT_KINDS),
        [2] = (uint8_t)(channel % CORE_UNIT_KINDS),
    };
    size_t at = find_unit(packed, channel);
    const uint8_t *unit = (const uint8_t *)packed->bytes + at;
    bool is_new = at == packed->length || channel_of(unit) != channel;

    *present = is_new ? 0 : load_u32(unit + 4);
    if (offset != *present || size > UINT32_MAX - *present)
        return false;
    if (is_new)
        insert(packed, at, head, sizeof(head));
    insert(packed, at + CORE_UNIT_HEAD_BYTES + *present, bytes, size);
    store_u32(packed->bytes + at + 4, (uint32_t)*present + size);
    return true;
}

void core_channel_name(char out[32], unsigned channel)
{
    static const char *const kinds[CORE_UNIT_KINDS] = {"cubecore", "veccore0",
                                                       "veccore1"};

    snprintf(out, 32, "core%u.%s", channel / CORE_UNIT_KINDS,
             kinds[channel % CORE_UNIT_KINDS]);
}
