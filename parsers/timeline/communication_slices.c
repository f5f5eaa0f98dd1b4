/* communication_slices.c - turns of the AI CPU, the communication tasks that it queued,
 * and the tasks that the scheduler ran on each stream */
#include "parsers/timeline/communication_slices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/decimal.h"
#include "lib/base/mem.h"
#include "parsers/timeline/rank_flows.h"

enum {
    SORT_FIRST = 10000, /* numbered tracks are sorted behind named ones */
    NUMBERS = 65536,    /* of possible streams and planes */
    TURN_COLOUR = 2,
    UNNAMED_PHASES_FROM = 1, /* report versions whose order of stamps is unknown */
};
static const double GIB = 1024.0 * 1024.0 * 1024.0;

/* Which tracks "PREFIX<n>" of a pid have been named. */
struct numbered_tracks {
    const char *pid, *prefix;
    uint8_t seen[NUMBERS / 8];
};

static void name_track(struct trace_writer *trace,
                       const struct timeline_view *view,
                       struct numbered_tracks *tracks,
                       uint32_t number,
                       char tid[SLICE_NAME_BYTES])
{
    char *end = stpcpy(tid, tracks->prefix); /* short literals: tid has room */

    end[decimal_put_u64(end, number)] = '\0';
    if (number >= NUMBERS || tracks->seen[number / 8] & 1 << number % 8)
        return;
    tracks->seen[number / 8] |= (uint8_t)(1 << number % 8);
    slice_add_track(trace, view, tracks->pid, tid, SORT_FIRST + (int)number);
}

static void turn_args(struct slice_args *out, const void *record)
{
    const struct ai_cpu_turn *turn = record;

    slice_arg_u64(out, "stream id", turn->stream);
    slice_arg_u64(out, "task id", turn->task);
}

/* Adds the six phases between the seven stamps of a turn. Their meaning is known for
 * the first report version only. */
static void add_turn(struct trace_writer *trace,
                     const struct timeline_view *view,
                     struct numbered_tracks *tracks,
                     const struct ai_cpu_turn *turn)
{
    static const char *const phases[AI_CPU_TURN_STAMPS - 1] = {
        "StartServer", "TaskWaitRequest", "TaskOrchestration",
        "TaskLaunch",  "TaskExecute",     "Finalize",
    };
    char tid[SLICE_NAME_BYTES], unnamed[SLICE_NAME_BYTES];

    if (turn->ticks[AI_CPU_TURN_STAMPS - 1] < view->clock.origin_ticks)
        return; /* the turn belongs to an earlier launch */
    name_track(trace, view, tracks, turn->turn, tid);
    for (unsigned i = 0; i + 1 < AI_CPU_TURN_STAMPS; i++) {
        snprintf(unnamed, sizeof(unnamed), "Phase %u of version %u", i + 1,
                 (unsigned)turn->version);
        slice_add(trace, view,
                  &(struct slice){
                      .pid = tracks->pid,
                      .tid = tid,
                      .name = turn->version < UNNAMED_PHASES_FROM ? phases[i] : unnamed,
                      .colour = TURN_COLOUR + i,
                      .start_ticks = turn->ticks[i],
                      .end_ticks = turn->ticks[i + 1],
                      .args = turn_args,
                      .record = turn,
                  });
    }
}

static void compute_args(struct slice_args *out, const void *record)
{
    const struct ai_cpu_compute *compute = record;

    slice_arg_u64(out, "stream id", compute->stream);
    slice_arg_u64(out, "task id", compute->task);
    slice_arg_u64(out, "size(Byte)", compute->bytes);
}

/* Adds the wait of the AI CPU for the cores, and their computation. */
static void add_compute(struct trace_writer *trace,
                        const struct timeline_view *view,
                        struct numbered_tracks *tracks,
                        const struct ai_cpu_compute *compute)
{
    const uint64_t ticks[] = {compute->wait_ticks, compute->start_ticks,
                              compute->end_ticks};
    static const char *const names[] = {"WaitCompute", "Compute"};
    char tid[SLICE_NAME_BYTES];

    if (compute->end_ticks < view->clock.origin_ticks)
        return;
    name_track(trace, view, tracks, compute->turn, tid);
    for (unsigned i = 0; i < COUNT(names); i++)
        slice_add(trace, view,
                  &(struct slice){
                      .pid = tracks->pid,
                      .tid = tid,
                      .name = names[i],
                      .colour = TURN_COLOUR + i,
                      .start_ticks = ticks[i],
                      .end_ticks = ticks[i + 1],
                      .args = compute_args,
                      .record = compute,
                  });
}

/* Data for the "args" of a communication task. */
struct step {
    const struct hccl_task *hccl;
    const struct scheduler_task *task;
    uint32_t ticks_khz;
};

static void step_args(struct slice_args *out, const void *record)
{
    const struct step *step = record;
    const struct hccl_task *hccl = step->hccl;
    double seconds = (double)(step->task->end_ticks - step->task->start_ticks) /
                     (step->ticks_khz * 1000.0);

    slice_arg_u64(out, "plane id", hccl->plane);
    slice_arg_u64(out, "notify id", hccl->notify);
    slice_arg_fixed(out, "duration estimated(us)", hccl->estimated_us);
    slice_arg_u64(out, "stream id", hccl->stream);
    slice_arg_u64(out, "task id", hccl->task);
    slice_arg_text(out, "task type", hccl_item_name(hccl->item));
    slice_arg_u64(out, "src rank", hccl->local_rank);
    slice_arg_u64(out, "dst rank", hccl->remote_rank);
    slice_arg_text(out, "transport type", hccl_transport_name(hccl->transport));
    slice_arg_u64(out, "size(Byte)", hccl->bytes);
    slice_arg_text(out, "data type", hccl_data_type_name(hccl->data_type));
    slice_arg_text(out, "link type", hccl_link_name(hccl->link));
    slice_arg_fixed(out, "bandwidth(GB/s)",
                    seconds > 0 ? (double)hccl->bytes / seconds / GIB : 0.0);
}

/* A record of one rank ends the wait of another one. The arrow begins and ends within
 * the slices: a moment between two slices could belong to both. */
static void add_flow_end(const struct timeline_view *view,
                         const char *process,
                         const char *tid,
                         const struct step *step)
{
    bool is_wait = strcmp(hccl_item_name(step->hccl->item), "Notify_Wait") == 0;
    char pid[SLICE_NAME_BYTES];

    if (!is_wait && strcmp(hccl_item_name(step->hccl->item), "Notify_Record") != 0)
        return;
    rank_flows_add(
        view->flows,
        &(struct rank_flow_end){
            .is_wait = is_wait,
            .group = step->hccl->group,
            .from = is_wait ? step->hccl->remote_rank : step->hccl->local_rank,
            .to = is_wait ? step->hccl->local_rank : step->hccl->remote_rank,
            .pid = slice_label(view, process, pid),
            .tid = tid,
            .at = slice_ns(view, step->task->end_ticks - 1),
        });
}

static void add_step(struct trace_writer *trace,
                     const struct findings *findings,
                     const struct timeline_view *view,
                     struct numbered_tracks *tracks,
                     const struct hccl_task *hccl)
{
    const struct scheduler_task *task =
        scheduler_tasks_find(&findings->tasks, hccl->stream, hccl->task);
    char tid[SLICE_NAME_BYTES];

    if (!task || !task->start_ticks || task->start_ticks < view->clock.origin_ticks ||
        task->end_ticks <= task->start_ticks)
        return;
    name_track(trace, view, tracks, hccl->plane, tid);
    struct step step = {hccl, task, view->clock.ticks_khz};

    if (view->flows)
        add_flow_end(view, tracks->pid, tid, &step);
    slice_add(trace, view,
              &(struct slice){
                  .pid = tracks->pid,
                  .tid = tid,
                  .name = hccl_item_name(hccl->item),
                  .colour = hccl_item_number(hccl->item),
                  .start_ticks = task->start_ticks,
                  .end_ticks = task->end_ticks,
                  .args = step_args,
                  .record = &step,
              });
}

static void task_args(struct slice_args *out, const void *record)
{
    const struct scheduler_task *task = record;

    slice_arg_u64(out, "task id", task->task);
    slice_arg_u64(out, "stream id", task->stream);
}

/* AI Core and AI CPU tasks have a track each; other tasks share the track of their
 * stream. */
static void add_task(struct trace_writer *trace,
                     const struct timeline_view *view,
                     struct numbered_tracks *tracks,
                     const struct scheduler_task *task)
{
    char tid[SLICE_NAME_BYTES];
    const char *name = task_slice_name(task->type);
    struct slice slice = {
        .tid = tid,
        .name = name,
        .colour = task->type,
        .start_ticks = task->start_ticks,
        .end_ticks = task->end_ticks,
        .args = task_args,
        .record = task,
    };

    if (!task->start_ticks || task->start_ticks < view->clock.origin_ticks ||
        task->end_ticks <= task->start_ticks)
        return;
    if (task->type > TASK_AI_CPU) {
        slice.pid = tracks->pid;
        name_track(trace, view, tracks, task->stream, tid);
    } else {
        slice.pid =
            slice_pid(task->type == TASK_AI_CORE ? SLICE_AI_CORE : SLICE_AI_CPU);
        snprintf(tid, sizeof(tid), "%s", name);
    }
    slice_add(trace, view, &slice);
}

static void start_tracks(struct trace_writer *trace,
                         const struct timeline_view *view,
                         struct numbered_tracks *tracks,
                         enum slice_process process,
                         const char *prefix)
{
    *tracks = (struct numbered_tracks){.pid = slice_pid(process), .prefix = prefix};
    slice_process(trace, view, process);
}

void communication_slices_add(struct trace_writer *trace,
                              const struct findings *findings,
                              const struct timeline_view *view)
{
    struct numbered_tracks *tracks = xcalloc(1, sizeof(*tracks));

    start_tracks(trace, view, tracks, SLICE_AI_CPU, "TURN");
    for (size_t i = 0; i < findings->ai_cpu.turn_count; i++)
        add_turn(trace, view, tracks, &findings->ai_cpu.turns[i]);
    *tracks = (struct numbered_tracks){.pid = tracks->pid, .prefix = "COMPUTE"};
    for (size_t i = 0; i < findings->ai_cpu.compute_count; i++)
        add_compute(trace, view, tracks, &findings->ai_cpu.computes[i]);
    start_tracks(trace, view, tracks, SLICE_HCCL_TASK, "PLANE");
    for (size_t i = 0; i < findings->ai_cpu.task_count; i++)
        add_step(trace, findings, view, tracks, &findings->ai_cpu.tasks[i]);
    start_tracks(trace, view, tracks, SLICE_HCCL, "STREAM");
    for (size_t i = 0; i < findings->tasks.count; i++)
        add_task(trace, view, tracks, &findings->tasks.rows[i]);
    free(tracks);
}
