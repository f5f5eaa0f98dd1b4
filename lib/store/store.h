/* store.h - muster.db: jobs, tasks, attempts, ranks, results
 *
 * One process writes (a lock file names it), any number of processes read. The first
 * change begins a transaction, store_commit() ends it; the caller commits once a turn.
 * When a commit fails, all changes since the last commit are lost. The process has to
 * stop and to start again from the committed state.
 *
 * Rows borrow their texts: from the caller when they are written, from the statement
 * while a callback runs. A NULL text is written as "". Times in _wall_ms are
 * milliseconds since 1970 in UTC, 0 for "not yet". A callback returns 0 to continue, or
 * -1 with err to stop; it must not write. docs/reference/store-schema.md describes the
 * tables. */
#ifndef LIB_STORE_STORE_H
#define LIB_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/sqlite/store_mode.h"
#include "lib/store/states.h"

struct store;

/* STORE_WRITE creates missing folders and databases and updates an older schema.
 * Returns ERR_CONFLICT when another process writes to the store. */
int store_open(struct store **out,
               const char *folder,
               enum store_mode mode,
               struct err *err);
/* Returns true while a process has the store of this folder open for writing. */
bool store_has_writer(const char *folder);
/* Discards uncommitted changes; NULL is allowed. */
void store_close(struct store *store);
/* Does nothing when nothing changed. */
int store_commit(struct store *store, struct err *err);
void store_rollback(struct store *store);
bool store_has_changes(const struct store *store);
/* Returns 32 hexadecimal digits that differ for each store. */
const char *store_id(const struct store *store);
/* Fails when the file of the database was removed or replaced since store_open(). Then
 * nothing that is committed can be found again. */
int store_check_place(const struct store *store, struct err *err);
/* Sets *version to a number that changes when another process has committed. */
int store_version(struct store *store, uint64_t *version, struct err *err);
/* Checks the pages of the database and all references between rows. */
int store_check(struct store *store, struct err *err);

/* ---- jobs ---- */

struct store_job {
    uint64_t job_id; /* set by store_job_add() */
    const char *key; /* NAME-ID; set by the store */
    const char *name;
    const char *yaml;
    const char *file_name;
    const char *folder; /* start of the relative paths in the job */
    const char *user;
    /* token of the user that identifies the job at a second submit; "" or NULL: none.
     * Only written */
    const char *once;
    /* the key `compare` of the job file; "" or NULL: none */
    const char *compare_against, *compare_metric;
    double compare_tolerance;
    enum job_state state;
    const char *reason; /* of a failure */
    bool cancelled;     /* no task starts any more; store_job_set_cancelled() */
    uint64_t submitted_wall_ms;
    uint64_t started_wall_ms;
    uint64_t ended_wall_ms;
    uint64_t points_total;
    uint64_t tasks_total;
    /* counted when the row is read */
    uint64_t tasks_waiting;
    uint64_t tasks_leased;
    uint64_t tasks_parsing;
    uint64_t tasks_done;
    uint64_t tasks_failed;
    uint64_t tasks_cancelled;
};

typedef int store_job_fn(const struct store_job *job, void *arg, struct err *err);

/* Sets *job_id to the number of the next job. */
int store_job_next_id(struct store *store, uint64_t *job_id, struct err *err);
/* Sets job->job_id. When it is not 0, it is the number of the job; no job had it or a
 * higher one. */
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
/* Calls fn for this job, or with job_id 0 for all jobs, oldest first. */
int store_each_job(struct store *store,
                   uint64_t job_id,
                   store_job_fn *fn,
                   void *arg,
                   struct err *err);
/* All jobs, oldest first, without the numbers that are counted: to count the tasks of
 * large jobs takes long. */
int store_each_uncounted_job(struct store *store,
                             store_job_fn *fn,
                             void *arg,
                             struct err *err);
/* Calls fn once, for this job. Returns ERR_NOT_FOUND when there is none; job 0 does not
 * exist. */
int store_job_read(struct store *store,
                   uint64_t job_id,
                   store_job_fn *fn,
                   void *arg,
                   struct err *err);
/* As store_job_read(), without the counts of its tasks, which take long for many. */
int store_uncounted_job_read(struct store *store,
                             uint64_t job_id,
                             store_job_fn *fn,
                             void *arg,
                             struct err *err);
/* Reads the key of a job, which the caller frees. Returns ERR_NOT_FOUND for no job. */
int store_job_key(char **key, struct store *store, uint64_t job_id, struct err *err);
struct store_found_job {
    uint64_t job_id;
    char *key;        /* the caller frees it */
    uint64_t of_name; /* jobs with this name; 1 for a number or a key */
};

/* Finds a job by its number, its key, or its name: the newest job of this name. Returns
 * ERR_NOT_FOUND when there is none. */
int store_job_find(struct store *store,
                   const char *word,
                   struct store_found_job *found,
                   struct err *err);
/* Sets *job_id to the job that this user submitted with this token; 0: none. */
int store_job_find_once(struct store *store,
                        const char *user,
                        const char *once,
                        uint64_t *job_id,
                        struct err *err);
/* Finds the newest job with this key or name that is older than job `before`. Returns
 * ERR_NOT_FOUND when there is none. */
int store_job_find_before(struct store *store,
                          const char *word,
                          uint64_t before,
                          uint64_t *job_id,
                          enum job_state *state,
                          struct err *err);
/* Deletes the job with all its rows. captures_delete() deletes its captures. */
int store_job_delete(struct store *store, uint64_t job_id, struct err *err);

/* ---- removal of old jobs ---- */

/* A note that the files of a job are to be removed, or were removed. The transaction
 * that removes the rows writes it. The files follow, so a process that is killed leaves
 * the note, and the next removal continues. */
struct store_pruned {
    uint64_t job_id;
    const char *key;
    bool keep_figures;  /* the job and its figures stay in the store */
    bool files_removed; /* only with keep_figures: then the note stays */
    uint64_t wall_ms;
};

typedef int store_pruned_fn(const struct store_pruned *pruned, void *arg, struct err *);

/* Removes the rows of an ended job; with keep_figures only the rows of its files. */
int store_prune_job(struct store *store,
                    const struct store_pruned *pruned,
                    struct err *err);
/* Notes that the files of a job are removed. */
int store_prune_finish(struct store *store,
                       const struct store_pruned *pruned,
                       struct err *err);
int store_each_pruned(struct store *store,
                      store_pruned_fn *fn,
                      void *arg,
                      struct err *err);
/* Sets *pruned to whether the capture and the files of this job were removed. */
int store_is_pruned(bool *pruned,
                    struct store *store,
                    uint64_t job_id,
                    struct err *err);
/* Sets *is to whether the job is a night of a baseline. */
int store_is_night(bool *is, struct store *store, uint64_t job_id, struct err *err);

/* ---- points and tasks ---- */

struct store_point {
    uint64_t job_id;
    uint64_t point;
    const char *text; /* m=1024 dtype=fp16 */
    /* {"dtype":"fp16","m":1024}: sorted by name, so that the same point has the same
     * text in each job */
    const char *values_json;
};

typedef int store_point_fn(const struct store_point *point, void *arg, struct err *err);

/* Writes 16 rows with one statement, so many points in one call are faster. */
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
    uint64_t task_id; /* set by store_tasks_add() */
    uint64_t job_id;
    uint64_t point;
    uint32_t repeat;
    uint64_t place; /* in the order of the job */
    int32_t card;   /* STORE_ANY_CARD: any */
    enum task_state state;
    const char *reason;
    uint32_t attempts; /* number of the newest attempt */
    uint32_t
        retries_counted_from; /* attempts up to this number do not count as retries */
    uint64_t accepted_run_id; /* attempt whose results count; 0: none */
    const char *point_text;   /* of the point; only read */
};

typedef int store_task_fn(const struct store_task *task, void *arg, struct err *err);

/* Sets each task_id. Writes 16 rows with one statement, like store_points_add(). */
int store_tasks_add(struct store *store,
                    struct store_task *tasks,
                    size_t count,
                    struct err *err);
/* Writes the fields that can change: state, reason, attempts, retries_counted_from,
 * accepted_run_id. */
int store_task_move(struct store *store,
                    const struct store_task *task,
                    struct err *err);
/* Tasks of this job, sorted by place. */
int store_each_task(struct store *store,
                    uint64_t job_id,
                    store_task_fn *fn,
                    void *arg,
                    struct err *err);
/* Tasks that are not done, of jobs that have not ended; a coordinator loads them at its
 * start. With job_id: tasks of this job, even when it has ended. */
int store_each_open_task(struct store *store,
                         uint64_t job_id,
                         store_task_fn *fn,
                         void *arg,
                         struct err *err);

/* ---- attempts and ranks ---- */

struct store_attempt {
    uint64_t run_id; /* from 1 to 2^63 - 1 */
    uint64_t task_id;
    uint32_t attempt; /* from 1 */
    enum attempt_state state;
    const char *reason;
    const char *host; /* host and card of rank 0 */
    int32_t card;
    uint32_t ranks; /* number of ranks */
    uint64_t leased_wall_ms;
    uint64_t started_wall_ms;
    uint64_t ended_wall_ms;
    /* of the task; only read */
    uint64_t job_id;
    uint64_t point;
    uint32_t repeat;
};

typedef int
store_attempt_fn(const struct store_attempt *attempt, void *arg, struct err *err);

int store_attempt_add(struct store *store,
                      const struct store_attempt *attempt,
                      struct err *err);
/* Writes the fields that can change: state, reason, started_wall_ms, ended_wall_ms. */
int store_attempt_move(struct store *store,
                       const struct store_attempt *attempt,
                       struct err *err);
/* Attempts of this job, sorted by task and attempt. */
int store_each_attempt(struct store *store,
                       uint64_t job_id,
                       store_attempt_fn *fn,
                       void *arg,
                       struct err *err);
/* Only attempts of tasks that have not ended, sorted by task and attempt. */
int store_each_open_attempt(struct store *store,
                            store_attempt_fn *fn,
                            void *arg,
                            struct err *err);

/* The card of one rank; only attempts of several ranks have these rows, in the table
 * `rank_cards`. */
struct store_rank_card {
    uint64_t run_id;
    uint32_t rank;
    const char *host;
    int32_t card;
};

typedef int
store_rank_card_fn(const struct store_rank_card *row, void *arg, struct err *err);

int store_rank_card_add(struct store *store,
                        const struct store_rank_card *row,
                        struct err *err);
/* Sorted by rank. */
int store_each_rank_card(struct store *store,
                         uint64_t run_id,
                         store_rank_card_fn *fn,
                         void *arg,
                         struct err *err);

/* Everything besides the code that can change the figures of a rank. "": unknown. */
struct store_environment {
    uint64_t environment_id; /* equal prints have equal numbers; 0: unknown */
    const char *chip;        /* as the runtime reports it */
    uint32_t hbm_maker;      /* code of the management library; 0: unknown */
    const char *cann;        /* versions */
    const char *driver;
    const char *firmware;
    const char *host_kernel;
    const char *measurement; /* of muster's replay and formulas */
};

struct store_rank {
    uint64_t run_id;
    uint32_t rank;
    const char *host;
    int32_t card;
    const char *model;
    const char *serial;
    bool simulated;
    const char *status; /* word of enum rank_status: done, failed, timeout ... */
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
    /* of the attempt; only read */
    uint64_t job_id;
    uint64_t task_id;
    uint64_t point;
    uint32_t repeat;
    uint32_t attempt;
    const char *point_text;
    bool accepted; /* the results of this attempt count */
    struct store_environment environment;
    bool has_figures_crc; /* false: not parsed, or an old store */
    uint32_t figures_crc; /* of store_figures_crc() when the rank was parsed */
};

typedef int store_rank_fn(const struct store_rank *rank, void *arg, struct err *err);

/* Inserts or replaces the row: a worker may send a result twice. */
int store_rank_put(struct store *store, const struct store_rank *rank, struct err *err);
/* With PARSE_DONE and PARSE_FAILED it also stores the checksum of the figures, which
 * must be complete. */
int store_rank_set_parse(struct store *store,
                         uint64_t run_id,
                         uint32_t rank,
                         enum parse_state state,
                         const char *error,
                         struct err *err);
/* Does nothing when there is no such rank. */
int store_rank_set_environment(struct store *store,
                               uint64_t run_id,
                               uint32_t rank,
                               const struct store_environment *environment,
                               struct err *err);
/* Ranks of this job that have ended, sorted by task, attempt and rank. */
int store_each_rank(struct store *store,
                    uint64_t job_id,
                    store_rank_fn *fn,
                    void *arg,
                    struct err *err);
/* Passes each card of the accepted ranks of a job with its environment: only host,
 * card, serial, environment and `accepted` are set. A card with two environments is
 * passed twice, the newer one last. */
int store_each_rank_environment(struct store *store,
                                uint64_t job_id,
                                uint64_t most, /* rows; 0: all */
                                store_rank_fn *fn,
                                void *arg,
                                struct err *err);
/* When a rank ran, and with which versions. */
struct store_rank_time {
    uint64_t point;
    uint32_t repeat, attempt;
    uint64_t started_wall_ns, ended_wall_ns;
    bool simulated;
    bool accepted; /* its attempt gave the result of the task */
    struct store_environment environment;
};

typedef int
store_rank_time_fn(const struct store_rank_time *time, void *arg, struct err *err);

/* The same ranks in the same order, at less than half the cost. */
int store_each_rank_time(struct store *store,
                         uint64_t job_id,
                         store_rank_time_fn *fn,
                         void *arg,
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
};

struct store_launch {
    uint64_t run_id;
    uint32_t rank;
    uint64_t launch;
    const char *kernel;
    uint32_t device;
    const char *code_hash;   /* of the kernel's binary, 16 digits; "": unknown */
    double tick_ns;          /* step of the device clock; 0: unknown */
    const char *group_found; /* how the ranks were found; NULL or "": unknown */
    const char *restored;    /* memory that was restored between passes; as before */
    const char *advice;      /* a line for each; NULL or "": none */
    const char *notes;       /* about the measurement; as before */
    /* of the task; only read */
    uint64_t job_id;
    uint64_t point;
    const char *point_text;
    uint32_t repeat;
};

/* The launches of a kernel that ran in the same way, of all accepted ranks of a job. */
struct store_kernel_way {
    const char *kernel, *group_found, *restored;
    uint64_t launches;
};

/* The launches of a kernel in a point that have the same advice, or the same notes. */
struct store_advice {
    uint64_t point;
    const char *point_text, *kernel;
    const char *lines; /* a line for each */
    uint64_t launches;
};

typedef int
store_advice_fn(const struct store_advice *advice, void *arg, struct err *err);

/* The advice of all accepted ranks of a job, by point and kernel. */
int store_each_advice(struct store *store,
                      uint64_t job_id,
                      store_advice_fn *fn,
                      void *arg,
                      struct err *err);
/* The notes about the measurement of all accepted ranks of a job, likewise. */
int store_each_note(struct store *store,
                    uint64_t job_id,
                    store_advice_fn *fn,
                    void *arg,
                    struct err *err);

typedef int
store_kernel_way_fn(const struct store_kernel_way *way, void *arg, struct err *err);

int store_each_kernel_way(struct store *store,
                          uint64_t job_id,
                          store_kernel_way_fn *fn,
                          void *arg,
                          struct err *err);

typedef int
store_launch_fn(const struct store_launch *launch, void *arg, struct err *err);

/* Inserts or replaces the facts of the launch; its figures remain. */
int store_launch_put(struct store *store,
                     const struct store_launch *launch,
                     struct err *err);
/* Launches of the accepted attempts of this job, sorted by place, rank and launch. */
int store_each_launch(struct store *store,
                      uint64_t job_id,
                      store_launch_fn *fn,
                      void *arg,
                      struct err *err);

/* One replay of a launch. Times are nanoseconds of the monotonic clock of rank 0's
 * host; -1: unknown. */
struct store_replay {
    uint64_t run_id;
    uint32_t rank;
    uint64_t launch;
    const char *kernel;
    uint32_t device;
    uint32_t replay; /* number of the execution after the first, from 0 */
    uint32_t pass;   /* number of the counter pass; 0: another execution */
    int64_t started_ns, duration_ns; /* by the clock of the card */
    int64_t arrived_ns, released_ns; /* at the barrier of the ranks */
    int64_t uncertainty_ns;          /* of the comparison of the hosts' clocks */
    /* of the task; only read */
    uint64_t job_id;
    uint64_t point;
    const char *point_text;
    uint32_t repeat;
};

typedef int
store_replay_fn(const struct store_replay *replay, void *arg, struct err *err);

/* A second row of the same launch and replay replaces the first. */
int store_replay_add(struct store *store,
                     const struct store_replay *replay,
                     struct err *err);
/* Replays of the accepted attempts of this job, sorted by place, rank, launch, replay.
 */
int store_each_replay(struct store *store,
                      uint64_t job_id,
                      store_replay_fn *fn,
                      void *arg,
                      struct err *err);

/* A second figure of the same launch and metric replaces the first. */
int store_metric_add(struct store *store,
                     const struct store_metric *metric,
                     struct err *err);
/* Computes the checksum of the launches of a rank and of their figures. */
int store_figures_crc(uint32_t *crc,
                      struct store *store,
                      uint64_t run_id,
                      uint32_t rank,
                      struct err *err);
int store_output_add(struct store *store,
                     uint64_t run_id,
                     uint32_t rank,
                     const char *path,
                     struct err *err);
/* Deletes metrics and outputs of a rank before it is parsed again. */
int store_results_clear(struct store *store,
                        uint64_t run_id,
                        uint32_t rank,
                        struct err *err);

/* A metric of an accepted attempt with its task, rank and launch. */
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
    double tick_ns; /* of the launch; 0: unknown */
};

typedef int
store_result_fn(const struct store_result *result, void *arg, struct err *err);
typedef int store_output_fn(uint64_t run_id,
                            uint32_t rank,
                            const char *path,
                            void *arg,
                            struct err *err);

/* As store_each_result(), for the metrics whose name matches one of the
 * patterns, which are divided by '|'. */
int store_each_result_of(struct store *store,
                         uint64_t job_id,
                         const char *metric,
                         store_result_fn *fn,
                         void *arg,
                         struct err *err);
/* Sorted by place, rank and launch. */
int store_each_result(struct store *store,
                      uint64_t job_id,
                      store_result_fn *fn,
                      void *arg,
                      struct err *err);
/* Only of accepted attempts. */
int store_each_output(struct store *store,
                      uint64_t job_id,
                      store_output_fn *fn,
                      void *arg,
                      struct err *err);

/* An output with its place in the order of store_each_output(). */
struct store_output {
    uint64_t point;
    uint32_t repeat;
    uint64_t place; /* of the task in its job */
    uint32_t rank;
    const char *path; /* relative to the folder of point and repeat */
};

typedef int
store_placed_output_fn(const struct store_output *output, void *arg, struct err *err);
/* Reads at most `limit` outputs behind place, rank and path of `after`. `point`: the
 * number of a point + 1, or 0 for all points. */
int store_each_output_after(struct store *store,
                            uint64_t job_id,
                            const struct store_output *after,
                            uint64_t point,
                            uint32_t limit,
                            store_placed_output_fn *fn,
                            void *arg,
                            struct err *err);

/* Of one attempt. */
int store_each_run_output(struct store *store,
                          uint64_t run_id,
                          store_output_fn *fn,
                          void *arg,
                          struct err *err);

/* ---- cards out of service ---- */

struct store_drain {
    const char *host;
    int32_t card; /* -1: all cards of the host */
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

/* ---- queues of allocations, and their allocations ---- */

struct store_alloc_queue {
    uint64_t queue_id;
    const char *name;
    const char *resource;
    uint64_t nodes, cards_per_node, time_limit_ms, idle_ms, backlog, most;
    const char *model;
    bool simulated, here, paused;
    const char *words; /* one per line */
    const char *reason;
};

struct store_allocation {
    uint64_t allocation_id;
    uint64_t queue_id;
    const char *name;
    uint64_t number;
    const char *state;
    const char *reason;
    const char *public_key; /* of the workers; "": they may not connect any more */
    uint64_t asked_wall_ms, ended_wall_ms;
};

typedef int
store_alloc_queue_fn(const struct store_alloc_queue *queue, void *arg, struct err *err);
typedef int store_allocation_fn(const struct store_allocation *allocation,
                                void *arg,
                                struct err *err);

/* Sets *queue_id. Returns ERR_CONFLICT when there is a queue with this name. */
int store_alloc_queue_add(struct store *store,
                          const struct store_alloc_queue *queue,
                          uint64_t *queue_id,
                          struct err *err);
int store_alloc_queue_pause(struct store *store,
                            uint64_t queue_id,
                            bool paused,
                            const char *reason,
                            struct err *err);
/* Deletes the queue with its allocations. */
int store_alloc_queue_remove(struct store *store, uint64_t queue_id, struct err *err);
int store_each_alloc_queue(struct store *store,
                           store_alloc_queue_fn *fn,
                           void *arg,
                           struct err *err);
int store_allocation_add(struct store *store,
                         const struct store_allocation *allocation,
                         uint64_t *allocation_id,
                         struct err *err);
/* Writes all fields except the queue. */
int store_allocation_put(struct store *store,
                         const struct store_allocation *allocation,
                         struct err *err);
/* Sorted by the time of request: all allocations that have not ended, and those among
 * the newest STORE_ALLOCATIONS_KEPT. */
enum { STORE_ALLOCATIONS_KEPT = 200 };
int store_each_allocation(struct store *store,
                          store_allocation_fn *fn,
                          void *arg,
                          struct err *err);

/* ---- events, which are only appended ---- */

struct store_event {
    uint64_t seq; /* set by the store; grows */
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
/* Events with a larger seq, oldest first; job_id 0: of all jobs. */
int store_each_event(struct store *store,
                     uint64_t job_id,
                     uint64_t after_seq,
                     store_event_fn *fn,
                     void *arg,
                     struct err *err);
/* The events of kind gate.verdict and gate.suspect of this job, oldest first. */
int store_each_gate_event(struct store *store,
                          uint64_t job_id,
                          store_event_fn *fn,
                          void *arg,
                          struct err *err);
/* Sets *seq to the number of the newest event; 0: none. */
int store_last_event(struct store *store, uint64_t *seq, struct err *err);

#endif
