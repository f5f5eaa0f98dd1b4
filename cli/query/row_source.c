#include "cli/query/row_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/query/job_search.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/query/baseline_rows.h"
#include "lib/query/store_rows.h"
#include "lib/query/suspect_rows.h"
#include "lib/query/task_outcome.h"
#include "lib/store/store.h"

struct row_source {
    struct client *client; /* NULL when a store is read */
    struct store *store;
    char *out; /* folder of results of the store */
};

int row_source_open_store(struct store **out, const char *out_folder, struct err *err)
{
    char *folder = xasprintf("%s/store", out_folder);
    int result = store_open(out, folder, STORE_READ, err);

    free(folder);
    if (result < 0 && err->code == ERR_NOT_FOUND)
        err_set(err, ERR_NOT_FOUND,
                "no store in %s; pass the folder of results with --out DIR",
                out_folder);
    return result;
}

int row_source_open(struct row_source **out,
                    const struct client_options *options,
                    const char *out_folder,
                    struct err *err)
{
    struct row_source *source = xcalloc(1, sizeof(*source));
    int result;

    if (client_is_named(options)) {
        result = client_open(&source->client, options, err);
    } else {
        source->out = xstrdup(out_folder);
        result = row_source_open_store(&source->store, out_folder, err);
        if (result < 0 && err->code == ERR_NOT_FOUND)
            err_set(err, ERR_UNREACHABLE,
                    "no store in %s and no coordinator is named; pass --out DIR or "
                    "--coordinator ENDPOINT, or set MUSTER_COORDINATOR",
                    out_folder);
    }
    if (result < 0) {
        row_source_close(source);
        return -1;
    }
    *out = source;
    return 0;
}

void row_source_close(struct row_source *source)
{
    if (!source)
        return;
    client_close(source->client);
    store_close(source->store);
    free(source->out);
    free(source);
}

struct client *row_source_client(struct row_source *source)
{
    return source->client;
}

struct store *row_source_store(struct row_source *source)
{
    return source->store;
}

/* Adapts row_fn of store_rows.h to client_row_fn, which has no row type. */
struct row_receiver {
    client_row_fn *fn;
    void *arg;
};

static void pass_row(enum message_type type, const void *row, void *arg)
{
    const struct row_receiver *receiver = arg;

    (void)type;
    receiver->fn(row, receiver->arg);
}

static int from_store(struct store *store,
                      enum message_type row,
                      uint64_t job_id,
                      struct row_receiver *receiver,
                      struct err *err)
{
    switch (row) {
    case MSG_JOB_ROW:
        return store_rows_jobs(store, false, pass_row, receiver, err);
    case MSG_TASK_ROW:
        return store_rows_tasks(store, job_id, pass_row, receiver, err);
    case MSG_RESULT_ROW:
        return store_rows_results(store, job_id, "", pass_row, receiver, err);
    case MSG_RANK_ROW:
        return store_rows_ranks(store, job_id, pass_row, receiver, err);
    case MSG_REPLAY_ROW:
        return store_rows_replays(store, job_id, pass_row, receiver, err);
    case MSG_LAUNCH_ROW:
        return store_rows_launches(store, job_id, pass_row, receiver, err);
    default:
        return err_set(err, ERR_UNREACHABLE,
                       "workers are not in a store; pass --coordinator ENDPOINT or set "
                       "MUSTER_COORDINATOR");
    }
}

int row_source_each(struct row_source *source,
                    enum message_type row,
                    uint64_t job_id,
                    client_row_fn *fn,
                    void *arg,
                    struct err *err)
{
    struct row_receiver receiver = {fn, arg};
    struct msg_list_jobs jobs = {.active_only = false};
    struct msg_list_tasks tasks = {.job_id = job_id};
    struct msg_list_results results = {.job_id = job_id};
    struct msg_list_ranks ranks = {.job_id = job_id};
    struct msg_list_launches launches = {.job_id = job_id};
    struct msg_list_replays replays = {.job_id = job_id};
    struct msg_list_workers workers = {.idle_only = false};
    const struct {
        enum message_type row, request;
        const void *message;
    } requests[] = {
        {MSG_JOB_ROW, MSG_LIST_JOBS, &jobs},
        {MSG_TASK_ROW, MSG_LIST_TASKS, &tasks},
        {MSG_RESULT_ROW, MSG_LIST_RESULTS, &results},
        {MSG_RANK_ROW, MSG_LIST_RANKS, &ranks},
        {MSG_LAUNCH_ROW, MSG_LIST_LAUNCHES, &launches},
        {MSG_REPLAY_ROW, MSG_LIST_REPLAYS, &replays},
        {MSG_WORKER_ROW, MSG_LIST_WORKERS, &workers},
    };

    if (source->store)
        return from_store(source->store, row, job_id, &receiver, err);
    for (size_t i = 0; i < COUNT(requests); i++)
        if (requests[i].row == row)
            return client_each(source->client, requests[i].request, requests[i].message,
                               row, fn, arg, err);
    return err_set(err, ERR_INTERNAL, "no query for rows of type %d", (int)row);
}

/* Passes the row of one job and drops the others. */
struct one_job {
    struct row_receiver receiver;
    uint64_t job_id;
    bool found;
};

static void pass_one_job(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct one_job *wanted = arg;

    if (job->job_id != wanted->job_id)
        return;
    wanted->found = true;
    wanted->receiver.fn(row, wanted->receiver.arg);
}

int row_source_job(struct row_source *source,
                   uint64_t job_id,
                   client_row_fn *fn,
                   void *arg,
                   struct err *err)
{
    struct one_job wanted = {{fn, arg}, .job_id = job_id};
    const struct msg_list_jobs request = {.active_only = false};

    int result = source->store ? store_rows_job(source->store, job_id, pass_row,
                                                &wanted.receiver, err)
                               : client_each(source->client, MSG_LIST_JOBS, &request,
                                             MSG_JOB_ROW, pass_one_job, &wanted, err);
    if (source->store ? result < 0 && err->code == ERR_NOT_FOUND
                      : result == 0 && !wanted.found)
        return err_set(err, ERR_NOT_FOUND, "no job has the number %" PRIu64, job_id);
    return result;
}

int row_source_store_version(struct row_source *source,
                             uint64_t *version,
                             struct err *err)
{
    if (store_check_place(source->store, err) < 0)
        return -1;
    return store_version(source->store, version, err);
}

int row_source_uncounted_jobs(struct row_source *source,
                              client_row_fn *fn,
                              void *arg,
                              struct err *err)
{
    struct row_receiver receiver = {fn, arg};
    const struct msg_list_jobs request = {.uncounted = true};

    if (source->store)
        return store_rows_uncounted_jobs(source->store, pass_row, &receiver, err);
    return client_each(source->client, MSG_LIST_JOBS, &request, MSG_JOB_ROW, fn, arg,
                       err);
}

int row_source_results(struct row_source *source,
                       uint64_t job_id,
                       const char *metric,
                       client_row_fn *fn,
                       void *arg,
                       struct err *err)
{
    struct row_receiver receiver = {fn, arg};
    const struct msg_list_results request = {job_id, metric};

    if (source->store)
        return store_rows_results(source->store, job_id, metric, pass_row, &receiver,
                                  err);
    return client_each(source->client, MSG_LIST_RESULTS, &request, MSG_RESULT_ROW, fn,
                       arg, err);
}

int row_source_task_states(struct row_source *source,
                           uint64_t job_id,
                           client_row_fn *fn,
                           void *arg,
                           struct err *err)
{
    struct row_receiver receiver = {fn, arg};
    const struct msg_list_tasks request = {job_id, .states_only = true};

    if (source->store)
        return store_rows_task_states(source->store, job_id, pass_row, &receiver, err);
    return client_each(source->client, MSG_LIST_TASKS, &request, MSG_TASK_ROW, fn, arg,
                       err);
}

int row_source_rank_environments(struct row_source *source,
                                 uint64_t job_id,
                                 client_row_fn *fn,
                                 void *arg,
                                 struct err *err)
{
    struct row_receiver receiver = {fn, arg};
    const struct msg_list_ranks request = {job_id, .environments_only = true};

    if (source->store)
        return store_rows_rank_environments(source->store, job_id, pass_row, &receiver,
                                            err);
    return client_each(source->client, MSG_LIST_RANKS, &request, MSG_RANK_ROW, fn, arg,
                       err);
}

int row_source_rank_environment(struct row_source *source,
                                uint64_t job_id,
                                client_row_fn *fn,
                                void *arg,
                                struct err *err)
{
    struct row_receiver receiver = {fn, arg};

    if (!source->store)
        return row_source_rank_environments(source, job_id, fn, arg, err);
    return store_rows_rank_environment(source->store, job_id, pass_row, &receiver, err);
}

int row_source_events(struct row_source *source,
                      uint64_t job_id,
                      uint64_t since,
                      uint64_t newest,
                      client_row_fn *fn,
                      void *arg,
                      struct err *err)
{
    struct row_receiver receiver = {fn, arg};
    const struct msg_list_events request = {job_id, since, newest};

    if (source->store)
        return store_rows_events(source->store, job_id, since, newest, pass_row,
                                 &receiver, err);
    return client_each(source->client, MSG_LIST_EVENTS, &request, MSG_EVENT_ROW, fn,
                       arg, err);
}

int row_source_baselines(struct row_source *source,
                         enum message_type row,
                         const char *name,
                         client_row_fn *fn,
                         void *arg,
                         struct err *err)
{
    static const struct {
        enum message_type row;
        const char *what;
    } kinds[] = {
        {MSG_BASELINE_ROW, "baselines"},
        {MSG_BASELINE_NIGHT_ROW, "nights"},
        {MSG_BASELINE_SPLIT_ROW, "splits"},
        {MSG_QUARANTINE_ROW, "quarantines"},
    };
    struct row_receiver receiver = {fn, arg};
    struct msg_list_baselines request = {.what = "", .name = name};

    for (size_t i = 0; i < COUNT(kinds); i++)
        if (kinds[i].row == row)
            request.what = kinds[i].what;
    if (source->store)
        return baseline_rows(source->store, &request, clock_wall_ns(), pass_row,
                             &receiver, err);
    return client_each(source->client, MSG_LIST_BASELINES, &request, row, fn, arg, err);
}

int row_source_suspects(struct row_source *source,
                        uint64_t job_id,
                        client_row_fn *fn,
                        void *arg,
                        struct err *err)
{
    const struct msg_list_suspects request = {.job_id = job_id};
    struct row_receiver receiver = {fn, arg};

    if (source->store)
        return suspect_rows(source->store, job_id, pass_row, &receiver, err);
    return client_each(source->client, MSG_LIST_SUSPECTS, &request, MSG_SUSPECT_ROW, fn,
                       arg, err);
}

const char *row_source_out(const struct row_source *source)
{
    return source->out;
}

int row_source_find_job(struct row_source *source,
                        const char *job_arg,
                        uint64_t *job_id,
                        struct err *err)
{
    return source->store ? job_search_store(source->store, job_arg, JOB_CHOICE_NEWEST,
                                            job_id, err)
                         : job_search_client(source->client, job_arg, JOB_CHOICE_NEWEST,
                                             job_id, err);
}

static int keep_yaml(const struct store_job *job, void *arg, struct err *err)
{
    char **yaml = arg;

    (void)err;
    *yaml = xstrdup(job->yaml);
    return 0;
}

int row_source_job_file(struct row_source *source,
                        uint64_t job_id,
                        char **yaml,
                        struct err *err)
{
    const union any_message *reply;

    if (source->store)
        return store_uncounted_job_read(source->store, job_id, keep_yaml, yaml, err);
    if (client_request(source->client, MSG_READ_JOB_FILE,
                       &(struct msg_read_job_file){job_id}, MSG_JOB_FILE, &reply,
                       err) < 0)
        return -1;
    *yaml = xstrdup(reply->job_file.yaml);
    return 0;
}

static bool has_writer(const struct row_source *source)
{
    char *folder = xasprintf("%s/store", source->out);
    bool yes = store_has_writer(folder);

    free(folder);
    return yes;
}

int row_source_explain(struct row_source *source,
                       const struct msg_explain *wanted,
                       struct text *out,
                       struct err *err)
{
    bool ended;

    if (task_outcome_explain(out, &ended, source->store, wanted, err) < 0)
        return -1;
    if (!ended && has_writer(source))
        text_add(out, "; its coordinator can explain why: pass --coordinator "
                      "ENDPOINT");
    else if (!ended)
        text_printf(out,
                    "; no coordinator works on it: continue it with 'muster resume "
                    "--out %s'",
                    source->out);
    return 0;
}

static void take_progress(enum message_type type, const void *message, void *arg)
{
    struct row_source_progress *progress = arg;

    (void)type;
    progress->now = *(const struct msg_job_progress *)message;
    snprintf(progress->state, sizeof(progress->state), "%s", progress->now.state);
    snprintf(progress->job_key, sizeof(progress->job_key), "%s", progress->now.job_key);
    snprintf(progress->out, sizeof(progress->out), "%s", progress->now.out);
    progress->now.state = progress->state;
    progress->now.job_key = progress->job_key;
    progress->now.out = progress->out;
    progress->now.note = NULL;
}

int row_source_progress(struct row_source *source,
                        uint64_t job_id,
                        struct row_source_progress *progress,
                        struct err *err)
{
    char out[PATH_MAX];
    bool written =
        has_writer(source); /* before the read, because the run may end meanwhile */

    if (!realpath(source->out, out))
        return err_errno(err, "resolving %s", source->out);
    if (store_rows_progress(source->store, job_id, out, take_progress, progress, err) <
        0)
        return -1;
    progress->abandoned = !progress->now.final && !written;
    return 0;
}
