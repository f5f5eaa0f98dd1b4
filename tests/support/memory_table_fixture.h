/* memory_table_fixture.h - a launch with known counters, and the comparison of block
 * 0x09
 *
 * Event n counts 10 n + 7, except those in `counts`, which are subtracted from each
 * other. A row has 10 000 cycles at 1000 MHz. */
#ifndef TESTS_SUPPORT_MEMORY_TABLE_FIXTURE_H
#define TESTS_SUPPORT_MEMORY_TABLE_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "parsers/metrics/memory_detail.h"
#include "parsers/records/sample_records.h"
#include "parsers/visualize/block_writers.h"
#include "tests/support/unit.h"

enum { CYCLES = 10000, MHZ = 1000 };
enum { NA = -1 };

enum line_kind {
    FLOW,   /* requests, bytes of a request */
    PEAK,   /* the same and a limit in GiB/s; 0: NA */
    PIPE,   /* instructions, cycles, waits, bytes while active */
    SCALAR, /* cycles */
    CACHE,  /* hits, misses */
};

struct line {
    const char *table, *name;
    enum line_kind kind;
    double numbers[4];
};

static const struct {
    unsigned event;
    uint64_t count;
} counts[] = {
    {19, 3000},    {49, 50000},   {50, 40000}, {518, 1000}, {524, 9000},
    {1058, 20000}, {1407, 300},   {1408, 500}, {1795, 700}, {1797, 900},
    {1799, 5000},  {1801, 30000}, {1806, 600}, {85, 100},   {53, 100},
};

static inline uint64_t count_of(unsigned event)
{
    for (size_t i = 0; i < COUNT(counts); i++)
        if (counts[i].event == event)
            return counts[i].count;
    return event >= 1780 && event <= 1799 ? 0 : 10 * event + 7;
}

struct launch {
    struct op_info info;
    struct pmu *pmu;
    struct measure measure;
    struct memory_detail memory;
};

/* Adds block 0 with these cores to each pass. */
static inline void
open_launch(struct launch *launch, const char *soc, int cubes, int vectors)
{
    struct counter_schedule full;
    struct pmu_notes notes;
    struct text bytes = {0};
    struct err err;

    memset(launch, 0, sizeof(*launch));
    launch->info = (struct op_info){.chip = chip_of_soc(soc), .block_dim = 2};
    launch->info.current_mhz = launch->info.rated_mhz = MHZ;
    snprintf(launch->info.soc, sizeof(launch->info.soc), "%s", soc);
    op_info_fill(&launch->info);
    launch->pmu = pmu_create(launch->info.chip);
    assert_int_equal(counter_schedule_full(launch->info.chip, &full, &err), 0);
    for (size_t pass = 0; pass < full.pass_count; pass++) {
        struct sample_block block = {.task = 4, .cycles = CYCLES};

        text_reset(&bytes);
        for (int i = 0; i < cubes + vectors; i++) {
            const uint16_t *events =
                i < cubes ? full.passes[pass].aic : full.passes[pass].aiv;

            block.is_aiv = i >= cubes;
            block.sub_block = i > cubes;
            for (size_t slot = 0; slot < full.slots; slot++)
                block.slots[slot] = count_of(events[slot]);
            if (launch->info.chip == CHIP_310P)
                sample_310p(&bytes, CYCLES, block.slots);
            else if (launch->info.chip == CHIP_A5)
                sample_a5(&bytes, &block);
            else
                sample_a2(&bytes, &block);
        }
        assert_int_equal(pmu_add_pass(launch->pmu, &full.passes[pass],
                                      (uint8_t *)bytes.bytes, bytes.length, &notes,
                                      &err),
                         0);
    }
    text_clear(&bytes);
    pmu_finish(launch->pmu);
    measure_init(&launch->measure, &launch->info, launch->pmu, 10);
}

struct moved {
    uint32_t device_block;
    uint16_t sub_block;
    uint8_t from, to;
    uint64_t bytes;
};

static inline void
add_records(struct launch *launch, const struct moved *moved, size_t moved_count)
{
    struct transfer_reader reader;
    struct memory_detail_builder *builder =
        memory_detail_begin(launch->info.soc, &reader);

    for (size_t i = 0; i < moved_count; i++) {
        struct transfer transfer = {.src_bytes = moved[i].bytes,
                                    .dst_bytes = moved[i].bytes,
                                    .block = moved[i].device_block,
                                    .sub_block = moved[i].sub_block,
                                    .src_memory = moved[i].from,
                                    .dst_memory = moved[i].to};
        uint8_t row[TRANSFER_CHART_ROW_BYTES];

        transfer_write_chart_row(row, &transfer);
        transfer_read_chart(&reader, row, sizeof(row));
    }
    memory_detail_finish(&builder, &launch->memory);
    launch->measure.memory = &launch->memory;
}

static inline void close_launch(struct launch *launch)
{
    if (launch->measure.memory)
        memory_detail_clear(&launch->memory);
    pmu_destroy(launch->pmu);
}

static inline void expect_cell(const struct line *line,
                               const struct json_node *row,
                               size_t column,
                               double expected,
                               int decimals)
{
    const char *cell = "";
    char text[40] = "NA";

    if (expected >= 0)
        snprintf(text, sizeof(text), "%.*f", decimals, expected);
    assert_true(
        json_tree_text(json_tree_at(json_tree_get(row, "value"), column), &cell));
    if (expected >= 0 && decimals && fabs(atof(cell) - expected) <= 2e-6)
        return; /* the last digit may be rounded differently */
    if (strcmp(cell, text) != 0)
        fail_msg("table %s, row %s, column %zu: %s, not %s", line->table, line->name,
                 column, cell, text);
}

static inline double bandwidth_of(double bytes, double us)
{
    return bytes < 0 || us <= 0 ? NA : bytes * 1e6 / us / 1024 / 1024 / 1024;
}

static inline void
expect_flow(const struct line *line, const struct json_node *row, double us)
{
    double requests = line->numbers[0], limit = line->numbers[2];
    double bandwidth =
        requests < 0 ? NA : bandwidth_of(requests * line->numbers[1], us);

    expect_cell(line, row, 0, requests, 0);
    expect_cell(line, row, 1, bandwidth, 6);
    if (line->kind == PEAK)
        expect_cell(
            line, row, 2,
            limit > 0 && bandwidth >= 0 ? fmin(bandwidth, limit) * 100 / limit : NA, 6);
    assert_int_equal(json_tree_get(row, "value")->count, line->kind == PEAK ? 3 : 2);
}

static inline void
expect_line(const struct line *line, const struct json_node *row, double us)
{
    const double *numbers = line->numbers;

    switch (line->kind) {
    case FLOW:
    case PEAK:
        expect_flow(line, row, us);
        break;
    case PIPE:
        expect_cell(line, row, 0, numbers[0], 0);
        expect_cell(line, row, 1, numbers[1], 0);
        expect_cell(line, row, 2, numbers[2], 0);
        expect_cell(line, row, 3, 100 * numbers[1] / CYCLES, 6);
        expect_cell(line, row, 4, bandwidth_of(numbers[3], numbers[1] / MHZ), 6);
        break;
    case SCALAR:
        expect_cell(line, row, 0, numbers[0], 0);
        expect_cell(line, row, 1, numbers[0] / MHZ, 6);
        break;
    case CACHE:
        expect_cell(line, row, 0, numbers[0], 0);
        expect_cell(line, row, 1, numbers[1], 0);
        expect_cell(line, row, 2, numbers[0] < 0 ? NA : numbers[0] + numbers[1], 0);
        expect_cell(line, row, 3,
                    numbers[0] < 0 ? NA : 100 * numbers[0] / (numbers[0] + numbers[1]),
                    6);
        break;
    }
}

static inline const struct line *
find_line(const struct line *lines, size_t count, const char *table, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(lines[i].table, table) == 0 && strcmp(lines[i].name, name) == 0)
            return &lines[i];
    fail_msg("unexpected row %s in table %s", name, table);
    return NULL;
}

/* Requires exactly these rows. `us` is the time base of the bandwidths. */
static inline void expect_table(const struct measure *measure,
                                const struct line *lines,
                                size_t count,
                                double us)
{
    struct json_write json;
    struct text payload = {0};
    struct arena *arena = arena_create(1 << 20);
    const struct json_node *root, *tables;
    struct err err;
    size_t rows = 0;

    json_write_to_text(&json, &payload);
    memory_table_write(measure, &json);
    json_write_finish(&json, &err);
    assert_int_equal(json_tree_parse(&root, "block", payload.bytes, payload.length,
                                     JSON_TREE_LIMITS, arena, &err),
                     0);
    tables = json_tree_get(json_tree_at(json_tree_get(root, "table_per_block"), 0),
                           "table_detail");
    for (const struct json_node *table = tables->first; table; table = table->next)
        for (const struct json_node *row = json_tree_get(table, "row")->first; row;
             row = row->next, rows++)
            expect_line(find_line(lines, count,
                                  json_tree_get(table, "table_name")->text,
                                  json_tree_get(row, "name")->text),
                        row, us);
    assert_int_equal(rows, count);
    arena_destroy(arena);
    text_clear(&payload);
}

#endif
