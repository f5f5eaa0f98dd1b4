#include "sim/card/record.h"

#include <string.h>

#include "sim/card/channel.h"
#include "sim/card/soc.h"

#define MARK           0x6BD3
#define FUNCTION_BLOCK 0x29
#define ON             1
#define EVENT_EVICTED  0x9C /* A2, A3: lines that left the L2 */

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
                         bool split,
                         enum core_kind kind,
                         uint32_t count,
                         const uint32_t *events)
{
    for (uint32_t i = 0; i < count && i < PMU_SLOTS; i++)
        setup->counter[kind][i] = (uint8_t)counter_of_event(split, kind, events[i]);
}

static bool setup_split(struct pmu_setup *setup, uint32_t card)
{
    prof_ffts_config_t config;
    uint64_t session;

    if (!channel_config(card, CHANNEL_FFTS_PROFILE_TASK, &config, sizeof(config),
                        &session))
        return false;
    setup->mode = config.cfg_mode;
    for (int kind = CORE_AIC; kind <= CORE_AIV; kind++) {
        const prof_ffts_core_config_t *core = &config.core[kind];
        uint32_t events[PMU_SLOTS];

        for (int i = 0; i < PMU_SLOTS; i++)
            events[i] = core->event[i];
        setup->blocks[kind] = core->type & 4;
        setup_events(setup, true, (enum core_kind)kind, core->event_num, events);
    }
    return true;
}

bool record_setup(struct pmu_setup *setup, const struct soc *soc, uint32_t card)
{
    prof_aicore_config_t config;
    uint64_t session;

    memset(setup, 0, sizeof(*setup));
    if (soc_is_split(soc))
        return setup_split(setup, card);
    if (!channel_config(card, CHANNEL_AICORE, &config, sizeof(config), &session))
        return false;
    setup_events(setup, false, CORE_AIC, config.event_num, config.event);
    return true;
}

bool record_wants(const struct pmu_setup *setup, enum core_kind kind)
{
    return (setup->mode & (kind == CORE_AIC ? 1u : 2u)) && setup->blocks[kind];
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

void record_pmu(uint8_t *out,
                const struct pmu_setup *setup,
                const struct card_launch *launch,
                const struct pmu_place *place,
                const struct counters *counters)
{
    memset(out, 0, RECORD_PMU_SIZE);
    put16(out, FUNCTION_BLOCK);
    put16(out + 2, MARK);
    put16(out + 4, launch->stream);
    put16(out + 6, launch->task);
    out[16] = context_type(place->task_kind);
    put16(out + 20, (unsigned)place->kind | (place->core & 0x7F) << 1 |
                        schedule_type(place->task_kind) << 13);
    put16(out + 28, place->sub_block);
    put16(out + 30, place->block);
    put64(out + 32, counters->value[COUNTER_TOTAL]);
    for (int i = 0; i < PMU_SLOTS; i++)
        put64(out + 48 + 8 * i, counters->value[setup->counter[place->kind][i]]);
    put64(out + 112, place->start);
    put64(out + 120, place->end);
}

void record_pmu_of_one_core(uint8_t *out,
                            const struct pmu_setup *setup,
                            const struct counters *counters)
{
    memset(out, 0, RECORD_PMU_SIZE);
    put64(out + 16, counters->value[COUNTER_TOTAL]);
    for (int i = 0; i < PMU_SLOTS; i++)
        put64(out + 32 + 8 * i, counters->value[setup->counter[CORE_AIC][i]]);
}

void record_log(uint8_t *out,
                const struct soc *soc,
                const struct card_launch *launch,
                bool is_end,
                uint64_t ticks)
{
    memset(out, 0, RECORD_LOG_SIZE);
    put16(out + 2, MARK);
    put64(out + 8, ticks);
    if (soc_is_split(soc)) {
        /* every kernel logs as type 0, whichever cores it runs on */
        put16(out, (unsigned)launch->task_kind << 10 | is_end);
        put16(out + 4, launch->stream);
        put16(out + 6, launch->task);
    } else {
        out[0] = is_end;
        put16(out + 6, launch->task);
        put32(out + 16, launch->stream);
    }
}

/* 310P: 106 requests, 120 hits, 121 misses, as far as the model can tell. */
static uint64_t l2_of_one_core(uint32_t event, const struct counters *sum)
{
    const uint64_t *v = sum->value;
    uint64_t hits =
        v[COUNTER_WRITE_HITS] + v[COUNTER_READ0_HITS] + v[COUNTER_READ1_HITS];
    uint64_t misses =
        v[COUNTER_WRITE_MISSES] + v[COUNTER_READ0_MISSES] + v[COUNTER_READ1_MISSES];

    return event == 106   ? hits + misses
           : event == 120 ? hits
           : event == 121 ? misses
                          : 0;
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
