#include "sim/training/train_model.h"

#include <stdlib.h>
#include <string.h>

#include "sim/fleet/soc.h"
#include "sim/hccl/times/schedule.h"

#define START_NS      1767225600000000000u /* of the capture: the year 2026 */
#define HIDDEN        2048.0
#define TOKENS        2048u
#define CUBE_PER_MHZ  8192.0 /* 16-bit operations of a cube core per cycle */
#define LINK_GBS      28.0
#define LAYER_BYTES   (101u << 20) /* gradients of a layer */
#define NOTIFY_NS     5000u
#define NOTICE_NS     1000u /* until the cores notice the end of a collective */
#define LAUNCH_NS     6000u /* of the host, per kernel */
#define SUBMIT_NS     2000u /* from the host to the device */
#define SYNC_NS       8000u /* from the end of a task to the host */
#define BETWEEN_NS    500u  /* from one task of a stream to the next */
#define MAIN_STREAM   2
#define AICPU_STREAM  5
#define NO_COLLECTIVE UINT32_MAX

enum phase { EMBEDDING, FORWARD, LOSS, BACKWARD, OPTIMIZER };

static const struct op {
    enum phase phase;
    const char *name, *type, *unit;
    double products; /* of the input and a square matrix */
    double passes;   /* over the input in memory */
} ops[] = {
    {EMBEDDING, "aclnnEmbedding_GatherV2_GatherV2", "GatherV2", "AI_VECTOR_CORE", 0, 3},
    {EMBEDDING, "aclnnMatmul_MatMulCommon_MatMulV2", "MatMulV2", "AI_CORE", 3, 0},
    {FORWARD, "aclnnFlashAttentionScore_FlashAttentionScore_FlashAttentionScore",
     "FlashAttentionScore", "MIX_AIC", 2, 0},
    {FORWARD, "aclnnMatmul_MatMulCommon_MatMulV2", "MatMulV2", "AI_CORE", 1, 0},
    {FORWARD, "aclnnAdd_AddAiCore_Add", "Add", "AI_VECTOR_CORE", 0, 3},
    {FORWARD, "aclnnRmsNorm_RmsNorm_RmsNorm", "RmsNorm", "AI_VECTOR_CORE", 0, 3},
    {FORWARD, "aclnnMatmul_MatMulCommon_MatMulV2", "MatMulV2", "AI_CORE", 5.4, 0},
    {FORWARD, "aclnnSwiGlu_SwiGlu_SwiGlu", "SwiGlu", "AI_VECTOR_CORE", 0, 8},
    {FORWARD, "aclnnMatmul_MatMulCommon_MatMulV2", "MatMulV2", "AI_CORE", 2.7, 0},
    {LOSS, "aclnnInplaceZero_ZerosLikeAiCore_ZerosLike", "ZerosLike", "AI_VECTOR_CORE",
     0, .2},
    {BACKWARD,
     "aclnnFlashAttentionScoreGrad_FlashAttentionScoreGrad_FlashAttentionScoreGrad",
     "FlashAttentionScoreGrad", "MIX_AIC", 5, 0},
    {BACKWARD, "aclnnMatmul_MatMulCommon_MatMulV2", "MatMulV2", "AI_CORE", 6, 0},
    {BACKWARD, "aclnnSwiGluBackward_SwiGluGrad_SwiGluGrad", "SwiGluGrad",
     "AI_VECTOR_CORE", 0, 12},
    {BACKWARD, "aclnnMatmul_MatMulCommon_MatMulV2", "MatMulV2", "AI_CORE", 11, 0},
    {BACKWARD, "aclnnRmsNormGrad_RmsNormGrad_RmsNormGrad", "RmsNormGrad",
     "AI_VECTOR_CORE", 0, 6},
    {OPTIMIZER, "aclnnApplyAdamW_ApplyAdamW_ApplyAdamW", "ApplyAdamW", "AI_VECTOR_CORE",
     0, 40},
};

enum { OP_COUNT = sizeof(ops) / sizeof(ops[0]) };

struct running {
    struct train_model *model;
    const struct soc *soc;
    uint32_t step;
};

static void *grow(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return items;
    *room = *room ? *room * 2 : 64;
    items = realloc(items, *room * size);
    if (!items)
        abort();
    return items;
}

static uint64_t hash(uint64_t a, uint64_t b)
{
    uint64_t mixed = (a ^ (b + 0x9E3779B97F4A7C15u)) * 0xBF58476D1CE4E5B9u;

    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

/* Returns 1 with an addition of up to `part`, equal for equal arguments. */
static double noise(const struct running *run, uint64_t a, uint64_t b, double part)
{
    uint64_t value = hash(hash(run->model->options.seed, a), b);

    return 1 + part * ((double)(value >> 11) / 9007199254740992.0);
}

static void add_event(struct train_rank *rank,
                      const char *name,
                      bool is_framework,
                      uint64_t start,
                      uint64_t end)
{
    rank->events =
        grow(rank->events, rank->event_count, &rank->event_room, sizeof(*rank->events));
    rank->events[rank->event_count++] =
        (struct train_host_event){name, is_framework, start, end};
}

static void add_task(struct train_rank *rank, const struct train_task *task)
{
    rank->tasks =
        grow(rank->tasks, rank->task_count, &rank->task_room, sizeof(*rank->tasks));
    rank->tasks[rank->task_count++] = *task;
}

/* Launches something from the host; returns the time at which the device has it. */
static uint64_t launch(struct train_rank *rank, const char *framework, const char *cann)
{
    uint64_t start = rank->host;

    rank->host += LAUNCH_NS;
    add_event(rank, framework, true, start, rank->host);
    add_event(rank, cann, false, start + LAUNCH_NS / 2, rank->host - 500);
    return rank->host + SUBMIT_NS;
}

static void synchronize(struct train_rank *rank)
{
    uint64_t end = rank->device + SYNC_NS;

    if (end < rank->host)
        end = rank->host + SYNC_NS;
    add_event(rank, "AscendCL@aclrtSynchronizeStreamWithTimeout", false, rank->host,
              end);
    rank->host = end;
}

static bool has_fault(const struct running *run, uint32_t rank)
{
    return rank == run->model->options.fault_rank;
}

static uint64_t ns_of(const struct running *run, uint32_t rank, const struct op *op)
{
    const struct train_options *options = &run->model->options;
    const struct soc *soc = run->soc;
    double products = op->products * 2 * TOKENS * HIDDEN * HIDDEN;
    double bytes = op->passes * 2 * TOKENS * HIDDEN;
    double us = products / (soc->cores * CUBE_PER_MHZ * soc->mhz) +
                bytes / (1000.0 * soc->speed->memory_gbs);

    if (rank == options->slow_rank)
        us = us * options->slow_percent / 100;
    return (uint64_t)(1000 * us *
                      noise(run, rank, run->model->ranks[rank].task_count, .012));
}

static uint32_t tokens_of(const struct running *run, uint32_t rank)
{
    bool varies = run->model->options.varies_shapes && has_fault(run, rank);

    return varies ? TOKENS - 64 * (run->step % 2) : TOKENS;
}

static void compute(struct running *run, uint32_t number, const struct op *op)
{
    struct train_rank *rank = &run->model->ranks[number];
    uint64_t launched = rank->host;
    uint64_t arrival = launch(rank, op->type, "AscendCL@aclnnLaunch");
    uint64_t start = rank->device + BETWEEN_NS;

    if (start < arrival)
        start = arrival;
    rank->device = start + ns_of(run, number, op);
    add_task(rank, &(struct train_task){.name = op->name,
                                        .type = op->type,
                                        .unit = op->unit,
                                        .start = start,
                                        .end = rank->device,
                                        .launched = launched,
                                        .stream = MAIN_STREAM,
                                        .step = run->step,
                                        .tokens = tokens_of(run, number),
                                        .collective = NO_COLLECTIVE});
}

/* Adds an AI CPU kernel beside the end of the last task. The main stream waits. */
static void compute_on_cpu(struct running *run, uint32_t number)
{
    static const uint64_t halves_hidden[] = {
        [AICPU_EXPOSED] = 0, [AICPU_PARTLY] = 1, [AICPU_MASKED] = 2};
    const struct train_options *options = &run->model->options;
    struct train_rank *rank = &run->model->ranks[number];
    uint64_t takes = 1000u * options->aicpu_us;
    uint64_t launched = rank->host;

    if (options->aicpu == AICPU_NONE || !has_fault(run, number))
        return;
    launch(rank, "aten::unique", "AscendCL@aclnnLaunch");
    add_task(
        rank,
        &(struct train_task){
            .name = "aclnnUnique_UniqueAicpu_Unique",
            .type = "Unique",
            .unit = "AI_CPU",
            .start = rank->device - takes * halves_hidden[options->aicpu] / 2,
            .end = rank->device - takes * halves_hidden[options->aicpu] / 2 + takes,
            .launched = launched,
            .stream = AICPU_STREAM,
            .step = run->step,
            .tokens = TOKENS,
            .collective = NO_COLLECTIVE});
    if (rank->tasks[rank->task_count - 1].end > rank->device)
        rank->device = rank->tasks[rank->task_count - 1].end;
}

static uint64_t
transfer_ns(const void *arg, uint32_t turn, uint32_t stage, uint32_t from, uint32_t to)
{
    const struct running *run = arg;
    const struct train_options *options = &run->model->options;
    uint64_t number = run->model->ranks[0].collective_count;
    uint32_t next = (options->slow_link + 1) % options->ranks;
    double ns = LAYER_BYTES / options->ranks / LINK_GBS;

    (void)turn;
    if (from == to)
        return SCHEDULE_NOTHING;
    if ((from == options->slow_link && to == next) ||
        (to == options->slow_link && from == next))
        ns = ns * options->link_percent / 100;
    ns *= noise(run, number * TRAIN_STAGES + stage, from * TRAIN_RANKS_MAX + to, .01);
    return NOTIFY_NS + (uint64_t)ns;
}

/* Reads the part of a rank from the schedule. A stage begins to copy when the last rank
 * is ready. */
static void measure(struct train_collective *out,
                    const struct schedule *schedule,
                    uint32_t number,
                    uint32_t ranks)
{
    for (uint32_t stage = 0; stage < TRAIN_STAGES; stage++) {
        uint64_t posted = schedule_posted(schedule, stage, number), ready = posted;

        for (uint32_t to = 0; to < ranks; to++) {
            struct schedule_span span;

            if (!schedule_transfer(schedule, stage, number, to, &span))
                continue;
            out->sent_ns[to][stage] = span.to - span.from;
            ready = ready > span.from ? ready : span.from;
        }
        out->wait += ready - posted;
        out->transit += schedule_done(schedule, stage, number) - ready;
        if (stage == 0)
            out->sync = out->wait;
    }
    out->end = schedule_end(schedule, number) + NOTICE_NS;
}

static void finish_collective(struct running *run,
                              uint32_t number,
                              const struct train_collective *collective,
                              uint64_t launched)
{
    struct train_rank *rank = &run->model->ranks[number];

    rank->device = collective->end;
    add_task(rank,
             &(struct train_task){.name = "hcom_allReduce_",
                                  .type = "hcom_allReduce_",
                                  .unit = "COMMUNICATION",
                                  .start = collective->start,
                                  .end = collective->end,
                                  .launched = launched,
                                  .step = run->step,
                                  .collective = (uint32_t)rank->collective_count});
    rank->collectives = grow(rank->collectives, rank->collective_count,
                             &rank->collective_room, sizeof(*rank->collectives));
    rank->collectives[rank->collective_count++] = *collective;
}

/* All ranks add up the gradients of a layer. */
static void all_reduce(struct running *run)
{
    struct train_model *model = run->model;
    const uint32_t ranks = model->options.ranks;
    uint64_t starts[TRAIN_RANKS_MAX], launched[TRAIN_RANKS_MAX];
    const uint64_t no_compute[TRAIN_RANKS_MAX] = {0};
    struct train_collective parts[TRAIN_RANKS_MAX];
    struct schedule schedule;

    if (ranks < 2)
        return;
    memset(parts, 0, sizeof(parts));
    for (uint32_t i = 0; i < ranks; i++) {
        struct train_rank *rank = &model->ranks[i];
        uint64_t arrival;

        launched[i] = rank->host;
        arrival = launch(rank, "c10d::allreduce_", "Hccl@hcom_allReduce_");
        starts[i] = rank->device + BETWEEN_NS;
        if (starts[i] < arrival)
            starts[i] = arrival;
    }
    if (!schedule_make(&schedule, &(struct schedule_input){.ranks = ranks,
                                                           .turns = 1,
                                                           .stages = TRAIN_STAGES,
                                                           .start_ns = starts,
                                                           .compute_ns = no_compute,
                                                           .transfer_ns = transfer_ns,
                                                           .arg = run}))
        abort();
    for (uint32_t i = 0; i < ranks; i++) {
        parts[i].step = run->step;
        parts[i].start = starts[i];
        parts[i].bytes = LAYER_BYTES / ranks;
        measure(&parts[i], &schedule, i, ranks);
    }
    for (uint32_t i = 0; i < ranks; i++)
        finish_collective(run, i, &parts[i], launched[i]);
    schedule_clear(&schedule);
}

static void run_phase(struct running *run, enum phase phase)
{
    for (uint32_t i = 0; i < run->model->options.ranks; i++)
        for (size_t j = 0; j < OP_COUNT; j++)
            if (ops[j].phase == phase)
                compute(run, i, &ops[j]);
}

/* Keeps the device of one rank idle, with what the host does meanwhile. */
static void plant_gap(struct running *run, enum train_place place)
{
    const struct train_options *options = &run->model->options;
    struct train_rank *rank;
    uint64_t end;

    if (options->gap != place || options->fault_rank >= options->ranks ||
        (options->gap_step && options->gap_step != run->step + 1))
        return;
    rank = &run->model->ranks[options->fault_rank];
    if (place != GAP_START)
        synchronize(rank);
    end = rank->host + 1000u * options->gap_us;
    if (options->cause == CAUSE_COPY)
        add_event(rank, "aten::copy_", true, rank->host, end);
    if (options->cause == CAUSE_COLLECTIVE)
        add_event(rank, "c10d::broadcast_", true, rank->host, end);
    for (uint64_t at = rank->host; options->cause == CAUSE_LAUNCH && at < end;
         at += 40000)
        add_event(rank, "aten::add", true, at, at + 25000 < end ? at + 25000 : end);
    rank->host = end;
}

static void run_step(struct running *run)
{
    struct train_model *model = run->model;

    for (uint32_t i = 0; i < model->options.ranks; i++)
        model->ranks[i].steps[run->step].start = model->ranks[i].host;
    plant_gap(run, GAP_START);
    run_phase(run, EMBEDDING);
    for (uint32_t i = 0; i < model->options.layers; i++)
        run_phase(run, FORWARD);
    plant_gap(run, GAP_MIDDLE);
    run_phase(run, LOSS);
    for (uint32_t i = 0; i < model->options.layers; i++) {
        run_phase(run, BACKWARD);
        for (uint32_t j = 0; i == 0 && j < model->options.ranks; j++)
            compute_on_cpu(run, j);
        all_reduce(run);
    }
    run_phase(run, OPTIMIZER);
    plant_gap(run, GAP_END);
    for (uint32_t i = 0; i < model->options.ranks; i++) {
        synchronize(&model->ranks[i]);
        model->ranks[i].steps[run->step].end = model->ranks[i].host;
    }
}

static int by_start(const void *a, const void *b)
{
    const struct train_task *one = a, *other = b;

    return (one->start > other->start) - (one->start < other->start);
}

void train_model_run(struct train_model *model)
{
    struct running run = {.model = model, .soc = soc_find(SOC_STANDARD)};

    for (uint32_t i = 0; i < model->options.ranks; i++) {
        model->ranks[i].host = START_NS + 1000 * (hash(model->options.seed, i) % 50);
        model->ranks[i].steps =
            calloc(model->options.steps, sizeof(*model->ranks[i].steps));
        model->ranks[i].step_count = model->options.steps;
        if (!model->ranks[i].steps)
            abort();
    }
    for (; run.step < model->options.steps; run.step++)
        run_step(&run);
    for (uint32_t i = 0; i < model->options.ranks; i++)
        qsort(model->ranks[i].tasks, model->ranks[i].task_count,
              sizeof(*model->ranks[i].tasks), by_start);
}

void train_model_clear(struct train_model *model)
{
    for (uint32_t i = 0; i < model->options.ranks; i++) {
        free(model->ranks[i].tasks);
        free(model->ranks[i].events);
        free(model->ranks[i].collectives);
        free(model->ranks[i].steps);
    }
}

static bool belongs(const struct train_task *task, enum train_share share)
{
    bool is_comm = task->collective != NO_COLLECTIVE;

    return share == SHARE_ALL || is_comm == (share == SHARE_COMM);
}

uint64_t
train_rank_covered(const struct train_rank *rank, uint32_t step, enum train_share share)
{
    uint64_t covered = 0, until = 0;

    for (size_t i = 0; i < rank->task_count; i++) {
        const struct train_task *task = &rank->tasks[i];
        uint64_t start = task->start > until ? task->start : until;

        if (task->step != step || !belongs(task, share) || task->end <= until)
            continue;
        covered += task->end - start;
        until = task->end;
    }
    return covered;
}
