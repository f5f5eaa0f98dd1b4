/* config.h - the simulated host: its cards and faults, from environment and fleet file
 *
 * NPU_SIM_FLEET names the fleet file, NPU_SIM_HOST selects a host in it. Without a file
 * there is one host with equal cards, which the other variables describe. The
 * configuration is read once per process. */
#ifndef SIM_FLEET_CONFIG_H
#define SIM_FLEET_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/fleet/fleet.h"

struct soc;

/* a card and its faults */
struct card_config {
    const struct soc *soc;
    uint64_t memory_bytes;
    uint64_t taken_bytes; /* part of memory_bytes that another user occupies */
    uint32_t number;      /* index in its host, as the fleet file counts */
    uint32_t physical;
    uint32_t mhz; /* the fleet file's value, else the rated one */
    uint32_t hbm_maker;
    char serial[SERIAL_TEXT_MAX]; /* "": not known */
    double ambient;
    double slow, slow_after_s; /* factor on cycles; 1.0: none */
    uint32_t throttle_mhz;     /* 0: no throttling */
    double throttle_after_s;
    double neighbour, neighbour_after_s; /* share that another user has */
    uint32_t lose_pmu_every;             /* every n-th record is lost; 0: none */
    uint32_t read_at_most;               /* limit of bytes per channel read; 0: none */
    uint32_t ecc_single, ecc_multi;      /* errors before this process started */
    bool other_process;                  /* process 1 of the host uses the card, too */
};

struct config {
    uint32_t cards;        /* 0 when a setting is invalid */
    uint32_t host;         /* index in the fleet file */
    const struct soc *soc; /* of card 0: gives the host's generation and tick rate */
    struct card_config *card;
    struct fleet fleet;
    uint64_t seed;
    double noise;          /* factor on all noise; 1.0: the standard, 0: none */
    uint64_t host_step_ns; /* delays of the host count in steps of this; 0: exactly */
    /* Equal for all processes that share cards: derived from the fleet file, or 1 when
     * only NPU_SIM_HOST is set. 0: the process shares its cards with no other process.
     */
    uint64_t fleet_id;
    uint32_t rank; /* of the process, from RANK_ID; FLEET_ANY: not set */
    /* faults of the n-th launch, and the count of matching launches for each fault */
    const struct fault **mishaps;
    uint32_t *mishaps_seen;
    size_t mishap_count;
    int64_t epoch_ns; /* second 0 of `after_s`, in CLOCK_REALTIME; -1: the start of the
                         process */
};

/* `get` reads an environment variable. Returns false when a setting is invalid;
 * message then has one line per invalid setting. */
bool config_read(struct config *config,
                 const char *(*get)(const char *name),
                 char *message,
                 size_t message_size);
/* Returns false when a variable of the environment begins with NPU_SIM_ and is none
 * that the simulator reads, so that a misspelt one is not ignored; message names it. */
bool config_check_names(char *const *environment, char *message, size_t message_size);
void config_clear(struct config *config);
const struct config *config_get(void);

#endif
