/* run_internal.h - struct run and the functions that the files of this folder share */
#ifndef WORKER_RUN_RUN_INTERNAL_H
#define WORKER_RUN_RUN_INTERNAL_H

#include <limits.h>

#include "lib/capture/format/records.h"
#include "worker/capture/launch_decision.h"
#include "worker/run/run.h"
#include "worker/spool/result_store.h"

struct gang_member;
struct waiting_lease;
struct operator_process;
struct reactor_timer;
struct inject_server;
struct dump_collector;
struct resident_runner;
struct resident_runner_end;

enum { RUN_OLD_GANGS = 8 };

enum run_state { RUN_IDLE, RUN_JOINING, RUN_RUNNING, RUN_COLLECTING, RUN_SENDING };

struct run {
    struct reactor *reactor;
    struct spool *spool;
    struct result_store *results;
    struct run_options options;
    /* Functions of run_end.c, for the inject server, the dump collector, the operator
     * and the runner.
     * run_start.c reads them here, because run_end.c calls run_start_again(). */
    void (*on_finished)(void *run);
    void (*on_collected)(void *run);
    void (*on_program_end)(void *run, int status);
    void (*on_resident_end)(void *run, const struct resident_runner_end *end);
    enum run_state state;

    struct record_run_rank rank;
    struct launch_decision decision;
    struct operator_process *program;
    struct resident_runner *runner; /* can stay alive after the rank has ended */
    bool in_runner;                 /* the rank runs in the runner; `program` is NULL */
    struct inject_server *inject_server;
    struct dump_collector *dumps; /* NULL: no files are collected */
    uint32_t *cards;              /* of a process that uses several cards */
    size_t card_count;
    struct waiting_lease *lease; /* kept while joining and between program starts */
    struct gang_member *gang;    /* NULL: the rank is alone, or not measured */
    struct gang_member *old_gangs[RUN_OLD_GANGS]; /* of earlier attempts that other
                                                   * hosts still run; newest first */
    struct reactor_timer *limit, *retry;
    struct msg_rank_result result;
    char reason[RESULT_REASON_MAX];
    bool only_runs;           /* no metrics: the operator runs without inject */
    bool is_traced;           /* the XPTI subscriber records events; no launches */
    uint64_t launches_wanted; /* the operator is stopped after them; 0: never */
    bool measured_all;        /* all of these were measured: any exit status is good */
    bool ranges;              /* replay marked ranges instead of launches */
    uint32_t start_count;     /* application replay: number of program starts; else 0 */
    enum rank_status stopped_with; /* RANK_DONE: the worker did not stop the operator */
    char spool_error[240];         /* first group that was lost or refused */
    char rank_table[PATH_MAX];     /* path of its file; "": none */
    char output[PATH_MAX];         /* path of the operator's output (rank_outputs.h) */
    unsigned outputs;              /* output files written since the last prune */
};

/* run_start.c: starts the operator for its next pass of an application replay. Returns
 * false when no start is left. */
bool run_start_again(struct run *run);

/* run_core.c */
/* Returns the process of the operator or of the runner, or NULL. */
struct operator_process *run_program(const struct run *run);
void run_clear_process(struct run *run);
void run_close(struct run *run, enum rank_status status);
void run_on_group(void *arg,
                  uint32_t shard,
                  uint32_t number,
                  const void *bytes,
                  size_t size);
void run_on_launches_measured(void *arg);

/* run_end.c */
void run_on_finished(void *arg);
void run_on_collected(void *arg);
void run_on_program_end(void *arg, int status);
void run_on_resident_end(void *arg, const struct resident_runner_end *end);

#endif
