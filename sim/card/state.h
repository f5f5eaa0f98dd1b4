/* state.h - load, memory, temperature and health of the cards, for management tools
 *
 * Sums the use of all processes. The module searches the open files of the user's
 * processes for usage pages (usage.h). This is slow, so do not call it in a loop. */
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
    const char *serial; /* "": not known */
    uint32_t ecc_single, ecc_multi;
    enum npu_sim_health health;
};

/* `card` is the logical number of an existing card. */
void npu_sim_card_state(uint32_t card, struct npu_sim_card_state *out);
/* Stores up to max processes that use a card, sorted by pid. Returns their total
 * number. */
size_t npu_sim_card_processes(uint32_t card, struct npu_sim_process *out, size_t max);

#endif
