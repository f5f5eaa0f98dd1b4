/* run_internal.h - what a run is made of, for its own files */
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
struct resident_runner;
struct resident_runner_end;

enum { RUN_OLD_GANGS = 8 };

enum run_state { RUN_IDLE, RUN_JOINING, RUN_RUNNING, RUN_GATHERING, RUN_SENDING };

struct run {
    struct reactor *reactor;
    struct spool *spool;
    struct result_store *results;
    struct run_options options;
    /* run_end.c: called by the inject server, the program and the runner. run_start.c
     * takes them from here, since run_end.c calls run_start_again(). */
    void (*on_finished)(void *run);
    void (*on_program_end)(void *run, int status);
    void (*on_resident_end)(void *run, const struct resident_runner_end *end);
    enum run_state state;

    struct record_run_rank who;
    struct launch_decision decide;
    struct operator_process *program;
    struct resident_runner *resident; /* the runner; it may stay when the run is over */
    bool in_resident;                 /* the run is in it, and there is no program */
    struct inject_server *rendezvous;
    uint32_t *cards; /* of a process that drives several */
    size_t card_count;
    struct waiting_lease *lease; /* kept while its page is awaited */
    struct gang_member *gang;    /* with other ranks that are measured too */
    struct gang_member
        *old_gangs[RUN_OLD_GANGS]; /* whose runs go on elsewhere; from 0 */
    struct reactor_timer *limit, *retry;
    struct msg_rank_result result;
    char reason[RESULT_REASON_MAX];
    bool only_runs;  /* nothing is to be measured */
    uint64_t wanted; /* launches, after which the program is ended; 0: never */
    bool enough; /* all of them were measured: how the program ends is all the same */
    bool ranges; /* not launches but marked ranges are replayed */
    uint32_t starts; /* of the program, each measures a pass; 0: one measures all */
    enum rank_status ended_by_us; /* RANK_DONE: not by us */
    char spool_error[240];
    char rank_table[PATH_MAX]; /* its file; "": there is none */
    char output[PATH_MAX];     /* what the program printed; see outputs.h */
    unsigned outputs;          /* so many files since the old ones were removed */
};

/* run_start.c: the program once more, when its starts are not over. False: they are. */
bool run_start_again(struct run *run);

/* run_core.c */
struct operator_process *run_program(const struct run *run); /* its process, or NULL */
void run_clear_process(struct run *run);
void run_close(struct run *run, enum rank_status status);
void run_on_group(void *arg,
                  uint32_t shard,
                  uint32_t number,
                  const void *bytes,
                  size_t size);
void run_on_enough(void *arg);

/* run_end.c */
void run_on_finished(void *arg);
void run_on_program_end(void *arg, int status);
void run_on_resident_end(void *arg, const struct resident_runner_end *end);

#endif
