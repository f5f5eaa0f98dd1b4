/* store.h - what is true of jobs, tasks, attempts, ranks and results: muster.db
 *
 * One process writes (a lock file names it), any number read. Changes gather in one
 * transaction, begun by the first of them; nothing of it is true before store_commit().
 * Call that once a turn of the loop. When a commit fails, everything since the last
 * one is gone: stop, and start again from what is true.
 *
 * Rows borrow their texts: from you when written, from the statement while a callback
 * runs. A NULL text is written as "". Unix times are in milliseconds, 0 for "not yet".
 * A callback returns 0 to go on, or -1 with err to stop; it must not write. */
#ifndef LIB_STORE_STORE_H
#define LIB_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/store/states.h"
#include "lib/store/store_mode.h"

struct store;

/* STORE_WRITE makes folder and database when they are not there, and brings an older
 * schema forward; ERR_CONFLICT when another process writes to it. */
int store_open(struct store **out,
               const char *folder,
               enum store_mode mode,
               struct err *err);
/* Some process writes to the store of this folder now. */
bool store_has_writer(const char *folder);
/* Drops what was not committed; NULL is welcome. */
void store_close(struct store *store);
/* Nothing changed: does nothing. */
int store_commit(struct store *store, struct err *err);
void store_rollback(struct store *store);
bool store_has_changes(const struct store *store);
/* 32 hex digits, made with the database: tells one store from another. */
const char *store_id(const struct store *store);
/* The whole database is sound, and all rows belong together. */
int store_check(struct store *store, struct err *err);

/* ---- jobs ---- */

struct store_job {
    uint64_t job_id; /* given by store_job_add */
    const char *key; /* NAME-ID; likewise */
    const char *name;
    const char *yaml;
    const char *file_name;
    const char *folder; /* where relative paths of the job start */
    const char *user;
    const char
        *once; /* NULL, or words by which this user's job is known again; not read */
    enum job_state state;
    const char *reason; /* why it failed */
    bool cancelled;     /* nothing of it starts any more; store_job_set_cancelled() */
    uint64_t submitted_wall_ms;
    uint64_t started_wall_ms;
    uint64_t ended_wall_ms;
    uint64_t points_total;
    uint64_t tasks_total;
    /* counted when read */
    uint64_t tasks_waiting;
    uint64_t tasks_leased;
    uint64_t tasks_parsing;
    uint64_t tasks_done;
    uint64_t tasks_failed;
    uint64_t tasks_cancelled;
};

typedef int store_job_fn(const struct store_job *job, void *arg, struct err *err);

/* Sets job->job_id. The key is made of name and number. */
int store_job_add(struct store *store, struct store_job *job, struct err *err);
int store_job_set_state(struct store *store,
                        uint64_t job_id,
                        enum job_state state,
                        const char *reason,
                        uint64_t wall_ms,
                        struct err *err);
int store_job_set_cancelled(struct store *store,
                            uint64_t job_id,
                            bool cancelled,
                            struct err *err);
/* All jobs, oldest first; `job_id` 0: all. */
int store_each_job(struct store *store,
                   uint64_t job_id,
                   store_job_fn *fn,
                   void *arg,
                   struct err *err);
/* By number, by key, or by name when only one has it. ERR_NOT_FOUND tells. */
int store_job_find(struct store *store,
                   const char *word,
                   uint64_t *job_id,
                   struct err *err);
/* The one that this user submitted with these words; 0: none. */
int store_job_find_once(struct store *store,
                        const char *user,
                        const char *once,
                        uint64_t *job_id,
                        struct err *err);
/* The latest of this key or name that was added before job `before`, and how it is;
 * ERR_NOT_FOUND tells. */
int store_job_find_before(struct store *store,
                          const char *word,
                          uint64_t before,
                          uint64_t *job_id,
                          enum job_state *state,
                          struct err *err);
/* With everything that belongs to it; its captures are a file of their own. */
int store_job_delete(struct store *store, uint64_t job_id, struct err *err);

/* ---- points and tasks ---- */

struct store_point {
    uint64_t job_id;
    uint64_t point;
    const char *text;        /* m=1024,dtype=fp16 */
    const char *values_json; /* {"m":1024,"dtype":"fp16"} */
};

typedef int store_point_fn(const struct store_point *point, void *arg, struct err *err);

/* Many at once are quick. */
int store_points_add(struct store *store,
                     const struct store_point *points,
                     size_t count,
                     struct err *err);
int store_each_point(struct store *store,
                     uint64_t job_id,
                     store_point_fn *fn,
                     void *arg,
                     struct err *err);

enum { STORE_ANY_CARD = -1 };

struct store_task {
    uint64_t task_id; /* given by store_tasks_add */
    uint64_t job_id;
    uint64_t point;
    uint32_t repeat;
    uint64_t place; /* in the order in which the job wants them */
    int32_t card;   /* STORE_ANY_CARD: any */
    enum task_state state;
    const char *reason;
    uint32_t attempts;             /* so far: the number of the latest one */
    uint32_t retries_counted_from; /* those up to this one count against nothing */
    uint64_t accepted_run_id;      /* the attempt whose results count; 0: none */
    const char *point_text;        /* of its point; only read */
};

typedef int store_task_fn(const struct store_task *task, void *arg, struct err *err);

/* Sets each task_id. Many at once are quick. */
int store_tasks_add(struct store *store,
                    struct store_task *tasks,
                    size_t count,
                    struct err *err);
/* What of it may change: state, reason, attempts, retries_counted_from,
 * accepted_run_id. */
int store_task_move(struct store *store,
                    const struct store_task *task,
                    struct err *err);
/* In the order of job and place; `job_id` 0: of all jobs. */
int store_each_task(struct store *store,
                    uint64_t job_id,
                    store_task_fn *fn,
                    void *arg,
                    struct err *err);
/* Of jobs that have not ended, those that are not done: what a coordinator loads when
 * it starts. With `job_id`: of this job, also when it has ended. */
int store_each_open_task(struct store *store,
                         uint64_t job_id,
                         store_task_fn *fn,
                         void *arg,
                         struct err *err);

/* ---- attempts and ranks ---- */

struct store_attempt {
    uint64_t run_id; /* not 0, and below 2^63 */
    uint64_t task_id;
    uint32_t attempt; /* from 1 */
    enum attempt_state state;
    const char *reason;
    const char *host; /* of rank 0, as is the card */
    int32_t card;
    uint32_t ranks; /* that it has, from 1 */
    uint64_t leased_wall_ms;
    uint64_t started_wall_ms;
    uint64_t ended_wall_ms;
    /* of its task; only read */
    uint64_t job_id;
    uint64_t point;
    uint32_t repeat;
};

typedef int
store_attempt_fn(const struct store_attempt *attempt, void *arg, struct err *err);

int store_attempt_add(struct store *store,
                      const struct store_attempt *attempt,
                      struct err *err);
/* What of it may change: state, reason, started_wall_ms, ended_wall_ms. */
int store_attempt_move(struct store *store,
                       const struct store_attempt *attempt,
                       struct err *err);
/* In the order of task and attempt; `job_id` 0: of all jobs. */
int store_each_attempt(struct store *store,
                       uint64_t job_id,
                       store_attempt_fn *fn,
                       void *arg,
                       struct err *err);
/* Only those of tasks that may still move. */
int store_each_open_attempt(struct store *store,
                            store_attempt_fn *fn,
                            void *arg,
                            struct err *err);

/* Which card each rank of an attempt was given; only attempts of several ranks have
 * these. */
struct store_rank_card {
    uint64_t run_id;
    uint32_t rank;
    const char *host;
    int32_t card;
};

typedef int store_rank_card_fn(const struct store_rank_card *seat, void *arg, struct err *err);

int store_rank_card_add(struct store *store, const struct store_rank_card *seat, struct err *err);
/* By rank. */
int store_each_rank_card(struct store *store,
                    uint64_t run_id,
                    store_rank_card_fn *fn,
                    void *arg,
                    struct err *err);

struct store_rank {
    uint64_t run_id;
    uint32_t rank;
    const char *host;
    int32_t card;
    const char *model;
    const char *serial;
    bool simulated;
    const char *status; /* done, failed, timeout ... as the worker says */
    int32_t exit_code;
    int32_t signal;
    const char *reason;
    bool injected;
    uint64_t launches;
    uint64_t groups;
    uint64_t blocks;
    uint64_t started_wall_ns;
    uint64_t ended_wall_ns;
    enum parse_state parse_state;
    const char *parse_error;
    /* of its attempt; only read */
    uint64_t job_id;
    uint64_t task_id;
    uint64_t point;
    uint32_t repeat;
    uint32_t attempt;
};

typedef int store_rank_fn(const struct store_rank *rank, void *arg, struct err *err);

/* Puts, or replaces: a result may be sent twice. */
int store_rank_put(struct store *store, const struct store_rank *rank, struct err *err);
int store_rank_set_parse(struct store *store,
                         uint64_t run_id,
                         uint32_t rank,
                         enum parse_state state,
                         const char *error,
                         struct err *err);
int store_each_rank(struct store *store,
                    uint64_t job_id,
                    store_rank_fn *fn,
                    void *arg,
                    struct err *err);
/* When the last rank of the job ended; 0: none has. */
int store_last_rank_end(struct store *store,
                        uint64_t job_id,
                        uint64_t *wall_ns,
                        struct err *err);

/* ---- results ---- */

struct store_metric {
    uint64_t run_id;
    uint32_t rank;
    uint64_t launch;
    const char *kernel;
    uint32_t device;
    const char *metric;
    double value;
    const char *unit;
    bool simulated;
};

int store_metric_add(struct store *store,
                     const struct store_metric *metric,
                     struct err *err);
int store_output_add(struct store *store,
                     uint64_t run_id,
                     uint32_t rank,
                     const char *path,
                     struct err *err);
/* Takes back metrics and outputs of a rank, before it is parsed again. */
int store_results_clear(struct store *store,
                        uint64_t run_id,
                        uint32_t rank,
                        struct err *err);

/* A metric of an accepted attempt, and where it comes from. */
struct store_result {
    uint64_t job_id;
    uint64_t task_id;
    uint64_t point;
    const char *point_text;
    uint32_t repeat;
    uint32_t attempt;
    uint64_t run_id;
    uint32_t rank;
    const char *host;
    int32_t card;
    const char *model;
    const char *serial;
    uint64_t launch;
    const char *kernel;
    uint32_t device;
    const char *metric;
    double value;
    const char *unit;
    bool simulated;
};

typedef int
store_result_fn(const struct store_result *result, void *arg, struct err *err);
typedef int store_output_fn(uint64_t run_id,
                            uint32_t rank,
                            const char *path,
                            void *arg,
                            struct err *err);

/* In the order of place, rank, launch. */
int store_each_result(struct store *store,
                      uint64_t job_id,
                      store_result_fn *fn,
                      void *arg,
                      struct err *err);
/* Of accepted attempts. */
int store_each_output(struct store *store,
                      uint64_t job_id,
                      store_output_fn *fn,
                      void *arg,
                      struct err *err);

/* ---- cards that get nothing ---- */

struct store_drain {
    const char *host;
    int32_t card; /* -1: all of the host */
    const char *reason;
    uint64_t since_wall_ms;
};

typedef int store_drain_fn(const struct store_drain *drain, void *arg, struct err *err);

int store_drain_put(struct store *store,
                    const struct store_drain *drain,
                    struct err *err);
int store_drain_remove(struct store *store,
                       const char *host,
                       int32_t card,
                       struct err *err);
int store_each_drain(struct store *store,
                     store_drain_fn *fn,
                     void *arg,
                     struct err *err);

/* ---- queues of allocations, and what they asked a cluster for ---- */

struct store_alloc_queue {
    uint64_t queue_id;
    const char *name;
    const char *resource;
    uint64_t nodes, cards_per_node, time_limit_ms, idle_ms, backlog, most;
    const char *model;
    bool simulated, here, paused;
    const char *words; /* a line each */
    const char *reason;
};

struct store_allocation {
    uint64_t allocation_id;
    uint64_t queue_id;
    const char *name;
    uint64_t number;
    const char *state;
    const char *reason;
    const char *public_key; /* of its workers; "": they may not come any more */
    uint64_t asked_wall_ms, ended_wall_ms;
};

typedef int
store_alloc_queue_fn(const struct store_alloc_queue *queue, void *arg, struct err *err);
typedef int store_allocation_fn(const struct store_allocation *allocation,
                                void *arg,
                                struct err *err);

/* Gives the numbers. ERR_CONFLICT: there is a queue of this name. */
int store_alloc_queue_add(struct store *store,
                          const struct store_alloc_queue *queue,
                          uint64_t *queue_id,
                          struct err *err);
int store_alloc_queue_pause(struct store *store,
                            uint64_t queue_id,
                            bool paused,
                            const char *reason,
                            struct err *err);
/* With all its allocations. */
int store_alloc_queue_remove(struct store *store, uint64_t queue_id, struct err *err);
int store_each_alloc_queue(struct store *store,
                           store_alloc_queue_fn *fn,
                           void *arg,
                           struct err *err);
int store_allocation_add(struct store *store,
                         const struct store_allocation *allocation,
                         uint64_t *allocation_id,
                         struct err *err);
/* All but the queue. */
int store_allocation_put(struct store *store,
                         const struct store_allocation *allocation,
                         struct err *err);
/* In the order in which they were asked for: those that live, and the latest of those
 * that have ended. */
enum { STORE_ALLOCATIONS_KEPT = 200 };
int store_each_allocation(struct store *store,
                          store_allocation_fn *fn,
                          void *arg,
                          struct err *err);

/* ---- events: append only ---- */

struct store_event {
    uint64_t seq; /* given by the store; grows */
    uint64_t wall_ms;
    const char *kind; /* job.submitted, task.leased, worker.lost ... */
    uint64_t job_id;  /* 0: of no job */
    uint64_t task_id;
    uint64_t run_id;
    const char *text;
};

typedef int store_event_fn(const struct store_event *event, void *arg, struct err *err);

int store_event_add(struct store *store,
                    const struct store_event *event,
                    struct err *err);
/* Those behind `after_seq`, oldest first; `job_id` 0: of all. */
int store_each_event(struct store *store,
                     uint64_t job_id,
                     uint64_t after_seq,
                     store_event_fn *fn,
                     void *arg,
                     struct err *err);
/* The number of the latest one; 0: there is none. */
int store_last_event(struct store *store, uint64_t *seq, struct err *err);

#endif
