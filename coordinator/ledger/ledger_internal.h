/* ledger_internal.h - struct ledger and the functions that the files of this folder
 * share */
#ifndef COORDINATOR_LEDGER_LEDGER_INTERNAL_H
#define COORDINATOR_LEDGER_LEDGER_INTERNAL_H

#include "coordinator/ledger/ledger.h"
#include "coordinator/ledger/task_state.h"

struct captures_rank_totals;
struct map;
struct store_rank;

struct ledger {
    struct store *store;
    char *store_folder;
    char *out;
    struct ledger_job *jobs; /* oldest first */
    struct map *attempts;    /* by run_id */
    struct attempt *parse_first, **parse_end;
    size_t stops_due; /* runs with end_due */
    uint64_t last_run_id;
    struct attempt *unwritten; /* attempts whose state is not stored yet */
    struct ledger_totals totals;
};

/* ledger_index.c: these functions change memory only. */
struct ledger_job *ledger_add_job(struct ledger *ledger,
                                  uint64_t job_id,
                                  const char *key,
                                  const char *folder,
                                  const char *user,
                                  struct job *job,
                                  uint64_t task_room);
void ledger_free_job(struct ledger_job *job);
struct attempt *ledger_add_attempt(struct ledger *ledger,
                                   struct task *task,
                                   uint64_t run_id,
                                   uint32_t rank_count);
void ledger_set_rank_card(struct attempt_rank *rank, const char *host, int32_t card);
/* Removes the rank from its worker, and stops waiting for a worker. */
void ledger_unassign_rank(struct attempt_rank *rank);
void ledger_free_attempt(struct ledger *ledger, struct attempt *attempt);
void ledger_mark_unwritten(struct ledger *ledger, struct attempt *attempt);
void ledger_mark_written(struct attempt *attempt);
/* Makes ledger_take_stop() return the attempt. */
void ledger_request_stop(struct ledger *ledger, struct attempt *attempt);
void ledger_queue_parse(struct ledger *ledger, struct attempt *attempt);
uint64_t ledger_open_tasks(const struct ledger_job *job);

/* ledger_moves.c: state changes with their immediate consequences. Both may free the
 * attempt. */
int ledger_move_task(struct ledger *ledger,
                     struct task *task,
                     enum task_event event,
                     const char *reason,
                     struct err *err);
int ledger_move_attempt(struct ledger *ledger,
                        struct attempt *attempt,
                        enum attempt_event event,
                        const char *reason,
                        struct err *err);
/* Steps through a state that the task or attempt leaves in the same turn: nothing is
 * stored. */
int ledger_step_task_unstored(struct task *task,
                              enum task_event event,
                              struct err *err);
int ledger_step_attempt_unstored(struct attempt *attempt,
                                 enum attempt_event event,
                                 struct err *err);
uint64_t ledger_wall_ms(void);
/* Cancels all waiting tasks of the job, for this reason. */
int ledger_cancel_job(struct ledger *ledger,
                      struct ledger_job *job,
                      const char *reason,
                      struct err *err);

/* ledger_dependencies.c: returns the open jobs that the `after` list of `job` names,
 * among the jobs with numbers below `before`; free() them. ERR_NOT_FOUND or
 * ERR_CONFLICT: a job does not exist or has failed. With `lenient` such a job is left
 * out. */
int ledger_dependencies_find(uint64_t **out,
                             size_t *count,
                             struct ledger *ledger,
                             const struct job *job,
                             uint64_t before,
                             bool lenient,
                             struct err *err);
/* Releases the jobs that waited for the ended job, or cancels them when it failed. */
int ledger_dependencies_ended(struct ledger *ledger,
                              const struct ledger_job *ended,
                              struct err *err);

/* ledger_failure.c: writes why a rank ended: the reason that its worker sent, or what
 * its exit shows. */
void ledger_describe_rank(char *out,
                          size_t size,
                          enum rank_status status,
                          const char *reason,
                          int64_t signal,
                          int64_t exit_code);
/* Returns the failure that this row of a rank describes. */
struct failure ledger_failure_of_rank(const struct store_rank *row);
/* Stores `failure` in the attempt when it explains more than the one stored before. */
void ledger_record_failure(struct attempt *attempt, const struct failure *failure);
/* Returns bits of enum job_retry_on: the classes that this failure belongs to. */
unsigned ledger_retry_class(const struct failure *failure);
/* Returns true when the program ended well but was not measured: the other ranks then
 * end by themselves. */
bool ledger_failure_is_harmless(const struct failure *failure);

/* ledger_outcome.c: closes the attempt when all its ranks have ended, and requests the
 * end of the others when one has failed. The attempt may be freed on return. */
int ledger_close_if_ended(struct ledger *ledger,
                          struct attempt *attempt,
                          struct err *err);
/* Writes `7 of 8 ranks ended well; rank 3: exit code 5`. */
const char *ledger_describe_failure(char out[260], const struct attempt *attempt);

/* ledger_captures.c: counts what is stored of this rank. */
int ledger_count_captured(struct captures_rank_totals *totals,
                          struct ledger *ledger,
                          const struct attempt_rank *rank,
                          struct err *err);

/* ledger_event.c: adds an event; `kind` is for example job.ended or task.leased. */
int ledger_job_event(struct ledger *ledger,
                     const struct ledger_job *job,
                     const char *kind,
                     const char *text,
                     struct err *err);
int ledger_task_event(struct ledger *ledger,
                      const struct task *task,
                      uint64_t run_id,
                      const char *kind,
                      const char *text,
                      struct err *err);

/* ledger_load.c: fills an empty ledger from the store. */
int ledger_load(struct ledger *ledger, uint64_t await_until_ms, struct err *err);
/* Loads a job that has ended, with its tasks that are not done, or with all its tasks.
 * ERR_NOT_FOUND, or ERR_INPUT when this version cannot read its job file. */
int ledger_load_ended(struct ledger_job **out,
                      struct ledger *ledger,
                      uint64_t job_id,
                      bool all_tasks,
                      struct err *err);

#endif
