/* ledger.h - jobs, tasks and runs: what they are, and the only place that moves them
 *
 * All that may still move is in memory; all that is true is in the store. Each function
 * moves both, and nothing is true before ledger_commit(). Any -1 but that of
 * ledger_submit() means that the store failed: stop, and start again from what is true.
 *
 * Each move leaves a line in the store's events.
 *
 * A run is the latest attempt of a task: a part for each rank, and a card for each
 * part, all at once or none. It is forgotten when its task has ended, or when the next
 * attempt begins; a run number that ledger_find_run() does not know is of an old
 * attempt. When one part comes to a bad end the others are to be ended as well
 * (ledger_take_ending()), and the attempt is over when all have: its reason names the
 * part that is to blame. */
#ifndef COORDINATOR_LEDGER_LEDGER_H
#define COORDINATOR_LEDGER_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coordinator/ledger/event_counts.h"
#include "coordinator/ledger/task_queue.h"
#include "coordinator/ledger/task_state.h"
#include "lib/base/err.h"
#include "lib/store/states.h"
#include "lib/wire/messages.h"

struct captures;
struct captures_group;
struct job;
struct job_points;
struct lease_message_program;
struct ledger;
struct store;
struct store_metric;
struct worker;

struct ledger_job {
    struct ledger_job *next;
    uint64_t job_id;
    char *key;
    char *folder;
    char *user; /* who submitted it */
    char *out;  /* of its files */
    struct job *job;
    struct job_points *points;
    enum job_state state;
    uint64_t counts[TASK_STATE_END];
    uint64_t task_count;
    bool cancelled;  /* nothing of it starts any more */
    uint64_t *after; /* jobs that it still waits for */
    size_t after_count;
    bool changed; /* whoever shows it to people makes it false */
    bool report_due;
    uint64_t served_ms; /* when it last got a card, or came; monotonic */
    char note[256];     /* the latest thing that a person should know */
    uint64_t awaiting;  /* cards, this turn; see dispatch.c */
    uint64_t rank_ns;   /* what its ranks take of late; 0: none has ended */
    struct lease_message_program *program; /* cache of lease_message.c */
    struct task *tasks;
    struct task_queue *queue;
    struct captures *captures; /* open while groups come, or NULL */
};

struct task {
    struct waiting waiting; /* first: the queue's handle is the task */
    struct ledger_job *job;
    uint64_t task_id;
    uint64_t point;
    uint32_t repeat;
    uint32_t attempts;             /* number of the latest */
    uint32_t spent;                /* attempts that count against the job's retries */
    uint32_t retries_counted_from; /* attempts up to this one never do */
    uint64_t accepted_run_id;      /* the run whose results are the task's, or 0 */
    enum task_state state;
    struct attempt *attempt; /* the latest attempt, or NULL */
};

struct attempt_rank {
    struct attempt *attempt;
    uint32_t number;
    enum rank_state state;
    enum rank_status status; /* when it has ended */
    bool simulated;
    enum parse_state parsed; /* PARSE_NONE: not yet */
    char *host;
    int32_t card;
    struct worker *worker; /* who has it now, or NULL; ledger_assign_worker() sets it */
    struct attempt_rank *next_of_worker, **at_of_worker;
    bool recalled; /* its worker was asked to give it back, should it only wait */
    uint64_t await_until_ms; /* without a worker: lost from then on; 0: not awaited */
};

/* Why a run does not come to a good end. */
struct failure {
    enum rank_state state; /* PART_LEASED: there is none */
    enum rank_status status;
    bool by_signal;
    bool exit_was_good; /* then the others need not be ended for it */
    uint32_t rank;
    uint64_t ended_wall_ns;
    char reason[200];
};

struct attempt {
    uint64_t run_id;
    struct task *task;
    enum attempt_state state;
    bool started;             /* a worker said so once */
    uint64_t started_wall_ms; /* when it first ran, or 0 */
    struct attempt *next_unwritten,
        **at_unwritten; /* at_unwritten NULL: it is written */
    bool threads;       /* part 0 is the process, the others lend their cards */
    struct attempt_rank *ranks;
    uint32_t rank_count;
    struct failure failure;
    bool must_end; /* of something that happened the others would not end by themselves
                    */
    char gang[33]; /* its secret; "" after a restart of ours */
    /* for leases, an entry a part; NULL for one part, or after a restart of ours */
    const char **hosts, **addresses, **card_addresses;
    uint64_t *cards;
    uint64_t ending_until_ms; /* then it is over, whoever has not ended; 0: not yet */
    bool stop_due;            /* the parts that go on are still to be told */
    char parse_error[200];    /* of the first rank that was not parsed */
    struct attempt *next_parse;
};

/* `out` is the folder of all output. Loads what has not ended; runs that were out are
 * awaited until `await_until_ms`. */
int ledger_open(struct ledger **out,
                struct store *store,
                const char *store_folder,
                const char *out_folder,
                uint64_t await_until_ms,
                struct err *err);
void ledger_close(struct ledger *ledger); /* NULL is welcome */
/* That runs have begun is written with what comes next of them, or here: before anybody
 * reads the store. */
int ledger_store_attempts(struct ledger *ledger, struct err *err);
bool ledger_has_changes(const struct ledger *ledger);
/* Captures first, then the store: a group whose index is true is there. */
int ledger_commit(struct ledger *ledger, struct err *err);

/* ERR_INPUT or ERR_LIMIT: the job file is wrong, and *problems (free() it) says all of
 * it. Anything else is the store's. */
int ledger_submit(struct ledger_job **out,
                  struct ledger *ledger,
                  const struct msg_submit *submit,
                  char **problems,
                  struct err *err);
int ledger_cancel(struct ledger *ledger, struct ledger_job *job, struct err *err);
/* What failed or was cancelled waits again: `count` tasks. ERR_NOT_FOUND, ERR_INPUT or
 * ERR_CONFLICT: nothing does, and err says why. */
int ledger_retry(struct ledger *ledger,
                 const struct msg_retry *wish,
                 uint64_t *count,
                 struct err *err);

struct ledger_job *ledger_first_job(const struct ledger *ledger);
struct ledger_job *ledger_find_job(const struct ledger *ledger, uint64_t job_id);
struct attempt *ledger_find_attempt(const struct ledger *ledger, uint64_t run_id);
struct attempt *ledger_next_attempt(const struct ledger *ledger,
                                    size_t *cursor); /* all, in no order */

/* NULL when the run has no such rank. */
struct attempt_rank *ledger_find_rank(const struct attempt *attempt, uint64_t number);
/* The part that has this card; NULL: none. */
struct attempt_rank *
ledger_find_rank_on_card(const struct attempt *attempt, const char *host, int32_t card);

/* A worker for each rank, in their order. */
int ledger_lease(struct attempt **out,
                 struct ledger *ledger,
                 struct task *task,
                 struct worker *const *workers,
                 uint32_t count,
                 struct err *err);
/* Each of these may end the run, and forget it. */
int ledger_taken(struct ledger *ledger, struct attempt_rank *rank, struct err *err);
int ledger_refused(struct ledger *ledger,
                   struct attempt_rank *rank,
                   const char *reason,
                   struct err *err);
int ledger_lost(struct ledger *ledger,
                struct attempt_rank *rank,
                const char *reason,
                struct err *err);
/* Of a process of threads this is the result of all its ranks. */
int ledger_result(struct ledger *ledger,
                  struct attempt_rank *rank,
                  const struct worker *worker,
                  const struct msg_rank_result *result,
                  struct err *err);
/* The time is over in which the parts of a run that ends should have ended. */
int ledger_close_overdue(struct ledger *ledger,
                         struct attempt *attempt,
                         struct err *err);
/* To this worker, or with NULL to nobody; nothing else changes. */
void ledger_assign_worker(struct attempt_rank *rank, struct worker *worker);
/* Its worker is there again and goes on with it. False in *goes_on: it must not. */
int ledger_resume_rank(struct ledger *ledger,
                       struct attempt_rank *rank,
                       struct worker *worker,
                       bool *goes_on,
                       struct err *err);
/* A run that came to a bad end in a part while others go on, once; NULL: none. They
 * are to be told, and given up at `until_ms`. */
struct attempt *ledger_take_stop(struct ledger *ledger, uint64_t until_ms);
/* They change nothing here: they are written down. */
int ledger_worker_came(struct ledger *ledger,
                       const struct worker *worker,
                       struct err *err);
int ledger_worker_left(struct ledger *ledger,
                       const struct worker *worker,
                       const char *reason,
                       struct err *err);
int ledger_worker_lost(struct ledger *ledger,
                       const struct worker *worker,
                       const char *reason,
                       struct err *err);
/* What the card says of itself. */
int ledger_card_fault(struct ledger *ledger,
                      const struct worker *worker,
                      const char *what,
                      struct err *err);
/* `reason` NULL: it gets tasks again; card -1: all of the host. */
int ledger_card_drained(struct ledger *ledger,
                        const char *host,
                        int32_t card,
                        const char *reason,
                        struct err *err);
/* Somebody was turned away, by the kind of refusal, for the first time. */
int ledger_peer_refused(struct ledger *ledger,
                        const char *kind,
                        const char *peer,
                        struct err *err);
/* *refused (free() it) says why the group is not taken. */
int ledger_group(struct ledger *ledger,
                 struct attempt *attempt,
                 const struct captures_group *group,
                 char **refused,
                 struct err *err);

/* Something waits for ledger_take_parse() or ledger_take_report(). */
bool ledger_needs_parsers(const struct ledger *ledger);
/* The next run to be parsed, once; NULL when there is none. */
struct attempt *ledger_take_parse(struct ledger *ledger);
int ledger_metric(struct ledger *ledger,
                  const struct store_metric *metric,
                  struct err *err);
int ledger_output(struct ledger *ledger,
                  uint64_t run_id,
                  uint32_t number,
                  const char *path,
                  struct err *err);
int ledger_parsed(struct ledger *ledger,
                  struct attempt_rank *rank,
                  bool good,
                  const char *error,
                  struct err *err);
/* The next job whose tasks have all ended and whose report is to be made, once. */
struct ledger_job *ledger_take_report(struct ledger *ledger);
/* The job ends, and is forgotten at the next ledger_free_ended_jobs(). */
int ledger_reported(struct ledger *ledger,
                    struct ledger_job *job,
                    bool good,
                    const char *error,
                    struct err *err);
void ledger_free_ended_jobs(struct ledger *ledger);

/* Since this process began. */
struct ledger_totals {
    struct event_counts events; /* by kind, as the store keeps them */
    uint64_t groups, group_bytes;
};
const struct ledger_totals *ledger_totals(const struct ledger *ledger);

#endif
