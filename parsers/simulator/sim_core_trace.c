/* sim_core_trace.c - one core of a simulation as a timeline: each pipe is a process
 * with as many tracks as it ran instructions at the same time
 *
 * The processes have the numbers of the vendor's tool, as far as it defines them. */
#include "parsers/simulator/sim_core_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/simulator/sim_draw.h"

enum {
    TRACKS_MAX = 1024, /* of a process; further instructions share the last track */
    WARPS_FROM = 1000, /* number of the process of warp 0 */
};

static const struct process {
    const char *name;
    unsigned number;
} processes[SIM_PIPES] = {
    [SIM_SCALAR] = {"SCALAR", 10},      [SIM_VECTOR] = {"VECTOR", 30},
    [SIM_CUBE] = {"CUBE", 40},          [SIM_MTE1] = {"MTE1", 50},
    [SIM_MTE2] = {"MTE2", 60},          [SIM_MTE3] = {"MTE3", 70},
    [SIM_FIXP] = {"FIXP", 80},          [SIM_FLOWCTRL] = {"FLOWCTRL", 90},
    [SIM_ALL] = {"ALL", 100},           [SIM_CACHEMISS] = {"CACHEMISS", 110},
    [SIM_USERMARK] = {"USERMARK", 120}, [SIM_EVENT] = {"EVENT", 130},
    [SIM_RVECEX] = {"RVECEX", 140},     [SIM_RVECLP] = {"RVECLP", 150},
    [SIM_RVECST] = {"RVECST", 160},     [SIM_RVECLD] = {"RVECLD", 170},
    [SIM_PUSHQ] = {"PUSHQ", 180},       [SIM_RVECSU] = {"RVECSU", 190},
};
static const struct process scalar_loads = {"SCALARLDST", 20};

/* A bar that has no track yet. */
struct bar {
    unsigned process;
    char group[SIM_DRAW_TRACK_BYTES]; /* its tracks are called <group>_<n> */
    uint64_t start, end;
    const struct sim_instruction *row; /* NULL: a mark or a cache miss */
    char name[24];                     /* of a mark or a cache miss */
};

struct bars {
    struct bar *rows;
    size_t count;
};

static void
add_bar(struct bars *bars, struct process process, uint64_t start, uint64_t end)
{
    struct bar *bar = &bars->rows[bars->count++];

    *bar = (struct bar){.process = process.number, .start = start, .end = end};
    snprintf(bar->group, sizeof(bar->group), "%s", process.name);
}

static void add_instruction(struct bars *bars, const struct sim_instruction *row)
{
    bool loads = row->pipe == SIM_SCALAR &&
                 memmem(row->detail.at, row->detail.length, "XD:", 3) != NULL;
    bool is_bar = sim_span_is(row->name, "BAR") && row->end > row->start;
    bool is_set = row->end > row->start && (sim_span_is(row->name, "SET_FLAG") ||
                                            sim_span_is(row->name, "set_event"));
    char track[SIM_DRAW_TRACK_BYTES];
    struct process process = loads ? scalar_loads : processes[row->pipe];

    if (row->warp >= 0)
        process = (struct process){sim_draw_track(row, track),
                                   (unsigned)(WARPS_FROM + row->warp)};
    add_bar(bars, process, is_bar || is_set ? row->end - 1 : row->start, row->end);
    bars->rows[bars->count - 1].row = row;
}

static void collect_bars(const struct simulation_core *core, struct bars *bars)
{
    const struct sim_core *log = &core->log;

    bars->rows = xcalloc(log->count + log->mark_count + log->miss_count + 1,
                         sizeof(*bars->rows));
    for (size_t i = 0; i < log->count; i++)
        add_instruction(bars, &log->rows[i]);
    for (size_t i = 0; i < log->mark_count; i++) {
        const struct sim_mark *mark = &log->marks[i];

        add_bar(bars, processes[SIM_USERMARK], mark->start,
                mark->end > mark->start ? mark->end : mark->start);
        snprintf(bars->rows[bars->count - 1].name, 24, "Mark 0x%u", mark->number);
    }
    for (size_t i = 0; i < log->miss_count; i++) {
        add_bar(bars, processes[SIM_CACHEMISS], log->misses[i].cycle,
                log->misses[i].cycle + 1);
        snprintf(bars->rows[bars->count - 1].name, 24, "0x%llx",
                 (unsigned long long)log->misses[i].address);
    }
}

static int compare_bars(const void *left, const void *right)
{
    const struct bar *a = left, *b = right;

    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static void put_number(struct json_write *json, const char *key, uint64_t number)
{
    json_write_key(json, key);
    json_write_u64(json, number);
}

/* Writes the name of a process or track. If `name` is NULL, writes its position, which
 * is its number. */
static void put_meta(struct json_write *json,
                     const char *kind,
                     const char *name,
                     unsigned process,
                     unsigned track)
{
    json_write_object(json);
    json_write_key(json, "args");
    json_write_object(json);
    if (name)
        sim_draw_text(json, "name", name);
    else
        put_number(json, "sort_index", track ? track : process);
    json_write_object_end(json);
    sim_draw_text(json, "name", kind);
    sim_draw_text(json, "ph", "M");
    put_number(json, "pid", process);
    put_number(json, "tid", track);
    json_write_object_end(json);
}

static void put_bar(const struct sim_draw *d, const struct bar *bar, unsigned track)
{
    struct json_write *json = d->json;
    uint64_t start = simulation_ps(d->simulation, bar->start);
    char name[128];

    json_write_object(json);
    if (bar->row) {
        struct sim_draw_instruction drawn = {d, bar->row};

        json_write_key(json, "args");
        json_write_object(json);
        sim_draw_args(json, &drawn);
        json_write_object_end(json);
        snprintf(name, sizeof(name), "%.*s", (int)bar->row->name.length,
                 bar->row->name.at);
    }
    sim_draw_text(json, "cname", trace_writer_colour(bar->process / 10));
    json_write_key(json, "dur");
    json_write_scaled(json, (int64_t)(simulation_ps(d->simulation, bar->end) - start),
                      d->trace.decimals);
    sim_draw_text(json, "name", bar->row ? name : bar->name);
    sim_draw_text(json, "ph", "X");
    put_number(json, "pid", bar->process);
    put_number(json, "tid", track);
    json_write_key(json, "ts");
    json_write_scaled(json, (int64_t)start, d->trace.decimals);
    json_write_object_end(json);
}

/* Returns the number, from 1, of the first track that is free at the start of the bar,
 * or of the last track when all are busy. */
static unsigned
find_track(uint64_t ends[TRACKS_MAX], unsigned *used, const struct bar *bar)
{
    unsigned track = 0;

    while (track < *used && ends[track] >= bar->start)
        track++;
    if (track == TRACKS_MAX)
        track--;
    else if (track == *used)
        (*used)++;
    ends[track] = bar->end;
    return track + 1;
}

static void draw_bars(const struct sim_draw *d, const struct bars *bars)
{
    uint64_t *ends = xcalloc(TRACKS_MAX, sizeof(*ends));
    unsigned used = 0;

    for (size_t i = 0; i < bars->count; i++) {
        const struct bar *bar = &bars->rows[i];
        unsigned before, track;

        if (i == 0 || bar->process != bars->rows[i - 1].process) {
            used = 0;
            put_meta(d->json, "process_name", bar->group, bar->process, 0);
            put_meta(d->json, "process_sort_index", NULL, bar->process, 0);
        }
        before = used;
        track = find_track(ends, &used, bar);
        if (used > before) {
            char name[48];

            snprintf(name, sizeof(name), "%s_%u", bar->group, track);
            put_meta(d->json, "thread_name", name, bar->process, track);
            put_meta(d->json, "thread_sort_index", NULL, bar->process, track);
        }
        put_bar(d, bar, track);
    }
    free(ends);
}

void sim_core_trace_write(const struct simulation *simulation,
                          const struct simulation_core *core,
                          struct text *out)
{
    struct json_write json;
    struct sim_draw draw = {.simulation = simulation, .core = core, .json = &json};
    struct bars bars = {0};
    struct err err;

    collect_bars(core, &bars);
    if (bars.count > 0)
        qsort(bars.rows, bars.count, sizeof(*bars.rows), compare_bars);
    json_write_to_text(&json, out);
    trace_writer_open(&draw.trace, &json, false);
    trace_writer_use_ps(&draw.trace);
    draw_bars(&draw, &bars);
    trace_writer_close(&draw.trace);
    json_write_finish(&json, &err); /* writing to memory cannot fail */
    free(bars.rows);
}
