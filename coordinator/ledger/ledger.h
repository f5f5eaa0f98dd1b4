/* ledger.h - jobs, tasks and attempts, and the only code that changes their states
 *
 * Jobs that have not ended are in memory. The store holds everything, and is the truth:
 * each function changes memory and store, and a change is durable after
 * ledger_commit(). Every function but ledger_submit() and ledger_retry() returns -1
 * only when the store failed: then stop, and restart from the committed state.
 *
 * Each state change adds an event to the store.
 *
 * struct attempt is the latest attempt of a task. It has a rank for each card; all
 * cards are leased at the same time or none. The attempt is freed when its task has
 * ended or when the next attempt begins; a run_id that ledger_find_attempt() does not
 * find belongs to an older attempt. When one rank fails, the others must be stopped
 * (ledger_take_stop()). The attempt ends when all ranks have ended, and its reason
 * names the rank that caused the failure. */
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
struct store_environment;
struct store_launch;
struct store_metric;
struct store_replay;
struct worker;

struct ledger_job {
    struct ledger_job *next;
    uint64_t job_id;
    char *key;
    char *folder;
    char *user; /* that submitted the job */
    char *out;  /* folder of its output files */
    struct job *job;
    struct job_points *points;
    enum job_state state;
    uint64_t counts[TASK_STATE_END];
    uint64_t task_count, task_room; /* in memory, and the size of `tasks` */
    bool cancelled;                 /* no task of it starts any more */
    uint64_t *after;                /* jobs that have to end first */
    size_t after_count;
    bool changed; /* since the watchers were notified, which clears it */
    bool report_due;
    uint64_t served_ms; /* when it last got a card, or was submitted; monotonic */
    char note[256];     /* the latest message for users */
    uint64_t rank_ns;   /* recent duration of its ranks; 0: none has ended */
    struct lease_message_program *program; /* cache of lease_message.c */
    struct task *tasks;
    struct task_queue *queue;
    struct captures *captures; /* open after its first group, or NULL */
};

struct task {
    struct waiting waiting; /* the first member: a queue entry is the task */
    struct ledger_job *job;
    uint64_t task_id;
    uint64_t point;
    uint32_t repeat;
    uint32_t attempts;             /* number of the latest attempt */
    uint32_t spent;                /* attempts that count as retries of the job */
    uint32_t retries_counted_from; /* attempts up to this number never count */
    uint64_t accepted_run_id;      /* the attempt with the result of the task, or 0 */
    enum task_state state;
    struct attempt *attempt; /* the latest attempt, or NULL */
};

struct attempt_rank {
    struct attempt *attempt;
    uint32_t number;
    enum rank_state state;
    enum rank_status status; /* valid when the rank has ended */
    bool simulated;
    enum parse_state parsed; /* PARSE_NONE: not yet */
    char *host;
    int32_t card;
    struct worker *worker; /* that has the lease, or NULL; see ledger_assign_worker() */
    struct attempt_rank *next_of_worker, **at_of_worker;
    bool recalled; /* a recall was sent, which the worker obeys unless the rank has
                      started */
    uint64_t
        await_until_ms; /* without a worker: lost after this time; 0: not awaited */
};

/* Why an attempt failed. */
struct failure {
    enum rank_state state; /* RANK_STATE_LEASED: no failure so far */
    enum rank_status status;
    bool by_signal;
    bool exit_was_good; /* then the other ranks end by themselves */
    bool left;          /* the program ended well before its first launch */
    bool waited;        /* the time limit came before the first launch */
    uint32_t rank;
    uint64_t ended_wall_ns;
    char reason[200];
};

struct attempt {
    uint64_t run_id;
    struct task *task;
    enum attempt_state state;
    bool started;             /* a worker has reported its start */
    uint64_t started_wall_ms; /* 0: not started */
    struct attempt *next_unwritten,
        **at_unwritten; /* at_unwritten NULL: the state is stored */
    bool threads;       /* rank 0 has the process, the other ranks lend their cards */
    struct attempt_rank *ranks;
    uint32_t rank_count;
    struct failure failure;
    bool must_end; /* of something that happened the others would not end by themselves
                    */
    char gang[33]; /* random identifier; "" after a restart of the coordinator */
    /* for leases, one entry per rank; NULL for a single rank or after a restart */
    const char **hosts, **addresses, **card_addresses;
    uint64_t *cards;
    uint64_t stay_until_ms;   /* after a rank has left: ends the others; 0: none has */
    uint64_t ending_until_ms; /* closed after this time in any case; 0: not ending */
    bool stop_due;            /* ledger_take_stop() returns the attempt next */
    bool parsed_again;        /* files of an earlier parse may be in its folder */
    char parse_error[320];    /* of the first rank whose parsing failed */
    struct attempt *next_parse;
};

/* Loads all jobs that have not ended. The workers of open attempts are awaited until
 * `await_until_ms`. `out_folder` holds the output of all jobs. */
int ledger_open(struct ledger **out,
                struct store *store,
                const char *store_folder,
                const char *out_folder,
                uint64_t await_until_ms,
                struct err *err);
void ledger_close(struct ledger *ledger); /* NULL is allowed */
/* Stores the attempts that have started. Their start is otherwise stored with their
 * next change or with the commit. Call this before reading attempts from the store. */
int ledger_store_attempts(struct ledger *ledger, struct err *err);
bool ledger_has_changes(const struct ledger *ledger);
/* Commits the captures first and then the store, so that each stored result has its
 * groups. */
int ledger_commit(struct ledger *ledger, struct err *err);

/* ERR_INPUT or ERR_LIMIT: the job file is wrong, and *problems (free() it) lists all
 * problems. Other errors are of the store. */
int ledger_submit(struct ledger_job **out,
                  struct ledger *ledger,
                  const struct msg_submit *submit,
                  char **problems,
                  struct err *err);
int ledger_cancel(struct ledger *ledger, struct ledger_job *job, struct err *err);
/* Makes failed and cancelled tasks wait again; `count` is their number. ERR_NOT_FOUND,
 * ERR_INPUT and ERR_CONFLICT are errors of the request. */
int ledger_retry(struct ledger *ledger,
                 const struct msg_retry *request,
                 uint64_t *count,
                 struct err *err);
/* Makes the parsers read stored captures of an ended job again; `count` is the number
 * of tasks. ERR_NOT_FOUND, ERR_INPUT and ERR_CONFLICT are errors of the request. */
int ledger_reparse(struct ledger *ledger,
                   const struct msg_reparse *request,
                   uint64_t *count,
                   struct err *err);

struct ledger_job *ledger_first_job(const struct ledger *ledger);
struct ledger_job *ledger_find_job(const struct ledger *ledger, uint64_t job_id);
struct attempt *ledger_find_attempt(const struct ledger *ledger, uint64_t run_id);
struct attempt *
ledger_next_attempt(const struct ledger *ledger,
                    size_t *cursor); /* all, in no order; *cursor begins as 0 */

/* Returns NULL when the attempt has no such rank. */
struct attempt_rank *ledger_find_rank(const struct attempt *attempt, uint64_t number);
/* Returns false for a rank of a threads job that only lends its card to rank 0. */
bool ledger_rank_has_process(const struct attempt_rank *rank);
/* Returns the rank on this card, or NULL. */
struct attempt_rank *
ledger_find_rank_on_card(const struct attempt *attempt, const char *host, int32_t card);

/* Starts an attempt of a waiting task with a worker for each rank, in the order of the
 * ranks. */
int ledger_lease(struct attempt **out,
                 struct ledger *ledger,
                 struct task *task,
                 struct worker *const *workers,
                 uint32_t count,
                 struct err *err);
/* The next functions report an event of a rank. Each may end the attempt and free it.
 */
int ledger_taken(struct ledger *ledger, struct attempt_rank *rank, struct err *err);
int ledger_refused(struct ledger *ledger,
                   struct attempt_rank *rank,
                   const char *reason,
                   struct err *err);
int ledger_lost(struct ledger *ledger,
                struct attempt_rank *rank,
                const char *reason,
                struct err *err);
/* In a threads job, the result of rank 0 is the result of all ranks; a result of
 * another rank is ignored. */
int ledger_result(struct ledger *ledger,
                  struct attempt_rank *rank,
                  const struct worker *worker,
                  const struct msg_rank_result *result,
                  struct err *err);
/* Ends the other ranks of an attempt that one rank left before `stay_until_ms`: the
 * gang can never be complete again. */
int ledger_end_incomplete(struct ledger *ledger,
                          struct attempt *attempt,
                          struct err *err);
/* Ends an attempt whose ranks did not all end until `ending_until_ms`. */
int ledger_close_overdue(struct ledger *ledger,
                         struct attempt *attempt,
                         struct err *err);
/* Links the rank to this worker, or with NULL to none. Changes no state. */
void ledger_assign_worker(struct attempt_rank *rank, struct worker *worker);
/* Links the rank to its worker, which has reconnected and holds it. *goes_on is false
 * when the worker must stop the rank. */
int ledger_resume_rank(struct ledger *ledger,
                       struct attempt_rank *rank,
                       struct worker *worker,
                       bool *goes_on,
                       struct err *err);
/* Returns the next attempt whose open ranks must be stopped, each attempt once, or
 * NULL. Sets the time at which ledger_close_overdue() is due. */
struct attempt *ledger_take_stop(struct ledger *ledger, uint64_t until_ms);
/* The next functions only add an event. */
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
int ledger_card_fault(struct ledger *ledger,
                      const struct worker *worker,
                      const char *what,
                      struct err *err);
/* `reason` NULL: back in service. `card` -1: the whole host. */
int ledger_card_drained(struct ledger *ledger,
                        const char *host,
                        int32_t card,
                        const char *reason,
                        struct err *err);
/* Of a baseline or a confirmation. `job_id` 0: the event belongs to no job. */
int ledger_verdict_event(struct ledger *ledger,
                         const char *kind,
                         uint64_t job_id,
                         const char *text,
                         struct err *err);
/* Adds the events gate.verdict and gate.suspect. */
int ledger_gate_verdict(struct ledger *ledger,
                        const struct msg_gate_verdict *verdict,
                        struct err *err);
int ledger_peer_refused(struct ledger *ledger,
                        const char *kind,
                        const char *peer,
                        struct err *err);
/* Stores a capture group. *refused (free() it) is the reason when it is not stored. */
int ledger_group(struct ledger *ledger,
                 struct attempt *attempt,
                 const struct captures_group *group,
                 char **refused,
                 struct err *err);

/* Returns true when ledger_take_parse() or ledger_take_report() has work. */
bool ledger_needs_parsers(const struct ledger *ledger);
/* Returns the next attempt to parse, each once, or NULL. */
struct attempt *ledger_take_parse(struct ledger *ledger);
int ledger_metric(struct ledger *ledger,
                  const struct store_metric *metric,
                  struct err *err);
int ledger_launch(struct ledger *ledger,
                  const struct store_launch *launch,
                  struct err *err);
int ledger_replay(struct ledger *ledger,
                  const struct store_replay *replay,
                  struct err *err);
int ledger_environment(struct ledger *ledger,
                       uint64_t run_id,
                       uint32_t number,
                       const struct store_environment *environment,
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
/* Returns the folder for the files of the task; free() it. */
char *ledger_task_folder(const struct task *task);
/* Sends the watchers of the job the reason why a parse is repeated; attempt NULL: why
 * its report is written again. Changes no state. */
void ledger_parse_delayed(struct ledger_job *job,
                          const struct attempt *attempt,
                          const char *error);
/* Returns the next job that needs a report, since all its tasks have ended; each once,
 * or NULL. */
struct ledger_job *ledger_take_report(struct ledger *ledger);
/* Ends the job. The next ledger_free_ended_jobs() frees it. */
int ledger_reported(struct ledger *ledger,
                    struct ledger_job *job,
                    bool good,
                    const char *error,
                    struct err *err);
void ledger_free_ended_jobs(struct ledger *ledger);

/* Totals since the start of this process. */
struct ledger_totals {
    struct event_counts events; /* by kind, as in the store */
    uint64_t groups, group_bytes;
};
const struct ledger_totals *ledger_totals(const struct ledger *ledger);

#endif
