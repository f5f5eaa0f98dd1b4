/* state.h - how the cards of the host are, as all its processes have them
 *
 * What management tools show. It looks through the open files of the user's processes
 * for their usage pages, so ask it now and then, not all the time. */
#ifndef SIM_CARD_STATE_H
#define SIM_CARD_STATE_H

#include <stddef.h>
#include <stdint.h>

struct npu_sim_process {
    uint32_t pid;
    uint64_t memory_bytes;
    uint64_t launches;
    char name[32];
};

enum npu_sim_health { NPU_SIM_OK, NPU_SIM_WARNING, NPU_SIM_ALARM, NPU_SIM_CRITICAL };

struct npu_sim_card_state {
    const char *soc;
    uint32_t physical;
    uint32_t cores;
    uint32_t mhz, rated_mhz;
    double celsius, watts;
    uint32_t busy_percent;
    uint64_t memory_total, memory_used;
    uint32_t hbm_maker;
    uint32_t ecc_single, ecc_multi;
    enum npu_sim_health health;
};

/* Of a logical card that is there. */
void npu_sim_card_state(uint32_t card, struct npu_sim_card_state *out);
/* Up to max of the processes that use a card, by pid; returns how many there are. */
size_t npu_sim_card_processes(uint32_t card, struct npu_sim_process *out, size_t max);

#endif
