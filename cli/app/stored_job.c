#include "cli/app/stored_job.h"

#include <stdlib.h>

#include "cli/query/job_search.h"
#include "cli/query/row_source.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"

void stored_job_clear(struct stored_job *job)
{
    free(job->yaml);
    free(job->key);
    *job = (struct stored_job){0};
}

static int keep_job(const struct store_job *row, void *arg, struct err *err)
{
    struct stored_job *job = arg;

    (void)err;
    stored_job_clear(job);
    *job = (struct stored_job){.job_id = row->job_id,
                               .yaml = xstrdup(row->yaml),
                               .key = xstrdup(row->key),
                               .state = row->state};
    return 0;
}

static int keep_unfinished(const struct store_job *row, void *arg, struct err *err)
{
    return job_state_is_final(row->state) ? 0 : keep_job(row, arg, err);
}

int stored_job_find(struct stored_job *job,
                    const char *out,
                    const char *job_arg,
                    struct err *err)
{
    struct store *store = NULL;
    uint64_t job_id = 0;
    int result = row_source_open_store(&store, out, err);

    *job = (struct stored_job){0};
    if (result == 0 && job_arg)
        result = job_search_store(store, job_arg, JOB_CHOICE_ONLY, &job_id, err);
    if (result == 0)
        result = store_each_job(store, job_id, job_arg ? keep_job : keep_unfinished,
                                job, err);
    store_close(store);
    if (result == 0 && !job->yaml)
        result = err_set(err, ERR_NOT_FOUND,
                         "no job in %s can be continued: all have ended; 'muster retry "
                         "JOB' runs failed and cancelled tasks again",
                         out);
    if (result < 0)
        stored_job_clear(job);
    return result;
}
