/* sim_trace.c - all cores of a simulation as one timeline: instructions by pipe, the
 * flags that pipes set for one another with their arrows, the user's marks, cache
 * misses, and what went to and from GM in each microsecond */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "parsers/simulator/simulation.h"
#include "parsers/source/code_map.h"
#include "parsers/timeline/trace.h"

enum { US_MAX = 60000000 };

/* Colours and places of the lanes, as the vendor's tool gives them. */
static const struct {
    const char *colour;
    int sort;
} lanes[SIM_PIPES] = {
    [SIM_SCALAR] = {"startup", 1},
    [SIM_FLOWCTRL] = {"cq_build_passed", 2},
    [SIM_MTE1] = {"thread_state_running", 3},
    [SIM_CUBE] = {"background_memory_dump", 4},
    [SIM_FIXP] = {"thread_state_unknown", 5},
    [SIM_MTE2] = {"thread_state_iowait", 6},
    [SIM_VECTOR] = {"cq_build_failed", 7},
    [SIM_MTE3] = {"rail_response", 8},
    [SIM_CACHEMISS] = {"thread_state_runnable", 9},
    [SIM_ALL] = {"good", 11},
    [SIM_USERMARK] = {"rail_load", 12},
    [SIM_EVENT] = {"rail_animation", 13},
    [SIM_RVECEX] = {"thread_state_stopped", 18},
    [SIM_RVECLP] = {"thread_state_stopped", 19},
    [SIM_RVECST] = {"thread_state_stopped", 20},
    [SIM_RVECLD] = {"thread_state_stopped", 21},
    [SIM_PUSHQ] = {"thread_state_stopped", 22},
    [SIM_RVECSU] = {"thread_state_stopped", 23},
};

struct drawing {
    const struct simulation *simulation;
    const struct simulation_core *core;
    struct trace trace;
    struct json_write *json;
};

struct shown {
    const struct drawing *drawing;
    const struct sim_instruction *row;
};

static void put(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

static void put_code(struct json_write *json,
                     const struct simulation *simulation,
                     uint64_t pc,
                     const char *key)
{
    struct code_frame frames[16];
    size_t count;
    struct text stack = {0};

    if (!simulation->code)
        return;
    count = code_map_find(simulation->code, pc, frames, COUNT(frames));
    for (size_t i = 0; i < count && i < COUNT(frames); i++)
        if (frames[i].file)
            text_printf(&stack, "%s%s:%u", stack.length ? "\n" : "", frames[i].file,
                        frames[i].line);
    if (stack.length)
        put(json, key, text_get(&stack));
    text_clear(&stack);
}

static void put_args(struct json_write *json, const void *record)
{
    const struct shown *shown = record;
    char pc[24];

    put_code(json, shown->drawing->simulation, shown->row->pc, "code");
    json_write_key(json, "detail");
    json_write_bytes(json, shown->row->detail.at, shown->row->detail.length);
    snprintf(pc, sizeof(pc), "0x%" PRIx64, shown->row->pc);
    put(json, "pc_addr", pc);
}

/* Fetched, and on its way through the control unit: in front of the instruction. */
static void
draw_overhead(struct drawing *d, const struct sim_instruction *row, const char *group)
{
    const struct {
        const char *name;
        uint64_t start, end;
    } parts[] = {
        {"cache_time", row->fetched, row->issued},
        {"ccu_time", row->issued, row->start},
    };

    for (size_t i = 0; i < COUNT(parts); i++)
        trace_slice(&d->trace,
                    &(struct trace_slice){
                        .pid = d->core->name,
                        .tid = sim_pipe_name(row->pipe),
                        .name = parts[i].name,
                        .colour_name = "thread_state_stopped",
                        .group = group,
                        .start_ns = simulation_ns(d->simulation, parts[i].start),
                        .end_ns = simulation_ns(d->simulation, parts[i].end),
                    });
}

static void draw_instruction(struct drawing *d, const struct sim_instruction *row)
{
    struct shown shown = {d, row};
    char name[128], group[64];
    uint64_t start = simulation_ns(d->simulation, row->start);
    struct trace_slice slice = {
        .pid = d->core->name,
        .tid = sim_pipe_name(row->pipe),
        .name = name,
        .colour_name = lanes[row->pipe].colour,
        .start_ns = start,
        .end_ns = simulation_ns(d->simulation, row->end),
        .args = put_args,
        .record = &shown,
    };

    if (sim_span_is(row->name, "BAR") && row->end > row->start)
        slice.start_ns = simulation_ns(d->simulation, row->end - 1); /* its last tick */
    snprintf(name, sizeof(name), "%.*s", (int)row->name.length, row->name.at);
    if (row->has_overhead) {
        snprintf(group, sizeof(group), "%s_%zu", d->core->name,
                 (size_t)(row - d->core->log.rows));
        draw_overhead(d, row, group);
        slice.group = group;
    }
    trace_slice(&d->trace, &slice);
}

static void mark_args(struct json_write *json, const void *record)
{
    const struct shown *shown = record;
    const struct sim_mark *mark = (const struct sim_mark *)(const void *)shown->row;

    put_code(json, shown->drawing->simulation, mark->start_pc, "trace_start");
    put_code(json, shown->drawing->simulation, mark->end_pc, "trace_stop");
}

static void draw_marks(struct drawing *d)
{
    for (size_t i = 0; i < d->core->log.mark_count; i++) {
        const struct sim_mark *mark = &d->core->log.marks[i];
        struct shown shown = {d, (const struct sim_instruction *)(const void *)mark};
        char name[24];
        struct trace_slice slice = {
            .pid = d->core->name,
            .tid = sim_pipe_name(SIM_USERMARK),
            .name = name,
            .colour_name = lanes[SIM_USERMARK].colour,
            .start_ns = simulation_ns(d->simulation, mark->start),
            .end_ns = simulation_ns(d->simulation,
                                    mark->end > mark->start ? mark->end : mark->start),
            .args = mark_args,
            .record = &shown,
        };

        snprintf(name, sizeof(name), "Mark 0x%u", mark->number);
        trace_slice(&d->trace, &slice);
    }
}

static void draw_misses(struct drawing *d)
{
    for (size_t i = 0; i < d->core->log.miss_count; i++) {
        const struct sim_miss *miss = &d->core->log.misses[i];
        char name[24];
        struct trace_slice slice = {
            .pid = d->core->name,
            .tid = sim_pipe_name(SIM_CACHEMISS),
            .name = name,
            .colour_name = lanes[SIM_CACHEMISS].colour,
            .start_ns = simulation_ns(d->simulation, miss->cycle),
            .end_ns = simulation_ns(d->simulation, miss->cycle + 1),
        };

        snprintf(name, sizeof(name), "0x%" PRIx64, miss->address);
        trace_slice(&d->trace, &slice);
    }
}

/* An end of a bar that takes part in an arrow, or of the arrow itself. */
static void put_point(struct drawing *d,
                      const struct sim_instruction *row,
                      const char *phase,
                      const char *name,
                      const char *category,
                      const char *id,
                      uint64_t tick)
{
    struct json_write *json = d->json;

    json_write_object(json);
    if (phase[0] == 'B') {
        struct shown shown = {d, row};

        json_write_key(json, "args");
        json_write_object(json);
        put_args(json, &shown);
        json_write_object_end(json);
        put(json, "cname", sim_span_is(row->name, "SET_FLAG") ? "black" : "yellow");
    }
    if (category)
        put(json, "cat", category);
    put(json, "id", id);
    put(json, "name", name);
    put(json, "ph", phase);
    put(json, "pid", d->core->name);
    put(json, "tid", sim_pipe_name(row->pipe));
    json_write_key(json, "ts");
    json_write_scaled(json, (int64_t)simulation_ns(d->simulation, tick), 3);
    json_write_object_end(json);
    d->trace.events++;
}

static bool same(struct sim_span a, struct sim_span b)
{
    return a.length == b.length && memcmp(a.at, b.at, a.length) == 0;
}

static bool is_set(const struct sim_instruction *row)
{
    return sim_span_is(row->name, "SET_FLAG") || sim_span_is(row->name, "set_event");
}

/* What says the same stands together, in the order of time; a set before a wait. */
static int by_detail(const void *left, const void *right)
{
    const struct sim_instruction *const *a = left, *const *b = right;
    uint32_t shorter = (*a)->detail.length < (*b)->detail.length ? (*a)->detail.length
                                                                 : (*b)->detail.length;
    int texts = memcmp((*a)->detail.at, (*b)->detail.at, shorter);

    if (texts || (*a)->detail.length != (*b)->detail.length)
        return texts ? texts : (*a)->detail.length < (*b)->detail.length ? -1 : 1;
    if ((*a)->end != (*b)->end)
        return (*a)->end < (*b)->end ? -1 : 1;
    if (is_set(*a) != is_set(*b))
        return is_set(*a) ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

static void draw_pair(struct drawing *d,
                      const struct sim_instruction *set,
                      const struct sim_instruction *wait,
                      size_t number)
{
    char id[64], name[32], category[48];

    snprintf(id, sizeof(id), "%s_%zu", d->core->name, number);
    snprintf(category, sizeof(category), "%sTo%s", sim_pipe_name(set->pipe),
             sim_pipe_name(wait->pipe));
    /* a set is drawn as its last tick: before that it only stood in the queue */
    snprintf(name, sizeof(name), "%.*s", (int)set->name.length, set->name.at);
    put_point(d, set, "B", name, NULL, id,
              set->end > set->start ? set->end - 1 : set->start);
    put_point(d, set, "E", name, NULL, id, set->end);
    snprintf(name, sizeof(name), "%.*s", (int)wait->name.length, wait->name.at);
    put_point(d, wait, "B", name, NULL, id, wait->start);
    put_point(d, wait, "E", name, NULL, id, wait->end);
    put_point(d, set, "s", "flow", category, id, set->end);
    put_point(d, wait, "t", "flow", category, id, wait->end);
}

/* The first set that waits for nobody yet, and the next wait that says the same. */
static void draw_flags(struct drawing *d)
{
    const struct sim_core *log = &d->core->log;
    const struct sim_instruction **rows = xcalloc(log->count + 1, sizeof(*rows));
    const struct sim_instruction **sets = xcalloc(log->count + 1, sizeof(*sets));
    size_t count = 0, pairs = 0, first = 0, waiting = 0;

    for (size_t i = 0; i < log->count; i++)
        if (sim_is_flag(log->rows[i].name))
            rows[count++] = &log->rows[i];
    if (count > 0)
        qsort(rows, count, sizeof(*rows), by_detail);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && !same(rows[i]->detail, rows[i - 1]->detail))
            first = waiting; /* sets without a wait stay alone */
        if (is_set(rows[i]))
            sets[waiting++] = rows[i];
        else if (first < waiting)
            draw_pair(d, sets[first++], rows[i], pairs++);
    }
    free(rows);
    free(sets);
}

static void draw_core(struct drawing *d)
{
    bool used[SIM_PIPES] = {false};

    trace_process(&d->trace, d->core->name, d->core->name, (int)d->core->sort);
    for (size_t i = 0; i < d->core->log.count; i++)
        used[d->core->log.rows[i].pipe] = true;
    used[SIM_USERMARK] = d->core->log.mark_count > 0;
    used[SIM_CACHEMISS] |= d->core->log.miss_count > 0;
    for (int i = 0; i < SIM_PIPES; i++)
        if (used[i]) {
            const struct trace_lane lane = {
                d->core->name, sim_pipe_name((enum sim_pipe)i), lanes[i].sort};

            trace_lane(&d->trace, &lane);
        }
    for (size_t i = 0; i < d->core->log.count; i++)
        if (!sim_is_flag(d->core->log.rows[i].name))
            draw_instruction(d, &d->core->log.rows[i]);
    draw_flags(d);
    draw_marks(d);
    draw_misses(d);
}

static void put_sample(struct drawing *d, enum sim_way way, uint64_t us, uint64_t bytes)
{
    struct json_write *json = d->json;

    json_write_object(json);
    json_write_key(json, "args");
    json_write_object(json);
    json_write_key(json, "throughput(MB/s)");
    json_write_fixed(json, (double)bytes * 1e6 / 1048576.0, 6);
    json_write_object_end(json);
    put(json, "name", sim_way_name(way));
    put(json, "ph", "C");
    put(json, "pid", "MTE Throughput");
    json_write_key(json, "tid");
    json_write_u64(json, 0);
    json_write_key(json, "ts");
    if (us == 0) /* a sample at 0 is not shown */
        json_write_scaled(json, 1, 3);
    else
        json_write_u64(json, us);
    json_write_object_end(json);
    d->trace.events++;
}

/* Bytes of each microsecond; the sums hold the ways that have a lane of their own. */
static void draw_throughput(struct drawing *d)
{
    const struct simulation *s = d->simulation;
    uint64_t last = 0, *bytes;

    for (size_t i = 0; i < s->request_count; i++)
        for (size_t k = 0; k < s->requests[i].count; k++) {
            uint64_t us = simulation_ns(s, s->requests[i].rows[k].cycle) / 1000;

            last = us > last ? us : last;
        }
    if (s->request_count == 0 || last >= US_MAX)
        return;
    bytes = xcalloc((last + 2) * SIM_WAYS, sizeof(*bytes));
    for (size_t i = 0; i < s->request_count; i++)
        for (size_t k = 0; k < s->requests[i].count; k++) {
            const struct sim_request *row = &s->requests[i].rows[k];
            uint64_t *of = bytes + simulation_ns(s, row->cycle) / 1000 * SIM_WAYS;

            of[row->way] += row->bytes;
            if (row->way == SIM_GM_TO_UB || row->way == SIM_GM_TO_L1)
                of[SIM_GM_TO_TOTAL] += row->bytes;
            if (row->way == SIM_UB_TO_GM || row->way == SIM_L1_TO_GM)
                of[SIM_TOTAL_TO_GM] += row->bytes;
        }
    for (int way = 0; way < SIM_WAYS; way++)
        for (uint64_t us = 0; us <= last + 1; us++) /* the one behind the last is 0 */
            put_sample(d, (enum sim_way)way, us, bytes[us * SIM_WAYS + (uint64_t)way]);
    free(bytes);
}

void simulation_trace(const struct simulation *simulation, struct text *out)
{
    struct json_write json;
    struct drawing drawing = {.simulation = simulation, .json = &json};
    struct err err;

    json_write_to_text(&json, out);
    trace_open(&drawing.trace, &json, true);
    for (size_t i = 0; i < simulation->core_count; i++) {
        drawing.core = &simulation->cores[i];
        draw_core(&drawing);
    }
    draw_throughput(&drawing);
    trace_close(&drawing.trace);
    json_write_finish(&json, &err); /* a text takes all */
}
