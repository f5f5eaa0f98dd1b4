/* mishap.h - faults that are planted for the n-th launch of a card or a rank
 *
 * The code that runs a task calls npu_sim_card_mishap() once, when the task starts.
 * Each fault counts the tasks of its card or rank with a name that fits its pattern.
 * The fault hits the `launch`-th of these tasks and, with `times`, the following ones.
 */
#ifndef SIM_FLEET_MISHAP_H
#define SIM_FLEET_MISHAP_H

#include <stdint.h>

enum npu_sim_mishap_kind {
    NPU_SIM_MISHAP_NONE,
    NPU_SIM_MISHAP_FAIL,  /* the task ends with an AI Core exception */
    NPU_SIM_MISHAP_ECC,   /* the task ends with an uncorrectable memory error */
    NPU_SIM_MISHAP_STUCK, /* the task never ends */
    NPU_SIM_MISHAP_DEAD,  /* the process ends, as after SIGKILL */
};

struct npu_sim_mishap {
    enum npu_sim_mishap_kind kind; /* the most severe of the faults that hit the task */
    uint32_t late_ms;              /* the task first waits this long */
};

void npu_sim_card_mishap(uint32_t card, const char *task, struct npu_sim_mishap *out);
/* Sets the rank of a card, for faults that name ranks. Only the first call per card has
 * an effect; without a call the rank is the process's RANK_ID. */
void npu_sim_card_set_rank(uint32_t card, uint32_t rank);

#endif
