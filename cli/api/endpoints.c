#include "cli/api/endpoints.h"

#include <inttypes.h>

#include "cli/query/result_rows.h"
#include "lib/base/mem.h"

/* Reads {job} of the address. Fails when there is no such job. */
static int read_job(struct row_source *source,
                    const struct http_request *request,
                    uint64_t *job_id,
                    struct err *err)
{
    if (http_part_u64(request, 0, job_id, err) < 0)
        return -1;
    return row_source_find_job(source, request->parts[0], job_id, err);
}

static int query_all(struct row_source *source,
                     const struct endpoint *endpoint,
                     const struct http_request *request,
                     struct row_page *page,
                     struct err *err)
{
    (void)request;
    return row_page_start(page, err) < 0
               ? -1
               : row_source_each(source, endpoint->row, 0, row_page_add, page, err);
}

static int query_job(struct row_source *source,
                     const struct endpoint *endpoint,
                     const struct http_request *request,
                     struct row_page *page,
                     struct err *err)
{
    uint64_t job_id;

    (void)endpoint;
    if (http_part_u64(request, 0, &job_id, err) < 0 || row_page_start(page, err) < 0)
        return -1;
    return row_source_job(source, job_id, row_page_add, page, err);
}

static int query_rows_of_job(struct row_source *source,
                             const struct endpoint *endpoint,
                             const struct http_request *request,
                             struct row_page *page,
                             struct err *err)
{
    uint64_t job_id;

    if (row_page_start(page, err) < 0 || read_job(source, request, &job_id, err) < 0)
        return -1;
    return row_source_each(source, endpoint->row, job_id, row_page_add, page, err);
}

static void add_result(const struct msg_result_row *row,
                       const char *const *more,
                       const char *const *without,
                       void *page)
{
    row_page_add_more(page, row, more, without);
}

static int query_results(struct row_source *source,
                         const struct endpoint *endpoint,
                         const struct http_request *request,
                         struct row_page *page,
                         struct err *err)
{
    const char *metric = http_argument(request, "metric");
    struct result_filter filter = {.kernel = NULL};
    struct result_rows *rows = NULL;
    const char *const *names;
    uint64_t job_id;
    int result = -1;

    (void)endpoint;
    if (read_job(source, request, &job_id, err) < 0 ||
        result_rows_open(&rows, source, job_id, metric ? metric : "*", &filter, err) <
            0)
        goto end;
    for (size_t i = 0, count = result_rows_columns(rows, &names); i < count; i++)
        row_page_add_column(page, names[i]);
    if (row_page_start(page, err) == 0)
        result = result_rows_each(rows, add_result, page, err);

end:
    result_rows_close(rows);
    result_filter_clear(&filter);
    return result;
}

static int query_events(struct row_source *source,
                        const struct endpoint *endpoint,
                        const struct http_request *request,
                        struct row_page *page,
                        struct err *err)
{
    uint64_t job_id = 0, since = 0, newest = 0;

    (void)endpoint;
    if (row_page_start(page, err) < 0 ||
        http_argument_u64(request, "since", &since, err) < 0 ||
        http_argument_u64(request, "newest", &newest, err) < 0 ||
        (request->part_count > 0 && read_job(source, request, &job_id, err) < 0))
        return -1;
    return row_source_events(source, job_id, since, newest, row_page_add, page, err);
}

static const struct endpoint_argument event_arguments[] = {
    {"since", "Only events with a greater number", true},
    {"newest", "Only events among the newest N of the store", true},
    {0},
};
static const struct endpoint_argument result_arguments[] = {
    {"metric", "Only figures whose metric matches, such as duration*", false},
    {0},
};

const struct endpoint endpoints[] = {
    {"/api/v1/jobs", "All jobs with the counts of their tasks", MSG_JOB_ROW, NULL,
     false, query_all},
    {"/api/v1/jobs/{job}", "One job", MSG_JOB_ROW, NULL, false, query_job},
    {"/api/v1/jobs/{job}/tasks", "The tasks of a job, each with its newest attempt",
     MSG_TASK_ROW, NULL, false, query_rows_of_job},
    {"/api/v1/jobs/{job}/results", "The figures of a job", MSG_RESULT_ROW,
     result_arguments, true, query_results},
    {"/api/v1/jobs/{job}/ranks", "The ranks of all attempts of a job that ended",
     MSG_RANK_ROW, NULL, false, query_rows_of_job},
    {"/api/v1/jobs/{job}/launches", "The launches of the accepted attempts of a job",
     MSG_LAUNCH_ROW, NULL, false, query_rows_of_job},
    {"/api/v1/jobs/{job}/replays", "The replays of the launches of a job",
     MSG_REPLAY_ROW, NULL, false, query_rows_of_job},
    {"/api/v1/jobs/{job}/events", "The events of a job, oldest first", MSG_EVENT_ROW,
     event_arguments, false, query_events},
    {"/api/v1/events", "The events of all jobs and workers, oldest first",
     MSG_EVENT_ROW, event_arguments, false, query_events},
    {"/api/v1/workers", "The connected workers; needs a coordinator", MSG_WORKER_ROW,
     NULL, false, query_all},
};

const size_t endpoint_count = COUNT(endpoints);
