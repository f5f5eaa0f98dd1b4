#include "sim/hccl/server.h"

#include <stdlib.h>

#include "sim/card/card.h"
#include "sim/card/noise.h"
#include "sim/hccl/element.h"
#include "sim/hccl/exchange.h"
#include "sim/hccl/machine.h"
#include "sim/runtime/outside.h"

struct npu_sim_server {
    struct operation operation; /* keeps other operations out of the communicator */
    struct comm *comm;
    struct arrival arrival;
    uint64_t anchor; /* ticks at arrival.anchor_ns; 0: the cores are not known */
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

static bool is_sound(const struct npu_sim_piece *piece)
{
    if (piece->command == NPU_SIM_BARRIER)
        return true;
    return element_size(piece->type) && piece->count <= EXCHANGE_COUNT_MAX &&
           piece->stride <= EXCHANGE_COUNT_MAX &&
           (piece->stride == 0 || piece->stride >= piece->count) &&
           (unsigned)piece->op <= HCCL_REDUCE_MIN;
}

/* Returns NULL for an invalid piece or when out of memory. */
static struct exchange *make(struct comm *comm, const struct npu_sim_piece *piece)
{
    uint32_t ranks = comm_ranks(comm);
    struct exchange *exchange = is_sound(piece) ? exchange_create(ranks) : NULL;

    if (!exchange)
        return NULL;
    exchange->operation.comm = comm;
    exchange->way.rounds = 1;
    exchange->from = piece->from;
    exchange->into = piece->into;
    if (piece->command != NPU_SIM_BARRIER)
        exchange->announced = (struct announcement){
            .type = piece->type, .op = piece->op, .count = piece->count};
    exchange->announced.kind = piece->command;
    if (cut(exchange, piece) &&
        (!exchange->reduces || element_can_reduce(piece->type)) &&
        is_on_card(piece->from, exchange->send, ranks) &&
        is_on_card(piece->into, exchange->receive, ranks))
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

bool npu_sim_server_plan(struct npu_sim_server *server,
                         bool computes_first,
                         struct npu_sim_server_times *out)
{
    struct plan *plan = &server->plan;

    if (server->error || plan->turn_count == 0 || plan->schedule.posted ||
        !plan_make(plan, server->stages, computes_first))
        return false;
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
