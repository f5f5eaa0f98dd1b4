#include "parsers/visualize/block_rows.h"

#include "lib/base/decimal.h"
#include "lib/base/mem.h"

enum { L2_EVICTIONS = 4 }; /* slot of event 0x9C in the L2 counters */

static enum side side_of(const struct pmu_row *row)
{
    if (row->kind == CORE_AIC)
        return SIDE_CUBE;
    return row->sub_block ? SIDE_VECTOR1 : SIDE_VECTOR0;
}

bool block_rows_next(const struct measure *measure,
                     size_t *at,
                     struct block_rows *entry)
{
    size_t count = pmu_row_count(measure->pmu);

    if (*at >= count)
        return false;
    const struct pmu_row *row = pmu_row(measure->pmu, (*at)++);
    *entry = (struct block_rows){.block = row->block};
    if (measure->kind != OP_MIX) {
        entry->rows[row->kind == CORE_AIC ? SIDE_CUBE : SIDE_VECTOR0] = row;
        return true;
    }
    entry->rows[side_of(row)] = row;
    for (; *at < count; ++*at) {
        row = pmu_row(measure->pmu, *at);
        if (row->block != entry->block)
            break;
        if (!entry->rows[side_of(row)])
            entry->rows[side_of(row)] = row;
    }
    return true;
}

size_t block_rows_count(const struct measure *measure)
{
    struct block_rows entry;
    size_t at = 0, count = 0;

    while (block_rows_next(measure, &at, &entry))
        count++;
    return count;
}

const struct pmu_row *block_rows_row(const struct block_rows *entry, enum side side)
{
    if (side != SIDE_ALL)
        return entry->rows[side];
    for (size_t i = 0; i < SIDES; i++)
        if (entry->rows[i])
            return entry->rows[i];
    return NULL;
}

struct value block_rows_sum(const struct measure *measure,
                            const struct block_rows *entry,
                            enum side side,
                            const char *terms)
{
    uint64_t sum = 0;

    if (side != SIDE_ALL)
        return entry->rows[side] ? measure_sum(measure, entry->rows[side], terms, NULL)
                                 : value_none;
    for (size_t i = 0; i < SIDES; i++) {
        struct value one;

        if (!entry->rows[i])
            continue;
        one = measure_sum(measure, entry->rows[i], terms, NULL);
        if (one.kind == VALUE_NONE || __builtin_add_overflow(sum, one.integer, &sum))
            return value_none;
    }
    return value_integer(sum);
}

const struct pmu_row *block_rows_unit_row(const struct measure *measure,
                                          const struct block_rows *entry,
                                          enum side side)
{
    if (measure->info->chip == CHIP_310P && side == SIDE_VECTOR0)
        return entry->rows[SIDE_CUBE];
    return entry->rows[side];
}

struct value block_rows_unit_share(const struct measure *measure,
                                   const struct pmu_row *row,
                                   enum side side,
                                   struct value *cycles)
{
    bool is_a5 = measure->info->chip == CHIP_A5;
    const char *cube = is_a5 ? "810" : "10", *vector = is_a5 ? "1281" : "8";
    uint64_t pass_cycles = 0;

    *cycles =
        measure_sum(measure, row, side == SIDE_CUBE ? cube : vector, &pass_cycles);
    if (cycles->kind == VALUE_NONE)
        return value_none;
    return value_real(pass_cycles ? 100 * cycles->real / (double)pass_cycles : 0);
}

struct value block_rows_gm_to_l2(const struct measure *measure,
                                 const struct block_rows *entry)
{
    switch (measure->info->chip) {
    case CHIP_310P:
        return block_rows_sum(measure, entry, SIDE_CUBE, "18");
    case CHIP_A5:
        return block_rows_sum(measure, entry, SIDE_ALL, "1061+1062+1064+1065");
    default:
        return block_rows_sum(measure, entry, SIDE_ALL, "1286+1290");
    }
}

/* The counter of evictions belongs to the whole card, so each block gets an equal
 * share. A block cannot have evicted more lines than it missed. */
struct value block_rows_l2_to_gm(const struct measure *measure,
                                 const struct block_rows *entry,
                                 size_t entries)
{
    struct value misses;

    if (measure->info->chip == CHIP_310P)
        return block_rows_sum(measure, entry, SIDE_CUBE, "19");
    if (measure->info->chip == CHIP_A5)
        return block_rows_sum(measure, entry, SIDE_ALL, "1062+1065+1068+1071");
    misses = block_rows_sum(measure, entry, SIDE_ALL, "1282");
    if (misses.kind != VALUE_NONE && measure->has_l2 && entries) {
        uint64_t share = measure->l2[L2_EVICTIONS] / entries;

        if (share < misses.integer)
            return value_integer(share);
    }
    return misses;
}

struct hits hits_from(struct value hit, struct value miss)
{
    struct hits hits = {hit, miss, value_none, value_none};
    uint64_t total;

    if (hit.kind == VALUE_NONE || miss.kind == VALUE_NONE ||
        __builtin_add_overflow(hit.integer, miss.integer, &total))
        return hits;
    hits.total = value_integer(total);
    hits.rate = value_real(total ? 100 * hit.real / (double)total : 0);
    return hits;
}

static struct hits l2_of_310p(const struct measure *measure)
{
    uint64_t all;

    if (!measure->has_l2 ||
        __builtin_add_overflow(measure->l2[1], measure->l2[2], &all) ||
        measure->l2[0] > all)
        return (struct hits){value_none, value_none, value_none, value_none};
    return hits_from(value_integer(measure->l2[0]),
                     value_integer(all - measure->l2[0]));
}

struct hits block_rows_l2(const struct measure *measure,
                          const struct block_rows *entry,
                          enum l2_side side)
{
    static const struct {
        const char *hit, *miss;
    } a2[] = {{"1280", "1282"},
              {"1284+1288", "1286+1290"},
              {"1280+1284+1288", "1282+1286+1290"}},
      a5[] = {{"1066+1069", "1067+1068+1070+1071"},
              {"1060+1063", "1061+1062+1064+1065"},
              {"1060+1063+1066+1069", "1061+1062+1064+1065+1067+1068+1070+1071"}};

    if (measure->info->chip == CHIP_310P)
        return measure->as_vendor ? hits_from(value_none, value_none)
                                  : l2_of_310p(measure);
    bool is_a5 = measure->info->chip == CHIP_A5;
    return hits_from(
        block_rows_sum(measure, entry, SIDE_ALL, is_a5 ? a5[side].hit : a2[side].hit),
        block_rows_sum(measure, entry, SIDE_ALL,
                       is_a5 ? a5[side].miss : a2[side].miss));
}

void block_rows_write_block(struct json_write *json,
                            const struct measure *measure,
                            const struct block_rows *entry)
{
    char block[DECIMAL_INT_ROOM];

    block[decimal_put_u64(block, entry->block)] = '\0';
    json_write_text(json, measure->info->chip == CHIP_310P ? "NA" : block);
}

void value_write(struct json_write *json, struct value value)
{
    if (value.kind == VALUE_INTEGER)
        json_write_u64(json, value.integer);
    else if (value.kind == VALUE_REAL)
        json_write_fixed(json, value.real, 6);
    else
        json_write_text(json, "NA");
}

void value_write_text(struct json_write *json, struct value value)
{
    char text[VALUE_ROOM];

    json_write_bytes(json, text, value_put(text, value));
}
