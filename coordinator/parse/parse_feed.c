#include "coordinator/parse/parse_feed.h"

#include <stdlib.h>

#include "coordinator/ledger/ledger.h"
#include "coordinator/parse/parse_queue.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"

struct parse_feed {
    struct parse_queue *queue;
    struct ledger *ledger;
    void (*failed)(const struct err *err, void *arg);
    void *arg;
};

static void on_metric(const struct store_metric *metric, void *arg)
{
    struct parse_feed *feed = arg;
    struct err err;

    if (ledger_metric(feed->ledger, metric, &err) < 0)
        feed->failed(&err, feed->arg);
}

static void on_launch(const struct store_launch *launch, void *arg)
{
    struct parse_feed *feed = arg;
    struct err err;

    if (ledger_launch(feed->ledger, launch, &err) < 0)
        feed->failed(&err, feed->arg);
}

static void on_replay(const struct store_replay *replay, void *arg)
{
    struct parse_feed *feed = arg;
    struct err err;

    if (ledger_replay(feed->ledger, replay, &err) < 0)
        feed->failed(&err, feed->arg);
}

static void on_environment(uint64_t run_id,
                           uint32_t number,
                           const struct store_environment *environment,
                           void *arg)
{
    struct parse_feed *feed = arg;
    struct err err;

    if (ledger_environment(feed->ledger, run_id, number, environment, &err) < 0)
        feed->failed(&err, feed->arg);
}

static void on_output(uint64_t run_id, uint32_t number, const char *path, void *arg)
{
    struct parse_feed *feed = arg;
    struct err err;

    if (ledger_output(feed->ledger, run_id, number, path, &err) < 0)
        feed->failed(&err, feed->arg);
}

static void
on_parsed(uint64_t run_id, uint32_t number, bool good, const char *error, void *arg)
{
    struct parse_feed *feed = arg;
    struct attempt *attempt = ledger_find_attempt(feed->ledger, run_id);
    struct attempt_rank *rank = attempt ? ledger_find_rank(attempt, number) : NULL;
    struct err err;

    if (!good)
        log_warning("result not parsed: run_id=%llu rank=%u reason=\"%s\"",
                    (unsigned long long)run_id, number, error);
    if (rank && ledger_parsed(feed->ledger, rank, good, error, &err) < 0)
        feed->failed(&err, feed->arg);
}

/* Only logs a failure: each rank has its own timeline and figures. */
static void on_merged(uint64_t run_id, bool good, const char *error, void *arg)
{
    (void)arg;
    if (!good)
        log_warning("timelines not merged: run_id=%llu reason=\"%s\"",
                    (unsigned long long)run_id, error);
}

static void on_reported(uint64_t job_id, bool good, const char *error, void *arg)
{
    struct parse_feed *feed = arg;
    struct ledger_job *job = ledger_find_job(feed->ledger, job_id);
    struct err err;

    if (!good)
        log_warning("report not written: job_id=%llu reason=\"%s\"",
                    (unsigned long long)job_id, error);
    if (job && ledger_reported(feed->ledger, job, good, error, &err) < 0)
        feed->failed(&err, feed->arg);
}

/* A cancelled job ends without further repetitions. */
static bool on_repeats(uint64_t job_id,
                       uint64_t run_id,
                       const char *error,
                       uint64_t delay_ms,
                       void *arg)
{
    struct parse_feed *feed = arg;
    struct ledger_job *job = ledger_find_job(feed->ledger, job_id);
    const struct attempt *attempt = ledger_find_attempt(feed->ledger, run_id);

    if (!job || job->cancelled)
        return false;
    log_warning("parse delayed: job=%s run_id=%llu again_in_ms=%llu reason=\"%s\"",
                job->key, (unsigned long long)run_id, (unsigned long long)delay_ms,
                error);
    ledger_parse_delayed(job, attempt, error);
    return true;
}

static void end_repeats_of_cancelled_jobs(struct parse_feed *feed)
{
    for (const struct ledger_job *job = ledger_first_job(feed->ledger); job;
         job = job->next)
        if (job->cancelled)
            parse_queue_end_repeats(feed->queue, job->job_id);
}

void parse_feed_start(struct parse_feed *feed)
{
    const struct ledger_job *job;
    const struct attempt *attempt;

    end_repeats_of_cancelled_jobs(feed);

    while ((attempt = ledger_take_parse(feed->ledger))) {
        const struct task *task = attempt->task;
        const struct job_settings *settings = job_settings(task->job->job);
        char *out = ledger_task_folder(task);
        bool is_partial = attempt->failure.state != RANK_STATE_LEASED;

        if (attempt->rank_count > 1 && !is_partial)
            parse_queue_merge(feed->queue,
                              &(struct parse_task){.job_id = task->job->job_id,
                                                   .run_id = attempt->run_id,
                                                   .rank = attempt->rank_count,
                                                   .out = out});
        for (uint32_t i = 0; i < attempt->rank_count; i++)
            if (attempt->ranks[i].parsed == PARSE_NONE)
                parse_queue_add(feed->queue, &(struct parse_task){
                                                 .job_id = task->job->job_id,
                                                 .run_id = attempt->run_id,
                                                 .rank = i,
                                                 .out = out,
                                                 .custom_input = settings->custom_input,
                                                 .is_partial = is_partial});
        free(out);
    }
    while ((job = ledger_take_report(feed->ledger)))
        parse_queue_report(feed->queue, job->job_id, job->out);
}

struct parse_feed *parse_feed_create(struct reactor *reactor,
                                     const struct parse_options *options,
                                     struct ledger *ledger,
                                     void (*failed)(const struct err *err, void *arg),
                                     void *arg)
{
    static const struct parse_events events = {.metric = on_metric,
                                               .launch = on_launch,
                                               .replay = on_replay,
                                               .environment = on_environment,
                                               .output = on_output,
                                               .ended = on_parsed,
                                               .merged = on_merged,
                                               .reported = on_reported,
                                               .repeats = on_repeats};
    struct parse_feed *feed = xcalloc(1, sizeof(*feed));

    *feed = (struct parse_feed){.ledger = ledger, .failed = failed, .arg = arg};
    feed->queue = parse_queue_create(reactor, options, &events, feed);
    return feed;
}

void parse_feed_destroy(struct parse_feed *feed)
{
    if (!feed)
        return;
    parse_queue_destroy(feed->queue);
    free(feed);
}

const struct parse_queue *parse_feed_queue(const struct parse_feed *feed)
{
    return feed->queue;
}
