#include "cli/api/endpoints.h"

#include <string.h>

#include "cli/answers/card_history.h"
#include "cli/answers/cards.h"
#include "cli/answers/heat.h"
#include "cli/answers/queue.h"
#include "cli/answers/source_facts.h"
#include "cli/api/job_files.h"
#include "cli/gang/overlap_results.h"
#include "cli/query/result_rows.h"
#include "cli/view/message_rows.h"
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

static int query_workers(struct row_source *source,
                         const struct endpoint *endpoint,
                         const struct http_request *request,
                         struct row_page *page,
                         struct err *err)
{
    if (!row_source_client(source))
        return err_set(err, ERR_NOT_FOUND,
                       "a store has no workers; start muster serve with --coordinator "
                       "ENDPOINT");
    return query_all(source, endpoint, request, page, err);
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
    if (result == 0)
        result = overlap_results_add(rows, source, job_id, err);

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

/* Passes the ranks of one card. */
struct card_ranks {
    struct row_page *page;
    const char *host;
    int64_t card;
};

static void add_rank_of_card(const void *row, void *arg)
{
    const struct msg_rank_row *rank = row;
    const struct card_ranks *wanted = arg;

    if (rank->card == wanted->card && strcmp(rank->host, wanted->host) == 0)
        row_page_add(row, wanted->page);
}

static int query_card(struct row_source *source,
                      const struct endpoint *endpoint,
                      const struct http_request *request,
                      struct row_page *page,
                      struct err *err)
{
    struct card_ranks wanted = {.page = page, .host = request->parts[0]};
    uint64_t card, jobs = CARDS_JOBS_DEFAULT;

    (void)endpoint;
    if (row_page_start(page, err) < 0 || http_part_u64(request, 1, &card, err) < 0 ||
        http_argument_u64(request, "jobs", &jobs, err) < 0)
        return -1;
    wanted.card = (int64_t)card;
    return cards_each_rank(source, jobs, add_rank_of_card, &wanted, err);
}

static int query_suspects(struct row_source *source,
                          const struct endpoint *endpoint,
                          const struct http_request *request,
                          struct row_page *page,
                          struct err *err)
{
    uint64_t job_id;

    (void)endpoint;
    if (row_page_start(page, err) < 0 || read_job(source, request, &job_id, err) < 0)
        return -1;
    return row_source_suspects(source, job_id, row_page_add, page, err);
}

/* Rows about all baselines, or about the one in the address. */
static int query_baselines(struct row_source *source,
                           const struct endpoint *endpoint,
                           const struct http_request *request,
                           struct row_page *page,
                           struct err *err)
{
    const char *name = request->part_count > 0 ? request->parts[0] : "";

    return row_page_start(page, err) < 0
               ? -1
               : row_source_baselines(source, endpoint->row, name, row_page_add, page,
                                      err);
}

/* Queues of allocations, or their allocations. */
static int query_allocations(struct row_source *source,
                             const struct endpoint *endpoint,
                             const struct http_request *request,
                             struct row_page *page,
                             struct err *err)
{
    const struct msg_list_allocs list = {.allocations =
                                             endpoint->row == MSG_ALLOCATION_ROW};
    struct client *client = row_source_client(source);

    (void)request;
    if (!client)
        return err_set(err, ERR_NOT_FOUND,
                       "a store has no allocations; start muster serve with "
                       "--coordinator ENDPOINT");
    return row_page_start(page, err) < 0
               ? -1
               : client_each(client, MSG_LIST_ALLOCS, &list, endpoint->row,
                             row_page_add, page, err);
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

static const struct endpoint_argument card_arguments[] = {
    {"jobs", "Read the newest N jobs (default: 20)", true},
    {0},
};
static const struct endpoint_argument history_arguments[] = {
    {"metric", "The metric, by its exact name (default: duration_us)", false},
    {"jobs", "Read the newest N jobs (default: 20)", true},
    {0},
};
static const struct endpoint_argument queue_arguments[] = {
    {"limit", "Maximum number of jobs, up to 200 (default: 50)", true},
    {"after", "Number of jobs to leave out at the start", true},
    {0},
};
static const struct endpoint_argument file_arguments[] = {
    {"point", "Only files of this point", true},
    {"limit", "Maximum number of rows, up to 10000 (default: 1000)", true},
    {"after", "Number of rows to leave out at the start", true},
    {0},
};
static const struct endpoint_argument window_arguments[] = {
    {"start", "Begin of the window, in nanoseconds after the first event (default: 0)",
     true},
    {"end", "End of the window (default: the end of the trace)", true},
    {"lane", "First lane, by its place in the list of lanes (default: 0)", true},
    {"lanes", "Number of lanes, up to 200 (default: 200)", true},
    {0},
};
static const struct endpoint_argument arrow_arguments[] = {
    {"start", "Begin of the window, in nanoseconds after the first event (default: 0)",
     true},
    {"end", "End of the window (default: the end of the trace)", true},
    {0},
};
static const struct endpoint_argument search_arguments[] = {
    {"name", "Only slices whose name contains this text, in any case", false},
    {"limit", "Maximum number of slices, up to 1000 (default: 100)", true},
    {"after", "Number of slices to leave out at the start", true},
    {0},
};
static const struct endpoint_argument compare_arguments[] = {
    {"base", "Baseline or job to compare with (default: compare.against of the job)",
     false},
    {"metric", "Metrics to compare, such as duration*", false},
    {"tolerance", "Smallest change that counts, such as 2%", false},
    {"points", "Only points that match, such as *m=1024*", false},
    {0},
};
static const struct endpoint_argument gate_arguments[] = {
    {"against", "Job to compare with (default: compare.against of the job)", false},
    {0},
};
static const struct endpoint_argument trend_arguments[] = {
    {"against", "Nights of this baseline, or jobs of this name", false},
    {"metric", "Metrics to show, such as duration*", false},
    {"points", "Only points that match, such as *m=1024*", false},
    {"by", "A series for each point, card or cell (default: point)", false},
    {"last", "Newest nights to show (default: 90)", true},
    {0},
};
static const char *const row_options[] = {"--output=jsonl", NULL};
/* A gate reads only; it does not wait for a job that has not ended. */
static const char *const gate_options[] = {"--dry-run", "--quiet", "--timeout=1s",
                                           NULL};
static const struct endpoint_verdict compare_verdict = {.command = "compare",
                                                        .options = row_options,
                                                        .parts = 1};
static const struct endpoint_verdict gate_verdict = {.command = "gate",
                                                     .options = gate_options,
                                                     .parts = 1,
                                                     .is_text = true};
static const struct endpoint_verdict trend_verdict = {.command = "trend",
                                                      .options = row_options};
static const struct endpoint_verdict gang_verdicts[] = {
    {"gang", row_options, 1, .last = "arrival", .may_lack = true},
    {"gang", row_options, 1, .last = "overlap", .may_lack = true},
    {"gang", row_options, 1, .last = "scaling", .may_lack = true},
    {"gang", row_options, 1, .last = "collectives", .may_lack = true},
    {"gang", row_options, 1, .last = "cards", .may_lack = true},
    {"gang", row_options, 1, .last = "links", .may_lack = true},
};
static const struct endpoint_argument output_arguments[] = {
    {"rank", "Output of this rank (default: 0)", true},
    {0},
};
static const char *const no_options[] = {NULL};
static const struct endpoint_verdict output_verdict = {.command = "logs",
                                                       .options = no_options,
                                                       .parts = 3,
                                                       .is_text = true};
static const struct endpoint_argument heat_arguments[] = {
    {"metric", "The metric, by its exact name (default: duration_us)", false},
    {"kernel", "The kernel, by its exact name (default: all)", false},
    {"points", "Only points whose text matches this pattern", false},
    {0},
};

const struct endpoint endpoints[] = {
    {.path = "/api/v1/jobs",
     .summary = "All jobs with the counts of their tasks",
     .row = MSG_JOB_ROW,
     .query = query_all},
    {.path = "/api/v1/jobs/{job}",
     .summary = "One job",
     .row = MSG_JOB_ROW,
     .query = query_job},
    {.path = "/api/v1/jobs/{job}/tasks",
     .summary = "The tasks of a job, each with its newest attempt",
     .row = MSG_TASK_ROW,
     .query = query_rows_of_job},
    {.path = "/api/v1/jobs/{job}/results",
     .summary = "The figures of a job",
     .row = MSG_RESULT_ROW,
     .own = result_arguments,
     .has_axes = true,
     .query = query_results},
    {.path = "/api/v1/jobs/{job}/ranks",
     .summary = "The ranks of all attempts of a job that ended",
     .row = MSG_RANK_ROW,
     .query = query_rows_of_job},
    {.path = "/api/v1/jobs/{job}/launches",
     .summary = "The launches of the accepted attempts of a job",
     .row = MSG_LAUNCH_ROW,
     .query = query_rows_of_job},
    {.path = "/api/v1/jobs/{job}/replays",
     .summary = "The replays of the launches of a job",
     .row = MSG_REPLAY_ROW,
     .query = query_rows_of_job},
    {.path = "/api/v1/jobs/{job}/events",
     .summary = "The events of a job, oldest first",
     .row = MSG_EVENT_ROW,
     .own = event_arguments,
     .query = query_events},
    {.path = "/api/v1/events",
     .summary = "The events of all jobs and workers, oldest first",
     .row = MSG_EVENT_ROW,
     .own = event_arguments,
     .query = query_events},
    {.path = "/api/v1/source",
     .summary = "Whether the rows come from a store or from a coordinator",
     .schema = "muster.source.v1",
     .answer = source_facts_answer},
    {.path = "/api/v1/queue",
     .summary = "The jobs that have not ended, each with the reason why it waits",
     .own = queue_arguments,
     .schema = "muster.queue.v1",
     .answer = queue_answer},
    {.path = "/api/v1/jobs/{job}/suspects",
     .summary = "The suspects of a confirmation",
     .row = MSG_SUSPECT_ROW,
     .query = query_suspects},
    {.path = "/api/v1/baselines",
     .summary = "The baselines of comparisons",
     .row = MSG_BASELINE_ROW,
     .query = query_baselines},
    {.path = "/api/v1/baselines/{name}/nights",
     .summary = "The nights of a baseline",
     .row = MSG_BASELINE_NIGHT_ROW,
     .query = query_baselines},
    {.path = "/api/v1/baselines/{name}/splits",
     .summary = "The jobs from which on points of a baseline have new values",
     .row = MSG_BASELINE_SPLIT_ROW,
     .query = query_baselines},
    {.path = "/api/v1/baselines/{name}/quarantines",
     .summary = "The points of a baseline that a gate leaves out",
     .row = MSG_QUARANTINE_ROW,
     .query = query_baselines},
    {.path = "/api/v1/allocs",
     .summary = "The queues of allocations; needs a coordinator",
     .row = MSG_ALLOC_ROW,
     .query = query_allocations},
    {.path = "/api/v1/allocations",
     .summary = "The allocations of all queues; needs a coordinator",
     .row = MSG_ALLOCATION_ROW,
     .query = query_allocations},
    {.path = "/api/v1/workers",
     .summary = "The connected workers; needs a coordinator",
     .row = MSG_WORKER_ROW,
     .query = query_workers},
    {.path = "/api/v1/cards/{host}/{card}/ranks",
     .summary = "What one card did in the newest jobs",
     .row = MSG_RANK_ROW,
     .own = card_arguments,
     .query = query_card},
    {.path = "/api/v1/cards/{host}/{card}/history",
     .summary = "The distance of one card to the others in each of the newest jobs",
     .own = history_arguments,
     .may_age = true,
     .schema = "muster.card-history.v1",
     .answer = card_history_answer},
    {.path = "/api/v1/cards",
     .summary = "The cards of the newest jobs",
     .own = card_arguments,
     .may_age = true,
     .schema = "muster.fleet-cards.v1",
     .answer = cards_answer},
    {.path = "/api/v1/jobs/{job}/heat",
     .summary = "Medians of a metric by point, kernel and card",
     .own = heat_arguments,
     .may_age = true,
     .schema = "muster.heat.v2",
     .answer = heat_answer},
    {.path = "/api/v1/jobs/{job}/metrics",
     .summary = "The metrics of each kernel of a job",
     .may_age = true,
     .schema = "muster.job-metrics.v1",
     .answer = heat_metrics_answer},
    {.path = "/api/v1/jobs/{job}/files",
     .summary = "The result files of a job, and its reports",
     .own = file_arguments,
     .schema = "muster.files.v1",
     .answer = job_files_answer},
    {.path = "/api/v1/jobs/{job}/compare",
     .summary = "The figures of a job against those of an earlier job",
     .own = compare_arguments,
     .schema = "muster.compare.v2",
     .verdict = &compare_verdict},
    {.path = "/api/v1/jobs/{job}/gate",
     .summary = "Whether a job regressed, and because of what, as lines of text",
     .own = gate_arguments,
     .schema = "muster.gate-lines.v1",
     .verdict = &gate_verdict},
    {.path = "/api/v1/jobs/{job}/tasks/{point}/{repeat}/output",
     .summary = "The end of the output of a task's latest attempt, as lines of text",
     .own = output_arguments,
     .schema = "muster.output-lines.v1",
     .verdict = &output_verdict},
    {.path = "/api/v1/jobs/{job}/gang/arrival",
     .summary = "Late ranks or slow transfers of each launch",
     .schema = "muster.arrival.v1",
     .verdict = &gang_verdicts[0]},
    {.path = "/api/v1/jobs/{job}/gang/overlap",
     .summary = "The communication that a fused operator hides",
     .schema = "muster.overlap.v1",
     .verdict = &gang_verdicts[1]},
    {.path = "/api/v1/jobs/{job}/gang/scaling",
     .summary = "The speedup of more ranks",
     .schema = "muster.scaling.v1",
     .verdict = &gang_verdicts[2]},
    {.path = "/api/v1/jobs/{job}/gang/collectives",
     .summary = "Latency and bandwidth of collectives",
     .schema = "muster.collectives.v1",
     .verdict = &gang_verdicts[3]},
    {.path = "/api/v1/jobs/{job}/gang/cards",
     .summary = "Slow cards and slow ranks",
     .schema = "muster.cards.v1",
     .verdict = &gang_verdicts[4]},
    {.path = "/api/v1/jobs/{job}/gang/links",
     .summary = "Slow links between cards",
     .schema = "muster.links.v1",
     .verdict = &gang_verdicts[5]},
    {.path = "/api/v1/trend",
     .summary = "How figures changed over many nights",
     .own = trend_arguments,
     .schema = "muster.trend.v3",
     .verdict = &trend_verdict},
    {.path = "/api/v1/jobs/{job}/files/{file}/lanes",
     .summary = "The lanes of a trace, and the uncertainty of its clock",
     .schema = "muster.trace-lanes.v1",
     .trace = trace_part_lanes},
    {.path = "/api/v1/jobs/{job}/files/{file}/window",
     .summary = "The slices of a window of a trace, the longest of each thousandth",
     .own = window_arguments,
     .schema = "muster.trace-window.v1",
     .trace = trace_part_window},
    {.path = "/api/v1/jobs/{job}/files/{file}/arrows",
     .summary = "The arrows between slices in a window of a trace",
     .own = arrow_arguments,
     .schema = "muster.trace-arrows.v1",
     .trace = trace_part_arrows},
    {.path = "/api/v1/jobs/{job}/files/{file}/slices/{slice}",
     .summary = "One slice of a trace with its arguments",
     .schema = "muster.trace-slice.v1",
     .trace = trace_part_slice},
    {.path = "/api/v1/jobs/{job}/files/{file}/roofline",
     .summary = "The rooflines of a visualize_data.bin",
     .schema = "muster.rooflines.v1",
     .block = trace_part_rooflines},
    {.path = "/api/v1/jobs/{job}/files/{file}/search",
     .summary = "The slices of a trace with a name",
     .own = search_arguments,
     .schema = "muster.trace-search.v1",
     .trace = trace_part_search},
};

void endpoint_arguments(const struct endpoint *endpoint,
                        const char *names[HTTP_ARGUMENTS_MAX])
{
    size_t i = 0;

    for (; endpoint->own && endpoint->own[i].name; i++)
        names[i] = endpoint->own[i].name;
    names[i] = NULL;
}

const char *endpoint_schema(const struct endpoint *endpoint)
{
    return endpoint->schema ? endpoint->schema : message_rows_schema(endpoint->row);
}

const size_t endpoint_count = COUNT(endpoints);
