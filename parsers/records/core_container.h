/* core_container.h - splits timeline.bin and pcSampling.bin of a 950 into units
 *
 * A unit has a header of 8 bytes (core, kind of core, valid bytes) and 2 MiB of space,
 * of which the first `valid` bytes are data. One unit is one read of one channel.
 * A packed container has one unit per channel, of any size and without other space. It
 * is made from the channel bytes of a capture. */
#ifndef PARSERS_RECORDS_CORE_CONTAINER_H
#define PARSERS_RECORDS_CORE_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;

enum {
    CORE_UNIT_HEAD_BYTES = 8,
    CORE_UNIT_ROOM_BYTES = 2 << 20,
    CORE_UNIT_CORES = 6,
    CORE_UNIT_KINDS = 3,
    CORE_UNIT_CHANNELS = CORE_UNIT_CORES * CORE_UNIT_KINDS,
};

struct core_unit {
    unsigned channel; /* core * 3 + kind */
    const uint8_t *bytes;
    size_t size;
};

struct core_container {
    const uint8_t *bytes;
    size_t size;
    bool packed;
    size_t at;
    size_t invalid; /* units with an impossible core or kind */
};

/* Returns the next unit, or false at the end. Start with `at` 0. */
bool core_container_next(struct core_container *units, struct core_unit *unit);
/* Returns the bytes after the last complete unit. Call it at the end. */
size_t core_container_tail(const struct core_container *units);

/* Appends bytes of a channel, which begin at `offset` of all its bytes, to a packed
 * container. Returns false, and changes nothing, when bytes before them are missing;
 * then *present is the number of the channel's bytes so far. */
bool core_container_add(struct text *packed,
                        unsigned channel,
                        uint64_t offset,
                        const uint8_t *bytes,
                        uint32_t size,
                        size_t *present);

/* Writes core0.cubecore, core0.veccore0, core0.veccore1 and so on. */
void core_channel_name(char out[32], unsigned channel);

#endif
