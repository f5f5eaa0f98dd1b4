/* tracekit_blocks.c - blocks 0x0A and 0x0B of an instrumented launch */
#include "lib/base/mem.h"
#include "parsers/container/bin.h"
#include "parsers/container/tracekit.h"
#include "parsers/source/source_transfers.h"
#include "parsers/visualize/block_writers.h"

enum { RECORDS_MAX = 1 << 20, NO_SPACE = -1 };

static const int8_t spaces[MEMORY_KINDS] = {
    [MEMORY_L1] = 2,  [MEMORY_L0A] = 3,       [MEMORY_L0B] = 4,
    [MEMORY_L0C] = 5, [MEMORY_UB] = 6,        [MEMORY_GM] = 1,
    [MEMORY_REG] = 0, [MEMORY_BT] = NO_SPACE, [MEMORY_PRIVATE] = 0,
};

struct record_output {
    const struct measure *measure;
    struct text *out;
    uint32_t number;
};

static bool is_of_cube(const struct record_output *w, const struct transfer *t)
{
    if (w->measure->info->chip == CHIP_A5)
        return t->block % 3 == 2;
    if (w->measure->kind != OP_MIX)
        return w->measure->kind != OP_VECTOR;
    return t->src_memory != MEMORY_UB && t->dst_memory != MEMORY_UB;
}

static void add_record(struct record_output *w,
                       const struct transfer *t,
                       enum tracekit_access access,
                       unsigned memory,
                       uint64_t address,
                       uint64_t bytes)
{
    uint8_t record[TRACEKIT_BYTES];

    if (memory >= MEMORY_KINDS || spaces[memory] == NO_SPACE || !bytes ||
        w->number == RECORDS_MAX)
        return;
    tracekit_put_record(record, &(struct tracekit_record){
                                    .access = (uint8_t)access,
                                    .core = (int8_t)t->block,
                                    .space = spaces[memory],
                                    .is_cube = is_of_cube(w, t),
                                    .number = w->number++,
                                    .address = address,
                                    .bytes = bytes,
                                    .pc = t->pc,
                                });
    text_add_bytes(w->out, record, sizeof(record));
}

static void add_transfer(void *arg, const struct transfer *t)
{
    add_record(arg, t, TRACEKIT_LOAD, t->src_memory, t->src, t->src_bytes);
    add_record(arg, t, TRACEKIT_STORE, t->dst_memory, t->dst, t->dst_bytes);
}

/* Reads the records again, because the findings do not store them. The findings have a
 * note when they cannot be read. */
static void add_records(const struct findings *findings, struct text *out)
{
    struct record_output output = {.measure = &findings->measure, .out = out};
    struct transfer_reader reader;
    struct err ignored;

    transfer_reader_init(&reader, add_transfer, &output);
    source_read_transfers(findings->launch, &reader, &ignored);
}

static uint32_t clamp_u32(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void add_sets(const struct memory_detail *memory, struct text *out)
{
    for (size_t i = 0; memory->sets && i < memory->set_count; i++) {
        const struct detail_set *set = &memory->sets[i];
        uint8_t record[TRACEKIT_BYTES];

        tracekit_put_set(record, &(struct tracekit_set){
                                     .loads = clamp_u32(set->loads),
                                     .stores = clamp_u32(set->stores),
                                     .line = clamp_u32(i),
                                     .hits = clamp_u32(set->hits),
                                     .misses = clamp_u32(set->misses),
                                     .allocated = clamp_u32(set->misses),
                                     .written_back = clamp_u32(set->written_back),
                                     .dropped = clamp_u32(set->dropped),
                                 });
        text_add_bytes(out, record, sizeof(record));
    }
}

void tracekit_blocks_add(const struct findings *findings, struct text *out)
{
    struct text payload = {0};

    if (!findings->launch->with_tracekit || !findings->detail.has_memory)
        return;
    add_records(findings, &payload);
    if (payload.length)
        bin_add(out, BIN_MEMORY_RECORDS, &payload);
    text_reset(&payload);
    add_sets(&findings->detail.memory, &payload);
    if (payload.length)
        bin_add(out, BIN_CACHE_SETS, &payload);
    text_clear(&payload);
}
