/* timing.c - times a launch with the model and writes the profiling records that a card
 * would send */
#include <ascend_hal.h>
#include <stdlib.h>
#include <string.h>

#include "sim/card/card.h"
#include "sim/card/card_internal.h"
#include "sim/card/channel.h"
#include "sim/card/l2.h"
#include "sim/card/ledger.h"
#include "sim/card/model.h"
#include "sim/card/record.h"
#include "sim/card/usage.h"
#include "sim/fleet/condition.h"
#include "sim/fleet/config.h"
#include "sim/fleet/noise.h"
#include "sim/fleet/soc.h"

#define HEAD_NS   600 /* nanoseconds from the start of a task to its first block */
#define TAIL_NS   400
#define MEET_NS   3000 /* nanoseconds until the other half of a fused operator starts */
#define UNITS_MAX 64

/* a core's record that is kept until the wait time of the core is known */
struct held {
    struct pmu_place place;
    struct counters counted;
};

/* a launch that is being timed */
struct card_run {
    uint32_t card;
    const struct card_launch *launch;
    const struct soc *soc;
    struct model model;
    enum npu_sim_kind kind;
    uint32_t units;
    uint32_t mhz; /* current clock */
    uint64_t
        unit_free[UNITS_MAX]; /* ticks after first_block at which a core becomes free */
    uint64_t first_block;     /* ticks */
    bool pmu;
    struct pmu_setup setup;
    struct counters sum;   /* over all blocks, for chips with one record per launch */
    struct counters of[2]; /* by kind of core, for records of whole tasks */
    uint64_t kind_end[2];
    uint64_t start, end;         /* ticks; the end excludes waits */
    struct card_placing placing; /* all 0: not placed */
    uint64_t evicted;            /* lines that the L2 had evicted before the launch */
    struct held *held;           /* NULL: records are written immediately */
    uint32_t held_count;
    struct card_run *next;
};

static uint64_t ticks_of_cycles(const struct card_run *run, uint64_t cycles)
{
    uint64_t mhz_1000 = (uint64_t)run->mhz * 1000;

    return (cycles * run->soc->ticks_khz + mhz_1000 - 1) / mhz_1000;
}

static uint32_t next_unit(const struct card_run *run)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < run->units; i++)
        if (run->unit_free[i] < run->unit_free[best])
            best = i;
    return best;
}

static void
emit(struct card_run *run, const struct pmu_place *place, struct counters *counted)
{
    struct card *card = card_of(run->card);
    uint32_t lose = config_get()->card[run->card].lose_pmu_every;
    uint8_t record[RECORD_PMU_SIZE];

    if (!run->pmu || !record_wants(&run->setup, place->kind, place->core))
        return;
    if (run->held) {
        run->held[run->held_count++] = (struct held){*place, *counted};
        return;
    }
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
    ledger_core(run->card, run->soc->chip, run->launch, place, counted);
    record_pmu(record, &run->setup, run->launch, place, counted);
    channel_write(run->card, CHANNEL_FFTS_PROFILE_TASK, record, sizeof(record));
}

/* Runs one core of a block for these cycles. Returns the tick, relative to first_block,
 * at which it ends. */
static uint64_t run_core(struct card_run *run,
                         struct pmu_place place,
                         uint64_t from,
                         uint64_t cycles,
                         struct counters *counted)
{
    uint64_t ticks = ticks_of_cycles(run, cycles);

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

static const enum core_kind kinds[3] = {CORE_AIC, CORE_AIV, CORE_AIV};

/* Counts the marked part of a block. Call it before the whole block is counted, which
 * loads the L2. */
static void count_part(const struct card_run *run,
                       uint32_t block,
                       int first,
                       int last,
                       struct counters part[3])
{
    const struct card_launch *launch = run->launch;
    struct npu_sim_block_cost cost = {0};
    struct model model = run->model;

    memset(part, 0, 3 * sizeof(part[0]));
    if (!launch->counted)
        return;
    model.is_part = true;
    launch->counted(block, launch->blocks, launch->args, launch->args_size, &cost);
    for (int i = first; i <= last; i++)
        model_core(&model, kinds[i], i == 0 ? &cost.cube : &cost.vector[i - 1],
                   (uint64_t)block * 3 + (uint64_t)i, &part[i]);
}

static uint64_t run_block(struct card_run *run, uint32_t block)
{
    const struct npu_sim_kernel *info = run->launch->info;
    bool mix = run->kind == NPU_SIM_MIX;
    uint32_t unit = next_unit(run);
    uint64_t from = run->unit_free[unit], end = from;
    int first = run->kind == NPU_SIM_VECTOR ? 1 : 0;
    int last = mix ? 2 : first;
    const struct npu_sim_block_cost *cost = &no_cost;
    struct npu_sim_block_cost declared;
    struct counters counted[3], part[3];
    bool partial = run->pmu && run->setup.partial;

    if (info && info->cost) {
        memset(&declared, 0, sizeof(declared));
        info->cost(block, run->launch->blocks, run->launch->args,
                   run->launch->args_size, &declared);
        cost = &declared;
    }
    if (partial)
        count_part(run, block, first, last, part);
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
        uint64_t core_end = run_core(run, place, from, counted[i].value[COUNTER_TOTAL],
                                     partial ? &part[i] : &counted[i]);

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

/* Returns the random factor on the cycles of a launch: up to 0.6 % that depends on the
 * card, and up to 1.2 % that depends on the launch. */
static double speed_variation(uint32_t card, uint64_t launch_seed)
{
    const uint64_t of_cards = 0x636172647331, of_launches = 0x6c61756e6368;

    return 1.0 + npu_sim_noise_of(0.006, model_hash(of_cards, card)) +
           npu_sim_noise_of(0.012, model_hash(launch_seed, of_launches));
}

static void
prepare(struct card_run *run, uint32_t index, const struct card_launch *launch)
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
    run->model.mhz = run->mhz;
    run->model.speed = soc_speed(run->soc, config->card[index].hbm_maker);
    run->model.memory_share = 1.0 - now.neighbour;
    run->model.active_cores = launch->blocks < run->units ? launch->blocks : run->units;
    run->model.seed =
        model_hash(model_hash(config->seed, index), model_hash(name, launch->number));
    run->model.noise = config->noise;
    run->model.slow = now.slow * speed_variation(index, run->model.seed);
    run->pmu = record_setup(&run->setup, run->soc, index);
    run->model.only_totals = !run->pmu && soc_is_split(run->soc);
}

static void log_task(const struct card_run *run, bool is_end, uint64_t ticks)
{
    uint8_t record[RECORD_LOG_SIZE];
    uint32_t id;

    if (!record_log_channel(run->soc, run->card, &id))
        return;
    ledger_task(run->card, run->launch, is_end, ticks);
    channel_write(run->card, id, record,
                  record_log(record, run->soc, run->launch, is_end, ticks));
}

/* Writes one record per profiling session, for the first launch that declares work. */
static void log_l2(struct card_run *run, uint64_t evicted)
{
    struct card *card = card_of(run->card);
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

/* Writes, after the records of blocks, one record for each kind of core that was used.
 */
static void emit_tasks(const struct card_run *run)
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

static void emit_sum(struct card_run *run)
{
    uint8_t record[RECORD_PMU_SIZE];

    if (soc_is_split(run->soc) || !run->pmu)
        return;
    ledger_core(run->card, run->soc->chip, run->launch,
                &(struct pmu_place){.kind = CORE_AIC}, &run->sum);
    record_pmu_of_one_core(record, &run->setup, &run->sum);
    channel_write(run->card, CHANNEL_AICORE, record, sizeof(record));
}

/* Times all blocks. The caller holds the mutex. Returns false without memory for the L2
 * model; the launch itself still runs. */
static bool time_blocks(struct card_run *run, uint64_t delay_ns)
{
    struct card *card = card_of(run->card);
    uint64_t longest = 0;

    run->model.l2 = card_l2(run->card);
    if (!run->model.l2)
        return false;
    run->start = run->launch->ready;
    if (card->busy_until > run->start)
        run->start = card->busy_until;
    run->start += npu_sim_ticks_of_ns(delay_ns);
    run->evicted = l2_evicted_lines(card->l2);
    run->first_block = run->start + npu_sim_ticks_of_ns(HEAD_NS);
    for (uint32_t block = 0; block < run->launch->blocks; block++) {
        uint64_t ended = run_block(run, block);

        if (ended > longest)
            longest = ended;
    }
    run->end = run->first_block + longest + npu_sim_ticks_of_ns(TAIL_NS);
    return true;
}

/* Writes the records of a launch whose times are known. The caller holds the mutex. */
static struct card_span end_launch(struct card_run *run)
{
    struct card *card = card_of(run->card);

    log_task(run, false, run->start);
    log_task(run, true, run->end);
    emit_tasks(run);
    emit_sum(run);
    log_l2(run, l2_evicted_lines(card->l2) - run->evicted);
    if (run->end > card->floor)
        card->floor = run->end;
    if (run->end > card->busy_until)
        card->busy_until = run->end;
    return (struct card_span){.start = run->start, .end = run->end};
}

struct card_span npu_sim_card_run(uint32_t index, const struct card_launch *launch)
{
    struct card *card = card_of(index);
    struct card_span span = {.start = launch->ready, .end = launch->ready};
    struct card_run run;

    pthread_mutex_lock(&card->mutex);
    prepare(&run, index, launch);
    if (time_blocks(&run, 0))
        span = end_launch(&run);
    pthread_mutex_unlock(&card->mutex);
    usage_launch(index, npu_sim_ticks_to_ns(span.end - span.start));
    return span;
}

struct card_run *npu_sim_card_begin(uint32_t index, const struct card_launch *launch)
{
    struct card *card = card_of(index);
    struct card_run *run = malloc(sizeof(*run));
    struct held *held = calloc((size_t)launch->blocks * 3, sizeof(*held));
    bool timed = false;

    if (run && held) {
        pthread_mutex_lock(&card->mutex);
        prepare(run, index, launch);
        run->held = held;
        timed = time_blocks(run, MEET_NS);
        if (timed) {
            run->next = card->waiting;
            card->waiting = run;
        }
        pthread_mutex_unlock(&card->mutex);
    }
    if (timed)
        return run;
    free(held);
    free(run);
    return NULL;
}

/* Adds the wait to the blocks and to the launch, then writes the kept records. */
static void write_held(struct card_run *run, uint64_t wait)
{
    struct held *held = run->held;
    uint64_t cycles = wait * run->mhz * 1000 / run->soc->ticks_khz;

    run->held = NULL;
    for (uint32_t i = 0; i < run->held_count; i++) {
        held[i].place.end += wait;
        if (!run->setup.partial) /* the marked part does not wait */
            held[i].counted.value[COUNTER_TOTAL] += cycles;
        emit(run, &held[i].place, &held[i].counted);
    }
    run->sum.value[COUNTER_TOTAL] += cycles;
    run->end += wait;
    free(held);
}

/* Moves the launch and its kept records. */
static void move_run(struct card_run *run, uint64_t ticks)
{
    run->start += ticks;
    run->first_block += ticks;
    run->end += ticks;
    for (uint32_t i = 0; i < run->held_count; i++) {
        run->held[i].place.start += ticks;
        run->held[i].place.end += ticks;
    }
}

/* Applies the times that the launch got when its peers were known. */
static void place_run(struct card_run *run, struct card_done *done)
{
    const struct card_placing *placing = &run->placing;
    uint64_t computed;

    done->anchor = placing->anchor;
    done->anchor_ns = placing->anchor_ns;
    done->slip = placing->slip;
    if (placing->from > run->first_block) {
        done->moved = placing->from - run->first_block;
        move_run(run, done->moved);
    }
    computed = run->end - npu_sim_ticks_of_ns(TAIL_NS);
    done->waited = placing->until > computed ? placing->until - computed : 0;
}

struct card_done npu_sim_card_finish(struct card_run *run)
{
    struct card *card = card_of(run->card);
    struct card_run **at = &card->waiting;
    struct card_done done = {.anchor = run->launch->anchor,
                             .anchor_ns = run->launch->anchor_ns};
    uint32_t index = run->card;

    pthread_mutex_lock(&card->mutex);
    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
    if (run->placing.until)
        place_run(run, &done);
    write_held(run, done.waited);
    done.span = end_launch(run);
    pthread_mutex_unlock(&card->mutex);
    free(run);
    usage_launch(index, npu_sim_ticks_to_ns(done.span.end - done.span.start));
    return done;
}

/* Finds a launch by the first word of its arguments. The caller holds the mutex. */
static struct card_run *find_waiting(const struct card *card, uint64_t word)
{
    struct card_run *run = card->waiting;

    while (run && (run->launch->args_size < sizeof(word) ||
                   memcmp(run->launch->args, &word, sizeof(word)) != 0))
        run = run->next;
    return run;
}

bool npu_sim_card_waiting(uint32_t index, uint64_t word, struct card_work *out)
{
    struct card *card = card_of(index);
    struct card_run *run;

    pthread_mutex_lock(&card->mutex);
    run = find_waiting(card, word);
    if (run)
        *out = (struct card_work){
            .anchor = run->launch->anchor,
            .anchor_ns = run->launch->anchor_ns,
            .first_block = run->first_block,
            .computes = run->end - npu_sim_ticks_of_ns(TAIL_NS) - run->first_block,
            .placing = run->placing,
        };
    pthread_mutex_unlock(&card->mutex);
    return run != NULL;
}

void npu_sim_card_settle(uint32_t index,
                         uint64_t word,
                         const struct card_placing *placing)
{
    struct card *card = card_of(index);
    struct card_run *run;

    pthread_mutex_lock(&card->mutex);
    run = find_waiting(card, word);
    if (run)
        run->placing = *placing;
    pthread_mutex_unlock(&card->mutex);
}
