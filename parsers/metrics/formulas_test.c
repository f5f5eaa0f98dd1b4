/* formulas_test.c - formulas and their functions, with values computed by hand */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/metrics/columns.h"
#include "parsers/metrics/l2_model.h"
#include "parsers/metrics/measure.h"
#include "parsers/records/sample_records.h"
#include "tests/support/sample_chips.h"
#include "tests/support/unit.h"

static struct op_info info;
static struct pmu *pmu;
static struct measure measure;

/* The events 10, 11, 12, 13 have the counts 1000, 7, 50, 0 in a pass of 2000 cycles;
 * event 20 has 30 in the last pass, of 4000 cycles. */
static void add_rows(struct sample_block row)
{
    static const struct counter_schedule_pass first = {{10, 11, 12, 13},
                                                       {10, 11, 12, 13}};
    static const struct counter_schedule_pass last = {{20}, {20}};
    struct text bytes = {0};
    struct pmu_notes notes;
    struct err err;

    row.cycles = 2000;
    memcpy(row.slots, (uint64_t[10]){1000, 7, 50, 0}, sizeof(row.slots));
    info.chip == CHIP_A5 ? sample_a5(&bytes, &row) : sample_a2(&bytes, &row);
    assert_int_equal(pmu_add_pass(pmu, &first, (const uint8_t *)bytes.bytes,
                                  bytes.length, &notes, &err),
                     0);
    text_reset(&bytes);
    row.cycles = 4000;
    memcpy(row.slots, (uint64_t[10]){30}, sizeof(row.slots));
    info.chip == CHIP_A5 ? sample_a5(&bytes, &row) : sample_a2(&bytes, &row);
    assert_int_equal(pmu_add_pass(pmu, &last, (const uint8_t *)bytes.bytes,
                                  bytes.length, &notes, &err),
                     0);
    text_clear(&bytes);
}

static void start(enum chip chip, const char *soc, double duration_us)
{
    info = (struct op_info){.chip = chip, .current_mhz = 1000, .rated_mhz = 1000};
    snprintf(info.soc, sizeof(info.soc), "%s", soc);
    pmu = pmu_create(chip);
    add_rows((struct sample_block){.block = 3, .is_aiv = 1});
    pmu_finish(pmu);
    measure_init(&measure, &info, pmu, duration_us);
}

static int tear_down(void **ctx)
{
    (void)ctx;
    pmu_destroy(pmu);
    pmu = NULL;
    return 0;
}

/* Formats a value as in a table. */
static const char *cell(struct value value)
{
    static char out[VALUE_ROOM + 1];

    out[value_put(out, value)] = '\0';
    return out;
}

static void a_formula_adds_subtracts_multiplies_and_divides(void **ctx)
{
    static const struct {
        const char *terms, *a2, *a5;
        uint64_t cycles; /* of the pass of the first event */
    } cases[] = {
        {"10", "1000", "1000", 2000},
        {"20", "30", "30", 4000},
        {"20+10", "1030", "1030", 4000},
        {"10-11-12", "943", "943", 2000},
        {"11-10", "NA", "0", 2000},
        {"11-11", "0", "0", 2000},
        {"-11+10", "993", "993", 2000},
        {"4*11+10", "1028", "1028", 2000},
        {"12/7", "7", "7", 2000},     /* 50 / 7, rounded down */
        {"3*12/7", "21", "21", 2000}, /* 3 * (50 / 7) */
        {"13", "0", "0", 2000},
        {"10+99", "NA", "NA", 2000}, /* not collected */
    };
    static const enum chip chips[] = {CHIP_A2, CHIP_A5};

    for (size_t c = 0; c < COUNT(chips); c++) {
        start(chips[c], "Ascend910B1", -1);
        for (size_t i = 0; i < COUNT(cases); i++) {
            uint64_t cycles = 0;
            struct value value =
                measure_sum(&measure, pmu_row(pmu, 0), cases[i].terms, &cycles);

            assert_string_equal(cell(value), c == 0 ? cases[i].a2 : cases[i].a5);
            assert_int_equal(cycles, cases[i].cycles);
        }
        measure.as_vendor = true;
        uint64_t cycles = 0;
        struct value value = measure_sum(&measure, pmu_row(pmu, 0), "10+99", &cycles);
        assert_string_equal(cell(value), c == 0 ? "NA" : "1000");
        assert_int_equal(cycles, 4000); /* cycles of the last pass */
        tear_down(ctx);
    }
}

static void a_sum_beyond_64_bits_has_no_value(void **ctx)
{
    (void)ctx;
    start(CHIP_A2, "Ascend910B1", -1);
    pmu_row(pmu, 0)->cells[0] = UINT64_MAX;
    assert_int_equal(measure_sum(&measure, pmu_row(pmu, 0), "10", NULL).integer,
                     UINT64_MAX);
    assert_string_equal(cell(measure_sum(&measure, pmu_row(pmu, 0), "10+11", NULL)),
                        "NA");
    assert_string_equal(
        cell(measure_sum(&measure, pmu_row(pmu, 0), "2*10-10-10", NULL)), "0");
    assert_string_equal(cell(value_times(value_integer(UINT64_MAX / 2), 2)),
                        "18446744073709551614");
    assert_string_equal(cell(value_times(value_integer(UINT64_MAX / 2 + 1), 2)), "NA");
}

static void functions_of_a_vector_operator_use_the_cycles_of_its_pass(void **ctx)
{
    (void)ctx;
    start(CHIP_A2, "Ascend910B1", 8);
    const struct pmu_row *row = pmu_row(pmu, 0);

    assert_int_equal(measure.kind, OP_VECTOR);
    assert_string_equal(cell(measure_time(&measure, row)), "4.000000");
    assert_string_equal(cell(measure_us(&measure, value_integer(1500))), "1.500000");
    assert_string_equal(cell(measure_ratio(&measure, value_integer(500), 2000)),
                        "0.250000");
    assert_string_equal(cell(measure_ratio(&measure, value_integer(500), 0)),
                        "0.000000");
    /* 2^30 bytes in 4 us are 250000 GiB/s */
    assert_string_equal(cell(measure_bandwidth(&measure, row, value_integer(1 << 30))),
                        "250000.000000");
    /* in 2000 cycles of 1 ns */
    assert_string_equal(
        cell(measure_active(&measure, value_integer(1 << 30), value_integer(2000))),
        "500000.000000");
    assert_string_equal(
        cell(measure_active(&measure, value_integer(1 << 30), value_integer(0))), "NA");
    assert_string_equal(
        cell(measure_quotient(&measure, 100, value_integer(1), value_integer(8))),
        "12.500000");
    assert_string_equal(
        cell(measure_quotient(&measure, 100, value_integer(1), value_integer(0))),
        "0.000000");
    assert_string_equal(cell(measure_usage(value_real(50), 200)), "25.000000");
    assert_string_equal(cell(measure_usage(value_real(201), 200)), "100.000000");
    assert_string_equal(cell(measure_usage(value_real(1), 0)), "NA");
    assert_string_equal(cell(measure_us(&measure, value_none)), "NA");
    assert_string_equal(cell(measure_ratio(&measure, value_none, 2000)), "NA");
    assert_string_equal(cell(measure_bandwidth(&measure, row, value_none)), "NA");
    assert_string_equal(cell(measure_usage(value_none, 200)), "NA");
    assert_string_equal(
        cell(measure_quotient(&measure, 1, value_none, value_integer(1))), "NA");
}

static void a_division_by_zero_has_no_value_on_the_a5(void **ctx)
{
    (void)ctx;
    start(CHIP_A5, "Ascend950PR_9599", -1);
    assert_string_equal(cell(measure_ratio(&measure, value_integer(1), 0)), "NA");
    assert_string_equal(
        cell(measure_quotient(&measure, 1, value_integer(1), value_integer(0))), "NA");
}

static void a_mix_operator_uses_its_duration(void **ctx)
{
    (void)ctx;
    start(CHIP_A2, "Ascend910B1", 8.5);
    const struct pmu_row *row = pmu_row(pmu, 0);

    measure.kind = OP_MIX;
    /* 850 cycles of 8.5 us at 1000 MHz; the vendor's tool takes 8 us */
    assert_string_equal(cell(measure_ratio(&measure, value_integer(850), 2000)),
                        "0.100000");
    measure.as_vendor = true;
    assert_string_equal(cell(measure_ratio(&measure, value_integer(800), 2000)),
                        "0.100000");
    measure.as_vendor = false;
    assert_string_equal(cell(measure_bandwidth(&measure, row, value_integer(17 << 26))),
                        "125000.000000"); /* 17/16 GiB in 8.5 us */
    measure.kernel_scale = true;
    assert_string_equal(cell(measure_ratio(&measure, value_integer(500), 2000)),
                        "0.250000");
    measure_init(&measure, &info, pmu, -1);
    measure.kind = OP_MIX;
    assert_string_equal(cell(measure_ratio(&measure, value_integer(1), 2000)), "NA");
    assert_string_equal(cell(measure_bandwidth(&measure, row, value_integer(1))), "NA");
    measure_init(&measure, &info, pmu, 0);
    assert_true(measure.has_duration);
    tear_down(ctx);
    start(CHIP_A5, "Ascend950PR_9599", 8.5);
    measure.kind = OP_MIX; /* ratios of the A5 use the cycles of the pass */
    assert_string_equal(cell(measure_ratio(&measure, value_integer(500), 2000)),
                        "0.250000");
}

/* A 310P runs its blocks in rounds; its cycles are summed over all blocks. */
static void times_of_the_310p_are_divided_by_its_rounds(void **ctx)
{
    static const struct {
        uint32_t blocks, cores;
        double scale;
    } cases[] = {
        {8, 8, 1.0 / 8}, {9, 8, 2.0 / 9}, {16, 8, 2.0 / 16},
        {1, 8, 1},       {0, 8, 1},       {8, 0, 1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        start(CHIP_A2, "Ascend310P3", -1);
        info.chip = CHIP_310P;
        info.block_dim = cases[i].blocks;
        info.core_count = cases[i].cores;
        measure_init(&measure, &info, pmu, -1);
        assert_true(measure.time_scale == cases[i].scale);
        assert_int_equal(measure.kind, OP_AICORE);
        assert_true(measure_us(&measure, value_integer(1000)).real == cases[i].scale);
        tear_down(ctx);
    }
}

static void a_row_has_the_name_and_the_number_of_its_core(void **ctx)
{
    static const struct {
        enum chip chip;
        enum op_kind kind;
        struct pmu_row row;
        const char *name;
        uint32_t number;
    } cases[] = {
        {CHIP_A2, OP_MIX, {.block = 5, .kind = CORE_AIC}, "cube0", 5},
        {CHIP_A2, OP_MIX, {.block = 5, .sub_block = 1, .kind = CORE_AIV}, "vector1", 5},
        {CHIP_310P, OP_AICORE, {.block = 5, .kind = CORE_AIC}, "AiCore", 5},
        {CHIP_A5, OP_MIX, {.block = 5, .kind = CORE_AIC}, "cube0", 17},
        {CHIP_A5, OP_MIX, {.block = 5, .kind = CORE_AIV}, "vector0", 15},
        {CHIP_A5,
         OP_MIX,
         {.block = 5, .sub_block = 1, .kind = CORE_AIV},
         "vector1",
         16},
        {CHIP_A5, OP_VECTOR, {.block = 4, .kind = CORE_AIV}, "vector0", 6},
        {CHIP_A5, OP_VECTOR, {.block = 5, .kind = CORE_AIV}, "vector0", 7},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct op_info of = {.chip = cases[i].chip};
        const struct measure m = {.info = &of, .kind = cases[i].kind};
        char name[16];

        measure_row_name(&m, &cases[i].row, name);
        assert_string_equal(name, cases[i].name);
        assert_int_equal(measure_device_block(&m, &cases[i].row), cases[i].number);
    }
}

static void the_kind_follows_from_the_rows(void **ctx)
{
    static const struct {
        bool cubes, vectors;
        enum op_kind kind;
        const char *name;
    } cases[] = {
        {true, false, OP_CUBE, "cube"},
        {false, true, OP_VECTOR, "vector"},
        {true, true, OP_MIX, "mix"},
        {false, false, OP_NONE, "NA"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        static const struct counter_schedule_pass events = {{10}, {10}};
        struct text bytes = {0};
        struct pmu_notes notes;
        struct err err;

        info = (struct op_info){.chip = CHIP_A2};
        pmu = pmu_create(CHIP_A2);
        for (uint16_t block = 0; block < 2; block++) {
            if (cases[i].cubes)
                sample_a2(&bytes, &(struct sample_block){.block = block});
            if (cases[i].vectors)
                sample_a2(&bytes, &(struct sample_block){.block = block, .is_aiv = 1});
        }
        if (bytes.length > 0)
            assert_int_equal(pmu_add_pass(pmu, &events, (const uint8_t *)bytes.bytes,
                                          bytes.length, &notes, &err),
                             0);
        pmu_finish(pmu);
        measure_init(&measure, &info, pmu, -1);
        assert_int_equal(measure.kind, cases[i].kind);
        assert_string_equal(op_kind_name(measure.kind), cases[i].name);
        assert_int_equal(measure_rows(&measure, CORE_AIC), cases[i].cubes ? 2 : 0);
        assert_int_equal(measure_rows(&measure, CORE_AIV), cases[i].vectors ? 2 : 0);
        text_clear(&bytes);
        tear_down(NULL);
    }
    assert_string_equal(op_kind_name(OP_AICORE), "AiCore");
}

static void the_l2_counters_are_read_after_eight_bytes(void **ctx)
{
    uint8_t bytes[73] = {0};
    struct measure m = {0};

    (void)ctx;
    for (size_t i = 0; i < 8; i++)
        bytes[8 + 8 * i] = (uint8_t)(i + 1);
    assert_false(measure_set_l2(&m, bytes, 71));
    assert_false(measure_set_l2(&m, bytes, 73));
    assert_false(m.has_l2);
    assert_true(measure_set_l2(&m, bytes, 72));
    assert_true(m.has_l2);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(m.l2[i], i + 1);
}

static void values_are_written_with_six_decimals(void **ctx)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.1234565001, "0.123457"},
        {-2.5, "-2.500000"},
        {1e30, "NA"},
        {-1e30, "NA"},
        {NAN, "NA"},
        {INFINITY, "NA"},
    };
    struct text out = {0};

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(cell(value_real(cases[i].value)), cases[i].text);
    value_add(&out, value_integer(7));
    value_add(&out, value_none);
    value_add(&out, value_times(value_real(1.5), 2));
    assert_string_equal(text_get(&out), "7NA3.000000");
    text_clear(&out);
}

static void each_column_has_the_bytes_of_the_vendor(void **ctx)
{
    static const char *const paths[] = {
        "-",         "GM_TO_L1", "L1_TO_GM",   "L0C_TO_L1",  "L0C_TO_GM",
        "GM_TO_UB",  "UB_TO_GM", "MTE_TO_L0A", "MTE_TO_L0B", "MTE2_WRITE",
        "L0C_TO_UB", "L1_TO_UB", "UB_TO_L1"};
    FILE *file = fopen("samples/bytes.txt", "r");
    char line[200];
    size_t rows = 0;

    (void)ctx;
    assert_non_null(file);
    for (; fgets(line, sizeof(line), file);) {
        char chip[8], table[40], name[80], path[20];
        unsigned bytes;
        const struct column *found = NULL;

        if (*line == '#')
            continue;
        assert_int_equal(
            sscanf(line, "%7s %39s %79s %u %19s", chip, table, name, &bytes, path), 5);
        const struct column_table *tables = column_tables(sample_chip(chip));

        for (size_t t = 0; t < COLUMN_TABLES; t++)
            for (size_t i = 0; i < tables[t].count && !strcmp(tables[t].name, table);
                 i++)
                if (!strcmp(tables[t].columns[i].name, name))
                    found = &tables[t].columns[i];
        if (!found)
            fail_msg("%s has no column %s", table, name);
        if (found->bytes != bytes || strcmp(paths[found->path], path) != 0)
            fail_msg("%s: %u %s, not %s", name, found->bytes, paths[found->path], line);
        rows++;
    }
    assert_int_equal(rows, 85);
    fclose(file);
}

static void bandwidth_limits_are_those_of_the_vendor(void **ctx)
{
    FILE *file = fopen("samples/bandwidth_limits.txt", "r");
    char line[200];
    size_t rows = 0;

    (void)ctx;
    assert_non_null(file);
    for (; fgets(line, sizeof(line), file);) {
        char *rest = line;

        if (*line == '#')
            continue;
        const char *soc = strsep(&rest, " ");
        uint32_t maker = (uint32_t)atoi(strsep(&rest, " "));
        struct memory_limits memory = bandwidth_limits_of_memory(soc, maker, false);

        assert_true(memory.gm == atof(strsep(&rest, " ")));
        assert_true(memory.l2 == atof(strsep(&rest, " ")));
        for (enum path path = PATH_GM_TO_L1; path < PATH_END; path++) {
            double limit = atof(strsep(&rest, " "));

            assert_true(bandwidth_limits_of_paths(soc, maker, false)[path] == limit);
            assert_true(bandwidth_limits_of_paths(soc, maker, true)[path] == limit);
        }
        rows++;
    }
    assert_int_equal(rows, 17);
    fclose(file);
}

static void unknown_cards_have_a_limit_only_in_the_vendors_tool(void **ctx)
{
    static const struct {
        const char *soc;
        uint32_t maker;
        double path, vendor_path, gm, vendor_gm;
    } cases[] = {
        {"Ascend910_9392", 0, 0, 264, 0, 1.8},  {"Ascend910B4", 86, 222, 264, 0.8, 1.8},
        {"Ascend910B4", 0, 222, 222, 0.8, 0.8}, {"Ascend310P3", 0, 0, 0, 0, 1.8},
        {"Ascend950PR", 0, 0, 0, 0, 1.6},       {"Ascend950PR_1", 0, 0, 0, 0, 1.6},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *soc = cases[i].soc;
        uint32_t maker = cases[i].maker;

        assert_true(bandwidth_limits_of_paths(soc, maker, false)[PATH_GM_TO_L1] ==
                    cases[i].path);
        assert_true(bandwidth_limits_of_paths(soc, maker, true)[PATH_GM_TO_L1] ==
                    cases[i].vendor_path);
        assert_true(bandwidth_limits_of_memory(soc, maker, false).gm == cases[i].gm);
        assert_true(bandwidth_limits_of_memory(soc, maker, true).gm ==
                    cases[i].vendor_gm);
    }
    assert_true(bandwidth_limits_of_paths("Ascend910B1", 0, false)[PATH_NONE] == 0);
}

static void each_card_has_its_sets_of_the_l2_cache(void **ctx)
{
    static const struct {
        const char *soc;
        size_t sets;
    } cards[] = {
        {"Ascend910B1", 16384},    {"Ascend910B2", 16384},    {"Ascend910B2C", 16384},
        {"Ascend910B3", 16384},    {"Ascend910B4", 8192},     {"Ascend910B4-1", 14336},
        {"Ascend910_9362", 14336}, {"Ascend910_9372", 16384}, {"Ascend910_9381", 16384},
        {"Ascend910_9382", 16384}, {"Ascend910_9391", 16384}, {"Ascend910_9392", 16384},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cards); i++) {
        struct l2_model *model = l2_model_create(cards[i].soc);

        assert_int_equal(l2_model_sets(model), cards[i].sets);
        /* the last set, and the first set of the next line */
        assert_int_equal(l2_model_access(model, cards[i].sets * 512 - 1, false).set,
                         cards[i].sets - 1);
        assert_int_equal(l2_model_access(model, cards[i].sets * 512, false).set, 0);
        for (uint64_t way = 1; way <= L2_WAYS; way++) /* set 0 is full now */
            l2_model_access(model, way * cards[i].sets * 512, false);
        assert_false(l2_model_access(model, 512, false).evicts);
        assert_true(l2_model_access(model, 0, false).evicts);
        l2_model_destroy(model);
    }
}

static void a_share_is_a_part_of_the_cycles_of_a_pipe(void **ctx)
{
    const struct column share = {
        .kind = COLUMN_SHARE, .terms = "12@10", .over = "11+12"};
    const struct column whole = {.kind = COLUMN_SHARE, .terms = "12@10", .over = "13"};
    const struct column missing = {.kind = COLUMN_SHARE, .terms = "9@10", .over = "12"};

    (void)ctx;
    start(CHIP_A2, "Ascend910B1", -1);
    /* 50 * 1000 / 57 is 877, rounded down */
    assert_string_equal(cell(column_value(&measure, pmu_row(pmu, 0), &share)),
                        "0.438500");
    assert_string_equal(cell(column_value(&measure, pmu_row(pmu, 0), &whole)),
                        "0.000000");
    assert_string_equal(cell(column_value(&measure, pmu_row(pmu, 0), &missing)), "NA");
}

/* The records of transfers hold bytes already. */
static void a_column_of_transferred_bytes_has_no_factor(void **ctx)
{
    static const enum chip chips[] = {CHIP_A2, CHIP_310P, CHIP_A5};
    size_t found = 0;

    (void)ctx;
    for (size_t c = 0; c < COUNT(chips); c++)
        for (size_t t = 0; t < COLUMN_TABLES; t++) {
            const struct column_table *table = &column_tables(chips[c])[t];

            for (size_t i = 0; i < table->count; i++) {
                const struct column *column = &table->columns[i];
                const char *path = column->terms ? strchr(column->terms, '>') : NULL;

                if (!path || strchr(path, '/') || column->bytes == 0)
                    continue;
                assert_int_equal(column->bytes, 1);
                found++;
            }
        }
    assert_int_equal(found, 5);
}

/* The weights of the events 75, 76, 77, 174, 78, 186, 79. */
static void vector_operations_are_a_weighted_sum(void **ctx)
{
    static const struct {
        enum chip chip;
        const char *soc;
        uint64_t a[7]; /* operations of each event alone */
    } cases[] = {
        {CHIP_A2, "Ascend910B1", {64, 64, 64, 32, 64, 128, 32}}, /* 76: 128 - 64 */
        {CHIP_A2, "Ascend910_9392", {64, 64, 64, 32, 64, 128, 32}},
        {CHIP_310P, "Ascend310P3", {64, 128, 64, 32, 16, 32, 16}},
    };
    static const struct counter_schedule_pass events = {{75, 76, 77, 174, 78, 186, 79},
                                                        {75, 76, 77, 174, 78, 186, 79}};

    for (size_t c = 0; c < COUNT(cases); c++)
        for (size_t i = 0; i < 7; i++) {
            struct sample_block row = {.is_aiv = 1, .cycles = 5, .slots = {10}};
            struct text bytes = {0};
            struct pmu_notes notes;
            struct err err;

            row.slots[i] += 1;
            info = (struct op_info){.chip = cases[c].chip};
            snprintf(info.soc, sizeof(info.soc), "%s", cases[c].soc);
            pmu = pmu_create(CHIP_A2);
            sample_a2(&bytes, &row);
            assert_int_equal(pmu_add_pass(pmu, &events, (const uint8_t *)bytes.bytes,
                                          bytes.length, &notes, &err),
                             0);
            pmu_finish(pmu);
            measure_init(&measure, &info, pmu, -1);
            struct value value = measure_vector_operations(&measure, pmu_row(pmu, 0));
            assert_int_equal(value.integer, 640 + cases[c].a[i]);
            text_clear(&bytes);
            tear_down(ctx);
        }
}

#define CASE(f) cmocka_unit_test_teardown(f, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_formula_adds_subtracts_multiplies_and_divides),
        CASE(a_sum_beyond_64_bits_has_no_value),
        CASE(functions_of_a_vector_operator_use_the_cycles_of_its_pass),
        CASE(a_division_by_zero_has_no_value_on_the_a5),
        CASE(a_mix_operator_uses_its_duration),
        CASE(times_of_the_310p_are_divided_by_its_rounds),
        CASE(a_row_has_the_name_and_the_number_of_its_core),
        CASE(the_kind_follows_from_the_rows),
        CASE(the_l2_counters_are_read_after_eight_bytes),
        CASE(values_are_written_with_six_decimals),
        CASE(each_column_has_the_bytes_of_the_vendor),
        CASE(bandwidth_limits_are_those_of_the_vendor),
        CASE(unknown_cards_have_a_limit_only_in_the_vendors_tool),
        CASE(each_card_has_its_sets_of_the_l2_cache),
        CASE(a_share_is_a_part_of_the_cycles_of_a_pipe),
        CASE(a_column_of_transferred_bytes_has_no_factor),
        CASE(vector_operations_are_a_weighted_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
