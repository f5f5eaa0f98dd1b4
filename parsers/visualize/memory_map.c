/* memory_map.c - block 0x08: what went over each path, for the drawing of a core */
#include "base/mem.h"
#include "parsers/visualize/entry.h"
#include "parsers/visualize/views.h"

enum { FOR_CUBE = 1, FOR_VECTOR = 2, FOR_MIX = 4 };

/* Terms NULL: GM to L2 or back, which entry.c knows. */
struct flow {
    unsigned number; /* of the path, as the UI draws it */
    unsigned ops;
    enum side side;
    const char *terms;
    unsigned bytes; /* a request */
    enum path path; /* what it is held against */
};

enum { CUBES = FOR_CUBE | FOR_MIX, VECTORS = FOR_VECTOR | FOR_MIX };
enum { ALL_OPS = FOR_CUBE | FOR_VECTOR | FOR_MIX };

static const struct flow flows_a2[] = {
    {0, ALL_OPS, SIDE_ALL, NULL, 128, 0},
    {1, ALL_OPS, SIDE_ALL, NULL, 512, 0},
    {2, CUBES, SIDE_CUBE, "50-518", 256, PATH_GM_TO_L1},
    {3, CUBES, SIDE_CUBE, "4*19+518-524", 128, PATH_L1_TO_GM},
    {4, CUBES, SIDE_CUBE, "28", 256, PATH_MTE_TO_L0A},
    {5, CUBES, SIDE_CUBE, "34", 128, PATH_MTE_TO_L0B},
    {6, CUBES, SIDE_CUBE, "27", 512, 0},
    {7, CUBES, SIDE_CUBE, "33", 512, 0},
    {8, CUBES, SIDE_CUBE, "42", 1024, 0},
    {9, CUBES, SIDE_CUBE, "518", 128, PATH_L0C_TO_L1},
    {10, CUBES, SIDE_CUBE, "524-518", 128, PATH_L0C_TO_GM},
    {11, CUBES, SIDE_CUBE, "40", 1024, 0},
    {12, VECTORS, SIDE_VECTOR0, "62", 128, PATH_GM_TO_UB},
    {13, VECTORS, SIDE_VECTOR0, "61", 128, PATH_UB_TO_GM},
    {14, VECTORS, SIDE_VECTOR0, "67", 256, 0},
    {15, VECTORS, SIDE_VECTOR0, "68", 256, 0},
    {16, FOR_MIX, SIDE_VECTOR1, "62", 128, PATH_GM_TO_UB},
    {17, FOR_MIX, SIDE_VECTOR1, "61", 128, PATH_UB_TO_GM},
    {18, FOR_MIX, SIDE_VECTOR1, "67", 256, 0},
    {19, FOR_MIX, SIDE_VECTOR1, "68", 256, 0},
};

static const struct flow flows_310p[] = {
    {0, ALL_OPS, SIDE_ALL, NULL, 512, 0},   {1, ALL_OPS, SIDE_ALL, NULL, 512, 0},
    {20, ALL_OPS, SIDE_CUBE, "50", 256, 0}, {21, ALL_OPS, SIDE_CUBE, "28", 512, 0},
    {22, ALL_OPS, SIDE_CUBE, "34", 128, 0}, {6, ALL_OPS, SIDE_CUBE, "27", 512, 0},
    {7, ALL_OPS, SIDE_CUBE, "33", 512, 0},  {8, ALL_OPS, SIDE_CUBE, "42", 1024, 0},
    {23, ALL_OPS, SIDE_CUBE, "41", 256, 0}, {24, ALL_OPS, SIDE_CUBE, "39", 256, 0},
    {25, ALL_OPS, SIDE_CUBE, "62", 16, 0},  {13, ALL_OPS, SIDE_CUBE, "61", 16, 0},
    {14, ALL_OPS, SIDE_CUBE, "67", 32, 0},  {15, ALL_OPS, SIDE_CUBE, "68", 32, 0},
};

static const struct flow flows_a5[] = {
    {0, ALL_OPS, SIDE_ALL, NULL, 128, 0},
    {1, ALL_OPS, SIDE_ALL, NULL, 128, 0},
    {2, CUBES, SIDE_CUBE, "1058", 128, 0},
    {37, CUBES, SIDE_CUBE, "1795", 256, 0},
    {38, CUBES, SIDE_CUBE, "1797", 256, 0},
    {6, CUBES, SIDE_CUBE, "772", 64, 0},
    {7, CUBES, SIDE_CUBE, "774", 256, 0},
    {8, CUBES, SIDE_CUBE, "776", 1024, 0},
    {39, CUBES, SIDE_CUBE, "1804+1806+1815+1059", 128, 0},
    {41, CUBES, SIDE_CUBE, "1806", 128, 0},
    {40, CUBES, SIDE_CUBE, "1059", 128, 0},
    {42, FOR_MIX, SIDE_CUBE, "1804", 128, 0},
    {43, FOR_MIX, SIDE_CUBE, "1815", 128, 0},
    {44, FOR_MIX, SIDE_CUBE, "1799-1795-1797", 256, 0},
    {46, FOR_MIX, SIDE_CUBE, "1801-1806-1058/2", 256, 0},
    {12, VECTORS, SIDE_VECTOR0, "1058-1407-1408", 128, 0},
    {13, VECTORS, SIDE_VECTOR0, "1059", 128, 0},
    {14, VECTORS, SIDE_VECTOR0, "1393", 256, 0},
    {15, VECTORS, SIDE_VECTOR0, "1394", 256, 0},
    {16, FOR_MIX, SIDE_VECTOR1, "1058-1407-1408", 128, 0},
    {17, FOR_MIX, SIDE_VECTOR1, "1059", 128, 0},
    {18, FOR_MIX, SIDE_VECTOR1, "1393", 256, 0},
    {19, FOR_MIX, SIDE_VECTOR1, "1394", 256, 0},
    {48, VECTORS, SIDE_VECTOR0, "1407+1408", 128, 0},
    {49, FOR_MIX, SIDE_VECTOR1, "1407+1408", 128, 0},
    {52, VECTORS, SIDE_VECTOR0, "1397+1398+1400+1404", 128, 0},
    {53, FOR_MIX, SIDE_VECTOR1, "1397+1398+1400+1404", 128, 0},
    {54, VECTORS, SIDE_VECTOR0, "1395+1396+1404", 128, 0},
    {55, FOR_MIX, SIDE_VECTOR1, "1395+1396+1404", 128, 0},
};

/* A SIMT operator's vectors do not go through these. */
static bool is_vector_to_ub(unsigned number)
{
    return number == 14 || number == 15 || number == 18 || number == 19;
}

static const struct drawing {
    enum chip chip;
    const char *family; /* the UI chooses its drawing by this */
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

static struct value requests(const struct measure *measure,
                             const struct entry *entry,
                             const struct flow *flow,
                             size_t entries)
{
    if (flow->terms) {
        if (measure->info->has_simt && is_vector_to_ub(flow->number))
            return value_none;
        return entry_sum(measure, entry, flow->side, flow->terms);
    }
    return flow->number == 0 ? entry_gm_to_l2(measure, entry)
                             : entry_l2_to_gm(measure, entry, entries);
}

static void write_flow(struct json_write *json,
                       const struct measure *measure,
                       const struct entry *entry,
                       const struct flow *flow,
                       size_t entries)
{
    const struct op_info *info = measure->info;
    const struct pmu_row *row = entry_row(entry, flow->side);
    struct value count = requests(measure, entry, flow, entries);
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
                     const struct entry *entry)
{
    struct hits hits = entry_l2(measure, entry, L2_TOTAL);

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
                        const struct entry *entry)
{
    static const char *const keys[SIDES] = {"Cube", "Vector", "Vector1"};

    for (enum side side = SIDE_CUBE; side < SIDE_ALL; side++) {
        const struct pmu_row *row = entry_unit_row(measure, entry, side);
        struct value cycles, share;

        if (!row)
            continue;
        share = entry_unit_share(measure, row, side, &cycles);
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

void view_memory_map(const struct measure *measure, struct json_write *json)
{
    const struct drawing *drawing = drawing_of(measure->info->chip);
    size_t entries = entry_count(measure), at = 0;
    struct entry entry;

    json_write_object(json);
    json_write_key(json, "core_memory_map");
    json_write_array(json);
    while (entry_next(measure, &at, &entry)) {
        json_write_object(json);
        json_write_key(json, "core_no");
        entry_write_block(json, measure, &entry);
        json_write_key(json, "op_type");
        json_write_text(json, op_kind_name(measure->kind));
        json_write_key(json, "soc");
        json_write_text(json, drawing->family);
        json_write_key(json, "memory_unit");
        json_write_array(json);
        for (size_t i = 0; i < drawing->count; i++)
            if (drawing->flows[i].ops & op_bit(measure->kind))
                write_flow(json, measure, &entry, &drawing->flows[i], entries);
        json_write_array_end(json);
        write_l2(json, measure, &entry);
        write_units(json, measure, &entry);
        json_write_key(json, "advice");
        json_write_array(json);
        view_memory_advice(measure, &entry, json);
        json_write_array_end(json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}
