#include "cli/answers/queue.h"

#include <stdlib.h>

#include "cli/view/row_output.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

enum { ROWS_DEFAULT = 50, ROWS_MOST = 200 };

struct queued_job {
    char *key, *user, *state;
    uint64_t job_id, waiting, running;
};

struct queue {
    struct queued_job *jobs;
    size_t count, room;
};

static void add_job(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct queue *queue = arg;

    if (job->ended_wall_ns)
        return;
    if (queue->count == queue->room) {
        queue->room = queue->room ? queue->room * 2 : 16;
        queue->jobs = xreallocarray(queue->jobs, queue->room, sizeof(*queue->jobs));
    }
    queue->jobs[queue->count++] = (struct queued_job){
        .key = xstrdup(job->job_key),
        .user = xstrdup(job->user),
        .state = xstrdup(job->state),
        .job_id = job->job_id,
        .waiting = job->waiting,
        .running = job->running,
    };
}

static void clear(struct queue *queue)
{
    for (size_t i = 0; i < queue->count; i++) {
        free(queue->jobs[i].key);
        free(queue->jobs[i].user);
        free(queue->jobs[i].state);
    }
    free(queue->jobs);
}

/* Explains the first task of the job that has not ended. A job that ended meanwhile is
 * explained, too. */
static int explain(struct row_source *source,
                   const struct queued_job *job,
                   struct text *out,
                   struct err *err)
{
    const struct msg_explain request = {.job_id = job->job_id, .any = true};
    struct client *client = row_source_client(source);
    const union any_message *reply;

    if (!client)
        return row_source_explain(source, &request, out, err);
    if (client_request(client, MSG_EXPLAIN, &request, MSG_OK, &reply, err) < 0)
        return -1;
    text_add(out, reply->ok.text);
    return 0;
}

static void write_job(struct text *out, const struct queued_job *job, const char *why)
{
    static const struct row_output_column columns[] = {
        {"job_id", CELL_U64},  {"job_key", CELL_TEXT}, {"user", CELL_TEXT},
        {"state", CELL_TEXT},  {"waiting", CELL_U64},  {"running", CELL_U64},
        {"reason", CELL_TEXT},
    };
    const struct cell cells[] = {
        {.kind = CELL_U64, .u64 = job->job_id},
        {.kind = CELL_TEXT, .text = job->key},
        {.kind = CELL_TEXT, .text = job->user},
        {.kind = CELL_TEXT, .text = job->state},
        {.kind = CELL_U64, .u64 = job->waiting},
        {.kind = CELL_U64, .u64 = job->running},
        {.kind = CELL_TEXT, .text = why},
    };

    row_output_json(out, columns, COUNT(columns), cells);
}

int queue_answer(struct row_source *source,
                 const struct http_request *request,
                 struct http_response *response,
                 struct err *err)
{
    static const char *const known[] = {"limit", "after", NULL};
    struct queue queue = {.jobs = NULL};
    struct text why = {0};
    uint64_t limit = ROWS_DEFAULT, after = 0;

    if (http_arguments_check(request, known, err) < 0 ||
        http_argument_u64(request, "limit", &limit, err) < 0 ||
        http_argument_u64(request, "after", &after, err) < 0)
        return -1;
    if (limit == 0 || limit > ROWS_MOST)
        return err_set(err, ERR_INPUT, "argument limit is not between 1 and %d",
                       ROWS_MOST);
    int result = row_source_each(source, MSG_JOB_ROW, 0, add_job, &queue, err);
    text_add(&response->body, "{\"schema\":\"muster.queue.v1\",\"rows\":[");
    for (size_t i = (size_t)after; result == 0 && i < queue.count && i - after < limit;
         i++) {
        text_reset(&why);
        result = explain(source, &queue.jobs[i], &why, err);
        text_add(&response->body, i > after ? "," : "");
        write_job(&response->body, &queue.jobs[i], text_get(&why));
    }
    text_add(&response->body, "]}\n");
    response->type = "application/json";
    response->rows = queue.count;
    response->has_rows = true;
    text_clear(&why);
    clear(&queue);
    return result;
}
