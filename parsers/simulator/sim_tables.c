#include "parsers/simulator/sim_tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/code/code_map.h"
#include "parsers/simulator/sim_sums.h"

static int compare_cycles(const void *left, const void *right)
{
    const struct sim_sum *a = left, *b = right;

    if (a->cycles != b->cycles)
        return a->cycles > b->cycles ? -1 : 1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

/* Rounds to two decimals and prints six, as the vendor's tool does. */
static void
add_us(const struct simulation *simulation, uint64_t ticks, struct text *out)
{
    double us = (double)ticks / simulation->clock_mhz;

    text_printf(out, "%.6f", round(us * 100) / 100);
}

/* Writes the operands as a quoted CSV cell; a quote inside is doubled. */
static void add_quoted(struct sim_span detail, struct text *out)
{
    struct text operands = {0};

    simlog_add_operands(&operands, detail);
    text_add_char(out, '"');
    for (size_t i = 0; i < operands.length; i++) {
        char c = operands.bytes[i];

        if (c == '"')
            text_add_char(out, '"');
        text_add_char(out, c < ' ' ? ' ' : c);
    }
    text_add_char(out, '"');
    text_clear(&operands);
}

void sim_tables_instructions(const struct simulation *simulation,
                             const struct simulation_core *core,
                             struct text *out)
{
    size_t count;
    struct sim_sum *sums = sim_sums_create(core, &count);

    if (count > 0)
        qsort(sums, count, sizeof(*sums), compare_cycles);
    text_add(out, "instr,addr,pipe,call_count,cycles,running_time(us),detail\n");
    for (size_t i = 0; i < count; i++) {
        const struct sim_instruction *first = sums[i].first;

        text_add_bytes(out, first->name.at, first->name.length);
        text_printf(out, ",%" PRIu64 ",%s,%" PRIu64 ",%" PRIu64 ",", sums[i].pc,
                    sim_pipe_name(first->pipe), sums[i].count, sums[i].cycles);
        add_us(simulation, sums[i].busy, out);
        text_add_char(out, ',');
        add_quoted(first->detail, out);
        text_add_char(out, '\n');
    }
    free(sums);
}

/* An instruction and its source line. */
struct located {
    struct code_frame place;
    const struct sim_instruction *row;
};

static int compare_lines(const void *left, const void *right)
{
    const struct located *a = left, *b = right;
    int files = strcmp(a->place.file, b->place.file);

    if (files)
        return files;
    if (a->place.line != b->place.line)
        return a->place.line < b->place.line ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Sum of one source line; sum.pc is its position in the order of files and lines. */
struct line_sum {
    struct sim_sum sum;
    struct code_frame place;
};

static int compare_line_cycles(const void *left, const void *right)
{
    return compare_cycles(&((const struct line_sum *)left)->sum,
                          &((const struct line_sum *)right)->sum);
}

static size_t find_lines(const struct simulation *simulation,
                         const struct simulation_core *core,
                         struct located *rows)
{
    size_t count = 0;

    for (size_t i = 0; i < core->log.count; i++) {
        const struct sim_instruction *row = &core->log.rows[i];
        struct code_frame place;

        if (code_map_find_user(simulation->code, row->pc, &place) && place.file)
            rows[count++] = (struct located){place, row};
    }
    if (count > 0)
        qsort(rows, count, sizeof(*rows), compare_lines);
    return count;
}

void sim_tables_code(const struct simulation *simulation,
                     const struct simulation_core *core,
                     struct text *out)
{
    size_t count = 0, lines = 0;
    struct located *rows;
    struct sim_interval *spans;
    struct line_sum *sums;

    text_add(out, "code,call_count,cycles,running_time(us)\n");
    if (!simulation->code)
        return;
    rows = xcalloc(core->log.count + 1, sizeof(*rows));
    spans = xcalloc(core->log.count + 1, sizeof(*spans));
    sums = xcalloc(core->log.count + 1, sizeof(*sums));
    count = find_lines(simulation, core, rows);
    for (size_t i = 0; i < count;) {
        struct line_sum *line = &sums[lines++];

        line->place = rows[i].place;
        line->sum.pc = lines;
        for (; i < count && rows[i].place.line == line->place.line &&
               strcmp(rows[i].place.file, line->place.file) == 0;
             i++) {
            spans[line->sum.count++] =
                (struct sim_interval){rows[i].row->start, rows[i].row->end};
            line->sum.cycles += rows[i].row->end - rows[i].row->start;
        }
        line->sum.busy = sim_sums_union(spans, line->sum.count);
    }
    if (lines > 0)
        qsort(sums, lines, sizeof(*sums), compare_line_cycles);
    for (size_t i = 0; i < lines; i++) {
        uint64_t cycles = sums[i].sum.cycles;

        text_printf(out, "%s:%u,%" PRIu64 ",%" PRIu64 ",", sums[i].place.file,
                    sums[i].place.line, sums[i].sum.count,
                    cycles > INT32_MAX ? INT32_MAX : cycles);
        add_us(simulation, sums[i].sum.busy, out);
        text_add_char(out, '\n');
    }
    free(rows);
    free(spans);
    free(sums);
}
