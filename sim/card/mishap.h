/* mishap.h - what is planted to happen to the n-th launch of a card or a rank
 *
 * Whoever runs a task of a card asks once, when its turn has come. A fault counts the
 * tasks that it could meet: of its card or rank, with a name that fits its pattern. It
 * meets the `launch`-th of them and, with `times`, those that follow. */
#ifndef SIM_CARD_MISHAP_H
#define SIM_CARD_MISHAP_H

#include <stdint.h>

enum npu_sim_mishap_kind {
    NPU_SIM_MISHAP_NONE,
    NPU_SIM_MISHAP_FAIL,  /* the task ends with an AI Core exception */
    NPU_SIM_MISHAP_ECC,   /* ... with an error of memory that cannot be corrected */
    NPU_SIM_MISHAP_STUCK, /* ... never */
    NPU_SIM_MISHAP_DEAD,  /* the process ends here, as if killed */
};

struct npu_sim_mishap {
    enum npu_sim_mishap_kind kind; /* the worst of what meets */
    uint32_t late_ms;              /* before anything else, the task waits */
};

void npu_sim_card_mishap(uint32_t card, const char *task, struct npu_sim_mishap *out);
/* Faults may name ranks. The first rank that a card gets stays; before that it is the
 * process's RANK_ID. */
void npu_sim_card_set_rank(uint32_t card, uint32_t rank);

#endif
