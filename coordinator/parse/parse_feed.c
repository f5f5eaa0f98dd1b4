#include "coordinator/parse/parse_feed.h"

#include <stdlib.h>

#include "coordinator/ledger/ledger.h"
#include "coordinator/parse/parse_queue.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"

struct parse_feed {
    struct parse_queue *queue;
    struct ledger *ledger;
    void (*failed)(const struct err *err, void *arg);
    void *arg;
};

static void on_metric(const struct store_metric *metric, void *arg)
{
    struct parse_feed *parsing = arg;
    struct err err;

    if (ledger_metric(parsing->ledger, metric, &err) < 0)
        parsing->failed(&err, parsing->arg);
}

static void on_output(uint64_t run_id, uint32_t number, const char *path, void *arg)
{
    struct parse_feed *parsing = arg;
    struct err err;

    if (ledger_output(parsing->ledger, run_id, number, path, &err) < 0)
        parsing->failed(&err, parsing->arg);
}

static void
on_parsed(uint64_t run_id, uint32_t number, bool good, const char *error, void *arg)
{
    struct parse_feed *parsing = arg;
    struct attempt *attempt = ledger_find_attempt(parsing->ledger, run_id);
    struct attempt_rank *rank = attempt ? ledger_find_rank(attempt, number) : NULL;
    struct err err;

    if (!good)
        log_warning("result not parsed: run=%llu rank=%u: %s",
                    (unsigned long long)run_id, number, error);
    if (rank && ledger_parsed(parsing->ledger, rank, good, error, &err) < 0)
        parsing->failed(&err, parsing->arg);
}

/* A timeline that could not be merged costs no figure: each rank has its own. */
static void on_merged(uint64_t run_id, bool good, const char *error, void *arg)
{
    (void)arg;
    if (!good)
        log_warning("ranks not merged: run=%llu: %s", (unsigned long long)run_id,
                    error);
}

static void on_reported(uint64_t job_id, bool good, const char *error, void *arg)
{
    struct parse_feed *parsing = arg;
    struct ledger_job *job = ledger_find_job(parsing->ledger, job_id);
    struct err err;

    if (!good)
        log_warning("report not made: job=%llu: %s", (unsigned long long)job_id, error);
    if (job && ledger_reported(parsing->ledger, job, good, error, &err) < 0)
        parsing->failed(&err, parsing->arg);
}

void parse_feed_start(struct parse_feed *parsing)
{
    const struct ledger_job *job;
    const struct attempt *attempt;

    while ((attempt = ledger_take_parse(parsing->ledger))) {
        const struct task *task = attempt->task;
        char *out = xasprintf("%s/p%llu/r%u", task->job->out,
                              (unsigned long long)task->point, task->repeat);

        if (attempt->rank_count > 1)
            parse_queue_merge(parsing->queue,
                              &(struct parse_task){.job_id = task->job->job_id,
                                                   .run_id = attempt->run_id,
                                                   .rank = attempt->rank_count,
                                                   .out = out});
        for (uint32_t i = 0; i < attempt->rank_count; i++)
            if (attempt->ranks[i].parsed == PARSE_NONE)
                parse_queue_add(parsing->queue,
                                &(struct parse_task){.job_id = task->job->job_id,
                                                     .run_id = attempt->run_id,
                                                     .rank = i,
                                                     .out = out});
        free(out);
    }
    while ((job = ledger_take_report(parsing->ledger)))
        parse_queue_report(parsing->queue, job->job_id, job->out);
}

struct parse_feed *parse_feed_create(struct reactor *reactor,
                                     const struct parse_options *options,
                                     struct ledger *ledger,
                                     void (*failed)(const struct err *err, void *arg),
                                     void *arg)
{
    static const struct parse_events events = {.metric = on_metric,
                                               .output = on_output,
                                               .ended = on_parsed,
                                               .merged = on_merged,
                                               .reported = on_reported};
    struct parse_feed *parsing = xcalloc(1, sizeof(*parsing));

    *parsing = (struct parse_feed){.ledger = ledger, .failed = failed, .arg = arg};
    parsing->queue = parse_queue_create(reactor, options, &events, parsing);
    return parsing;
}

void parse_feed_destroy(struct parse_feed *parsing)
{
    if (!parsing)
        return;
    parse_queue_destroy(parsing->queue);
    free(parsing);
}

const struct parse_queue *parse_feed_queue(const struct parse_feed *parsing)
{
    return parsing->queue;
}
