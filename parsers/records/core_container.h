/* core_container.h - the container of what the cores of a 950 send: timeline.bin,
 * pcSampling.bin
 *
 * A unit is a head of 8 bytes (core, kind of core, valid length) and a fixed room of
 * 2 MiB, of which the valid part is data. One unit is one read of one channel. */
#ifndef PARSERS_RECORDS_CORE_CONTAINER_H
#define PARSERS_RECORDS_CORE_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    size_t at;
    size_t invalid; /* of a core or a kind that cannot be */
};

/* Start with `at` 0. False at the end; what is then left behind the last whole unit is
 * core_container_tail(). */
bool core_container_next(struct core_container *units, struct core_unit *unit);
size_t core_container_tail(const struct core_container *units);

/* core0.cubecore, core0.veccore0, core0.veccore1. */
void core_channel_name(char out[32], unsigned channel);

#endif
