/* store_rows.h - queries of the store whose results are the rows of client messages
 *
 * The queries read the store only, so they treat running and ended jobs alike. `fn`
 * gets each row; the texts of a row are valid during the call. */
#ifndef LIB_QUERY_STORE_ROWS_H
#define LIB_QUERY_STORE_ROWS_H

#include "lib/store/store.h"
#include "lib/wire/messages.h"

typedef void row_fn(enum message_type type, const void *row, void *arg);

int store_rows_jobs(struct store *store,
                    bool active_only,
                    row_fn *fn,
                    void *arg,
                    struct err *err);
/* One job. Returns ERR_NOT_FOUND when there is none. */
int store_rows_job(struct store *store,
                   uint64_t job_id,
                   row_fn *fn,
                   void *arg,
                   struct err *err);
/* All jobs, without the counts of their tasks. */
int store_rows_uncounted_jobs(struct store *store,
                              row_fn *fn,
                              void *arg,
                              struct err *err);
int store_rows_tasks(struct store *store,
                     uint64_t job_id,
                     row_fn *fn,
                     void *arg,
                     struct err *err);
/* The same without the data of attempts. */
int store_rows_task_states(struct store *store,
                           uint64_t job_id,
                           row_fn *fn,
                           void *arg,
                           struct err *err);
/* metric: patterns of the metrics, divided by '|'; "": all. */
int store_rows_results(struct store *store,
                       uint64_t job_id,
                       const char *metric,
                       row_fn *fn,
                       void *arg,
                       struct err *err);
/* Each rank that ended, of all attempts, with its environment print. */
int store_rows_ranks(struct store *store,
                     uint64_t job_id,
                     row_fn *fn,
                     void *arg,
                     struct err *err);
/* Each card of the accepted attempts with its environment print, in rows of type
 * MSG_RANK_ROW; a card with two environments has two rows, the newer last. */
int store_rows_rank_environments(struct store *store,
                                 uint64_t job_id,
                                 row_fn *fn,
                                 void *arg,
                                 struct err *err);
/* The first of these rows only. */
int store_rows_rank_environment(struct store *store,
                                uint64_t job_id,
                                row_fn *fn,
                                void *arg,
                                struct err *err);
/* Each launch of the accepted attempts, with the hash of its kernel's binary. */
int store_rows_launches(struct store *store,
                        uint64_t job_id,
                        row_fn *fn,
                        void *arg,
                        struct err *err);
/* Each replay of the accepted attempts. */
int store_rows_replays(struct store *store,
                       uint64_t job_id,
                       row_fn *fn,
                       void *arg,
                       struct err *err);
/* Lists the events after number `since`, oldest first, of one job or (0) of all jobs.
 * With `newest`, only events among the last `newest` of the store. */
int store_rows_events(struct store *store,
                      uint64_t job_id,
                      uint64_t since,
                      uint64_t newest,
                      row_fn *fn,
                      void *arg,
                      struct err *err);
/* Calls `fn` with one MSG_JOB_PROGRESS. `out` is the folder of all output.
 * ERR_NOT_FOUND: there is no such job. */
int store_rows_progress(struct store *store,
                        uint64_t job_id,
                        const char *out,
                        row_fn *fn,
                        void *arg,
                        struct err *err);

/* Returns the exit code of a program that waited for the job. */
uint64_t
store_rows_exit_code(enum job_state state, uint64_t failed, uint64_t cancelled);

#endif
