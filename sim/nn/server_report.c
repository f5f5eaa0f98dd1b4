#include "sim/nn/server_report.h"

#include <hccl/hccl.h>
#include <npu_sim/aicpu.h>
#include <stddef.h>
#include <string.h>

#include "sim/card/card.h"
#include "sim/hccl/server.h"
#include "sim/hccl/times/ai_cpu_report.h"
#include "sim/runtime/stream/outside.h"

/* ticks */
#define BEFORE 130 /* the server starts before the first block of the cores */
#define AFTER  50  /* the server ends after the last transfer, like the cores */

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
struct main_stream_data {
    uint16_t server_stream, server_task, stream, task;
    uint16_t type; /* 0: first, 1: last */
    uint8_t pad[6];
};
#pragma pack(pop)
_Static_assert(sizeof(struct turn_data) == 80, "layout");
_Static_assert(sizeof(struct compute_data) == 48, "layout");
_Static_assert(sizeof(struct operation_data) == 36, "layout");
_Static_assert(sizeof(struct main_stream_data) == 16, "layout");

/* State of the records of one operator on one rank. */
struct report_writer {
    const struct npu_sim_comm_context *context, *cores;
    const struct mc2_message *message;
    struct npu_sim_turn_place place;
    struct npu_sim_server_times times;
    struct step_report steps;
};

static uint64_t start_of(const struct report_writer *writer)
{
    return writer->times.from > BEFORE ? writer->times.from - BEFORE : 0;
}

static uint64_t end_of(const struct report_writer *writer)
{
    return writer->times.turn[writer->times.turns - 1].moved + AFTER;
}

static void write_report(const struct report_writer *writer,
                         enum report_type type,
                         const void *data,
                         uint32_t size,
                         uint64_t ticks)
{
    ai_cpu_report_write(writer->place.card, type, data, size, ticks);
}

static uint64_t bytes_of(const struct report_writer *writer, uint32_t turn)
{
    const struct mc2_message *message = writer->message;
    const struct npu_sim_part *parts = mc2_parts(writer->context, turn);
    uint64_t size = 0;

    if (message->command == NPU_SIM_ALL_TO_ALL_V) {
        for (uint32_t rank = 0; rank < writer->context->ranks; rank++)
            size += parts[rank].from_bytes;
        return size;
    }
    if (message->element_bytes)
        return parts[0].from_bytes;
    size = message->type == HCCL_DATA_TYPE_FP32 ? 4 : 2;
    return size * (turn + 1 < message->turns ? message->count : message->last_count);
}

/* Reports a turn, from the wait for its tile to the end of its transfer. */
static void write_turn(const struct report_writer *writer, uint32_t number)
{
    const struct npu_sim_server_turn *turn = &writer->times.turn[number];
    uint64_t waits = number ? turn[-1].moved : start_of(writer);
    uint64_t step = (turn->moved - turn->moves) / 8;
    struct turn_data data = {.bytes = bytes_of(writer, number),
                             .device = writer->place.card,
                             .stream = writer->place.stream,
                             .task = writer->place.task,
                             .turns = (uint8_t)writer->times.turns,
                             .turn = (uint8_t)number};
    struct compute_data compute = {.waits = waits,
                                   .computes = turn->computes,
                                   .computed = turn->computed,
                                   .bytes = data.bytes,
                                   .device = data.device,
                                   .stream = data.stream,
                                   .task = data.task,
                                   .turns = data.turns,
                                   .turn = data.turn};

    data.stamps[0] = waits;
    for (uint64_t i = 1; i < 6; i++)
        data.stamps[i] = turn->moves + (i - 1) * step;
    data.stamps[6] = turn->moved;
    write_report(writer, REPORT_COMPUTE, &compute, sizeof(compute), turn->computed);
    write_report(writer, REPORT_TURN, &data, sizeof(data), turn->moved);
}

static void write_operation(const struct report_writer *writer)
{
    const struct mc2_message *message = writer->message;
    struct operation_data data = {
        .type = (uint8_t)message->type,
        .algorithm = ai_cpu_report_hash("fullmesh"),
        .count = message->count * (message->turns - 1) + message->last_count,
        .group = writer->steps.group,
        .ranks = writer->context->ranks,
        .stream = writer->place.stream,
        .task = writer->place.task,
    };

    write_report(writer, REPORT_OPERATION, &data, sizeof(data), start_of(writer));
}

static void write_main_stream(const struct report_writer *writer, bool is_last)
{
    struct main_stream_data data = {
        .server_stream = writer->place.stream,
        .server_task = writer->place.task,
        .stream = (uint16_t)STEP_PLANE_STREAM(0),
        .task = is_last ? writer->steps.last_task : writer->steps.first_task,
        .type = is_last,
    };

    write_report(writer, REPORT_MAIN_STREAM, &data, sizeof(data),
                 is_last ? end_of(writer) : start_of(writer));
}

void server_report_arrival(struct npu_sim_server *server,
                           const struct npu_sim_comm_context *cores,
                           bool is_alone)
{
    struct npu_sim_turn_place place = npu_sim_turn_place(npu_sim_aicpu_turn());

    npu_sim_server_arrives_with_cores(server, cores, place.card, is_alone);
}

/* Gives the cores and this task the times of the plan. Cores that compute last need no
 * time to notice the last transfer. */
static void place(const struct report_writer *writer, bool computes_first)
{
    const struct npu_sim_server_times *times = &writer->times;

    npu_sim_server_settle(writer->cores, writer->place.card, times,
                          computes_first ? times->end + AFTER : times->end);
    npu_sim_aicpu_place(start_of(writer), end_of(writer));
}

void server_report(struct npu_sim_server *server,
                   const struct npu_sim_comm_context *context,
                   const struct npu_sim_comm_context *cores,
                   const struct mc2_message *message)
{
    struct report_writer writer = {.context = context,
                                   .cores = cores,
                                   .message = message,
                                   .place = npu_sim_turn_place(npu_sim_aicpu_turn())};
    bool computes_first = message->computes_first;
    char group[COMM_NAME_MAX_LENGTH];

    if (HcclGetCommName((HcclComm)(uintptr_t)context->comm, group) ||
        !npu_sim_server_plan(server, computes_first, &writer.times))
        return;
    place(&writer, computes_first);
    writer.steps = (struct step_report){
        .card = writer.place.card,
        .group = ai_cpu_report_hash(group),
        .tag = ai_cpu_report_hash("mc2"),
        .from = message->from,
        .into = message->into,
        .operation = (uint8_t)message->op,
        .type = (uint8_t)message->type,
        .reduces = message->command == NPU_SIM_ALL_REDUCE ||
                   message->command == NPU_SIM_REDUCE_SCATTER,
    };
    write_operation(&writer);
    for (uint32_t i = 0; i < message->turns; i++) {
        write_turn(&writer, i);
        npu_sim_server_report(server, &writer.steps, i);
    }
    if (writer.steps.has_tasks) {
        write_main_stream(&writer, false);
        write_main_stream(&writer, true);
    }
}
