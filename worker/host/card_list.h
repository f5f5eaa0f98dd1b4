/* card_list.h - which cards of this host are ours
 *
 * The first that says something decides: a person's list, ASCEND_RT_VISIBLE_DEVICES
 * (the driver's numbers), ASCEND_VISIBLE_DEVICES (the board's, also as Ascend910-4),
 * SLURM_STEP_NPUS, SLURM_JOB_NPUS (the board's), and at last all that there are, by the
 * management library or by the device nodes. */
#ifndef WORKER_HOST_CARD_LIST_H
#define WORKER_HOST_CARD_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/daemon/worker_settings.h"

struct card_list {
    uint32_t numbers[HOST_CARDS_MAX]; /* as the driver counts, each once */
    size_t count;
    const char *from; /* what said so */
};

/* The boards of this host, as its management library counts them. A test has others. */
struct board {
    /* The driver's numbers. -1 with err: there is no such library, or it has none. */
    int (*all)(void *arg, struct card_list *out, struct err *err);
    /* -1: the board has no such number. */
    int (*logical)(void *arg, uint32_t physical, uint32_t *logical);
    void *arg;
};

/* "0,2-3", "Ascend910-4,Ascend910-5". ERR_INPUT with what is wrong. */
int card_list_parse(const char *list, struct card_list *out, struct err *err);
/* `list` is what a person said, or NULL. */
int card_list_find(const char *list,
                   const struct board *board,
                   struct card_list *out,
                   struct err *err);
/* The host's own: the library at `path`, or where drivers put it (NULL), else the
 * device nodes in /dev. */
struct board dcmi_cards_of_host(const char *path);

#endif
