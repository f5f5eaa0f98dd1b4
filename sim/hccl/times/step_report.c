#include "sim/hccl/times/step_report.h"

#include <stddef.h>
#include <string.h>

#include "sim/card/card.h"
#include "sim/hccl/times/ai_cpu_report.h"
#include "sim/hccl/times/plan.h"

#define NO_NOTIFY    UINT64_MAX
#define LINK_HCCS    1
#define LINK_ON_CHIP 0
#define BY_SDMA      0
#define LOCALLY      2
#define NOTIFY_NS    100 /* time of a notify task, beyond the wait for the peer */

#pragma pack(push, 1)
struct wrap_data {
    uint16_t stream, task;
    uint32_t wraps;
    uint64_t pad;
};
struct task_data {
    uint64_t item, tag, group;
    uint32_t rank, peer, ranks, stage;
    uint64_t notify, ticks;
    double us;
    uint64_t from, into, bytes;
    uint32_t task, reserved;
    uint16_t stream, plane;
    uint8_t operation, type, link, transport, rdma, role, workflow, pad[9];
};
#pragma pack(pop)
_Static_assert(sizeof(struct wrap_data) == 16, "layout");
_Static_assert(sizeof(struct task_data) == 116, "layout");
_Static_assert(offsetof(struct task_data, task) == 88, "layout");
_Static_assert(offsetof(struct task_data, operation) == 100, "layout");

/* State of the records of one step. Tasks are reported in pairs. */
struct writer {
    struct step_report *report;
    uint32_t step, stage, peer;
    struct task_data tasks[2];
    uint32_t count;
};

static void flush(struct writer *writer)
{
    if (writer->count > 0)
        ai_cpu_report_write(writer->report->card, REPORT_TASKS, writer->tasks,
                            sizeof(writer->tasks), writer->tasks[0].ticks);
    memset(writer->tasks, 0, sizeof(writer->tasks)); /* a group of 0: an empty slot */
    writer->count = 0;
}

/* Returns the next task number of the plane's queue. Numbers have 16 bits; a report
 * marks their overflow. */
static uint16_t next_task(uint32_t card, uint32_t plane, uint64_t ticks)
{
    static uint32_t counts[STEP_PLANES_MAX];
    uint32_t count = __atomic_fetch_add(&counts[plane], 1, __ATOMIC_RELAXED);
    struct wrap_data wrap = {.stream = (uint16_t)STEP_PLANE_STREAM(plane),
                             .task = (uint16_t)count,
                             .wraps = count >> 16};

    if (count > 0 && (uint16_t)count == 0)
        ai_cpu_report_write(card, REPORT_WRAP, &wrap, sizeof(wrap), ticks);
    return (uint16_t)count;
}

static void note_plane(struct step_report *report, uint32_t plane, uint16_t task)
{
    if (plane > 0)
        return;
    report->last_task = task;
    if (!report->has_tasks)
        report->first_task = task;
    report->has_tasks = true;
}

/* Writes one task of a queue: an entry in the log, and half a report. */
static void write_task(struct writer *writer,
                       const char *name,
                       enum card_task_kind kind,
                       uint64_t bytes,
                       struct schedule_span span)
{
    struct step_report *report = writer->report;
    const struct plan *plan = report->plan;
    uint64_t start = plan_ticks(plan, span.from), end = plan_ticks(plan, span.to);
    uint32_t plane =
        (writer->peer + plan->ranks - plan->own - 1) % plan->ranks % STEP_PLANES_MAX;
    bool is_copy = kind == CARD_TASK_SDMA, waits = kind == CARD_TASK_NOTIFY_WAIT;
    struct card_task task = {(uint16_t)STEP_PLANE_STREAM(plane),
                             next_task(report->card, plane, start), kind};

    npu_sim_card_log_span(report->card, &task, start, end);
    note_plane(report, plane, task.task);
    writer->tasks[writer->count++] = (struct task_data){
        .item = ai_cpu_report_hash(name),
        .tag = report->tag,
        .group = report->group,
        .rank = plan->own,
        .peer = writer->peer,
        .ranks = plan->ranks,
        .stage = writer->stage,
        .notify = is_copy ? NO_NOTIFY : (uint64_t)plan->own << 32 | writer->peer,
        .ticks = start,
        .us = (double)npu_sim_ticks_to_ns(end - start) / 1000,
        .from = is_copy ? report->from : 0,
        .into = is_copy ? report->into : 0,
        .bytes = bytes,
        .task = task.task,
        .stream = task.stream,
        .plane = (uint16_t)plane,
        .operation = report->operation,
        .type = report->type,
        .link = waits ? LINK_ON_CHIP : LINK_HCCS,
        .transport = waits ? LOCALLY : BY_SDMA,
        .role = !waits,
    };
    if (writer->count == 2)
        flush(writer);
}

/* Finds the transfer that the queue of the peer executes: the one to this rank, or else
 * the one from it. */
static bool
find_transfer(const struct writer *writer, struct schedule_span *span, uint64_t *bytes)
{
    const struct plan *plan = writer->report->plan;
    const struct plan_turn *turn =
        &plan->turns[writer->step / plan->schedule.of.stages];
    uint32_t peer = writer->peer;

    *bytes = turn->bytes[plan->ranks + peer];
    if (schedule_transfer(&plan->schedule, writer->step, peer, plan->own, span))
        return true;
    *bytes = turn->bytes[peer];
    return schedule_transfer(&plan->schedule, writer->step, plan->own, peer, span);
}

static void write_peer(struct writer *writer)
{
    const struct plan *plan = writer->report->plan;
    uint64_t posted = schedule_posted(&plan->schedule, writer->step, plan->own), bytes;
    bool reduces = writer->report->reduces && writer->stage == 0;
    struct schedule_span span, record = {posted, posted + NOTIFY_NS}, wait;

    if (!find_transfer(writer, &span, &bytes))
        return;
    wait = (struct schedule_span){record.to, span.from + 2 * NOTIFY_NS};
    if (bytes == 0) /* the ranks only notify each other */
        wait.to = span.to;
    write_task(writer, "Notify_Record", CARD_TASK_NOTIFY_RECORD, 0, record);
    write_task(writer, "Notify_Wait", CARD_TASK_NOTIFY_WAIT, 0, wait);
    span.from = wait.to;
    if (bytes > 0)
        write_task(writer, reduces ? "Reduce_Inline" : "Memcpy", CARD_TASK_SDMA, bytes,
                   span);
}

void step_report_turn(struct step_report *report, uint32_t turn)
{
    const struct plan *plan = report->plan;
    uint32_t stages = plan->schedule.of.stages;
    struct writer writer = {.report = report};

    for (writer.stage = 0; writer.stage < stages; writer.stage++) {
        writer.step = turn * stages + writer.stage;
        for (writer.peer = 0; writer.peer < plan->ranks; writer.peer++)
            if (writer.peer != plan->own)
                write_peer(&writer);
    }
    flush(&writer);
}
