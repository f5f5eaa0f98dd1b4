/* private_run.h - one job on a fleet of our own, until it has ended
 *
 * Starts a coordinator and a worker a card, hands the job in or takes it up again,
 * stays with it, ends the fleet, and prints the path of the report. */
#ifndef CLI_PRIVATE_RUN_H
#define CLI_PRIVATE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct job_file;
struct msg_retry;

enum { PRIVATE_CARDS_MAX = 64 };

struct private_run {
    const char *out;
    const char *model; /* NULL: as the job asks */
    uint64_t cards;    /* 0: as the job needs */
    uint64_t resumed;  /* a job that the store has already; 0: the file is handed in */
    const struct msg_retry *retry; /* of the resumed one, what waits again; or NULL */
    bool hardware;
    bool quiet;
};

#define PRIVATE_RUN_ROWS(it)                                                           \
    {"out", 0, OPTION_TEXT, &(it).out, "DIR", "where everything goes (out)", NULL},    \
        {"cards",     0,   OPTION_U64,                                                 \
         &(it).cards, "N", "so many cards; else what the job names, or 2",             \
         NULL},                                                                        \
        {"model",     0,      OPTION_TEXT,                                             \
         &(it).model, "NAME", "of the cards; else what the job asks for",              \
         NULL},                                                                        \
        {"hardware",  0,                                                               \
         OPTION_FLAG, &(it).hardware,                                                  \
         NULL,        "the host's cards, not simulated ones",                          \
         NULL},                                                                        \
    {                                                                                  \
        "quiet", 'q', OPTION_FLAG, &(it).quiet, NULL, "no progress on stderr", NULL    \
    }

/* The exit code, or -1 with err. */
int private_run(const struct private_run *wishes,
                const struct job_file *file,
                struct err *err);

#endif
