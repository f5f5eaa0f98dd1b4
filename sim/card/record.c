#include "sim/card/record.h"

#include <string.h>

#include "sim/card/channel.h"
#include "sim/fleet/soc.h"

#define MARK              0x6BD3
#define FUNCTION_SUB_TASK 0x28
#define FUNCTION_BLOCK    0x29
#define FUNCTION_TASK     0x2A
#define FLAG_MIX          2
#define A5_AI_CPU         4
#define ON                1
#define EVENT_EVICTED     0x9C /* A2, A3: lines that the L2 evicted */

static void put16(uint8_t *out, uint64_t value)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *out, uint64_t value)
{
    put16(out, value);
    put16(out + 2, value >> 16);
}

static void put64(uint8_t *out, uint64_t value)
{
    put32(out, value);
    put32(out + 4, value >> 32);
}

static void setup_events(struct pmu_setup *setup,
                         enum core_kind kind,
                         uint32_t count,
                         const uint16_t *events)
{
    for (uint32_t i = 0; i < PMU_SLOTS_A5; i++)
        setup->view[kind][i] = i < count
                                   ? counter_of_event(setup->chip, kind, events[i])
                                   : (struct counter_view){COUNTER_NONE, 1, 1};
}

static void setup_kind(struct pmu_setup *setup,
                       enum core_kind kind,
                       uint32_t type,
                       uint32_t core_mask)
{
    setup->blocks[kind] = type & PROF_FFTS_BLOCK;
    setup->tasks[kind] =
        type & (setup->chip == CHIP_A5 ? PROF_FFTS_TASK : PROF_FFTS_SUB_TASK);
    setup->core_mask[kind] = core_mask;
}

static bool setup_split(struct pmu_setup *setup, uint32_t card)
{
    prof_ffts_config_t config;
    uint64_t session;

    if (!channel_config(card, CHANNEL_FFTS_PROFILE_TASK, &config, sizeof(config),
                        &session))
        return false;
    setup->mode = config.cfg_mode;
    setup->partial = config.aic_scale == 1;
    for (int kind = CORE_AIC; kind <= CORE_AIV; kind++) {
        const prof_ffts_core_config_t *core = &config.core[kind];

        setup_kind(setup, (enum core_kind)kind, core->type, core->core_mask);
        setup_events(setup, (enum core_kind)kind,
                     core->event_num < PMU_SLOTS ? core->event_num : PMU_SLOTS,
                     core->event);
    }
    return true;
}

static bool setup_a5(struct pmu_setup *setup, uint32_t card)
{
    prof_ffts_config_a5_t config;
    uint64_t session;

    if (!channel_config(card, CHANNEL_FFTS_PROFILE_TASK, &config, sizeof(config),
                        &session))
        return false;
    setup->mode = config.cfg_mode;
    setup->partial = config.aic_scale == 1;
    for (int kind = CORE_AIC; kind <= CORE_AIV; kind++) {
        const prof_ffts_core_config_a5_t *core = &config.core[kind];

        setup_kind(setup, (enum core_kind)kind, core->type, core->core_mask);
        setup_events(setup, (enum core_kind)kind,
                     core->event_num < PMU_SLOTS_A5 ? core->event_num : PMU_SLOTS_A5,
                     core->event);
    }
    return true;
}

static bool setup_one_core(struct pmu_setup *setup, uint32_t card)
{
    prof_aicore_config_t config;
    uint16_t events[PMU_SLOTS];
    uint64_t session;

    if (!channel_config(card, CHANNEL_AICORE, &config, sizeof(config), &session))
        return false;
    for (int i = 0; i < PMU_SLOTS; i++)
        events[i] = config.event[i] <= UINT16_MAX ? (uint16_t)config.event[i] : 0;
    setup_events(setup, CORE_AIC,
                 config.event_num < PMU_SLOTS ? config.event_num : PMU_SLOTS, events);
    return true;
}

bool record_setup(struct pmu_setup *setup, const struct soc *soc, uint32_t card)
{
    memset(setup, 0, sizeof(*setup));
    setup->chip = soc->chip;
    switch (soc->chip) {
    case CHIP_A5:
        return setup_a5(setup, card);
    case CHIP_310P:
        return setup_one_core(setup, card);
    default:
        return setup_split(setup, card);
    }
}

bool record_wants(const struct pmu_setup *setup, enum core_kind kind, uint32_t core)
{
    uint32_t unit =
        kind == CORE_AIC ? core : core / 2; /* the mask has one bit per AI Core */

    return (setup->mode & (kind == CORE_AIC ? 1u : 2u)) &&
           (setup->core_mask[kind] >> unit % 32 & 1);
}

bool record_wants_tasks(const struct pmu_setup *setup, enum core_kind kind)
{
    return (setup->mode & (kind == CORE_AIC ? 1u : 2u)) && setup->tasks[kind];
}

bool record_log_channel(const struct soc *soc, uint32_t card, uint32_t *id)
{
    prof_stars_log_config_t config;
    uint64_t session;

    *id = soc_is_split(soc) ? CHANNEL_STARS_SOC_LOG : CHANNEL_HWTS_LOG;
    if (!channel_config(card, *id, &config, sizeof(config), &session))
        return false;
    return !soc_is_split(soc) || config.acsq_task == ON ||
           config.ffts_context_task == ON;
}

static uint8_t context_type(enum npu_sim_kind kind)
{
    return kind == NPU_SIM_CUBE ? 0 : kind == NPU_SIM_VECTOR ? 1 : 6;
}

static unsigned schedule_type(enum npu_sim_kind kind)
{
    return kind == NPU_SIM_CUBE ? 0 : kind == NPU_SIM_VECTOR ? 4 : 5;
}

static void put_slots(uint8_t *out,
                      const struct pmu_setup *setup,
                      enum core_kind kind,
                      int count,
                      const struct counters *counters)
{
    for (int i = 0; i < count; i++)
        put64(out + 8 * i, counter_value(counters, setup->view[kind][i]));
}

static void put_head(uint8_t *out,
                     unsigned function,
                     const struct card_launch *launch,
                     const struct pmu_place *place)
{
    memset(out, 0, RECORD_PMU_SIZE);
    put16(out, function);
    put16(out + 2, MARK);
    put16(out + 4, launch->stream);
    put16(out + 6, launch->task);
    out[16] = context_type(place->task_kind);
    put64(out + 112, place->start);
    put64(out + 120, place->end);
}

static void put_counters(uint8_t *out,
                         const struct pmu_setup *setup,
                         const struct pmu_place *place,
                         const struct counters *counters)
{
    if (setup->chip == CHIP_A5) {
        put64(out + 8, counters->value[COUNTER_TOTAL]);
        out[17] = (uint8_t)(place->task_kind == NPU_SIM_MIX ? FLAG_MIX : 0);
        put_slots(out + 32, setup, place->kind, PMU_SLOTS_A5, counters);
    } else {
        put64(out + 32, counters->value[COUNTER_TOTAL]);
        put_slots(out + 48, setup, place->kind, PMU_SLOTS, counters);
    }
}

void record_pmu(uint8_t *out,
                const struct pmu_setup *setup,
                const struct card_launch *launch,
                const struct pmu_place *place,
                const struct counters *counters)
{
    put_head(out, FUNCTION_BLOCK, launch, place);
    put_counters(out, setup, place, counters);
    if (setup->chip == CHIP_A5) {
        put16(out + 20, (unsigned)place->kind | (place->core & 0xFF) << 8);
        put16(out + 24, place->sub_block);
        put16(out + 26, place->block);
    } else {
        put16(out + 20, (unsigned)place->kind | (place->core & 0x7F) << 1 |
                            schedule_type(place->task_kind) << 13);
        put16(out + 28, place->sub_block);
        put16(out + 30, place->block);
    }
}

/* The position of the core kind in this record is not documented; parsers skip it. */
void record_task(uint8_t *out,
                 const struct pmu_setup *setup,
                 const struct card_launch *launch,
                 const struct pmu_place *place,
                 const struct counters *sum)
{
    put_head(out, setup->chip == CHIP_A5 ? FUNCTION_TASK : FUNCTION_SUB_TASK, launch,
             place);
    put_counters(out, setup, place, sum);
}

void record_pmu_of_one_core(uint8_t *out,
                            const struct pmu_setup *setup,
                            const struct counters *counters)
{
    memset(out, 0, RECORD_PMU_SIZE);
    put64(out + 16, counters->value[COUNTER_TOTAL]);
    put_slots(out + 32, setup, CORE_AIC, PMU_SLOTS, counters);
}

/* On A2 and A3 every kernel is logged as type 0, for every kind of core. The 950 has a
 * type per kind of core, and another number for the AI CPU. */
static unsigned task_type(const struct soc *soc, const struct card_launch *launch)
{
    enum npu_sim_kind kind = launch->info ? launch->info->kind : NPU_SIM_VECTOR;

    if (soc->chip != CHIP_A5)
        return launch->task_kind;
    if (launch->task_kind == CARD_TASK_AI_CPU)
        return A5_AI_CPU;
    if (launch->task_kind != CARD_TASK_KERNEL)
        return launch->task_kind;
    return kind == NPU_SIM_CUBE ? 0 : kind == NPU_SIM_VECTOR ? 1 : 2;
}

size_t record_log(uint8_t *out,
                  const struct soc *soc,
                  const struct card_launch *launch,
                  bool is_end,
                  uint64_t ticks)
{
    memset(out, 0, RECORD_LOG_SIZE);
    put16(out + 2, MARK);
    put64(out + 8, ticks);
    if (soc_is_split(soc)) {
        put16(out, task_type(soc, launch) << 10 | is_end);
        put16(out + 4, launch->stream);
        put16(out + 6, launch->task);
    } else {
        out[0] = is_end;
        put16(out + 6, launch->task);
        put32(out + 16, launch->stream);
    }
    return soc->chip == CHIP_A5 ? RECORD_LOG_SIZE / 2 : RECORD_LOG_SIZE;
}

/* Events of the 310P: 106 hits, 120 read requests, 121 write requests; the profiler
 * computes the hit rate as 106 / (120 + 121). */
static uint64_t l2_of_one_core(uint32_t event, const struct counters *sum)
{
    const uint64_t *v = sum->value;

    switch (event) {
    case 106:
        return v[COUNTER_WRITE_HITS] + v[COUNTER_READ0_HITS] + v[COUNTER_READ1_HITS];
    case 120:
        return v[COUNTER_READ_REQUESTS];
    case 121:
        return v[COUNTER_WRITE_REQUESTS];
    default:
        return 0;
    }
}

void record_l2(uint8_t *out,
               const struct soc *soc,
               const prof_l2_config_t *config,
               uint64_t evicted_lines,
               const struct counters *sum)
{
    memset(out, 0, RECORD_L2_SIZE);
    for (uint32_t i = 0; i < config->event_num && i < PMU_SLOTS; i++) {
        uint64_t value = 0;

        if (!soc_is_split(soc))
            value = l2_of_one_core(config->event[i], sum);
        else if (config->event[i] == EVENT_EVICTED)
            value = evicted_lines;
        put64(out + 8 + 8 * i, value);
    }
}
