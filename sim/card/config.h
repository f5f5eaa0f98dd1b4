/* config.h - what the environment says the host looks like; read once */
#ifndef SIM_CARD_CONFIG_H
#define SIM_CARD_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CARDS_MAX 64

struct soc;

struct config {
    uint32_t cards; /* 0 when a setting could not be read: a host without cards */
    const struct soc *soc;
    uint64_t seed;
    uint64_t memory_bytes;
    /* planted faults, by card where they have one */
    double slow[CARDS_MAX];             /* cycles are multiplied by it; 1.0 */
    uint32_t current_mhz[CARDS_MAX];    /* 0: the rated frequency */
    uint32_t lose_pmu_every[CARDS_MAX]; /* 0: none is lost */
    uint32_t fail_launch;               /* n-th launch of the process; 0: none */
    uint32_t read_at_most;              /* bytes a channel read returns; 0: no limit */
};

/* False where a setting is wrong; *message then tells which. Pure. */
bool config_read(struct config *config,
                 const char *(*get)(const char *name),
                 char *message,
                 size_t message_size);
const struct config *config_get(void);

#endif
