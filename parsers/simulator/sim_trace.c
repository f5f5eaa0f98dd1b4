/* sim_trace.c - all cores of a simulation as one timeline: instructions by pipe, flags
 * with their arrows, the user's marks, cache misses, and the throughput of GM */
#include "parsers/simulator/sim_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/simulator/sim_draw.h"
#include "parsers/simulator/sim_flags.h"
#include "parsers/simulator/sim_throughput.h"

enum { WARPS = 65536, WARPS_SORT = 100 }; /* warps are sorted behind the pipes */

/* Colours and positions of the tracks, as in the vendor's tool. */
static const struct {
    const char *colour;
    int sort;
} tracks[SIM_PIPES] = {
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

/* Selects a colour by the name of the instruction, for the track of a warp. */
static unsigned colour_of(struct sim_span name)
{
    unsigned sum = 0;

    for (uint32_t i = 0; i < name.length; i++)
        sum = sum * 31 + (unsigned char)name.at[i];
    return sum >> 4;
}

/* Draws the time from fetch to control unit and from there to the start, before the
 * instruction. */
static void
draw_overhead(struct sim_draw *d, const struct sim_instruction *row, const char *group)
{
    const struct {
        const char *name;
        uint64_t start, end;
    } parts[] = {
        {"cache_time", row->fetched, row->issued},
        {"ccu_time", row->issued, row->start},
    };
    char track[SIM_DRAW_TRACK_BYTES];

    for (size_t i = 0; i < COUNT(parts); i++)
        trace_writer_slice(&d->trace,
                           &(struct trace_writer_slice){
                               .pid = d->core->name,
                               .tid = sim_draw_track(row, track),
                               .name = parts[i].name,
                               .colour_name = "thread_state_stopped",
                               .group = group,
                               .start = simulation_ps(d->simulation, parts[i].start),
                               .end = simulation_ps(d->simulation, parts[i].end),
                           });
}

static void draw_instruction(struct sim_draw *d, const struct sim_instruction *row)
{
    struct sim_draw_instruction drawn = {d, row};
    char name[128], group[64], track[SIM_DRAW_TRACK_BYTES];
    uint64_t start = simulation_ps(d->simulation, row->start);
    struct trace_writer_slice slice = {
        .pid = d->core->name,
        .tid = sim_draw_track(row, track),
        .name = name,
        .colour_name = row->warp < 0 ? tracks[row->pipe].colour
                                     : trace_writer_colour(colour_of(row->name)),
        .start = start,
        .end = simulation_ps(d->simulation, row->end),
        .args = sim_draw_args,
        .record = &drawn,
    };

    if (sim_span_is(row->name, "BAR") && row->end > row->start)
        slice.start = simulation_ps(d->simulation, row->end - 1); /* its last tick */
    snprintf(name, sizeof(name), "%.*s", (int)row->name.length, row->name.at);
    if (row->has_overhead) {
        snprintf(group, sizeof(group), "%s_%zu", d->core->name,
                 (size_t)(row - d->core->log.rows));
        draw_overhead(d, row, group);
        slice.group = group;
    }
    trace_writer_slice(&d->trace, &slice);
}

struct drawn_mark {
    const struct simulation *simulation;
    const struct sim_mark *mark;
};

static void mark_args(struct json_write *json, const void *record)
{
    const struct drawn_mark *drawn = record;

    sim_draw_code(json, drawn->simulation, drawn->mark->start_pc, "trace_start");
    sim_draw_code(json, drawn->simulation, drawn->mark->end_pc, "trace_stop");
}

static void draw_marks(struct sim_draw *d)
{
    for (size_t i = 0; i < d->core->log.mark_count; i++) {
        const struct sim_mark *mark = &d->core->log.marks[i];
        struct drawn_mark drawn = {d->simulation, mark};
        char name[24];
        struct trace_writer_slice slice = {
            .pid = d->core->name,
            .tid = sim_pipe_name(SIM_USERMARK),
            .name = name,
            .colour_name = tracks[SIM_USERMARK].colour,
            .start = simulation_ps(d->simulation, mark->start),
            .end = simulation_ps(d->simulation,
                                 mark->end > mark->start ? mark->end : mark->start),
            .args = mark_args,
            .record = &drawn,
        };

        snprintf(name, sizeof(name), "Mark 0x%u", mark->number);
        trace_writer_slice(&d->trace, &slice);
    }
}

static void miss_args(struct json_write *json, const void *record)
{
    const struct sim_miss *miss = record;
    char pc[24];

    snprintf(pc, sizeof(pc), "0x%" PRIx64, miss->address);
    sim_draw_text(json, "pc_addr", pc);
}

static void draw_misses(struct sim_draw *d)
{
    for (size_t i = 0; i < d->core->log.miss_count; i++) {
        const struct sim_miss *miss = &d->core->log.misses[i];
        char name[24];
        struct trace_writer_slice slice = {
            .pid = d->core->name,
            .tid = sim_pipe_name(SIM_CACHEMISS),
            .name = name,
            .colour_name = tracks[SIM_CACHEMISS].colour,
            .start = simulation_ps(d->simulation, miss->cycle),
            .end = simulation_ps(d->simulation, miss->cycle + 1),
            .args = miss_args,
            .record = miss,
        };

        snprintf(name, sizeof(name), "0x%" PRIx64, miss->address);
        trace_writer_slice(&d->trace, &slice);
    }
}

/* Names the track of each warp once. */
static void name_warps(struct sim_draw *d)
{
    const struct sim_core *log = &d->core->log;
    uint8_t *seen = NULL;

    for (size_t i = 0; i < log->count; i++) {
        int32_t warp = log->rows[i].warp;
        char tid[SIM_DRAW_TRACK_BYTES];

        if (warp < 0)
            continue;
        if (!seen)
            seen = xcalloc(WARPS / 8, 1);
        if (!(seen[warp / 8] >> warp % 8 & 1))
            trace_writer_track(&d->trace,
                               &(struct trace_writer_track){
                                   d->core->name, sim_draw_track(&log->rows[i], tid),
                                   WARPS_SORT + warp});
        seen[warp / 8] |= (uint8_t)(1 << warp % 8);
    }
    free(seen);
}

static void draw_core(struct sim_draw *d)
{
    bool used[SIM_PIPES] = {false};

    trace_writer_process(&d->trace, d->core->name, d->core->name, (int)d->core->sort);
    for (size_t i = 0; i < d->core->log.count; i++)
        used[d->core->log.rows[i].pipe] |= d->core->log.rows[i].warp < 0;
    used[SIM_USERMARK] = d->core->log.mark_count > 0;
    used[SIM_CACHEMISS] |= d->core->log.miss_count > 0;
    for (int i = 0; i < SIM_PIPES; i++)
        if (used[i]) {
            const struct trace_writer_track track = {
                d->core->name, sim_pipe_name((enum sim_pipe)i), tracks[i].sort};

            trace_writer_track(&d->trace, &track);
        }
    name_warps(d);
    for (size_t i = 0; i < d->core->log.count; i++)
        if (!sim_is_flag(d->core->log.rows[i].name) &&
            !sim_flags_is_between(d->core->log.rows[i].name))
            draw_instruction(d, &d->core->log.rows[i]);
    sim_flags_draw(d);
    draw_marks(d);
    draw_misses(d);
}

void sim_trace_write(const struct simulation *simulation, struct text *out)
{
    struct json_write json;
    struct sim_draw draw = {.simulation = simulation, .json = &json};
    struct err err;

    json_write_to_text(&json, out);
    trace_writer_open(&draw.trace, &json, true);
    trace_writer_use_ps(&draw.trace);
    for (size_t i = 0; i < simulation->core_count; i++) {
        draw.core = &simulation->cores[i];
        draw_core(&draw);
    }
    sim_flags_draw_between(&draw);
    sim_throughput_draw(&draw);
    trace_writer_close(&draw.trace);
    json_write_finish(&json, &err); /* writing to memory cannot fail */
}
