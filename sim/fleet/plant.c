/* plant.c - puts the faults of this host into its cards */
#include <stdlib.h>
#include <string.h>

#include "sim/fleet/config.h"
#include "sim/fleet/config_internal.h"

static void plant_card(struct card_config *card, const struct fault *fault)
{
    switch (fault->kind) {
    case FAULT_SLOW_CARD:
        card->slow = fault->factor;
        card->slow_after_s = fault->after_s;
        break;
    case FAULT_THROTTLE:
        card->throttle_mhz = fault->mhz;
        card->throttle_after_s = fault->after_s;
        break;
    case FAULT_NOISY_NEIGHBOUR:
        card->neighbour = fault->share;
        card->neighbour_after_s = fault->after_s;
        break;
    case FAULT_LOST_PMU:
        card->lose_pmu_every = fault->every;
        break;
    case FAULT_FULL_MEMORY:
        if (fault->free_bytes < card->memory_bytes)
            card->taken_bytes = card->memory_bytes - fault->free_bytes;
        break;
    case FAULT_SHORT_READS:
        card->read_at_most = fault->bytes;
        break;
    case FAULT_ECC_ERROR:
        *(fault->multi_bit ? &card->ecc_multi : &card->ecc_single) += fault->times;
        break;
    case FAULT_OTHER_PROCESS:
        card->other_process = true;
        break;
    default: /* faults of links and of launches are looked up when they are used */
        break;
    }
}

static bool meets_launches(const struct fault *fault)
{
    switch (fault->kind) {
    case FAULT_STUCK_KERNEL:
    case FAULT_DEAD_RANK:
    case FAULT_LATE_RANK:
    case FAULT_FAILED_KERNEL:
        return true;
    case FAULT_ECC_ERROR:
        return fault->launch > 0;
    default:
        return false;
    }
}

static bool add_mishap(struct config *config, const struct fault *fault)
{
    size_t count = config->mishap_count + 1;
    const struct fault **grown =
        realloc(config->mishaps, count * sizeof(*config->mishaps));
    uint32_t *seen;

    if (!grown)
        return false;
    config->mishaps = grown;
    seen = realloc(config->mishaps_seen, count * sizeof(*seen));
    if (!seen)
        return false;
    config->mishaps_seen = seen;
    grown[config->mishap_count] = fault;
    seen[config->mishap_count++] = 0;
    return true;
}

static bool plant_one(struct config *config, const struct fault *fault)
{
    if (meets_launches(fault))
        return add_mishap(config, fault);
    for (uint32_t i = 0; i < config->cards; i++)
        if (fault->card == FLEET_ANY || fault->card == config->card[i].number)
            plant_card(&config->card[i], fault);
    return true;
}

static bool is_active(const struct fault *fault, const char *(*get)(const char *name))
{
    for (size_t i = 0; i < fault->when_count; i++) {
        const char *value = get(fault->when[i][0]);

        if (!value || strcmp(value, fault->when[i][1]) != 0)
            return false;
    }
    return true;
}

bool plant_all(struct config *config, const char *(*get)(const char *name))
{
    for (size_t i = 0; i < config->fleet.fault_count; i++) {
        struct fault *fault = &config->fleet.faults[i];

        fault->planted = is_active(fault, get);
        if (fault->planted &&
            (fault->host == FLEET_ANY || fault->host == config->host) &&
            !plant_one(config, fault))
            return false;
    }
    return true;
}
