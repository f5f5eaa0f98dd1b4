/* sim_trace.c - all cores of a simulation as one timeline: instructions by pipe, the
 * flags that pipes set for one another with their arrows, the user's marks, cache
 * misses, and what went to and from GM in each microsecond */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/code/code_map.h"
#include "parsers/simulator/sim_draw.h"

enum { WARPS = 65536, WARPS_SORT = 100 };

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

void draw_text(struct json_write *json, const char *key, const char *value)
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
        draw_text(json, key, text_get(&stack));
    text_clear(&stack);
}

void draw_args(struct json_write *json, const void *record)
{
    const struct shown *shown = record;
    char pc[24], number[24];
    uint64_t bytes;

    put_code(json, shown->drawing->simulation, shown->row->pc, "code");
    json_write_key(json, "detail");
    json_write_bytes(json, shown->row->detail.at, shown->row->detail.length);
    snprintf(pc, sizeof(pc), "0x%" PRIx64, shown->row->pc);
    draw_text(json, "pc_addr", pc);
    if (sim_moved_bytes(shown->row, &bytes) && bytes > 0) {
        snprintf(number, sizeof(number), "%" PRIu64, bytes);
        draw_text(json, "process_bytes", number);
    }
}

const char *draw_lane(const struct sim_instruction *row, char room[24])
{
    if (row->warp < 0)
        return sim_pipe_name(row->pipe);
    snprintf(room, 24, "WARP_%d", row->warp);
    return room;
}

/* In a lane of one warp colours tell instructions apart. */
static unsigned colour_of(struct sim_span name)
{
    unsigned sum = 0;

    for (uint32_t i = 0; i < name.length; i++)
        sum = sum * 31 + (unsigned char)name.at[i];
    return sum >> 4;
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
    char lane[24];

    for (size_t i = 0; i < COUNT(parts); i++)
        trace_writer_slice(&d->trace,
                           &(struct trace_writer_slice){
                               .pid = d->core->name,
                               .tid = draw_lane(row, lane),
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
    char name[128], group[64], lane[24];
    uint64_t start = simulation_ns(d->simulation, row->start);
    struct trace_writer_slice slice = {
        .pid = d->core->name,
        .tid = draw_lane(row, lane),
        .name = name,
        .colour_name = row->warp < 0 ? lanes[row->pipe].colour
                                     : trace_writer_colour(colour_of(row->name)),
        .start_ns = start,
        .end_ns = simulation_ns(d->simulation, row->end),
        .args = draw_args,
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
    trace_writer_slice(&d->trace, &slice);
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
        struct trace_writer_slice slice = {
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
        trace_writer_slice(&d->trace, &slice);
    }
}

static void draw_misses(struct drawing *d)
{
    for (size_t i = 0; i < d->core->log.miss_count; i++) {
        const struct sim_miss *miss = &d->core->log.misses[i];
        char name[24];
        struct trace_writer_slice slice = {
            .pid = d->core->name,
            .tid = sim_pipe_name(SIM_CACHEMISS),
            .name = name,
            .colour_name = lanes[SIM_CACHEMISS].colour,
            .start_ns = simulation_ns(d->simulation, miss->cycle),
            .end_ns = simulation_ns(d->simulation, miss->cycle + 1),
        };

        snprintf(name, sizeof(name), "0x%" PRIx64, miss->address);
        trace_writer_slice(&d->trace, &slice);
    }
}

/* Each warp once, whatever its instructions do. */
static void name_warps(struct drawing *d)
{
    const struct sim_core *log = &d->core->log;
    uint8_t *seen = NULL;

    for (size_t i = 0; i < log->count; i++) {
        int32_t warp = log->rows[i].warp;
        char tid[24];

        if (warp < 0)
            continue;
        if (!seen)
            seen = xcalloc(WARPS / 8, 1);
        if (!(seen[warp / 8] >> warp % 8 & 1))
            trace_writer_lane(&d->trace,
                              &(struct trace_writer_lane){d->core->name,
                                                          draw_lane(&log->rows[i], tid),
                                                          WARPS_SORT + warp});
        seen[warp / 8] |= (uint8_t)(1 << warp % 8);
    }
    free(seen);
}

static void draw_core(struct drawing *d)
{
    bool used[SIM_PIPES] = {false};

    trace_writer_process(&d->trace, d->core->name, d->core->name, (int)d->core->sort);
    for (size_t i = 0; i < d->core->log.count; i++)
        used[d->core->log.rows[i].pipe] |= d->core->log.rows[i].warp < 0;
    used[SIM_USERMARK] = d->core->log.mark_count > 0;
    used[SIM_CACHEMISS] |= d->core->log.miss_count > 0;
    for (int i = 0; i < SIM_PIPES; i++)
        if (used[i]) {
            const struct trace_writer_lane lane = {
                d->core->name, sim_pipe_name((enum sim_pipe)i), lanes[i].sort};

            trace_writer_lane(&d->trace, &lane);
        }
    name_warps(d);
    for (size_t i = 0; i < d->core->log.count; i++)
        if (!sim_is_flag(d->core->log.rows[i].name) &&
            !draw_is_between(d->core->log.rows[i].name))
            draw_instruction(d, &d->core->log.rows[i]);
    draw_flags(d);
    draw_marks(d);
    draw_misses(d);
}

void simulation_trace(const struct simulation *simulation, struct text *out)
{
    struct json_write json;
    struct drawing drawing = {.simulation = simulation, .json = &json};
    struct err err;

    json_write_to_text(&json, out);
    trace_writer_open(&drawing.trace, &json, true);
    for (size_t i = 0; i < simulation->core_count; i++) {
        drawing.core = &simulation->cores[i];
        draw_core(&drawing);
    }
    draw_flags_between(&drawing);
    draw_throughput(&drawing);
    trace_writer_close(&drawing.trace);
    json_write_finish(&json, &err); /* a text takes all */
}
