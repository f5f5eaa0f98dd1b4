/* row_source.h - reads rows from a coordinator or from a store
 *
 * When a coordinator is named (client.h), it is queried. Otherwise the store below the
 * folder of results is read, which works after a private run has ended. */
#ifndef CLI_QUERY_ROW_SOURCE_H
#define CLI_QUERY_ROW_SOURCE_H

#include <limits.h>

#include "cli/query/client.h"
#include "lib/base/err.h"

struct row_source;
struct store;
struct text;

/* Opens only the store below the folder of results, for reading. */
int row_source_open_store(struct store **out, const char *out_folder, struct err *err);

int row_source_open(struct row_source **out,
                    const struct client_options *options,
                    const char *out_folder,
                    struct err *err);
void row_source_close(struct row_source *source); /* NULL is allowed */

/* Returns the connection to the coordinator; NULL when a store is read. */
struct client *row_source_client(struct row_source *source);
/* Returns the store that is read; NULL when the rows come from a coordinator. */
struct store *row_source_store(struct row_source *source);

/* Sets *version to a number that changes with the content of the store. Fails when the
 * store was removed or replaced; not for a coordinator. */
int row_source_store_version(struct row_source *source,
                             uint64_t *version,
                             struct err *err);

/* Returns the folder of results of the store; NULL when a coordinator is read. */
const char *row_source_out(const struct row_source *source);

/* Finds a job by its number, its key, or its name: the newest job of this name. */
int row_source_find_job(struct row_source *source,
                        const char *job_arg,
                        uint64_t *job_id,
                        struct err *err);

/* Calls fn for each row of type MSG_JOB_ROW, MSG_TASK_ROW, MSG_RESULT_ROW,
 * MSG_RANK_ROW, MSG_LAUNCH_ROW, MSG_REPLAY_ROW or MSG_WORKER_ROW. Workers are not in
 * the store, so they need a coordinator. */
int row_source_each(struct row_source *source,
                    enum message_type row,
                    uint64_t job_id,
                    client_row_fn *fn,
                    void *arg,
                    struct err *err);
/* The row of type MSG_JOB_ROW of one job. Returns ERR_NOT_FOUND when there is none. */
int row_source_job(struct row_source *source,
                   uint64_t job_id,
                   client_row_fn *fn,
                   void *arg,
                   struct err *err);
/* Rows of type MSG_JOB_ROW of all jobs, without the counts of their tasks. */
int row_source_uncounted_jobs(struct row_source *source,
                              client_row_fn *fn,
                              void *arg,
                              struct err *err);
/* Rows of type MSG_RESULT_ROW of the metrics that match a pattern ("": all); and rows
 * of type MSG_TASK_ROW without the data of attempts. */
int row_source_results(struct row_source *source,
                       uint64_t job_id,
                       const char *metric,
                       client_row_fn *fn,
                       void *arg,
                       struct err *err);
int row_source_task_states(struct row_source *source,
                           uint64_t job_id,
                           client_row_fn *fn,
                           void *arg,
                           struct err *err);
/* Rows of type MSG_RANK_ROW: one for each card and environment of the accepted ranks,
 * with only the fields of card and environment; the newer environment of a card last.
 */
int row_source_rank_environments(struct row_source *source,
                                 uint64_t job_id,
                                 client_row_fn *fn,
                                 void *arg,
                                 struct err *err);
/* As row_source_rank_environments(), at least for one card. To find a single one takes
 * less time in a store; a coordinator sends all. */
int row_source_rank_environment(struct row_source *source,
                                uint64_t job_id,
                                client_row_fn *fn,
                                void *arg,
                                struct err *err);
/* Calls fn for each event with a number above `since`, of one job or (0) of all jobs.
 * `newest` limits them as in msg_list_events. */
int row_source_events(struct row_source *source,
                      uint64_t job_id,
                      uint64_t since,
                      uint64_t newest,
                      client_row_fn *fn,
                      void *arg,
                      struct err *err);

/* Calls fn for each row of this type about baselines: MSG_BASELINE_ROW,
 * MSG_BASELINE_NIGHT_ROW, MSG_BASELINE_SPLIT_ROW or MSG_QUARANTINE_ROW. `name` "": of
 * all baselines. */
int row_source_baselines(struct row_source *source,
                         enum message_type row,
                         const char *name,
                         client_row_fn *fn,
                         void *arg,
                         struct err *err);

/* Rows of type MSG_SUSPECT_ROW of a confirmation; a job that is none has no rows. */
int row_source_suspects(struct row_source *source,
                        uint64_t job_id,
                        client_row_fn *fn,
                        void *arg,
                        struct err *err);

/* Returns the file of a job with its includes, which the caller frees. */
int row_source_job_file(struct row_source *source,
                        uint64_t job_id,
                        char **yaml,
                        struct err *err);

/* Explanation and progress of a job from the store; with a coordinator, send it
 * MSG_EXPLAIN or MSG_WATCH instead. */
int row_source_explain(struct row_source *source,
                       const struct msg_explain *wanted,
                       struct text *out,
                       struct err *err);
struct row_source_progress {
    struct msg_job_progress now; /* its texts are in this struct */
    char state[32], job_key[128], out[PATH_MAX];
    bool abandoned; /* not ended, and no coordinator has the store open */
};
int row_source_progress(struct row_source *source,
                        uint64_t job_id,
                        struct row_source_progress *progress,
                        struct err *err);

#endif
