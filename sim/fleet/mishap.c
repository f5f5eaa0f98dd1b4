#include "sim/fleet/mishap.h"

#include <fnmatch.h>
#include <stdbool.h>

#include "sim/card/usage.h"
#include "sim/fleet/config.h"

static uint32_t ranks[CARDS_MAX]; /* rank + 1; 0: not set */

void npu_sim_card_set_rank(uint32_t card, uint32_t rank)
{
    uint32_t none = 0;

    __atomic_compare_exchange_n(&ranks[card], &none, rank + 1, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

static uint32_t rank_of(const struct config *config, uint32_t card)
{
    uint32_t rank = __atomic_load_n(&ranks[card], __ATOMIC_RELAXED);

    return rank ? rank - 1 : config->rank;
}

static bool
could_meet(const struct fault *fault, uint32_t card, uint32_t rank, const char *task)
{
    return (fault->card == FLEET_ANY || fault->card == card) &&
           (fault->rank == FLEET_ANY || fault->rank == rank) &&
           (!fault->kernel[0] || fnmatch(fault->kernel, task, 0) == 0);
}

static void meet(uint32_t card, const struct fault *fault, struct npu_sim_mishap *out)
{
    static const enum npu_sim_mishap_kind kinds[] = {
        [FAULT_FAILED_KERNEL] = NPU_SIM_MISHAP_FAIL,
        [FAULT_STUCK_KERNEL] = NPU_SIM_MISHAP_STUCK,
        [FAULT_DEAD_RANK] = NPU_SIM_MISHAP_DEAD,
    };
    enum npu_sim_mishap_kind kind = NPU_SIM_MISHAP_NONE;

    if (fault->kind == FAULT_LATE_RANK)
        out->late_ms += (uint32_t)(fault->seconds * 1000);
    else if (fault->kind == FAULT_ECC_ERROR)
        kind = fault->multi_bit && !fault->unread ? NPU_SIM_MISHAP_ECC
                                                  : NPU_SIM_MISHAP_NONE;
    else
        kind = kinds[fault->kind];
    if (fault->kind == FAULT_ECC_ERROR)
        usage_ecc(card, fault->multi_bit);
    if (kind > out->kind)
        out->kind = kind;
}

void npu_sim_card_mishap(uint32_t card, const char *task, struct npu_sim_mishap *out)
{
    const struct config *config = config_get();

    *out = (struct npu_sim_mishap){NPU_SIM_MISHAP_NONE, 0};
    for (size_t i = 0; i < config->mishap_count; i++) {
        const struct fault *fault = config->mishaps[i];
        uint32_t seen;

        if (!could_meet(fault, config->card[card].number, rank_of(config, card), task))
            continue;
        seen = __atomic_add_fetch(&config->mishaps_seen[i], 1, __ATOMIC_RELAXED);
        if (seen >= fault->launch && seen - fault->launch < fault->times)
            meet(card, fault, out);
    }
}
