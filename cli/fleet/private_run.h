/* private_run.h - one job on a fleet of our own, until it has ended
 *
 * Starts a coordinator and a worker a card, hands the job in or takes it up again,
 * stays with it, ends the fleet, and prints the path of the report. */
#ifndef CLI_FLEET_PRIVATE_RUN_H
#define CLI_FLEET_PRIVATE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct job_file;
struct msg_retry;

enum { PRIVATE_CARDS_MAX = 64 };

struct private_run {
    const char *out;
    const char *model; /* NULL: as the job asks */
    uint64_t cards;    /* 0: as the job needs */
    uint64_t resumed;  /* a job that the store has already; 0: the file is handed in */
    const struct msg_retry *retry; /* of the resumed one, what waits again; or NULL */
    int on;                        /* enum private_on */
    const char
        *address; /* of this host, as the cluster's nodes reach it; NULL: its name */
    uint64_t nodes;
    uint64_t grace_ms; /* what runs has it when we are interrupted */
    bool hardware;
    bool quiet;
};

#define PRIVATE_RUN_INIT                                                               \
    {                                                                                  \
        .out = "out", .grace_ms = 30000                                                \
    }

enum private_on { ON_THIS_HOST, ON_SLURM };
extern const char *const private_places[];

#define PRIVATE_RUN_ROWS(it)                                                           \
    {"out", 0, OPTION_TEXT, &(it).out, "DIR", "where everything goes (out)", NULL},    \
        {"cards",     0,   OPTION_U64,                                                 \
         &(it).cards, "N", "so many cards; else what the job names, or 2",             \
         NULL},                                                                        \
        {"model",     0,      OPTION_TEXT,                                             \
         &(it).model, "NAME", "of the cards; else what the job asks for",              \
         NULL},                                                                        \
        {"on",          0,       OPTION_CHOICE,                                        \
         &(it).on,      "PLACE", "here, or slurm: a cluster's nodes (here)",           \
         private_places},                                                              \
        {"nodes",     0,   OPTION_U64,                                                 \
         &(it).nodes, "N", "of the cluster; else as the allocation has, or 1",         \
         NULL},                                                                        \
        {"address",     0,      OPTION_TEXT,                                           \
         &(it).address, "HOST", "of this host, as the cluster's nodes reach it",       \
         NULL},                                                                        \
        {"grace",                                                                      \
         0,                                                                            \
         OPTION_DURATION,                                                              \
         &(it).grace_ms,                                                               \
         "TIME",                                                                       \
         "after Ctrl-C what runs has so long to end by itself (30s)",                  \
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
