#include "parsers/records/pmu.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/capture/format/format.h"

enum {
    EVENTS_END = 2048, /* event numbers have at most 11 bits */
    ROWS_MAX = 1 << 18,
    PASSES_USUAL = 10, /* passes of the longest schedule */
    SLOT_BITS = 4,     /* a shift finds a slot faster than a division */
    SLOT_MASK = (1 << SLOT_BITS) - 1,
    FUNCTION_BLOCK = 0x29,
    FUNCTION_MASK = 63,
};

_Static_assert(COUNTER_SCHEDULE_SLOTS_MAX <= 1 << SLOT_BITS,
               "SLOT_BITS must hold every slot");

struct record {
    enum core_kind kind;
    uint16_t core, sub_block;
    uint32_t block;
    uint64_t cycles;
    const uint8_t *slots;
    const uint8_t *times; /* start and end; a pointer, since a copy of the record
                           * written in halves is slow to read back */
};

struct pmu {
    enum chip chip;
    size_t slots;
    size_t pass_count;
    uint32_t vectors; /* largest number in a block */
    struct pmu_row *rows;
    size_t row_count, row_room;
    uint32_t *tracked_passes;
    size_t expected; /* row of the next record, if all passes have the same order */
    uint32_t *table; /* row index + 1 by hash of the key; size is a power of two */
    size_t table_size;
    /* by kind and event: (pass << SLOT_BITS | slot) + 1 */
    uint16_t event_places[2][EVENTS_END];
};

void pmu_decode_ids(uint16_t raw_stream,
                    uint16_t raw_task,
                    uint16_t *stream,
                    uint16_t *task)
{
    if (raw_stream & 0x1000) {
        *task = (uint16_t)((raw_task & 0x1FFF) | (raw_stream & 0xE000));
        *stream = raw_stream % 2048;
    } else if (raw_stream & 0x2000) {
        *task = (uint16_t)((raw_task & 0xF000) | (raw_stream & 0x0FFF));
        *stream = raw_task & 0x0FFF;
    } else {
        *task = raw_task;
        *stream = raw_stream % 2048;
    }
}

static void decode_a2(const uint8_t *bytes, struct record *record)
{
    record->kind = load_u16(bytes + 20) & 1 ? CORE_AIV : CORE_AIC;
    record->core = (load_u16(bytes + 20) >> 1) & 0x7F;
    record->sub_block = load_u16(bytes + 28);
    record->block = load_u16(bytes + 30);
    record->cycles = load_u64(bytes + 32);
    record->slots = bytes + 48;
    record->times = bytes + 112;
}

static void decode_310p(const uint8_t *bytes, struct record *record)
{
    static const uint8_t none[16];

    *record = (struct record){.kind = CORE_AIC,
                              .cycles = load_u64(bytes + 16),
                              .slots = bytes + 32,
                              .times = none};
}

static void decode_a5(const uint8_t *bytes, struct record *record)
{
    record->kind = load_u16(bytes + 20) & 1 ? CORE_AIV : CORE_AIC;
    record->core = load_u16(bytes + 20) >> 8;
    record->sub_block = load_u16(bytes + 24);
    record->block = load_u16(bytes + 26);
    record->cycles = load_u64(bytes + 8);
    record->slots = bytes + 32;
    record->times = bytes + 112;
}

typedef void decode_fn(const uint8_t *bytes, struct record *record);

static decode_fn *decoder(enum chip chip)
{
    switch (chip) {
    case CHIP_A2:
    case CHIP_310B:
        return decode_a2;
    case CHIP_310P:
        return decode_310p;
    case CHIP_A5:
        return decode_a5;
    case CHIP_UNKNOWN:
        break;
    }
    abort(); /* op_info refuses other chips */
}

struct pmu *pmu_create(enum chip chip)
{
    struct pmu *pmu = xcalloc(1, sizeof(*pmu));

    pmu->chip = chip;
    pmu->slots = chip == CHIP_A5 ? 10 : 8;
    pmu->table_size = 256;
    pmu->table = xcalloc(pmu->table_size, sizeof(*pmu->table));
    return pmu;
}

void pmu_destroy(struct pmu *pmu)
{
    if (!pmu)
        return;
    for (size_t i = 0; i < pmu->row_count; i++)
        free(pmu->rows[i].cells);
    free(pmu->rows);
    free(pmu->table);
    free(pmu);
}

static size_t hash(uint32_t block, enum core_kind kind, uint16_t sub_block)
{
    uint64_t key = (uint64_t)block << 17 | (uint64_t)sub_block << 1 | (uint64_t)kind;

    return (size_t)((key * 0x9E3779B97F4A7C15u) >> 32);
}

static bool is_row_of(const struct pmu_row *row, const struct record *record)
{
    return row->block == record->block && row->kind == record->kind &&
           row->sub_block == record->sub_block;
}

static size_t find_slot(const struct pmu *pmu, const struct record *record)
{
    size_t at = hash(record->block, record->kind, record->sub_block);

    for (;; at++) {
        at &= pmu->table_size - 1;
        if (!pmu->table[at])
            return at;
        if (is_row_of(&pmu->rows[pmu->table[at] - 1], record))
            return at;
    }
}

static void grow_table(struct pmu *pmu)
{
    free(pmu->table);
    pmu->table_size *= 2;
    pmu->table = xcalloc(pmu->table_size, sizeof(*pmu->table));
    for (size_t i = 0; i < pmu->row_count; i++) {
        const struct pmu_row *row = &pmu->rows[i];
        struct record key = {
            .block = row->block, .kind = row->kind, .sub_block = row->sub_block};

        pmu->table[find_slot(pmu, &key)] = (uint32_t)i + 1;
    }
}

static struct pmu_row *find_or_add_row(struct pmu *pmu, const struct record *record)
{
    size_t at;

    if (pmu->expected < pmu->row_count && is_row_of(&pmu->rows[pmu->expected], record))
        return &pmu->rows[pmu->expected++];
    at = find_slot(pmu, record);
    if (pmu->table[at]) {
        pmu->expected = pmu->table[at];
        return &pmu->rows[pmu->table[at] - 1];
    }
    if (pmu->row_count == ROWS_MAX)
        return NULL;
    if (pmu->row_count == pmu->row_room) {
        pmu->row_room = pmu->row_room ? pmu->row_room * 2 : 64;
        pmu->rows = xreallocarray(pmu->rows, pmu->row_room, sizeof(*pmu->rows));
    }
    pmu->rows[pmu->row_count] = (struct pmu_row){
        .block = record->block, .kind = record->kind, .sub_block = record->sub_block};
    pmu->table[at] = (uint32_t)++pmu->row_count;
    struct pmu_row *row = &pmu->rows[pmu->row_count - 1];
    if (pmu->row_count * 2 > pmu->table_size)
        grow_table(pmu);
    return row;
}

/* Adds the current pass to a row. When a pass has several records of a row, the first
 * gives the counters, as in the vendor's reader, and the last cycles and times. */
static void
add_counters(struct pmu *pmu, struct pmu_row *row, const struct record *record)
{
    size_t pass = pmu->pass_count - 1, slots = pmu->slots, stride = slots + 1;

    row->cycles = record->cycles;
    row->start_ticks = load_u64(record->times);
    row->end_ticks = load_u64(record->times + 8);
    row->core = record->core;
    if (row->seen >> pass & 1)
        return;
    if (pass >= row->room) {
        row->room = pass < PASSES_USUAL ? PASSES_USUAL : PMU_PASSES_MAX;
        row->cells = xreallocarray(row->cells, row->room, stride * sizeof(uint64_t));
    }
    uint64_t *cells = row->cells + pass * stride;
    for (size_t i = 0; i < slots; i++)
        cells[i] = load_u64(record->slots + 8 * i);
    cells[slots] = record->cycles;
    row->seen |= 1u << pass;
}

static void index_events(struct pmu *pmu, enum core_kind kind, const uint16_t *events)
{
    size_t pass = pmu->pass_count - 1;

    for (size_t i = 0; i < pmu->slots; i++) {
        uint16_t event = events[i];

        if (event == 0 && pmu->chip != CHIP_A5)
            continue; /* padding */
        if (event < EVENTS_END && !pmu->event_places[kind][event])
            pmu->event_places[kind][event] = (uint16_t)((pass << SLOT_BITS | i) + 1);
    }
}

/* Returns true for a record of a block. The vendor's hand-made files for an A2 have
 * function type 0. Function type and ids are at the same offsets on all chips. */
static bool is_block_record(enum chip chip, const uint8_t *bytes)
{
    uint16_t function = load_u16(bytes) & FUNCTION_MASK;

    return chip == CHIP_310P || function == FUNCTION_BLOCK ||
           (function == 0 && chip != CHIP_A5);
}

static uint32_t ids_of(enum chip chip, const uint8_t *bytes)
{
    uint16_t stream, task;

    if (chip == CHIP_310P)
        return 0;
    pmu_decode_ids(load_u16(bytes + 4), load_u16(bytes + 6), &stream, &task);
    return (uint32_t)stream << 16 | task;
}

/* Returns the index of the first record of the last group. Counts the groups, and the
 * records of other kinds. */
static size_t find_last_group(enum chip chip,
                              const uint8_t *bytes,
                              size_t count,
                              struct pmu_notes *notes)
{
    uint32_t last = 0;
    size_t first = 0;

    for (size_t i = 0; i < count; i++, bytes += PMU_RECORD_BYTES) {
        if (!is_block_record(chip, bytes)) {
            notes->skipped++;
            continue;
        }
        uint32_t ids = ids_of(chip, bytes);
        if (!notes->groups || ids != last) {
            notes->groups++;
            first = i;
        }
        last = ids;
    }
    return first;
}

int pmu_add_pass(struct pmu *pmu,
                 const struct counter_schedule_pass *events,
                 const uint8_t *bytes,
                 size_t size,
                 struct pmu_notes *notes,
                 struct err *err)
{
    decode_fn *decode = decoder(pmu->chip);
    size_t count = size / PMU_RECORD_BYTES;

    *notes = (struct pmu_notes){.tail_bytes = size % PMU_RECORD_BYTES};
    if (pmu->pass_count == PMU_PASSES_MAX)
        return err_set(err, ERR_LIMIT, "more than %d passes", PMU_PASSES_MAX);
    pmu->pass_count++;
    pmu->expected = 0;
    index_events(pmu, CORE_AIC, events->aic);
    index_events(pmu, CORE_AIV, events->aiv);

    for (size_t i = find_last_group(pmu->chip, bytes, count, notes); i < count; i++) {
        struct record record;

        if (!is_block_record(pmu->chip, bytes + i * PMU_RECORD_BYTES))
            continue;
        decode(bytes + i * PMU_RECORD_BYTES, &record);
        struct pmu_row *row = find_or_add_row(pmu, &record);
        if (!row)
            return err_set(err, ERR_LIMIT, "more than %d blocks", ROWS_MAX);
        add_counters(pmu, row, &record);
        notes->records++;
    }
    return 0;
}

/* Orders by block, then cube0, vector0, vector1. */
static int compare_rows(const void *left, const void *right)
{
    const struct pmu_row *a = left, *b = right;

    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (int)a->sub_block - (int)b->sub_block;
}

void pmu_finish(struct pmu *pmu)
{
    if (pmu->row_count)
        qsort(pmu->rows, pmu->row_count, sizeof(*pmu->rows), compare_rows);
    for (size_t i = 0; i < pmu->row_count; i++)
        if (pmu->rows[i].kind == CORE_AIV && pmu->rows[i].sub_block >= pmu->vectors)
            pmu->vectors = pmu->rows[i].sub_block + 1u;
}

const struct pmu_row *
pmu_find(const struct pmu *pmu, enum core_kind kind, uint32_t block, uint32_t sub_block)
{
    const struct pmu_row key = {
        .block = block, .kind = kind, .sub_block = (uint16_t)sub_block};

    if (!pmu->row_count || sub_block > UINT16_MAX)
        return NULL;
    return bsearch(&key, pmu->rows, pmu->row_count, sizeof(*pmu->rows), compare_rows);
}

uint32_t pmu_vectors_per_block(const struct pmu *pmu)
{
    return pmu->vectors;
}

size_t pmu_row_count(const struct pmu *pmu)
{
    return pmu->row_count;
}

const struct pmu_row *pmu_row(const struct pmu *pmu, size_t index)
{
    return &pmu->rows[index];
}

size_t pmu_pass_count(const struct pmu *pmu)
{
    return pmu->pass_count;
}

size_t pmu_rows_without_pass(const struct pmu *pmu, size_t pass)
{
    size_t count = 0;

    for (size_t i = 0; i < pmu->row_count; i++)
        count += !(pmu->rows[i].seen >> pass & 1);
    return count;
}

bool pmu_get(const struct pmu *pmu,
             const struct pmu_row *row,
             unsigned event,
             uint64_t *value,
             uint64_t *pass_cycles)
{
    size_t event_places = event < EVENTS_END ? pmu->event_places[row->kind][event] : 0;

    if (!event_places)
        return false;
    size_t pass = (event_places - 1) >> SLOT_BITS,
           slot = (event_places - 1) & SLOT_MASK;
    if (!(row->seen >> pass & 1))
        return false;
    const uint64_t *cells = row->cells + pass * (pmu->slots + 1);
    *value = cells[slot];
    *pass_cycles = cells[pmu->slots];
    if (pmu->tracked_passes)
        *pmu->tracked_passes |= 1u << pass;
    return true;
}

void pmu_track_passes(struct pmu *pmu, uint32_t *passes)
{
    pmu->tracked_passes = passes;
}
