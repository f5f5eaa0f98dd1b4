#include "sim/hccl/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "sim/card/card.h"
#include "sim/hccl/element.h"
#include "sim/hccl/times/ai_cpu_report.h"
#include "sim/hccl/times/plan.h"
#include "sim/hccl/times/step_report.h"

#define LANE_ALIGN 64 /* a multiple of every element */
/* From this many bytes on, reducing one slice per rank is worth another barrier. */
#define SHARING_BYTES (256u << 10)

static aclError run(struct operation *operation,
                    const struct wait_limits *limits,
                    struct operation_times *times);

static struct operation *copy(const struct operation *operation)
{
    const struct exchange *from = (const struct exchange *)operation;
    struct exchange *to = exchange_create(from->ranks);
    struct part *send, *receive;

    if (!to)
        return NULL;
    send = to->send;
    receive = to->receive;
    memcpy(send, from->send, from->ranks * sizeof(*send));
    memcpy(receive, from->receive, from->ranks * sizeof(*receive));
    *to = *from;
    to->send = send;
    to->receive = receive;
    return &to->operation;
}

struct exchange *exchange_create(uint32_t ranks)
{
    struct exchange *exchange =
        calloc(1, sizeof(*exchange) + 2 * ranks * sizeof(struct part));

    if (!exchange)
        return NULL;
    exchange->operation.place.whole = true;
    exchange->operation.run = run;
    exchange->operation.copy = copy;
    exchange->ranks = ranks;
    exchange->send = (struct part *)(exchange + 1);
    exchange->receive = exchange->send + ranks;
    return exchange;
}

uint64_t exchange_reach(const struct part *parts, uint32_t count)
{
    uint64_t reach = 0;

    for (uint32_t i = 0; i < count; i++)
        if (parts[i].bytes && parts[i].offset + parts[i].bytes > reach)
            reach = parts[i].offset + parts[i].bytes;
    return reach;
}

static const struct part *part_for(const struct exchange *exchange, uint32_t rank)
{
    return &exchange->send[exchange->same_for_all ? 0 : rank];
}

static aclError announce(struct exchange *exchange,
                         struct group *group,
                         const struct wait_limits *limits)
{
    struct statement *statement = group_statement(group, group->rank);

    for (uint32_t rank = 0; rank < group->ranks; rank++) {
        statement->lengths[rank] = part_for(exchange, rank)->bytes;
        if (statement->lengths[rank] > exchange->announced.longest)
            exchange->announced.longest = statement->lengths[rank];
    }
    statement->announced = exchange->announced;
    statement->arrival = exchange->arrival;
    return group_share(group, statement, sizeof(*statement), GROUP_ALL_HOSTS, limits);
}

static bool agree(const struct announcement *a, const struct announcement *b)
{
    return a->kind == b->kind && a->type == b->type && a->op == b->op &&
           a->root == b->root && a->count == b->count;
}

/* The parts of a stream have the lengths that their senders announce. */
static void set_lengths(struct exchange *exchange, struct group *group)
{
    for (uint32_t rank = 0; rank < group->ranks; rank++)
        exchange->receive[rank] =
            (struct part){0, group_statement(group, rank)->lengths[group->rank]};
}

/* Returns true when all ranks run the same collective and send this rank the expected
 * lengths. */
static bool check(struct exchange *exchange, struct group *group, uint64_t *longest)
{
    if (exchange->stream)
        set_lengths(exchange, group);
    for (uint32_t rank = 0; rank < group->ranks; rank++) {
        const struct statement *statement = group_statement(group, rank);

        if (!agree(&statement->announced, &exchange->announced) ||
            (!exchange->is_idle &&
             statement->lengths[group->rank] != exchange->receive[rank].bytes))
            return false;
        if (statement->announced.longest > *longest)
            *longest = statement->announced.longest;
    }
    return true;
}

static uint64_t lane_bytes(const struct exchange *exchange, const struct group *group)
{
    if (exchange->same_for_all)
        return GROUP_WINDOW;
    return GROUP_WINDOW / group->ranks / LANE_ALIGN * LANE_ALIGN;
}

/* Returns how many bytes of a part belong to the piece that begins at `at`. */
static uint64_t piece_of(const struct part *part, uint64_t at, uint64_t lane)
{
    uint64_t left = part->bytes > at ? part->bytes - at : 0;

    return left < lane ? left : lane;
}

static aclError put(const struct exchange *exchange,
                    struct group *group,
                    uint64_t at,
                    const struct wait_limits *limits)
{
    uint64_t lane = lane_bytes(exchange, group);
    uint32_t lanes = exchange->same_for_all ? 1 : group->ranks;
    char *window = group_window(group, group->rank);
    aclError error = 0;

    for (uint32_t i = 0; i < lanes && !error; i++) {
        const struct part *part = &exchange->send[i];
        uint64_t bytes = piece_of(part, at, lane);
        uint32_t host = exchange->same_for_all ? GROUP_ALL_HOSTS : group_host(group, i);

        if (bytes == 0)
            continue;
        if (exchange->stream)
            exchange->stream->read(exchange->stream, i, at, bytes, window + i * lane);
        else
            memcpy(window + i * lane, exchange->from + part->offset + at, bytes);
        error = group_share(group, window + i * lane, bytes, host, limits);
    }
    return error;
}

static void take(const struct exchange *exchange, struct group *group, uint64_t at)
{
    uint64_t lane = lane_bytes(exchange, group);
    struct npu_sim_received pieces[GROUP_RANKS_MAX];

    for (uint32_t rank = 0; rank < group->ranks; rank++)
        pieces[rank] =
            (struct npu_sim_received){group_window(group, rank) + group->rank * lane,
                                      piece_of(&exchange->receive[rank], at, lane)};
    exchange->stream->take(exchange->stream, at, pieces);
}

static void get(const struct exchange *exchange, struct group *group, uint64_t at)
{
    uint64_t lane = lane_bytes(exchange, group);
    uint64_t own = exchange->same_for_all ? 0 : group->rank * lane;

    for (uint32_t rank = 0; rank < group->ranks; rank++) {
        const struct part *part = &exchange->receive[rank];
        uint64_t bytes = piece_of(part, at, lane);
        const char *window = group_window(group, rank) + own;
        char *into;

        if (bytes == 0)
            continue;
        into = exchange->into + part->offset + at;
        if (exchange->reduces && rank > 0)
            element_reduce((HcclDataType)exchange->announced.type,
                           (HcclReduceOp)exchange->announced.op, into, window, bytes);
        else
            memcpy(into, window, bytes);
    }
}

static struct part slice_of(uint32_t rank, uint64_t slice, uint64_t bytes)
{
    uint64_t from = rank * slice < bytes ? rank * slice : bytes;

    return (struct part){from, bytes - from < slice ? bytes - from : slice};
}

static void take_slice(const struct exchange *exchange,
                       struct group *group,
                       uint32_t rank,
                       struct part part,
                       char *into)
{
    const char *window = group_window(group, rank) + part.offset;

    if (rank > 0 && part.bytes > 0)
        element_reduce((HcclDataType)exchange->announced.type,
                       (HcclReduceOp)exchange->announced.op, into + part.offset, window,
                       part.bytes);
    else
        memcpy(into + part.offset, window, part.bytes);
}

static aclError offer_slice(struct group *group,
                            struct part part,
                            const char *from,
                            const struct wait_limits *limits)
{
    char *window = group_window(group, group->rank) + part.offset;

    memcpy(window, from + part.offset, part.bytes);
    return group_share(group, window, part.bytes, GROUP_ALL_HOSTS, limits);
}

/* Each rank reduces a slice of the piece and stores the result over its own input,
 * which no other rank reads any more. Then all ranks copy all slices. */
static aclError share_work(const struct exchange *exchange,
                           struct group *group,
                           uint64_t at,
                           uint64_t bytes,
                           const struct wait_limits *limits)
{
    uint64_t slice = (bytes / group->ranks / LANE_ALIGN + 1) * LANE_ALIGN;
    char *into = exchange->into + at;
    aclError error;

    for (uint32_t rank = 0; rank < group->ranks; rank++)
        take_slice(exchange, group, rank, slice_of(group->rank, slice, bytes), into);
    error = offer_slice(group, slice_of(group->rank, slice, bytes), into, limits);
    if (!error)
        error = group_arrive(group, limits);
    for (uint32_t rank = 0; rank < group->ranks && !error; rank++) {
        struct part part = slice_of(rank, slice, bytes);

        memcpy(into + part.offset, group_window(group, rank) + part.offset, part.bytes);
    }
    return error;
}

static bool is_worth_sharing(const struct exchange *exchange,
                             const struct group *group,
                             uint64_t bytes)
{
    return exchange->is_shared && group->ranks > 2 &&
           bytes * group->ranks >= SHARING_BYTES;
}

static aclError move(struct exchange *exchange,
                     struct group *group,
                     const struct wait_limits *limits,
                     uint64_t longest)
{
    uint64_t lane = lane_bytes(exchange, group);

    for (uint64_t at = 0; at < longest; at += lane) {
        aclError error = put(exchange, group, at, limits);

        if (!error)
            error = group_arrive(group, limits);
        if (!error && is_worth_sharing(exchange, group, longest - at))
            error = share_work(exchange, group, at,
                               longest - at < lane ? longest - at : lane, limits);
        else if (!error && exchange->stream)
            take(exchange, group, at);
        else if (!error && !exchange->is_idle)
            get(exchange, group, at);
        if (error)
            return error;
        group->chunks++;
    }
    return 0;
}

static void
report(const struct exchange *exchange, const struct plan *plan, uint32_t card)
{
    struct step_report steps = {
        .plan = plan,
        .card = card,
        .group = ai_cpu_report_hash(comm_name(exchange->operation.comm)),
        .tag = ai_cpu_report_hash(exchange->operation.name),
        .from = (uintptr_t)exchange->from,
        .into = (uintptr_t)exchange->into,
        .operation = (uint8_t)exchange->announced.op,
        .type = (uint8_t)exchange->announced.type,
        .reduces = exchange->reduces,
    };

    if (npu_sim_card_reports(card))
        step_report_turn(&steps, 0);
}

static void set_times(const struct plan *plan, struct operation_times *times)
{
    times->start = plan_ticks(plan, plan->start_ns[plan->own]);
    times->time.slip += plan_slip(plan, times->time.anchor);
    times->time.anchor_ns = plan->anchor_ns;
    times->time.anchor = plan->anchor;
    times->time.now = plan_ticks(plan, schedule_end(&plan->schedule, plan->own));
}

static aclError run(struct operation *operation,
                    const struct wait_limits *limits,
                    struct operation_times *times)
{
    struct exchange *exchange = (struct exchange *)operation;
    struct group *group = comm_group(operation->comm);
    struct plan own = {0}, *plan = exchange->plan ? exchange->plan : &own;
    uint64_t longest = 0;
    aclError error;

    if (plan == &own)
        exchange->arrival = operation_arrival(&times->time);
    error = announce(exchange, group, limits);
    if (!error)
        error = group_arrive(group, limits);
    if (error)
        return error;
    if (!check(exchange, group, &longest))
        return group_fail(group, HCCL_E_PARA, ACL_ERROR_RT_AICPU_EXCEPTION);
    if (plan->turn_count == 0)
        plan_begin(plan, group);
    if (!plan_add_turn(plan, group, &exchange->way, longest) ||
        (plan == &own && !plan_make(plan, exchange->way.rounds, false)))
        error = group_fail(group, HCCL_E_MEMORY, ACL_ERROR_RT_MEMORY_ALLOCATION);
    group->rounds++;
    if (!error)
        error = move(exchange, group, limits, longest);
    if (!error && plan == &own) {
        set_times(plan, times);
        report(exchange, plan, npu_sim_turn_place(limits->turn).card);
    }
    plan_clear(&own);
    return error;
}
