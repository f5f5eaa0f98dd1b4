/* warps.h - reads WarpTimeline.bin of a 950: start and end of each warp */
#ifndef PARSERS_RECORDS_WARPS_H
#define PARSERS_RECORDS_WARPS_H

#include <stddef.h>
#include <stdint.h>

struct warp {
    uint64_t start_cycle, end_cycle;
    uint32_t core;
    uint8_t kind; /* 0 veccore0, 1 veccore1, 2 cubecore0 */
    uint8_t warp;
    uint32_t place; /* index of the block in the file */
};

struct warps {
    struct warp *rows;
    size_t count, room;
    size_t invalid; /* blocks with another magic number or an unknown kind of core */
    size_t tail_bytes;
};

void warps_read(struct warps *warps, const uint8_t *bytes, size_t size);
void warps_clear(struct warps *warps);
const char *warp_core_kind_name(unsigned kind);

#endif
