/* gang_fit.h - chooses the cards of a task, all at the same time
 *
 * Cards of one host communicate faster than cards of two hosts. A gang therefore uses
 * as few hosts as possible, and those that it fills best, so that the remaining free
 * cards stay together. Ranks are numbered by host name and then by card. When the job
 * requires one network switch, each switch is tried with the same rule. The functions
 * are pure. */
#ifndef COORDINATOR_PLACEMENT_GANG_FIT_H
#define COORDINATOR_PLACEMENT_GANG_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/text.h"

struct job_settings;

struct gang_fit_card {
    const char *host;
    const char *net_switch; /* of its host; NULL or "": unknown, shared with no host */
    int32_t card;
    const char *model;
    bool free;   /* now; a busy card will be free when its tasks have ended */
    bool busy;   /* a task runs on its host, on this or another card */
    size_t mine; /* cards of its host that the job uses now */
};

enum gang_fit {
    GANG_FIT_FITS,  /* now: `chosen` are free cards, by rank */
    GANG_FIT_LATER, /* `chosen` are the cards to reserve */
    GANG_FIT_NEVER, /* these cards are too few, even when all are free */
};

/* Fills `chosen` with positions in `cards`; it has room for settings->ranks. */
enum gang_fit gang_fit_place(const struct gang_fit_card *cards,
                             size_t count,
                             const struct job_settings *settings,
                             size_t *chosen);
/* Returns true when host and model match what the job permits. */
bool gang_fit_card_matches(const char *host,
                           const char *model,
                           const struct job_settings *settings);

/* Writes what the job needs and what the hosts have, for users. */
void gang_fit_explain(struct text *out,
                      const struct gang_fit_card *cards,
                      size_t count,
                      const struct job_settings *settings);

#endif
