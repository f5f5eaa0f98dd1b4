/* row_source.h - where rows come from: a coordinator, or the store of a folder
 *
 * A coordinator is asked when one is named (client.h). Otherwise the store below the
 * folder of results is read, so that what a private fleet measured can be looked at
 * when the fleet is long gone. */
#ifndef CLI_QUERY_ROW_SOURCE_H
#define CLI_QUERY_ROW_SOURCE_H

#include <limits.h>

#include "cli/query/client.h"
#include "lib/base/err.h"

struct row_source;
struct store;
struct text;

/* For those who ask only what lies below the folder of results: its store, to read. */
int row_source_open_store(struct store **out, const char *out_folder, struct err *err);

int row_source_open(struct row_source **out,
                    const struct client_options *options,
                    const char *out_folder,
                    struct err *err);
void row_source_close(struct row_source *source); /* NULL is welcome */

/* The coordinator that is asked; NULL: a store is read. */
struct client *row_source_client(struct row_source *source);

/* The job that a person means: a number, a key, or a name that only one job has. */
int row_source_find_job(struct row_source *source,
                        const char *word,
                        uint64_t *job_id,
                        struct err *err);

/* Rows of MSG_JOB_ROW, MSG_TASK_ROW, MSG_RESULT_ROW or MSG_WORKER_ROW; of workers only
 * a coordinator knows. */
int row_source_each(struct row_source *source,
                    enum message_type row,
                    uint64_t job_id,
                    client_row_fn *fn,
                    void *arg,
                    struct err *err);
/* Events behind `since`, of a job or (0) of all; `newest` as in list_events. */
int row_source_events(struct row_source *source,
                      uint64_t job_id,
                      uint64_t since,
                      uint64_t newest,
                      client_row_fn *fn,
                      void *arg,
                      struct err *err);

/* Out of a store, for what else only a coordinator is asked: the words of `explain`,
 * and how far a job is. */
int row_source_explain(struct row_source *source,
                       const struct msg_explain *wanted,
                       struct text *words,
                       struct err *err);
struct row_source_progress {
    struct msg_job_progress now; /* its texts: in here */
    char state[32], job_key[128], out[PATH_MAX];
    bool abandoned; /* it has not ended, and no coordinator has the store */
};
int row_source_progress(struct row_source *source,
                        uint64_t job_id,
                        struct row_source_progress *progress,
                        struct err *err);

#endif
