/* sim_bin.c - visualize_data.bin of a simulation: its timeline, its source files, and
 * the counts and times of each line and each instruction on each core */
#include "parsers/simulator/sim_bin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/code/code_map.h"
#include "parsers/container/bin.h"
#include "parsers/simulator/sim_sums.h"
#include "parsers/simulator/sim_trace.h"
#include "parsers/visualize/block_writers.h"

enum { AS_HIDDEN = 0, AS_INT = 1, AS_TEXT = 3 }; /* data types of columns */

/* One address of the kernel. */
struct place {
    uint64_t pc;
    const struct sim_instruction *first;
    struct code_frame code; /* file is NULL when no line is known */
};

struct tables {
    const struct simulation *simulation;
    struct sim_sum **sums; /* of each core, by address */
    size_t *counts;
    struct place *places; /* by address */
    size_t place_count;
};

/* The last two need the logs of the instruction cache and the control unit. */
enum figure {
    FIGURE_COUNT,
    FIGURE_CYCLES,
    FIGURE_REGISTERS,
    FIGURE_BYTES, /* -1: the instruction transfers no memory */
    FIGURE_CACHE,
    FIGURE_UNIT,
    FIGURES,
};
static const char *const figure_names[FIGURES] = {
    "Instructions Executed", "Cycles",       "GPR Count",
    "Process Bytes",         "ICacheCycles", "CcuCycles"};

static int compare_pc(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right; /* pc is the first member of both structs */

    return *a < *b ? -1 : *a > *b;
}

static void make_tables(struct tables *t, const struct simulation *simulation)
{
    size_t all = 0, kept = 0;

    *t = (struct tables){.simulation = simulation};
    t->sums = xcalloc(simulation->core_count + 1, sizeof(t->sums[0]));
    t->counts = xcalloc(simulation->core_count + 1, sizeof(t->counts[0]));
    for (size_t i = 0; i < simulation->core_count; i++) {
        t->sums[i] = sim_sums_create(&simulation->cores[i], &t->counts[i]);
        all += t->counts[i];
    }
    t->places = xcalloc(all + 1, sizeof(t->places[0]));
    for (size_t i = 0; i < simulation->core_count; i++)
        for (size_t k = 0; k < t->counts[i]; k++)
            t->places[t->place_count++] =
                (struct place){.pc = t->sums[i][k].pc, .first = t->sums[i][k].first};
    if (t->place_count > 0)
        qsort(t->places, t->place_count, sizeof(t->places[0]), compare_pc);
    for (size_t i = 0; i < t->place_count; i++)
        if (kept == 0 || t->places[kept - 1].pc != t->places[i].pc)
            t->places[kept++] = t->places[i];
    t->place_count = kept;
    for (size_t i = 0; simulation->code && i < kept; i++)
        code_map_find_user(simulation->code, t->places[i].pc, &t->places[i].code);
}

static void clear_tables(struct tables *t)
{
    for (size_t i = 0; i < t->simulation->core_count; i++)
        free(t->sums[i]);
    free(t->sums);
    free(t->counts);
    free(t->places);
}

static int figure_count(const struct simulation *simulation)
{
    for (size_t i = 0; i < simulation->core_count; i++)
        if (simulation->cores[i].log.has_overhead)
            return FIGURES;
    return FIGURE_CACHE;
}

/* Reads a figure of one address and core. Returns false where it does not apply. */
static bool figure_at(const struct tables *t,
                      size_t core,
                      uint64_t pc,
                      enum figure figure,
                      uint64_t *value)
{
    const struct sim_sum *sum = t->counts[core]
                                    ? bsearch(&pc, t->sums[core], t->counts[core],
                                              sizeof(t->sums[core][0]), compare_pc)
                                    : NULL;

    *value = 0;
    if (!sum)
        return figure != FIGURE_BYTES;
    *value = figure == FIGURE_COUNT       ? sum->count
             : figure == FIGURE_CYCLES    ? sum->cycles
             : figure == FIGURE_REGISTERS ? sum->registers
             : figure == FIGURE_BYTES     ? sum->moved
             : figure == FIGURE_CACHE     ? sum->cache_cycles
                                          : sum->unit_cycles;
    return figure != FIGURE_BYTES || sum->moves;
}

/* Returns the sum over these places, or the maximum for registers. Returns -1 when the
 * figure applies to none of them. */
static int64_t figure_of(const struct tables *t,
                         size_t core,
                         const struct place *const *places,
                         size_t count,
                         enum figure figure)
{
    bool applies = false;
    uint64_t value = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t one;

        applies |= figure_at(t, core, places[i]->pc, figure, &one);
        if (figure != FIGURE_REGISTERS)
            value = one > UINT64_MAX - value ? UINT64_MAX : value + one;
        else if (one > value)
            value = one;
    }
    return !applies ? -1 : value > INT32_MAX ? INT32_MAX : (int64_t)value;
}

static void put_figures(struct json_write *json,
                        const struct tables *t,
                        const struct place *const *places,
                        size_t count)
{
    for (int figure = 0; figure < figure_count(t->simulation); figure++) {
        json_write_key(json, figure_names[figure]);
        json_write_array(json);
        for (size_t core = 0; core < t->simulation->core_count; core++)
            json_write_i64(json,
                           figure_of(t, core, places, count, (enum figure)figure));
        json_write_array_end(json);
    }
}

static void put_type(struct json_write *json, const char *column, int type)
{
    json_write_key(json, column);
    json_write_i64(json, type);
}

static void put_head(struct json_write *json,
                     const struct tables *t,
                     const char *dtype,
                     const char *rows,
                     const char *const *columns,
                     const int *types,
                     size_t count)
{
    json_write_key(json, "Cores");
    json_write_array(json);
    for (size_t i = 0; i < t->simulation->core_count; i++)
        json_write_text(json, t->simulation->cores[i].name);
    json_write_array_end(json);
    json_write_key(json, dtype);
    json_write_object(json);
    json_write_key(json, rows);
    json_write_object(json);
    for (size_t i = 0; i < count; i++)
        put_type(json, columns[i], types[i]);
    for (int i = 0; i < figure_count(t->simulation); i++)
        put_type(json, figure_names[i], AS_INT);
    json_write_object_end(json);
    json_write_object_end(json);
}

static void put_address(struct json_write *json, uint64_t address)
{
    char text[32];

    snprintf(text, sizeof(text), "0x%08llx", (unsigned long long)address);
    json_write_text(json, text);
}

static void put_source(struct json_write *json, const struct sim_instruction *row)
{
    struct text text = {0};

    text_add_bytes(&text, row->name.at, row->name.length);
    text_add_char(&text, ' ');
    simlog_add_operand_names(&text, row->detail);
    json_write_text(json, text_get(&text));
    text_clear(&text);
}

static void put_instructions(struct json_write *json, const struct tables *t)
{
    static const char *const columns[] = {"Address", "AscendC Inner Code", "Source",
                                          "Pipe"};
    static const int types[] = {AS_TEXT, AS_TEXT, AS_TEXT, AS_TEXT};

    json_write_object(json);
    put_head(json, t, "Instructions Dtype", "Instructions", columns, types,
             COUNT(columns));
    json_write_key(json, "Instructions");
    json_write_array(json);
    for (size_t i = 0; i < t->place_count; i++) {
        const struct place *place = &t->places[i];
        char code[4096] = "";

        json_write_object(json);
        json_write_key(json, "Address");
        put_address(json, place->pc);
        if (place->code.file)
            snprintf(code, sizeof(code), "%s:%u", place->code.file, place->code.line);
        json_write_key(json, "AscendC Inner Code");
        json_write_text(json, code);
        json_write_key(json, "Source");
        put_source(json, place->first);
        json_write_key(json, "Pipe");
        json_write_text(json, sim_pipe_name(place->first->pipe));
        put_figures(json, t, &place, 1);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}

static int compare_lines(const void *left, const void *right)
{
    const struct place *const *a = left, *const *b = right;
    int files = strcmp((*a)->code.file, (*b)->code.file);

    if (files)
        return files;
    if ((*a)->code.line != (*b)->code.line)
        return (*a)->code.line < (*b)->code.line ? -1 : 1;
    return (*a)->pc < (*b)->pc ? -1 : (*a)->pc > (*b)->pc;
}

static void put_line(struct json_write *json,
                     const struct tables *t,
                     const struct place *const *places,
                     size_t count)
{
    json_write_object(json);
    json_write_key(json, "Line");
    json_write_u64(json,
                   places[0]->code.line > INT32_MAX ? INT32_MAX : places[0]->code.line);
    json_write_key(json, "Address Range");
    json_write_array(json);
    for (size_t i = 0; i < count; i++) {
        size_t from = i;

        /* a range continues across neighbouring instructions of four bytes */
        while (i + 1 < count && places[i + 1]->pc - places[i]->pc <= 4)
            i++;
        json_write_array(json);
        put_address(json, places[from]->pc);
        put_address(json, places[i]->pc);
        json_write_array_end(json);
    }
    json_write_array_end(json);
    put_figures(json, t, places, count);
    json_write_object_end(json);
}

/* Returns the places with a known line, by file and line. The caller frees the array.
 */
static const struct place **places_in_lines(const struct tables *t, size_t *count)
{
    const struct place **places = xcalloc(t->place_count + 1, sizeof(*places));

    *count = 0;
    for (size_t i = 0; i < t->place_count; i++)
        if (t->places[i].code.file && t->places[i].code.line > 0)
            places[(*count)++] = &t->places[i];
    if (*count > 0)
        qsort(places, *count, sizeof(*places), compare_lines);
    return places;
}

static void put_files(struct json_write *json,
                      const struct tables *t,
                      const struct place *const *places,
                      size_t count)
{
    static const char *const columns[] = {"Line", "Address Range"};
    static const int types[] = {AS_INT, AS_HIDDEN};

    json_write_object(json);
    put_head(json, t, "Files Dtype", "Lines", columns, types, COUNT(columns));
    json_write_key(json, "Files");
    json_write_array(json);
    for (size_t i = 0; i < count;) {
        const char *file = places[i]->code.file;

        json_write_object(json);
        json_write_key(json, "Source");
        json_write_text(json, file);
        json_write_key(json, "Lines");
        json_write_array(json);
        while (i < count && strcmp(places[i]->code.file, file) == 0) {
            size_t from = i;

            while (i < count && places[i]->code.line == places[from]->code.line &&
                   strcmp(places[i]->code.file, file) == 0)
                i++;
            put_line(json, t, places + from, i - from);
        }
        json_write_array_end(json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}

static void
add_sources(struct text *out, const struct place *const *places, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(places[i]->code.file, places[i - 1]->code.file) != 0)
            source_blocks_add_file(places[i]->code.file, out);
}

void sim_bin_write(const struct simulation *simulation, struct text *out)
{
    struct text payload = {0};
    struct json_write json;
    const struct place **lines;
    struct tables tables;
    struct err err;
    size_t count;

    sim_trace_write(simulation, &payload);
    bin_add(out, BIN_TRACE, &payload);
    make_tables(&tables, simulation);
    lines = places_in_lines(&tables, &count);
    add_sources(out, lines, count);
    if (count > 0) {
        text_reset(&payload);
        json_write_to_text(&json, &payload);
        put_files(&json, &tables, lines, count);
        json_write_finish(&json, &err); /* writing to memory cannot fail */
        bin_add(out, BIN_FILES, &payload);
    }
    text_reset(&payload);
    json_write_to_text(&json, &payload);
    put_instructions(&json, &tables);
    json_write_finish(&json, &err);
    bin_add(out, BIN_INSTRUCTIONS, &payload);
    free(lines);
    clear_tables(&tables);
    text_clear(&payload);
}
