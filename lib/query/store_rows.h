/* store_rows.h - what the store knows, as the rows that a client sees
 *
 * Needs a store only, so it answers alike for jobs that run and that ended long ago.
 * Each row is handed to `fn` and borrows its texts until that returns. */
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
int store_rows_tasks(struct store *store,
                     uint64_t job_id,
                     row_fn *fn,
                     void *arg,
                     struct err *err);
int store_rows_results(struct store *store,
                       uint64_t job_id,
                       row_fn *fn,
                       void *arg,
                       struct err *err);
/* Those behind `since`, of one job or (0) of all, oldest first; with `newest` only what
 * is among the last so many of the store. */
int store_rows_events(struct store *store,
                      uint64_t job_id,
                      uint64_t since,
                      uint64_t newest,
                      row_fn *fn,
                      void *arg,
                      struct err *err);
/* One MSG_JOB_PROGRESS; `out` is the folder of all output. ERR_NOT_FOUND. */
int store_rows_progress(struct store *store,
                        uint64_t job_id,
                        const char *out,
                        row_fn *fn,
                        void *arg,
                        struct err *err);

/* What a program that waited for the job exits with. */
uint64_t
store_rows_exit_code(enum job_state state, uint64_t failed, uint64_t cancelled);

#endif
