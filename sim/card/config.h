/* config.h - what the environment and the fleet file say the host looks like; read once
 *
 * NPU_SIM_FLEET names the file, NPU_SIM_HOST picks a host of it. Without one there is
 * one host, of alike cards, that the other variables describe. */
#ifndef SIM_CARD_CONFIG_H
#define SIM_CARD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/card/fleet.h"

struct soc;

/* a card and what is planted in it */
struct card_config {
    const struct soc *soc;
    uint64_t memory_bytes;
    uint64_t taken_bytes; /* of it, by somebody else */
    uint32_t number;      /* in its host, as the fleet file counts */
    uint32_t physical;
    uint32_t mhz; /* rated, or what the fleet file says */
    uint32_t hbm_maker;
    double ambient;
    double slow, slow_after_s; /* cycles are multiplied; 1.0 */
    uint32_t throttle_mhz;     /* 0: never */
    double throttle_after_s;
    double neighbour, neighbour_after_s; /* share of memory and L2 that is not ours */
    uint32_t lose_pmu_every;             /* 0: none is lost */
    uint32_t read_at_most;               /* bytes a channel read returns; 0: no limit */
    uint32_t ecc_single, ecc_multi;      /* errors that the card had before */
};

struct config {
    uint32_t cards; /* 0 when a setting could not be read: a host without cards */
    uint32_t host;  /* its place in the fleet */
    const struct soc *soc; /* of card 0: the host's generation and tick rate */
    struct card_config *card;
    struct fleet fleet;
    uint64_t seed;
    /* Whose processes belong together: one of a fleet file, or of NPU_SIM_HOST alone.
     * 0: a process is alone with its cards, however many others are like it. */
    uint64_t fleet_id;
    uint32_t rank; /* of the process, by RANK_ID; FLEET_ANY: not told */
    /* faults of the n-th launch, and the launches that each has seen */
    const struct fault **mishaps;
    uint32_t *mishaps_seen;
    size_t mishap_count;
    int64_t epoch_ns; /* of CLOCK_REALTIME: second 0 of `after_s`; -1: the process's
                         start */
};

/* False where a setting is wrong; *message then tells which, a line each. */
bool config_read(struct config *config,
                 const char *(*get)(const char *name),
                 char *message,
                 size_t message_size);
void config_clear(struct config *config);
const struct config *config_get(void);

#endif
