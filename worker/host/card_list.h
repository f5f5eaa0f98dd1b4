/* card_list.h - the cards of this host that the workers serve
 *
 * The first of these that is set decides: --cards (driver's numbers),
 * ASCEND_RT_VISIBLE_DEVICES (driver's numbers), ASCEND_VISIBLE_DEVICES (physical
 * numbers, also in the form Ascend910-4), SLURM_STEP_NPUS and SLURM_JOB_NPUS (physical
 * numbers). Without any of them, all cards of the host are served. */
#ifndef WORKER_HOST_CARD_LIST_H
#define WORKER_HOST_CARD_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/daemon/worker_settings.h"

struct card_list {
    uint32_t numbers[HOST_CARDS_MAX]; /* driver's numbers, each once */
    size_t count;
    const char *from; /* the option or variable that decided */
};

/* Queries of the management library; a test has its own. */
struct card_lookup {
    /* Lists all cards by the driver's numbers. Fails when none is found. */
    int (*all)(void *arg, struct card_list *out, struct err *err);
    /* Translates a physical number; returns -1 when it is unknown. */
    int (*logical)(void *arg, uint32_t physical, uint32_t *logical);
    void *arg;
};

/* Parses "0,2-3" or "Ascend910-4,Ascend910-5". */
int card_list_parse(const char *list, struct card_list *out, struct err *err);
/* `list` is the value of --cards, or NULL. */
int card_list_find(const char *list,
                   const struct card_lookup *lookup,
                   struct card_list *out,
                   struct err *err);
/* Returns the queries of this host: by the library at `path`, or with NULL by the
 * library in the usual folders of the driver, else by the device nodes in /dev. */
struct card_lookup dcmi_cards_of_host(const char *path);

#endif
