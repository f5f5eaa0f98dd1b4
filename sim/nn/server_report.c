#include "sim/nn/server_report.h"

#include <hccl/hccl.h>
#include <npu_sim/aicpu.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/card/card.h"
#include "sim/hccl/server.h"
#include "sim/nn/timeline.h"
#include "sim/runtime/outside.h"

#define MAGIC        0x5A5A
#define LEVEL        6000
#define PAYLOAD      232
#define NO_NOTIFY    UINT64_MAX
#define LINK_HCCS    1
#define LINK_ON_CHIP 0
#define BY_SDMA      0
#define LOCALLY      2
#define NOTIFY_PART  20 /* a notify takes 1/20 of the transfer's ticks */

enum report_type {
    REPORT_TURN = 4,
    REPORT_COMPUTE = 5,
    REPORT_OPERATION = 10,
    REPORT_WRAP = 11,
    REPORT_MAIN_STREAM = 12,
    REPORT_TASKS = 13,
};

struct report {
    uint16_t magic, level;
    uint32_t type, thread, size;
    uint64_t ticks;
    uint8_t data[PAYLOAD];
};
_Static_assert(sizeof(struct report) == CARD_REPORT_SIZE, "the envelope");

#pragma pack(push, 1)
struct turn_data {
    uint64_t stamps[7], bytes;
    uint32_t device;
    uint16_t stream, task;
    uint8_t version, turns, turn, pad[5];
};
struct compute_data {
    uint64_t waits, computes, computed, bytes;
    uint32_t device;
    uint16_t stream, task;
    uint8_t version, turns, turn, pad[5];
};
struct operation_data {
    uint8_t flags, type;
    uint64_t algorithm, count, group;
    uint32_t ranks;
    uint16_t stream;
    uint32_t task;
};
struct wrap_data {
    uint16_t stream, task;
    uint32_t wraps;
    uint64_t pad;
};
struct main_stream_data {
    uint16_t server_stream, server_task, stream, task;
    uint16_t type; /* 0: first, 1: last */
    uint8_t pad[6];
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
_Static_assert(sizeof(struct turn_data) == 80, "layout");
_Static_assert(sizeof(struct compute_data) == 48, "layout");
_Static_assert(sizeof(struct operation_data) == 36, "layout");
_Static_assert(sizeof(struct wrap_data) == 16, "layout");
_Static_assert(sizeof(struct main_stream_data) == 16, "layout");
_Static_assert(sizeof(struct task_data) == 116, "layout");
_Static_assert(offsetof(struct task_data, task) == 88, "layout");
_Static_assert(offsetof(struct task_data, operation) == 100, "layout");

/* State of the records of one operator on one rank. */
struct report_writer {
    const struct npu_sim_comm_context *context;
    const struct mc2_message *message;
    struct npu_sim_turn_place place;
    struct timeline line;
    uint64_t group, tag;
    struct task_data tasks[2]; /* reported in pairs */
    uint32_t task_count;
    uint16_t first_task, last_task; /* of the first plane */
    bool has_tasks;
};

/* Returns the vendor's hash of a name. */
static uint64_t hash_of(const char *name)
{
    uint32_t high = 0, low = 0;

    for (; *name; name++) {
        high = high * 29 + (uint32_t)(signed char)*name;
        low = low * 131 + (uint32_t)(signed char)*name;
    }
    return (uint64_t)high << 32 | low;
}

static void write_report(const struct report_writer *writer,
                         enum report_type type,
                         const void *data,
                         uint32_t size,
                         uint64_t ticks)
{
    struct report report = {.magic = MAGIC,
                            .level = LEVEL,
                            .type = type,
                            .thread = (uint32_t)syscall(SYS_gettid),
                            .size = size,
                            .ticks = ticks};

    memcpy(report.data, data, size);
    npu_sim_card_report(writer->place.card, &report);
}

static uint64_t bytes_of(const struct mc2_message *message, uint32_t turn)
{
    uint64_t size = message->type == HCCL_DATA_TYPE_FP32 ? 4 : 2;

    return size * (turn + 1 < message->turns ? message->count : message->last_count);
}

/* Reports a turn, from the wait for its tile to the end of its transfer. */
static void write_turn(const struct report_writer *writer, uint32_t number)
{
    const struct timeline_turn *turn = &writer->line.turn[number];
    uint64_t step = (turn->moved - turn->moves) / 8;
    struct turn_data data = {.bytes = bytes_of(writer->message, number),
                             .device = writer->place.card,
                             .stream = writer->place.stream,
                             .task = writer->place.task,
                             .turns = (uint8_t)writer->line.turns,
                             .turn = (uint8_t)number};
    struct compute_data compute = {.waits = turn->waits,
                                   .computes = turn->computed_from,
                                   .computed = turn->ready,
                                   .bytes = data.bytes,
                                   .device = data.device,
                                   .stream = data.stream,
                                   .task = data.task,
                                   .turns = data.turns,
                                   .turn = data.turn};

    data.stamps[0] = turn->waits;
    for (uint64_t i = 1; i < 6; i++)
        data.stamps[i] = turn->moves + (i - 1) * step;
    data.stamps[6] = turn->moved;
    if (writer->message->command != NPU_SIM_ALL_GATHER)
        write_report(writer, REPORT_COMPUTE, &compute, sizeof(compute), turn->ready);
    write_report(writer, REPORT_TURN, &data, sizeof(data), turn->moved);
}

static void flush_tasks(struct report_writer *writer)
{
    if (writer->task_count > 0)
        write_report(writer, REPORT_TASKS, writer->tasks, sizeof(writer->tasks),
                     writer->tasks[0].ticks);
    memset(writer->tasks, 0, sizeof(writer->tasks)); /* a group of 0: an empty slot */
    writer->task_count = 0;
}

/* Returns the next task number of the plane's queue. Numbers have 16 bits; a report
 * marks their overflow. */
static uint16_t
next_task(const struct report_writer *writer, uint32_t plane, uint64_t ticks)
{
    static uint32_t counts[MC2_PLANES_MAX];
    uint32_t count = __atomic_fetch_add(&counts[plane], 1, __ATOMIC_RELAXED);
    struct wrap_data wrap = {.stream = (uint16_t)MC2_PLANE_STREAM(plane),
                             .task = (uint16_t)count,
                             .wraps = count >> 16};

    if (count > 0 && (uint16_t)count == 0)
        write_report(writer, REPORT_WRAP, &wrap, sizeof(wrap), ticks);
    return (uint16_t)count;
}

struct step {
    const char *name;
    enum card_task_kind kind;
};

/* Writes one task of a queue: an entry in the log, and half a report. */
static void write_task(struct report_writer *writer,
                       const struct step *step,
                       uint32_t peer,
                       uint32_t stage,
                       uint64_t bytes,
                       uint64_t start,
                       uint64_t end)
{
    const struct npu_sim_comm_context *context = writer->context;
    uint32_t plane =
        (peer + context->ranks - context->rank - 1) % context->ranks % MC2_PLANES_MAX;
    bool is_copy = step->kind == CARD_TASK_SDMA;
    struct card_task task = {(uint16_t)MC2_PLANE_STREAM(plane),
                             next_task(writer, plane, start), step->kind};
    struct task_data *data = &writer->tasks[writer->task_count++];

    npu_sim_card_log_span(writer->place.card, &task, start, end);
    if (plane == 0) {
        writer->last_task = task.task;
        if (!writer->has_tasks)
            writer->first_task = task.task;
        writer->has_tasks = true;
    }
    *data = (struct task_data){
        .item = hash_of(step->name),
        .tag = writer->tag,
        .group = writer->group,
        .rank = context->rank,
        .peer = peer,
        .ranks = context->ranks,
        .stage = stage,
        .notify = is_copy ? NO_NOTIFY : (uint64_t)context->rank << 32 | peer,
        .ticks = start,
        .us = (double)npu_sim_ticks_to_ns(end - start) / 1000,
        .from = is_copy ? writer->message->from : 0,
        .into = is_copy ? writer->message->into : 0,
        .bytes = is_copy ? bytes : 0,
        .task = task.task,
        .stream = task.stream,
        .plane = (uint16_t)plane,
        .operation = (uint8_t)writer->message->op,
        .type = (uint8_t)writer->message->type,
        .link = LINK_HCCS,
        .transport = step->kind == CARD_TASK_NOTIFY_WAIT ? LOCALLY : BY_SDMA,
        .role = step->kind == CARD_TASK_NOTIFY_WAIT ? 0 : 1,
    };
    if (step->kind == CARD_TASK_NOTIFY_WAIT)
        data->link = LINK_ON_CHIP;
    if (writer->task_count == 2)
        flush_tasks(writer);
}

/* The steps of a transfer: notify the peer, wait for its notify, copy. */
static void write_stage(struct report_writer *writer,
                        const char *move,
                        uint32_t stage,
                        uint64_t bytes,
                        uint64_t start,
                        uint64_t end)
{
    const struct step record = {"Notify_Record", CARD_TASK_NOTIFY_RECORD};
    const struct step wait = {"Notify_Wait", CARD_TASK_NOTIFY_WAIT};
    const struct step copy = {move, CARD_TASK_SDMA};
    uint64_t part = (end - start) / NOTIFY_PART;

    for (uint32_t peer = 0; peer < writer->context->ranks; peer++) {
        if (peer == writer->context->rank)
            continue;
        write_task(writer, &record, peer, stage, bytes, start, start + part);
        write_task(writer, &wait, peer, stage, bytes, start + part, start + 2 * part);
        write_task(writer, &copy, peer, stage, bytes, start + 2 * part, end);
    }
}

static void write_tasks(struct report_writer *writer, uint32_t number)
{
    const struct timeline_turn *turn = &writer->line.turn[number];
    uint64_t bytes = bytes_of(writer->message, number);
    uint64_t middle = turn->moves + (turn->moved - turn->moves) / 2;

    switch (writer->message->command) {
    case NPU_SIM_ALL_REDUCE: /* receive its part from each rank, then send the sums to
                                each */
        bytes /= writer->context->ranks;
        write_stage(writer, "Reduce_Inline", 0, bytes, turn->moves, middle);
        write_stage(writer, "Memcpy", 1, bytes, middle, turn->moved);
        break;
    case NPU_SIM_REDUCE_SCATTER:
        write_stage(writer, "Reduce_Inline", 0, bytes, turn->moves, turn->moved);
        break;
    default:
        write_stage(writer, "Memcpy", 0, bytes, turn->moves, turn->moved);
    }
    flush_tasks(writer);
}

static void write_operation(const struct report_writer *writer)
{
    const struct mc2_message *message = writer->message;
    struct operation_data data = {
        .type = (uint8_t)message->type,
        .algorithm = hash_of("fullmesh"),
        .count = message->count * (message->turns - 1) + message->last_count,
        .group = writer->group,
        .ranks = writer->context->ranks,
        .stream = writer->place.stream,
        .task = writer->place.task,
    };

    write_report(writer, REPORT_OPERATION, &data, sizeof(data), writer->line.start);
}

static void write_main_stream(const struct report_writer *writer, bool is_last)
{
    struct main_stream_data data = {
        .server_stream = writer->place.stream,
        .server_task = writer->place.task,
        .stream = (uint16_t)MC2_PLANE_STREAM(0),
        .task = is_last ? writer->last_task : writer->first_task,
        .type = is_last,
    };

    write_report(writer, REPORT_MAIN_STREAM, &data, sizeof(data),
                 is_last ? writer->line.end : writer->line.start);
}

void server_report(const struct npu_sim_comm_context *context,
                   const struct mc2_message *message,
                   const uint64_t *ns)
{
    struct report_writer writer = {.context = context,
                                   .message = message,
                                   .place = npu_sim_turn_place(npu_sim_aicpu_turn())};
    char group[COMM_NAME_MAX_LENGTH];
    uint64_t ticks[MC2_TURNS_MAX];
    struct card_span cores;

    if (HcclGetCommName((HcclComm)(uintptr_t)context->comm, group) ||
        !npu_sim_card_waiting(writer.place.card, (uintptr_t)context, &cores))
        return; /* no times of the cores exist to derive records from */
    for (uint32_t i = 0; i < message->turns; i++)
        ticks[i] = npu_sim_ticks_of_ns(ns[i]);
    timeline_make(&writer.line, cores.start, cores.end, ticks, message->turns,
                  message->command == NPU_SIM_ALL_GATHER);
    writer.group = hash_of(group);
    writer.tag = hash_of("mc2");
    npu_sim_card_waits_until(writer.place.card, (uintptr_t)context,
                             writer.line.cores_end);
    npu_sim_aicpu_place(writer.line.start, writer.line.end);
    write_operation(&writer);
    for (uint32_t i = 0; i < message->turns; i++) {
        write_turn(&writer, i);
        write_tasks(&writer, i);
    }
    if (writer.has_tasks) {
        write_main_stream(&writer, false);
        write_main_stream(&writer, true);
    }
}
