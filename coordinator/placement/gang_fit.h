/* gang_fit.h - which cards a task gets, all at once: pure
 *
 * Cards of one host are close to each other, those of two are not: a gang stands on as
 * few hosts as can be, and on those that it fills best, so that what is left over is
 * left in large pieces. Ranks count from host to host by name and there by card. Where
 * its hosts must hang on one switch, each switch is tried, and the same rule decides.
 */
#ifndef COORDINATOR_PLACEMENT_GANG_FIT_H
#define COORDINATOR_PLACEMENT_GANG_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/text.h"

struct job_settings;

struct gang_fit_card {
    const char *host;
    const char *net_switch; /* of its host; NULL or "": not known, and no other's */
    int32_t card;
    const char *model;
    bool free;   /* now; else it will be, when what runs there has ended */
    bool busy;   /* something runs on its host, be it on another card */
    size_t mine; /* cards of its host that the job has now */
};

enum gang_fit {
    GANG_FIT_FITS,  /* now: `chosen` are free cards, by rank */
    GANG_FIT_LATER, /* `chosen` are the cards to keep for it */
    GANG_FIT_NEVER, /* not on these cards, however long one waits */
};

/* `chosen` has room for settings->ranks places in `cards`. */
enum gang_fit gang_fit_place(const struct gang_fit_card *cards,
                             size_t count,
                             const struct job_settings *settings,
                             size_t *chosen);
/* Whether a card is one of those that the job may have. */
bool gang_fit_card_suits(const char *host,
                         const char *model,
                         const struct job_settings *settings);

/* Why it waits, in words; `what` is what gang_fit_place() says of all cards. */
void gang_fit_explain(struct text *out,
                      const struct gang_fit_card *cards,
                      size_t count,
                      const struct job_settings *settings);

#endif
