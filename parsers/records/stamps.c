#include "parsers/records/stamps.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"

enum { RECORD_BYTES = 24, LCCL_RECORD_BYTES = 32, OLD_FORM_CUBES_FROM = 50 };

static const struct library_stamp {
    uint32_t id; /* id of the start; the end is id + 1 */
    unsigned colour;
    const char *name;
} library[] = {
    {0x1000, 2, "INIT"},
    {0x1010, 3, "COMMIT"},
    {0x1020, 4, "WAIT"},
    {0x1030, 5, "QUERY"},
    {0x1040, 6, "FINALIZE"},
    {0x1050, 7, "GROUP_SYNC"},
    {0x1060, 8, "GET_WINDOW_IN"},
    {0x1062, 0, "GET_WINDOW_OUT"},
    {0x1064, 1, "GET_RANK_ID"},
    {0x1066, 2, "GET_RANK_DIM"},
    {0x1068, 3, "SET_CCTILING"},
    {0x1100, 5, "ALL_REDUCE_PREPARE"},
    {0x1110, 5, "ALL_GATHER_PREPARE"},
    {0x1120, 5, "REDUCE_SCATTER_PREPARE"},
    {0x1130, 5, "ALL_TO_ALL_PREPARE"},
    {0x1140, 5, "ALL_TO_ALL_V_PREPARE"},
};

bool stamp_library_name(uint32_t id, struct stamp_name *out)
{
    for (size_t i = 0; i < COUNT(library); i++)
        if (library[i].id == (id & ~1u)) {
            *out = (struct stamp_name){library[i].name, library[i].colour, id & 1};
            return true;
        }
    return false;
}

/* Returns true for the physical numbers of cube cores. */
static bool is_cube_core(enum chip chip, uint32_t core)
{
    if (chip == CHIP_A5)
        return core <= 17 || (core >= 54 && core <= 71);
    return core <= 24;
}

/* Sets block and core kind. In the new form the high half of `raw` is the physical core
 * and the low half the block. In the old form `raw` is the block, plus 50 for cubes. */
static void set_block(struct stamp *stamp, enum chip chip, uint32_t raw, bool is_new)
{
    bool is_cube =
        is_new ? is_cube_core(chip, raw >> 16) : raw >= (uint32_t)OLD_FORM_CUBES_FROM;

    stamp->kind = is_cube ? CORE_AIC : CORE_AIV;
    stamp->block = is_new ? raw & 0xFFFF : is_cube ? raw - OLD_FORM_CUBES_FROM : raw;
}

static bool is_new_form(struct stamp_blocks blocks, const uint8_t *bytes, size_t count)
{
    bool one_cube = blocks.cubes == 1 && !blocks.vectors;

    for (size_t i = 0; i < count; i++) {
        uint32_t raw = load_u32(bytes + i * RECORD_BYTES + 8);

        if (raw >> 16 || (one_cube && raw <= OLD_FORM_CUBES_FROM))
            return true;
    }
    return false;
}

static void
read_record(struct stamp *stamp, enum chip chip, const uint8_t *record, bool is_new)
{
    *stamp = (struct stamp){
        .ticks = load_u64(record),
        .id = load_u32(record + 12),
        .pc = load_u64(record + 16),
    };
    set_block(stamp, chip, load_u32(record + 8), is_new);
}

static void read_lccl_record(struct stamp *stamp, enum chip chip, const uint8_t *record)
{
    *stamp = (struct stamp){
        .id = load_u32(record),
        .ticks = load_u64(record + 8),
        .pc = load_u64(record + 16),
        .operation = load_u32(record + 24),
    };
    set_block(stamp, chip, load_u32(record + 4), false);
}

/* Adds a user's id to the sorted list of the smallest ids, unless the list has it. */
static void add_user_id(struct stamps *stamps, uint32_t id)
{
    size_t at = stamps->user_count;

    while (at > 0 && stamps->users[at - 1] > id)
        at--;
    if (at == STAMP_COLOURS || (at > 0 && stamps->users[at - 1] == id))
        return;
    if (stamps->user_count < STAMP_COLOURS)
        stamps->user_count++;
    for (size_t i = stamps->user_count - 1; i > at; i--)
        stamps->users[i] = stamps->users[i - 1];
    stamps->users[at] = id;
}

void stamps_read(struct stamps *stamps,
                 enum chip chip,
                 bool is_lccl,
                 struct stamp_blocks blocks,
                 const uint8_t *bytes,
                 size_t size)
{
    size_t step = stamps_record_bytes(is_lccl);

    *stamps = (struct stamps){.count = size / step, .tail_bytes = size % step};
    if (!stamps->count)
        return;
    stamps->rows = xreallocarray(NULL, stamps->count, sizeof(*stamps->rows));
    bool is_new = !is_lccl && is_new_form(blocks, bytes, stamps->count);

    for (size_t i = 0; i < stamps->count; i++)
        if (is_lccl)
            read_lccl_record(&stamps->rows[i], chip, bytes + i * step);
        else
            read_record(&stamps->rows[i], chip, bytes + i * step, is_new);
    for (size_t i = 0; i < stamps->count && !is_lccl; i++)
        if (stamps->rows[i].id >= STAMP_USER_FIRST)
            add_user_id(stamps, stamps->rows[i].id);
}

void stamps_clear(struct stamps *stamps)
{
    free(stamps->rows);
    *stamps = (struct stamps){0};
}

size_t stamps_record_bytes(bool is_lccl)
{
    return is_lccl ? LCCL_RECORD_BYTES : RECORD_BYTES;
}

uint64_t stamps_record_ticks(bool is_lccl, const uint8_t *record)
{
    return load_u64(is_lccl ? record + 8 : record);
}
