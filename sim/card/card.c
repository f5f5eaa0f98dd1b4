/* card.c - runs a launch through the model, and writes what a card would send */
#include "sim/card/card.h"

#include <ascend_hal.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "sim/card/channel.h"
#include "sim/card/condition.h"
#include "sim/card/config.h"
#include "sim/card/l2.h"
#include "sim/card/model.h"
#include "sim/card/record.h"
#include "sim/card/soc.h"
#include "sim/card/usage.h"

#define HEAD_NS   600 /* from the start of a task to its first block */
#define TAIL_NS   400
#define UNITS_MAX 64

static struct card {
    pthread_mutex_t mutex;
    struct l2 *l2;
    uint64_t floor; /* ticks that the clock has reached */
    uint64_t l2_session;
    uint32_t records;
} cards[CARDS_MAX]; /* zeros are a mutex that is free */

/* one launch on its way through the model */
struct run {
    uint32_t card;
    const struct card_launch *launch;
    const struct soc *soc;
    struct model model;
    enum npu_sim_kind kind;
    uint32_t units;
    uint32_t mhz;                  /* of the moment */
    uint64_t unit_free[UNITS_MAX]; /* ticks from the first block's start */
    uint64_t first_block;          /* ticks */
    bool pmu;
    struct pmu_setup setup;
    struct counters sum;   /* of all blocks, for chips with one record a launch */
    struct counters of[2]; /* by kind of core, where records of tasks are wanted */
    uint64_t kind_end[2];
};

static uint64_t ticks_of_host(void)
{
    uint64_t khz = config_get()->soc->ticks_khz, ns;
    struct timespec now;
    int64_t shown;

    clock_gettime(CLOCK_MONOTONIC, &now);
    shown = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    shown += condition_clock_ns(shown);
    ns = shown > 0 ? (uint64_t)shown : 0;
    return ns / 1000000000 * khz * 1000 + ns % 1000000000 * khz / 1000000;
}

static uint64_t now_of(const struct card *card)
{
    uint64_t ticks = ticks_of_host();

    return ticks > card->floor ? ticks : card->floor;
}

static uint64_t ticks_of_ns(uint64_t ns)
{
    return ns * config_get()->soc->ticks_khz / 1000000;
}

static uint64_t ticks_of_cycles(const struct run *run, uint64_t cycles)
{
    uint64_t mhz_1000 = (uint64_t)run->mhz * 1000;

    return (cycles * run->soc->ticks_khz + mhz_1000 - 1) / mhz_1000;
}

static const struct soc *soc_of(uint32_t card)
{
    return card < config_get()->cards ? config_get()->card[card].soc
                                      : config_get()->soc;
}

/* A neighbour keeps its share of the cache for itself, from the first use on. */
static struct l2 *l2_of(uint32_t index)
{
    struct card *card = &cards[index];
    double ours = 1.0 - condition_of(index).neighbour;

    if (!card->l2)
        card->l2 = l2_create((uint64_t)((double)npu_sim_card_l2_bytes(index) * ours));
    return card->l2;
}

uint32_t npu_sim_card_count(void)
{
    return config_get()->cards;
}

const char *npu_sim_card_soc(uint32_t card)
{
    return soc_of(card)->name;
}

uint32_t npu_sim_card_cores(uint32_t card)
{
    return soc_of(card)->cores;
}

uint32_t npu_sim_card_vectors(uint32_t card)
{
    return soc_of(card)->cores * soc_of(card)->vectors;
}

uint32_t npu_sim_card_dies(uint32_t card)
{
    return soc_of(card)->dies;
}

uint64_t npu_sim_card_l2_bytes(uint32_t card)
{
    return (uint64_t)soc_of(card)->l2_mib << 20;
}

uint64_t npu_sim_card_ticks(uint32_t index)
{
    struct card *card = &cards[index];
    uint64_t ticks;

    pthread_mutex_lock(&card->mutex);
    ticks = card->floor = now_of(card);
    pthread_mutex_unlock(&card->mutex);
    return ticks;
}

uint64_t npu_sim_ticks_to_ns(uint64_t ticks)
{
    uint64_t khz = config_get()->soc->ticks_khz;

    return ticks / khz * 1000000 + ticks % khz * 1000000 / khz;
}

static uint32_t next_unit(const struct run *run)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < run->units; i++)
        if (run->unit_free[i] < run->unit_free[best])
            best = i;
    return best;
}

static void
emit(struct run *run, const struct pmu_place *place, struct counters *counted)
{
    struct card *card = &cards[run->card];
    uint32_t lose = config_get()->card[run->card].lose_pmu_every;
    uint8_t record[RECORD_PMU_SIZE];

    if (!run->pmu || !record_wants(&run->setup, place->kind, place->core))
        return;
    if (record_wants_tasks(&run->setup, place->kind)) {
        model_add(&run->of[place->kind], counted);
        if (place->end > run->kind_end[place->kind])
            run->kind_end[place->kind] = place->end;
    }
    if (!run->setup.blocks[place->kind])
        return;
    if (lose && ++card->records % lose == 0) {
        channel_note_loss(run->card, CHANNEL_FFTS_PROFILE_TASK);
        return;
    }
    record_pmu(record, &run->setup, run->launch, place, counted);
    channel_write(run->card, CHANNEL_FFTS_PROFILE_TASK, record, sizeof(record));
}

/* One core of a block; returns the tick at which it ends. */
static uint64_t run_core(struct run *run,
                         struct pmu_place place,
                         uint64_t from,
                         struct counters *counted)
{
    uint64_t ticks = ticks_of_cycles(run, counted->value[COUNTER_TOTAL]);

    place.start = run->first_block + from;
    place.end = place.start + ticks;
    place.task_kind = run->kind;
    if (soc_is_split(run->soc))
        emit(run, &place, counted);
    else
        model_add(&run->sum, counted);
    return from + ticks;
}

static const struct npu_sim_block_cost no_cost;

static uint64_t run_block(struct run *run, uint32_t block)
{
    static const enum core_kind kinds[3] = {CORE_AIC, CORE_AIV, CORE_AIV};
    const struct npu_sim_kernel *info = run->launch->info;
    bool mix = run->kind == NPU_SIM_MIX;
    uint32_t unit = next_unit(run);
    uint64_t from = run->unit_free[unit], end = from;
    int first = run->kind == NPU_SIM_VECTOR ? 1 : 0;
    int last = mix ? 2 : first;
    const struct npu_sim_block_cost *cost = &no_cost;
    struct npu_sim_block_cost told;
    struct counters counted[3];

    if (info && info->cost) {
        memset(&told, 0, sizeof(told));
        info->cost(block, run->launch->blocks, run->launch->args,
                   run->launch->args_size, &told);
        cost = &told;
    }
    for (int i = first; i <= last; i++)
        model_core(&run->model, kinds[i], i == 0 ? &cost->cube : &cost->vector[i - 1],
                   (uint64_t)block * 3 + (uint64_t)i, &counted[i]);
    if (mix)
        model_pair(&counted[0], &counted[1], 2);
    for (int i = first; i <= last; i++) {
        struct pmu_place place = {
            .kind = kinds[i],
            .block = (uint16_t)block,
            .sub_block = i == 2,
            .core = i == 0 || !mix ? unit : unit * 2 + (uint32_t)(i - 1),
        };
        uint64_t core_end = run_core(run, place, from, &counted[i]);

        if (run->launch->spans)
            run->launch->spans[block * 3 + (uint32_t)(mix ? i : 0)] =
                (struct card_span){run->first_block + from, run->first_block + core_end,
                                   place.core};
        if (core_end > end)
            end = core_end;
    }
    run->unit_free[unit] = end;
    return end;
}

static double unit_of(uint64_t hash)
{
    return (double)(hash >> 11) / 0x1p53;
}

/* No two cards are alike, and no two launches on one: up to 0.6 % by the card, up to
 * 1.2 % by the launch. */
static double luck(uint32_t card, uint64_t launch_seed)
{
    const uint64_t of_cards = 0x636172647331, of_launches = 0x6c61756e6368;

    return 1.0 + 0.006 * unit_of(model_hash(of_cards, card)) +
           0.012 * unit_of(model_hash(launch_seed, of_launches));
}

static void prepare(struct run *run, uint32_t index, const struct card_launch *launch)
{
    const struct config *config = config_get();
    struct condition now = condition_of(index);
    uint64_t name = 0;

    memset(run, 0, sizeof(*run));
    run->card = index;
    run->launch = launch;
    run->soc = config->card[index].soc;
    run->mhz = now.mhz;
    run->kind = launch->info ? launch->info->kind : NPU_SIM_VECTOR;
    run->units = run->soc->cores;
    if (run->kind == NPU_SIM_VECTOR && soc_is_split(run->soc))
        run->units *= run->soc->vectors;
    for (const char *c = launch->kernel; *c; c++)
        name = model_hash(name, (uint8_t)*c);
    run->model.soc = run->soc;
    run->model.l2 = cards[index].l2;
    run->model.memory_share = 1.0 - now.neighbour;
    run->model.active_cores = launch->blocks < run->units ? launch->blocks : run->units;
    run->model.seed =
        model_hash(model_hash(config->seed, index), model_hash(name, launch->number));
    run->model.slow = now.slow * luck(index, run->model.seed);
    run->pmu = record_setup(&run->setup, run->soc, index);
    run->model.only_totals = !run->pmu && soc_is_split(run->soc);
}

static void log_task(const struct run *run, bool is_end, uint64_t ticks)
{
    uint8_t record[RECORD_LOG_SIZE];
    uint32_t id;

    if (!record_log_channel(run->soc, run->card, &id))
        return;
    channel_write(run->card, id, record,
                  record_log(record, run->soc, run->launch, is_end, ticks));
}

/* One record a session, for the first launch that has work to do. */
static void log_l2(struct run *run, uint64_t evicted)
{
    struct card *card = &cards[run->card];
    uint8_t record[RECORD_L2_SIZE];
    prof_l2_config_t config;
    uint64_t session;

    if (!run->launch->info || !run->launch->info->cost ||
        !channel_config(run->card, CHANNEL_TSFW_L2, &config, sizeof(config),
                        &session) ||
        session == card->l2_session)
        return;
    card->l2_session = session;
    record_l2(record, run->soc, &config, evicted, &run->sum);
    channel_write(run->card, CHANNEL_TSFW_L2, record, sizeof(record));
}

/* Behind the blocks, a record for each kind of core that ran some. */
static void emit_tasks(const struct run *run)
{
    uint8_t record[RECORD_PMU_SIZE];

    for (int kind = CORE_AIC; run->pmu && kind <= CORE_AIV; kind++) {
        struct pmu_place place = {.kind = (enum core_kind)kind,
                                  .task_kind = run->kind,
                                  .start = run->first_block,
                                  .end = run->kind_end[kind]};

        if (place.end == 0)
            continue;
        record_task(record, &run->setup, run->launch, &place, &run->of[kind]);
        channel_write(run->card, CHANNEL_FFTS_PROFILE_TASK, record, sizeof(record));
    }
}

static void emit_sum(struct run *run)
{
    uint8_t record[RECORD_PMU_SIZE];

    if (soc_is_split(run->soc) || !run->pmu)
        return;
    record_pmu_of_one_core(record, &run->setup, &run->sum);
    channel_write(run->card, CHANNEL_AICORE, record, sizeof(record));
}

uint64_t npu_sim_card_run(uint32_t index, const struct card_launch *launch)
{
    struct card *card = &cards[index];
    uint64_t start, longest = 0, evicted, end;
    struct run run;

    pthread_mutex_lock(&card->mutex);
    if (!l2_of(index)) { /* no memory for the model: the work itself is not harmed */
        pthread_mutex_unlock(&card->mutex);
        return 0;
    }
    prepare(&run, index, launch);
    start = now_of(card);
    evicted = l2_evicted_lines(card->l2);
    run.first_block = start + ticks_of_ns(HEAD_NS);
    log_task(&run, false, start);
    for (uint32_t block = 0; block < launch->blocks; block++) {
        uint64_t ended = run_block(&run, block);

        if (ended > longest)
            longest = ended;
    }
    end = run.first_block + longest + ticks_of_ns(TAIL_NS);
    log_task(&run, true, end);
    emit_tasks(&run);
    emit_sum(&run);
    log_l2(&run, l2_evicted_lines(card->l2) - evicted);
    card->floor = end;
    pthread_mutex_unlock(&card->mutex);
    usage_launch(index, npu_sim_ticks_to_ns(end - start));
    return end - start;
}

void npu_sim_card_log(uint32_t index,
                      uint16_t stream,
                      uint16_t task,
                      enum card_task_kind kind,
                      bool is_end,
                      uint64_t ns)
{
    const struct soc *soc = config_get()->soc;
    struct card_launch launch = {.stream = stream, .task = task, .task_kind = kind};
    struct card *card = &cards[index];
    uint8_t record[RECORD_LOG_SIZE];
    uint32_t id;

    pthread_mutex_lock(&card->mutex);
    card->floor = now_of(card) + ticks_of_ns(ns);
    /* the 310P's log does not tell kinds: there it holds kernels only */
    if ((kind == CARD_TASK_KERNEL || soc_is_split(soc)) &&
        record_log_channel(soc, index, &id)) {
        channel_write(index, id, record,
                      record_log(record, soc, &launch, is_end, card->floor));
    }
    pthread_mutex_unlock(&card->mutex);
}

static void touch(struct l2 *l2, const void *address, uint64_t bytes)
{
    struct card_memory memory;

    if (address && npu_sim_memory_find(address, &memory))
        l2_touch(l2, memory.serial, (uintptr_t)address - memory.base, bytes);
}

void npu_sim_card_copy(uint32_t index, const void *from, const void *to, uint64_t bytes)
{
    struct card *card = &cards[index];
    /* a copy moves at half of the memory's bandwidth: it reads and writes */
    uint64_t ns = 800 + bytes * 2 / soc_of(index)->memory_gbs;

    pthread_mutex_lock(&card->mutex);
    if (l2_of(index)) {
        touch(card->l2, from, bytes);
        touch(card->l2, to, bytes);
    }
    card->floor = now_of(card) + ticks_of_ns(ns);
    pthread_mutex_unlock(&card->mutex);
}

void npu_sim_card_prefetch(uint32_t index, const void *address, uint64_t bytes)
{
    npu_sim_card_copy(index, address, NULL, bytes);
}

void npu_sim_card_invalidate(uint32_t index, const void *address, uint64_t bytes)
{
    struct card *card = &cards[index];
    struct card_memory memory;

    pthread_mutex_lock(&card->mutex);
    if (card->l2 && npu_sim_memory_find(address, &memory))
        l2_drop(card->l2, memory.serial, (uintptr_t)address - memory.base, bytes);
    pthread_mutex_unlock(&card->mutex);
}
