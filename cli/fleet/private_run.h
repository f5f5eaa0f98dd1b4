/* private_run.h - runs one job on a private fleet until the job has ended
 *
 * Starts a coordinator and one worker per card, submits or resumes the job, waits for
 * its end, stops the fleet, and prints the path of the report. */
#ifndef CLI_FLEET_PRIVATE_RUN_H
#define CLI_FLEET_PRIVATE_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/gate/gate_run.h"
#include "lib/base/err.h"

struct job_file;
struct msg_reparse;
struct msg_retry;

enum { PRIVATE_CARDS_MAX = 64 };

enum private_run_place { ON_THIS_HOST, ON_SLURM };
extern const char *const private_run_places[]; /* the choices of --on */

struct private_run_options {
    const char *out;
    const char *model;             /* NULL: a model that matches the job */
    uint64_t cards;                /* 0: as many as the job needs */
    uint64_t resumed_id;           /* a job of the store; 0: submit the job file */
    const struct msg_retry *retry; /* tasks of the resumed job to run again, or NULL */
    const struct msg_reparse
        *reparse;        /* only parse tasks of the resumed job; or NULL */
    int place;           /* enum private_run_place */
    const char *address; /* of this host for the cluster's nodes; NULL: its name */
    uint64_t nodes;      /* 0: all nodes of the current allocation, or 1 */
    uint64_t grace_ms;   /* for running tasks after an interrupt */
    bool hardware;
    bool quiet;
    gate_confirm_fn *confirm; /* of the gate of the job; NULL: suspects stay open */
};

/* clang-format off */
#define PRIVATE_RUN_INIT {.out = "out", .grace_ms = 30000}
/* Rows for the option table of a command; `options` is a struct private_run_options. */
#define PRIVATE_RUN_ROWS(options)                                                      \
    {"out", 0, OPTION_TEXT, &(options).out, "DIR",                                     \
     "Folder for results, reports and the store (default: out)", NULL},                \
    {"cards", 0, OPTION_COUNT, &(options).cards, "N",                                    \
     "Number of cards, at most 64 (default: what the job needs, at least 2)", NULL},   \
    {"model", 0, OPTION_TEXT, &(options).model, "NAME",                                \
     "Model of the cards (default: a model that matches the job)", NULL},              \
    {"on", 0, OPTION_CHOICE, &(options).place, "PLACE",                                \
     "Run on this host or on nodes of a Slurm cluster (default: here)",                \
     private_run_places},                                                              \
    {"nodes", 0, OPTION_U64, &(options).nodes, "N",                                    \
     "Number of nodes with --on slurm (default: all of the allocation, or 1)", NULL},   \
    {"address", 0, OPTION_TEXT, &(options).address, "HOST",                            \
     "Name of this host for the nodes with --on slurm (default: its host name)",       \
     NULL},                                                                            \
    {"grace", 0, OPTION_DURATION, &(options).grace_ms, "TIME",                         \
     "Time for running tasks to end after Ctrl-C (default: 30s)", NULL},               \
    {"hardware", 0, OPTION_FLAG, &(options).hardware, NULL,                            \
     "Use the real cards of the host (default: simulated cards)", NULL},               \
    {"quiet", 'q', OPTION_FLAG, &(options).quiet, NULL,                                \
     "Print no progress to stderr", NULL}
/* clang-format on */

/* Returns the exit code, or -1 with err. */
int private_run(const struct private_run_options *options,
                const struct job_file *file,
                struct err *err);

#endif
