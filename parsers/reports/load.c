#include "parsers/reports/load.h"

#include <string.h>

#include "lib/store/store.h"
#include "parsers/reports/model.h"

/* The coordinator stores the final state only after the report is written. Returns the
 * state that it will store for this report. */
static enum job_state state_with_report(const struct store_job *job)
{
    uint64_t ended = job->tasks_done + job->tasks_failed + job->tasks_cancelled;

    return job->state == JOB_PARSING && ended == job->tasks_total
               ? job_state_after_tasks(job->tasks_failed, job->tasks_cancelled)
               : job->state;
}

static int add_job(const struct store_job *job, void *arg, struct err *err)
{
    struct report **report = arg;
    enum job_state state = state_with_report(job);

    (void)err;
    *report =
        report_create(&(struct report_job){.job_id = job->job_id,
                                           .key = job->key,
                                           .name = job->name,
                                           .file_name = job->file_name,
                                           .user = job->user,
                                           .state = job_state_name(state),
                                           .has_ended = job_state_is_final(state),
                                           .reason = job->reason,
                                           .submitted_wall_ms = job->submitted_wall_ms,
                                           .ended_wall_ms = job->ended_wall_ms});
    report_add_good(*report, job->tasks_done);
    return 0;
}

static int add_task(const struct store_task *task, void *arg, struct err *err)
{
    struct report *report = arg;

    (void)err;
    report_add_bad(report, &(struct report_task){.point = task->point,
                                                 .repeat = task->repeat,
                                                 .point_text = task->point_text,
                                                 .state = task_state_name(task->state),
                                                 .reason = task->reason,
                                                 .attempts = task->attempts});
    return 0;
}

static int add_result(const struct store_result *result, void *arg, struct err *err)
{
    struct report *report = arg;

    (void)err;
    if (strcmp(result->metric, "duration_us") != 0)
        return 0;
    report_add_duration(report,
                        &(struct report_duration){.point = result->point,
                                                  .repeat = result->repeat,
                                                  .point_text = result->point_text,
                                                  .kernel = result->kernel,
                                                  .host = result->host,
                                                  .model = result->model,
                                                  .card = (uint64_t)result->card,
                                                  .value_us = result->value,
                                                  .simulated = result->simulated});
    return 0;
}

int report_load(struct report **out,
                struct store *store,
                uint64_t job_id,
                struct err *err)
{
    struct report *report = NULL;
    uint64_t last_wall_ns = 0;

    if (store_job_read(store, job_id, add_job, &report, err) < 0)
        return -1;
    if (store_each_open_task(store, job_id, add_task, report, err) < 0 ||
        store_last_rank_end(store, job_id, &last_wall_ns, err) < 0 ||
        store_each_result(store, job_id, add_result, report, err) < 0) {
        report_destroy(report);
        return -1;
    }
    report_set_last(report, last_wall_ns / 1000000);
    report_finish(report);
    *out = report;
    return 0;
}
