#include "parsers/records/warps.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"

enum {
    BLOCK_BYTES = 1104,
    MAGIC = 0x5A5A5A5A,
    WARPS_MAX = 64,
    FIRST_WARP = 16,
    WARP_BYTES = 16,
    KINDS = 3,
};

const char *warp_core_kind_name(unsigned kind)
{
    static const char *const names[KINDS] = {"veccore0", "veccore1", "cubecore0"};

    return kind < KINDS ? names[kind] : "INVALID_TYPE";
}

static void add(struct warps *warps, const struct warp *warp)
{
    if (!warp->start_cycle || warp->end_cycle <= warp->start_cycle)
        return;
    if (warps->count == warps->room) {
        warps->room = warps->room ? warps->room * 2 : 64;
        warps->rows = xreallocarray(warps->rows, warps->room, sizeof(*warps->rows));
    }
    warps->rows[warps->count++] = *warp;
}

static void read_block(struct warps *warps, const uint8_t *block, uint32_t place)
{
    uint32_t count = load_u32(block + 4), core = load_u32(block + 8);
    uint32_t kind = load_u32(block + 12);

    if (load_u32(block) != MAGIC || kind >= KINDS) {
        warps->invalid++;
        return;
    }
    for (uint32_t i = 0; i < count && i < WARPS_MAX; i++) {
        const uint8_t *at = block + FIRST_WARP + (size_t)i * WARP_BYTES;

        add(warps, &(struct warp){
                       .start_cycle = load_u64(at),
                       .end_cycle = load_u64(at + 8),
                       .core = core,
                       .kind = (uint8_t)kind,
                       .warp = (uint8_t)i,
                       .place = place,
                   });
    }
}

void warps_read(struct warps *warps, const uint8_t *bytes, size_t size)
{
    size_t blocks = size / BLOCK_BYTES;

    *warps = (struct warps){.tail_bytes = size % BLOCK_BYTES};
    for (size_t i = 0; i < blocks; i++)
        read_block(warps, bytes + i * BLOCK_BYTES, (uint32_t)i);
}

void warps_clear(struct warps *warps)
{
    free(warps->rows);
    *warps = (struct warps){0};
}
