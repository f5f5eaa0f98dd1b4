#include "sim/hccl/server.h"

#include <stdlib.h>

#include "sim/card/card.h"
#include "sim/fleet/noise.h"
#include "sim/hccl/element.h"
#include "sim/hccl/exchange.h"
#include "sim/hccl/ranks/machine.h"
#include "sim/hccl/times/cost.h"
#include "sim/runtime/stream/outside.h"

struct npu_sim_server {
    struct operation operation; /* keeps other operations out of the communicator */
    struct comm *comm;
    struct arrival arrival;
    uint64_t anchor;  /* ticks at arrival.anchor_ns; 0: the cores are not known */
    uint64_t follows; /* end of the operator's earlier transfer, in ticks; 0: none */
    struct plan plan;
    uint32_t stages;
    aclError error;
};

aclError npu_sim_server_open(struct npu_sim_server **out,
                             const struct npu_sim_comm_context *context)
{
    struct npu_sim_server *server = calloc(1, sizeof(*server));
    aclError error;

    if (!server)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    server->operation.place.whole = true;
    server->comm = (struct comm *)(uintptr_t)context->comm;
    error = operation_begin(&server->operation, server->comm, npu_sim_aicpu_turn());
    if (error) {
        free(server);
        return error;
    }
    server->arrival = (struct arrival){.machine = machine_id(),
                                       .anchor_ns = npu_sim_monotonic_ns(),
                                       .seed = npu_sim_noise_seed()};
    *out = server;
    return 0;
}

void npu_sim_server_arrives(struct npu_sim_server *server,
                            uint64_t anchor,
                            uint64_t anchor_ns,
                            uint64_t since_ns,
                            uint64_t compute_ns)
{
    server->anchor = anchor;
    server->arrival.anchor_ns = anchor_ns;
    server->arrival.since_ns = since_ns;
    server->arrival.compute_ns = compute_ns;
}

static void even(struct part *parts, uint32_t ranks, uint64_t bytes, uint64_t stride)
{
    for (uint32_t rank = 0; rank < ranks; rank++)
        parts[rank] = (struct part){rank * stride, bytes};
}

/* Returns the lowest address of the parts, from which their offsets count. */
static uint64_t base_of(const struct npu_sim_part *parts, uint32_t ranks, bool sends)
{
    uint64_t base = UINT64_MAX;

    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint64_t bytes = sends ? parts[rank].from_bytes : parts[rank].into_bytes;
        uint64_t at = sends ? parts[rank].from : parts[rank].into;

        if (bytes > 0 && at < base)
            base = at;
    }
    return base == UINT64_MAX ? 0 : base;
}

static void cut_parts(struct exchange *exchange, const struct npu_sim_piece *piece)
{
    const struct npu_sim_part *parts = piece->parts;
    uint64_t from = base_of(parts, exchange->ranks, true);
    uint64_t into = base_of(parts, exchange->ranks, false);

    exchange->from = (const char *)(uintptr_t)from;
    exchange->into = (char *)(uintptr_t)into;
    exchange->stream = piece->stream;
    for (uint32_t rank = 0; rank < exchange->ranks; rank++) {
        const struct npu_sim_part *part = &parts[rank];

        exchange->send[rank].bytes = part->from_bytes;
        exchange->receive[rank].bytes = part->into_bytes;
        if (part->from_bytes > 0)
            exchange->send[rank].offset = part->from - from;
        if (part->into_bytes > 0)
            exchange->receive[rank].offset = part->into - into;
    }
}

/* Fills the exchange for a command; returns false for an unknown command. */
static bool cut(struct exchange *exchange, const struct npu_sim_piece *piece)
{
    uint64_t size = element_size(piece->type), bytes = piece->count * size;
    uint64_t stride = piece->stride ? piece->stride * size : bytes;
    uint32_t ranks = comm_ranks(exchange->operation.comm);

    switch (piece->command) {
    case NPU_SIM_ALL_REDUCE:
        exchange->same_for_all = exchange->reduces = exchange->is_shared = true;
        exchange->way.is_spread = true;
        exchange->way.rounds = 2;
        exchange->send[0].bytes = bytes;
        even(exchange->receive, ranks, bytes, 0);
        return true;
    case NPU_SIM_ALL_GATHER:
        exchange->same_for_all = true;
        exchange->send[0].bytes = bytes;
        even(exchange->receive, ranks, bytes, stride);
        return true;
    case NPU_SIM_REDUCE_SCATTER:
        exchange->reduces = true;
        even(exchange->send, ranks, bytes, stride);
        even(exchange->receive, ranks, bytes, 0);
        return true;
    case NPU_SIM_ALL_TO_ALL:
        even(exchange->send, ranks, bytes, stride);
        even(exchange->receive, ranks, bytes, stride);
        return true;
    case NPU_SIM_ALL_TO_ALL_V:
        cut_parts(exchange, piece);
        return true;
    case NPU_SIM_BARRIER:
        return true;
    }
    return false;
}

static bool is_on_card(const void *buffer, const struct part *parts, uint32_t count)
{
    uint64_t reach = exchange_reach(parts, count);

    return reach == 0 || npu_sim_is_device_memory(buffer, reach);
}

static bool are_on_card(const struct npu_sim_part *parts, uint32_t ranks)
{
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const void *from = (const void *)(uintptr_t)parts[rank].from;
        const void *into = (const void *)(uintptr_t)parts[rank].into;

        if ((parts[rank].from_bytes > 0 &&
             !npu_sim_is_device_memory(from, parts[rank].from_bytes)) ||
            (parts[rank].into_bytes > 0 &&
             !npu_sim_is_device_memory(into, parts[rank].into_bytes)))
            return false;
    }
    return true;
}

static bool is_sound(const struct npu_sim_piece *piece, uint32_t ranks)
{
    if (piece->command == NPU_SIM_BARRIER)
        return true;
    if (piece->command == NPU_SIM_ALL_TO_ALL_V)
        return piece->parts && (piece->stream || are_on_card(piece->parts, ranks));
    return element_size(piece->type) && piece->count <= EXCHANGE_COUNT_MAX &&
           piece->stride <= EXCHANGE_COUNT_MAX &&
           (piece->stride == 0 || piece->stride >= piece->count) &&
           (unsigned)piece->op <= HCCL_REDUCE_MIN;
}

/* Returns NULL for an invalid piece or when out of memory. */
static struct exchange *make(struct comm *comm, const struct npu_sim_piece *piece)
{
    uint32_t ranks = comm_ranks(comm);
    struct exchange *exchange = is_sound(piece, ranks) ? exchange_create(ranks) : NULL;

    if (!exchange)
        return NULL;
    exchange->operation.comm = comm;
    exchange->way.rounds = 1;
    exchange->from = piece->from;
    exchange->into = piece->into;
    if (piece->command != NPU_SIM_BARRIER && !piece->parts)
        exchange->announced = (struct announcement){
            .type = piece->type, .op = piece->op, .count = piece->count};
    exchange->announced.kind = piece->command;
    if (cut(exchange, piece) &&
        (!exchange->reduces || element_can_reduce(piece->type)) &&
        (piece->parts || (is_on_card(piece->from, exchange->send, ranks) &&
                          is_on_card(piece->into, exchange->receive, ranks))))
        return exchange;
    free(exchange);
    return NULL;
}

aclError npu_sim_server_run(struct npu_sim_server *server,
                            const struct npu_sim_piece *piece)
{
    struct wait_limits limits =
        group_wait_limits(npu_sim_aicpu_turn(), comm_exec_timeout_s(server->comm));
    struct operation_times times = {0};
    struct exchange *exchange;

    if (server->error)
        return server->error;
    exchange = make(server->comm, piece);
    if (exchange) {
        exchange->arrival = server->arrival;
        exchange->plan = &server->plan;
        server->stages = exchange->way.rounds;
        server->error = exchange->operation.run(&exchange->operation, &limits, &times);
    } else {
        server->error = group_fail(comm_group(server->comm), HCCL_E_PARA,
                                   ACL_ERROR_RT_AICPU_EXCEPTION);
    }
    free(exchange);
    return server->error;
}

static struct npu_sim_server_turn turn_of(const struct plan *plan, uint32_t number)
{
    const struct schedule *schedule = &plan->schedule;
    uint32_t first = number * schedule->of.stages, own = plan->own;
    struct schedule_span computes = schedule_computes(schedule, number, own), span;
    uint64_t moved = schedule_done(schedule, first + schedule->of.stages - 1, own);
    uint64_t moves = moved;

    for (uint32_t peer = 0; peer < plan->ranks; peer++) {
        if (peer == own)
            continue;
        if (schedule_transfer(schedule, first, peer, own, &span) && span.from < moves)
            moves = span.from;
        if (schedule_transfer(schedule, first, own, peer, &span) && span.from < moves)
            moves = span.from;
    }
    return (struct npu_sim_server_turn){
        .computes = plan_ticks(plan, computes.from),
        .computed = plan_ticks(plan, computes.to),
        .posted = plan_ticks(plan, schedule_posted(schedule, first, own)),
        .moves = plan_ticks(plan, moves),
        .moved = plan_ticks(plan, moved),
    };
}

static aclError run_turns(struct npu_sim_server *server,
                          const struct npu_sim_exchange *exchange,
                          uint32_t ranks)
{
    aclError error = 0;

    for (uint32_t turn = 0; turn < exchange->turns && !error; turn++) {
        const struct npu_sim_piece piece = {
            .command = NPU_SIM_ALL_TO_ALL_V,
            .parts = exchange->parts + (size_t)turn * ranks,
            .stream = exchange->stream,
        };

        error = npu_sim_server_run(server, &piece);
    }
    return error;
}

aclError npu_sim_server_arrives_with_cores(struct npu_sim_server *server,
                                           const struct npu_sim_comm_context *context,
                                           uint32_t card,
                                           bool is_alone)
{
    struct card_work cores;
    uint64_t since;

    if (!npu_sim_card_waiting(card, (uintptr_t)context, &cores))
        return ACL_ERROR_RT_INTERNAL_ERROR;
    since = cores.placing.until ? cores.placing.until : cores.first_block;
    if (cores.placing.until) {
        cores.anchor = cores.placing.anchor;
        cores.anchor_ns = cores.placing.anchor_ns;
        server->follows = cores.placing.until;
    }
    npu_sim_server_arrives(server, cores.anchor, cores.anchor_ns,
                           npu_sim_ticks_to_ns(since - cores.anchor),
                           is_alone ? 0 : npu_sim_ticks_to_ns(cores.computes));
    return 0;
}

int npu_sim_server_exchange(const struct npu_sim_comm_context *context,
                            struct npu_sim_exchange *exchange)
{
    struct npu_sim_server *server;
    struct npu_sim_server_times times;
    aclError error = npu_sim_server_open(&server, context);
    uint32_t card;

    if (error) {
        npu_sim_turn_fail(error);
        return error;
    }
    card = group_card(comm_group(server->comm), context->rank);
    npu_sim_server_arrives_with_cores(server, context, card, false);
    error = run_turns(server, exchange, context->ranks);
    if (!error && npu_sim_server_plan(server, exchange->computes_first, &times))
        npu_sim_server_settle(context, card, &times, times.end);
    npu_sim_server_close(server);
    if (error)
        npu_sim_turn_fail(error);
    return error;
}

int npu_sim_server_send(const struct npu_sim_comm_context *context,
                        const uint64_t *bytes)
{
    struct comm *comm = bytes ? comm_take((HcclComm)(uintptr_t)context->comm) : NULL;
    uint64_t nothing[NPU_SIM_COMM_RANKS] = {0}, to_ns[NPU_SIM_COMM_RANKS] = {0};
    uint64_t from_ns[NPU_SIM_COMM_RANKS] = {0}, longest = 0;
    struct card_work cores;
    uint32_t card;

    if (!comm) {
        npu_sim_turn_fail(ACL_ERROR_RT_AICORE_EXCEPTION);
        return ACL_ERROR_RT_AICORE_EXCEPTION;
    }
    cost_of_messages(comm_group(comm), bytes, nothing, to_ns, from_ns);
    card = group_card(comm_group(comm), context->rank);
    for (uint32_t rank = 0; rank < context->ranks; rank++)
        if (bytes[rank] > 0 && to_ns[rank] > longest)
            longest = to_ns[rank];
    if (npu_sim_card_waiting(card, (uintptr_t)context, &cores)) {
        const struct card_placing placing = {
            .anchor = cores.anchor,
            .anchor_ns = cores.anchor_ns,
            .from = cores.first_block,
            .until = cores.first_block + cores.computes + npu_sim_ticks_of_ns(longest),
        };

        npu_sim_card_settle(card, (uintptr_t)context, &placing);
    }
    comm_put(comm);
    return 0;
}

void npu_sim_server_settle(const struct npu_sim_comm_context *context,
                           uint32_t card,
                           const struct npu_sim_server_times *times,
                           uint64_t until)
{
    struct card_placing cores = {
        .anchor = times->anchor,
        .anchor_ns = times->anchor_ns,
        .from = times->from,
        .slip = times->slip,
        .until = until,
    };
    struct card_work before;

    if (npu_sim_card_waiting(card, (uintptr_t)context, &before) &&
        before.placing.until) {
        cores = before.placing;
        cores.until = until;
    }
    npu_sim_card_settle(card, (uintptr_t)context, &cores);
}

bool npu_sim_server_plan(struct npu_sim_server *server,
                         bool computes_first,
                         struct npu_sim_server_times *out)
{
    struct plan *plan = &server->plan;

    if (server->error || plan->turn_count == 0 || plan->schedule.posted ||
        !plan_make(plan, server->stages, computes_first))
        return false;
    if (server->follows) /* the launch already has its place on the clock */
        plan->anchor = server->follows -
                       npu_sim_ticks_of_ns(plan->late_ns + server->arrival.since_ns);
    *out = (struct npu_sim_server_times){
        .anchor_ns = plan->anchor_ns,
        .anchor = plan->anchor,
        .from = plan_ticks(plan, plan->start_ns[plan->own]),
        .end = plan_ticks(plan, schedule_end(&plan->schedule, plan->own)),
        .slip = server->anchor ? plan_slip(plan, server->anchor) : 0,
        .turns = plan->turn_count,
    };
    for (uint32_t i = 0; i < plan->turn_count; i++)
        out->turn[i] = turn_of(plan, i);
    return true;
}

void npu_sim_server_report(struct npu_sim_server *server,
                           struct step_report *report,
                           uint32_t turn)
{
    report->plan = &server->plan;
    step_report_turn(report, turn);
}

void npu_sim_server_close(struct npu_sim_server *server)
{
    if (!server)
        return;
    operation_end(&server->operation);
    plan_clear(&server->plan);
    free(server);
}
