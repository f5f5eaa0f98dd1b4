/* memory_map.c - block 0x08: traffic on each memory path of a block, for a drawing */
#include "lib/base/mem.h"
#include "parsers/visualize/block_rows.h"
#include "parsers/visualize/block_writers.h"

enum { FOR_CUBE = 1, FOR_VECTOR = 2, FOR_MIX = 4 };

/* A path that has another row when there are transfer records. */
#define WITHOUT_RECORDS ""

/* If both terms are NULL, the path is GM to L2 or L2 to GM, which block_rows.c
 * computes. With transfer records, `recorded` replaces `terms`. A path with `recorded`
 * only is not drawn without transfer records. */
struct flow {
    unsigned number; /* of the path in the viewer's drawing */
    unsigned ops;    /* operator types with this path */
    enum side side;
    const char *terms;
    unsigned bytes; /* of a request */
    enum path path; /* its bandwidth limit; 0: none */
    const char *recorded;
};

enum { CUBES = FOR_CUBE | FOR_MIX, VECTORS = FOR_VECTOR | FOR_MIX };
enum { ALL_OPS = FOR_CUBE | FOR_VECTOR | FOR_MIX };

static const struct flow flows_a2[] = {
    {0, ALL_OPS, SIDE_ALL, NULL, 128, 0, NULL},
    {1, ALL_OPS, SIDE_ALL, NULL, 512, 0, NULL},
    {2, CUBES, SIDE_CUBE, "50-518", 256, PATH_GM_TO_L1, NULL},
    {3, CUBES, SIDE_CUBE, "4*19+518-524", 128, PATH_L1_TO_GM, NULL},
    {4, CUBES, SIDE_CUBE, "28", 256, PATH_MTE_TO_L0A, NULL},
    {5, CUBES, SIDE_CUBE, "34", 128, PATH_MTE_TO_L0B, NULL},
    {6, CUBES, SIDE_CUBE, "27", 512, 0, NULL},
    {7, CUBES, SIDE_CUBE, "33", 512, 0, NULL},
    {8, CUBES, SIDE_CUBE, "42", 1024, 0, NULL},
    {9, CUBES, SIDE_CUBE, "518", 128, PATH_L0C_TO_L1, NULL},
    {10, CUBES, SIDE_CUBE, "524-518", 128, PATH_L0C_TO_GM, NULL},
    {11, CUBES, SIDE_CUBE, "40", 1024, 0, NULL},
    {35, CUBES, SIDE_CUBE, NULL, 256, PATH_MTE_TO_L0A, "GM>L0A//256"},
    {36, CUBES, SIDE_CUBE, NULL, 128, PATH_MTE_TO_L0B, "GM>L0B//128"},
    {37, CUBES, SIDE_CUBE, NULL, 256, PATH_MTE_TO_L0A, "28-GM>L0A//256"},
    {38, CUBES, SIDE_CUBE, NULL, 128, PATH_MTE_TO_L0B, "34-GM>L0B//128"},
    {12, VECTORS, SIDE_VECTOR0, "62", 128, PATH_GM_TO_UB, NULL},
    {13, VECTORS, SIDE_VECTOR0, "61", 128, PATH_UB_TO_GM, NULL},
    {14, VECTORS, SIDE_VECTOR0, "67", 256, 0, NULL},
    {15, VECTORS, SIDE_VECTOR0, "68", 256, 0, NULL},
    {16, FOR_MIX, SIDE_VECTOR1, "62", 128, PATH_GM_TO_UB, NULL},
    {17, FOR_MIX, SIDE_VECTOR1, "61", 128, PATH_UB_TO_GM, NULL},
    {18, FOR_MIX, SIDE_VECTOR1, "67", 256, 0, NULL},
    {19, FOR_MIX, SIDE_VECTOR1, "68", 256, 0, NULL},
};

static const struct flow flows_310p[] = {
    {0, ALL_OPS, SIDE_ALL, NULL, 512, 0, NULL},
    {1, ALL_OPS, SIDE_ALL, NULL, 512, 0, NULL},
    {20, ALL_OPS, SIDE_CUBE, "50", 256, 0, NULL},
    {21, ALL_OPS, SIDE_CUBE, "28", 512, 0, NULL},
    {22, ALL_OPS, SIDE_CUBE, "34", 128, 0, NULL},
    {6, ALL_OPS, SIDE_CUBE, "27", 512, 0, NULL},
    {7, ALL_OPS, SIDE_CUBE, "33", 512, 0, NULL},
    {8, ALL_OPS, SIDE_CUBE, "42", 1024, 0, NULL},
    {23, ALL_OPS, SIDE_CUBE, "41", 256, 0, NULL},
    {24, ALL_OPS, SIDE_CUBE, "39", 256, 0, NULL},
    {25, ALL_OPS, SIDE_CUBE, "62", 16, 0, NULL},
    {13, ALL_OPS, SIDE_CUBE, "61", 16, 0, NULL},
    {14, ALL_OPS, SIDE_CUBE, "67", 32, 0, NULL},
    {15, ALL_OPS, SIDE_CUBE, "68", 32, 0, NULL},
};

static const struct flow flows_a5[] = {
    {0, ALL_OPS, SIDE_ALL, NULL, 128, 0, NULL},
    {1, ALL_OPS, SIDE_ALL, NULL, 128, 0, NULL},
    {2, CUBES, SIDE_CUBE, "1058", 128, 0, NULL},
    {37, CUBES, SIDE_CUBE, "1795", 256, 0, NULL},
    {38, CUBES, SIDE_CUBE, "1797", 256, 0, NULL},
    {6, CUBES, SIDE_CUBE, "772", 64, 0, NULL},
    {7, CUBES, SIDE_CUBE, "774", 256, 0, NULL},
    {8, CUBES, SIDE_CUBE, "776", 1024, 0, NULL},
    {39, CUBES, SIDE_CUBE, "1804+1806+1815+1059", 128, 0, NULL},
    {41, CUBES, SIDE_CUBE, "1806", 128, 0, NULL},
    {40, CUBES, SIDE_CUBE, "1059", 128, 0, NULL},
    {42, FOR_MIX, SIDE_CUBE, "1804", 128, 0, NULL},
    {43, FOR_MIX, SIDE_CUBE, "1815", 128, 0, NULL},
    {44, FOR_MIX, SIDE_CUBE, "1799-1795-1797", 256, 0, WITHOUT_RECORDS},
    {46, FOR_MIX, SIDE_CUBE, "1801-1806-1058/2", 256, 0, WITHOUT_RECORDS},
    {44, FOR_MIX, SIDE_VECTOR0, NULL, 256, 0, "L1>UB/256"},
    {45, FOR_MIX, SIDE_VECTOR1, NULL, 256, 0, "L1>UB/256"},
    {46, FOR_MIX, SIDE_VECTOR0, NULL, 128, 0, "UB>L1/128"},
    {47, FOR_MIX, SIDE_VECTOR1, NULL, 128, 0, "UB>L1/128"},
    {50, VECTORS, SIDE_VECTOR0, NULL, 128, 0, "REG>GM/128"},
    {51, FOR_MIX, SIDE_VECTOR1, NULL, 128, 0, "REG>GM/128"},
    {12, VECTORS, SIDE_VECTOR0, "1058-1407-1408", 128, 0, "GM>UB/128"},
    {13, VECTORS, SIDE_VECTOR0, "1059", 128, 0, "UB>GM/128"},
    {14, VECTORS, SIDE_VECTOR0, "1393", 256, 0, "UB>REG/256"},
    {15, VECTORS, SIDE_VECTOR0, "1394", 256, 0, "REG>UB/256"},
    {16, FOR_MIX, SIDE_VECTOR1, "1058-1407-1408", 128, 0, "GM>UB/128"},
    {17, FOR_MIX, SIDE_VECTOR1, "1059", 128, 0, "UB>GM/128"},
    {18, FOR_MIX, SIDE_VECTOR1, "1393", 256, 0, "UB>REG/256"},
    {19, FOR_MIX, SIDE_VECTOR1, "1394", 256, 0, "REG>UB/256"},
    {48, VECTORS, SIDE_VECTOR0, "1407+1408", 128, 0, "GM>REG/128"},
    {49, FOR_MIX, SIDE_VECTOR1, "1407+1408", 128, 0, "GM>REG/128"},
    {52, VECTORS, SIDE_VECTOR0, "1397+1398+1400+1404", 128, 0,
     "REG>GM/128+REG>PRIVATE/128"},
    {53, FOR_MIX, SIDE_VECTOR1, "1397+1398+1400+1404", 128, 0,
     "REG>GM/128+REG>PRIVATE/128"},
    {54, VECTORS, SIDE_VECTOR0, "1395+1396+1404", 128, 0, "GM>REG/128+PRIVATE>REG/128"},
    {55, FOR_MIX, SIDE_VECTOR1, "1395+1396+1404", 128, 0, "GM>REG/128+PRIVATE>REG/128"},
};

/* Returns true for the paths that counters do not cover in a SIMT operator. */
static bool is_vector_to_ub(unsigned number)
{
    return number == 14 || number == 15 || number == 18 || number == 19;
}

static const struct drawing {
    enum chip chip;
    const char *family; /* selects the viewer's drawing */
    const struct flow *flows;
    size_t count;
} drawings[] = {
    {CHIP_A2, "910B", flows_a2, COUNT(flows_a2)},
    {CHIP_310B, "910B", flows_a2, COUNT(flows_a2)},
    {CHIP_310P, "310P", flows_310p, COUNT(flows_310p)},
    {CHIP_A5, "910A5", flows_a5, COUNT(flows_a5)},
};

static const struct drawing *drawing_of(enum chip chip)
{
    for (size_t i = 0; i < COUNT(drawings); i++)
        if (drawings[i].chip == chip)
            return &drawings[i];
    return &drawings[0];
}

static unsigned op_bit(enum op_kind kind)
{
    return kind == OP_MIX ? FOR_MIX : kind == OP_VECTOR ? FOR_VECTOR : FOR_CUBE;
}

static bool is_drawn(const struct measure *measure, const struct flow *flow)
{
    if (!(flow->ops & op_bit(measure->kind)))
        return false;
    if (!flow->recorded)
        return true;
    return measure->memory ? *flow->recorded : flow->terms != NULL;
}

static struct value count_requests(const struct measure *measure,
                                   const struct block_rows *entry,
                                   const struct flow *flow,
                                   size_t entries)
{
    bool has_simt = measure->info->has_simt;
    const char *terms = flow->terms;

    if (!flow->terms && !flow->recorded)
        return flow->number == 0 ? block_rows_gm_to_l2(measure, entry)
                                 : block_rows_l2_to_gm(measure, entry, entries);
    if (is_vector_to_ub(flow->number)) {
        if (has_simt)
            terms = measure->memory ? flow->recorded : NULL;
    } else if (measure->memory && flow->recorded) {
        terms = flow->recorded;
    }
    return terms ? block_rows_sum(measure, entry, flow->side, terms) : value_none;
}

static void write_flow(struct json_write *json,
                       const struct measure *measure,
                       const struct block_rows *entry,
                       const struct flow *flow,
                       size_t entries)
{
    const struct op_info *info = measure->info;
    const struct pmu_row *row = block_rows_row(entry, flow->side);
    struct value count = count_requests(measure, entry, flow, entries);
    struct value bandwidth = value_none;
    bool is_theory = flow->number == 1 && info->chip != CHIP_310P;

    if (row)
        bandwidth = measure_bandwidth(measure, row, value_times(count, flow->bytes));
    json_write_object(json);
    json_write_key(json, "memory_path");
    json_write_u64(json, flow->number);
    json_write_key(json, "request");
    value_write(json, count);
    json_write_key(json, "request_suffix");
    json_write_text(json, is_theory ? "(theoretical value)" : "");
    json_write_key(json, "bandwidth");
    value_write(json, bandwidth);
    json_write_key(json, "bandwidth_suffix");
    json_write_text(json, is_theory ? "(theoretical value)" : "");
    json_write_key(json, "peak_ratio");
    value_write(json, measure_usage(bandwidth, measure_limit(measure, flow->path)));
    json_write_key(json, "display");
    json_write_u64(json, 1);
    json_write_object_end(json);
}

static void write_l2(struct json_write *json,
                     const struct measure *measure,
                     const struct block_rows *entry)
{
    struct hits hits = block_rows_l2(measure, entry, L2_TOTAL);

    json_write_key(json, "L2cache");
    json_write_object(json);
    json_write_key(json, "hit");
    value_write(json, hits.hit);
    json_write_key(json, "miss");
    value_write(json, hits.miss);
    json_write_key(json, "total_request");
    value_write(json, hits.total);
    json_write_key(json, "hit_ratio");
    value_write(json, hits.rate);
    json_write_object_end(json);
}

static void write_units(struct json_write *json,
                        const struct measure *measure,
                        const struct block_rows *entry)
{
    static const char *const keys[SIDES] = {"Cube", "Vector", "Vector1"};

    for (enum side side = SIDE_CUBE; side < SIDE_ALL; side++) {
        const struct pmu_row *row = block_rows_unit_row(measure, entry, side);
        struct value cycles, share;

        if (!row)
            continue;
        share = block_rows_unit_share(measure, row, side, &cycles);
        json_write_key(json, keys[side]);
        json_write_object(json);
        json_write_key(json, "cycle");
        value_write(json, cycles);
        json_write_key(json, "total_cycles");
        json_write_u64(json, row->cycles);
        json_write_key(json, "ratio");
        value_write(json, share);
        json_write_object_end(json);
    }
}

void memory_map_write(const struct measure *measure, struct json_write *json)
{
    const struct drawing *drawing = drawing_of(measure->info->chip);
    size_t entries = block_rows_count(measure), at = 0;
    struct block_rows entry;

    json_write_object(json);
    json_write_key(json, "core_memory_map");
    json_write_array(json);
    while (block_rows_next(measure, &at, &entry)) {
        json_write_object(json);
        json_write_key(json, "core_no");
        block_rows_write_block(json, measure, &entry);
        json_write_key(json, "op_type");
        json_write_text(json, op_kind_name(measure->kind));
        json_write_key(json, "soc");
        json_write_text(json, drawing->family);
        json_write_key(json, "memory_unit");
        json_write_array(json);
        for (size_t i = 0; i < drawing->count; i++)
            if (is_drawn(measure, &drawing->flows[i]))
                write_flow(json, measure, &entry, &drawing->flows[i], entries);
        json_write_array_end(json);
        write_l2(json, measure, &entry);
        write_units(json, measure, &entry);
        if (measure->info->chip == CHIP_A5) {
            json_write_key(json, "memory_detail");
            json_write_u64(json, measure->memory != NULL);
        }
        json_write_key(json, "advice");
        json_write_array(json);
        memory_advice_write_units(measure, &entry, json);
        json_write_array_end(json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}
