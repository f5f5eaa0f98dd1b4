#include "parsers/reports/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/gang/gang_figures.h"
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
                                           .yaml = job->yaml,
                                           .file_name = job->file_name,
                                           .user = job->user,
                                           .state = job_state_name(state),
                                           .has_ended = job_state_is_final(state),
                                           .reason = job->reason,
                                           .compare_against = job->compare_against,
                                           .submitted_wall_ms = job->submitted_wall_ms,
                                           .ended_wall_ms = job->ended_wall_ms});
    return 0;
}

static int add_task(const struct store_task *task, void *arg, struct err *err)
{
    struct report *report = arg;

    (void)err;
    report_add_task(report, &(struct report_task){.point = task->point,
                                                  .repeat = task->repeat,
                                                  .point_text = task->point_text,
                                                  .state = task_state_name(task->state),
                                                  .reason = task->reason,
                                                  .attempts = task->attempts});
    return 0;
}

/* The launch whose figures are read; its figures follow each other. */
struct result_reader {
    struct report *report;
    bool has_launch;
    uint64_t run_id, launch;
    uint32_t rank, device;
    char *kernel;
};

static bool is_next_launch(const struct result_reader *reader,
                           const struct store_result *result)
{
    return !reader->has_launch || reader->run_id != result->run_id ||
           reader->rank != result->rank || reader->launch != result->launch ||
           reader->device != result->device ||
           strcmp(reader->kernel, result->kernel) != 0;
}

static void begin_launch(struct result_reader *reader,
                         const struct store_result *result)
{
    reader->has_launch = true;
    reader->run_id = result->run_id;
    reader->rank = result->rank;
    reader->launch = result->launch;
    reader->device = result->device;
    free(reader->kernel);
    reader->kernel = xstrdup(result->kernel);
    report_add_launch(reader->report,
                      &(struct report_launch){.point = result->point,
                                              .repeat = result->repeat,
                                              .run_id = result->run_id,
                                              .rank = result->rank,
                                              .launch = result->launch,
                                              .device = result->device,
                                              .point_text = result->point_text,
                                              .kernel = result->kernel,
                                              .host = result->host,
                                              .model = result->model,
                                              .serial = result->serial,
                                              .card = (uint64_t)result->card,
                                              .simulated = result->simulated});
}

static void add_gang_figure(struct report *report, const struct store_result *result)
{
    struct gang_figures *gang = report_gang(report);

    if (gang && report_has_result(report, result->point, result->repeat))
        gang_figures_add(gang, &(struct gang_figure){.point = result->point,
                                                     .repeat = result->repeat,
                                                     .launch = result->launch,
                                                     .rank = result->rank,
                                                     .kernel = result->kernel,
                                                     .metric = result->metric,
                                                     .value = result->value,
                                                     .host = result->host,
                                                     .serial = result->serial,
                                                     .card = result->card,
                                                     .simulated = result->simulated,
                                                     .tick_ns = result->tick_ns});
}

static int add_result(const struct store_result *result, void *arg, struct err *err)
{
    struct result_reader *reader = arg;

    (void)err;
    if (is_next_launch(reader, result))
        begin_launch(reader, result);
    report_add_figure(reader->report, result->metric, result->value);
    add_gang_figure(reader->report, result);
    return 0;
}

/* The store has -1 for unknown times. */
static int add_replay(const struct store_replay *replay, void *arg, struct err *err)
{
    struct report *report = arg;

    (void)err;
    if (replay->duration_ns >= 0 &&
        report_has_result(report, replay->point, replay->repeat))
        gang_figures_add_replay(
            report_gang(report),
            &(struct gang_replay){.point = replay->point,
                                  .repeat = replay->repeat,
                                  .launch = replay->launch,
                                  .rank = replay->rank,
                                  .kernel = replay->kernel,
                                  .number = replay->replay,
                                  .in_step = replay->released_ns >= 0,
                                  .duration_us = (double)replay->duration_ns / 1000,
                                  .started_ns = (uint64_t)replay->started_ns,
                                  .uncertainty_us =
                                      replay->uncertainty_ns < 0
                                          ? NAN
                                          : (double)replay->uncertainty_ns / 1000});
    return 0;
}

struct rank_reader {
    struct report *report;
    uint64_t last_wall_ns; /* the end of the last rank that ended; 0: none */
};

static int add_rank(const struct store_rank_time *rank, void *arg, struct err *err)
{
    const struct store_environment *environment = &rank->environment;
    struct rank_reader *reader = arg;

    (void)err;
    if (rank->ended_wall_ns > reader->last_wall_ns)
        reader->last_wall_ns = rank->ended_wall_ns;
    report_add_rank_time(reader->report, &(struct report_rank_time){
                                             .point = rank->point,
                                             .repeat = rank->repeat,
                                             .attempt = rank->attempt,
                                             .started_wall_ns = rank->started_wall_ns,
                                             .ended_wall_ns = rank->ended_wall_ns});
    if (rank->accepted)
        report_add_environment(
            reader->report,
            &(struct report_environment){.chip = environment->chip,
                                         .cann = environment->cann,
                                         .driver = environment->driver,
                                         .firmware = environment->firmware,
                                         .host_kernel = environment->host_kernel,
                                         .measurement = environment->measurement,
                                         .simulated = rank->simulated});
    return 0;
}

static int add_kernel(const struct store_kernel_way *way, void *arg, struct err *err)
{
    (void)err;
    report_add_kernel(arg, &(struct report_kernel){.kernel = way->kernel,
                                                   .group_found = way->group_found,
                                                   .restored = way->restored,
                                                   .launches = way->launches});
    return 0;
}

static struct report_advice advice_of(const struct store_advice *advice)
{
    return (struct report_advice){.point = advice->point,
                                  .point_text = advice->point_text,
                                  .kernel = advice->kernel,
                                  .text = advice->lines,
                                  .launches = advice->launches};
}

static int add_advice(const struct store_advice *advice, void *arg, struct err *err)
{
    const struct report_advice added = advice_of(advice);

    (void)err;
    report_add_advice(arg, &added);
    return 0;
}

static int add_note(const struct store_advice *note, void *arg, struct err *err)
{
    const struct report_advice added = advice_of(note);

    (void)err;
    report_add_note(arg, &added);
    return 0;
}

static int add_event(const struct store_event *event, void *arg, struct err *err)
{
    (void)err;
    if (strcmp(event->kind, "gate.verdict") == 0)
        report_set_gate(arg, event->text);
    else if (strcmp(event->kind, "gate.suspect") == 0)
        report_add_suspect(arg, event->text);
    return 0;
}

static int
add_output(uint64_t run_id, uint32_t rank, const char *path, void *arg, struct err *err)
{
    (void)err;
    report_add_output(arg, run_id, rank, path);
    return 0;
}

int report_load(struct report **out,
                struct store *store,
                uint64_t job_id,
                struct err *err)
{
    struct report *report = NULL;
    int result;

    if (store_job_read(store, job_id, add_job, &report, err) < 0)
        return -1;
    struct result_reader reader = {.report = report};
    struct rank_reader ranks = {.report = report};
    result = store_each_task(store, job_id, add_task, report, err);
    if (result == 0)
        result = store_each_result(store, job_id, add_result, &reader, err);
    free(reader.kernel);
    if (result == 0)
        result = store_each_rank_time(store, job_id, add_rank, &ranks, err);
    if (result == 0 && report_gang(report))
        result = store_each_replay(store, job_id, add_replay, report, err);
    if (result == 0)
        result = store_each_kernel_way(store, job_id, add_kernel, report, err);
    if (result == 0)
        result = store_each_advice(store, job_id, add_advice, report, err);
    if (result == 0)
        result = store_each_note(store, job_id, add_note, report, err);
    if (result == 0)
        result = store_each_gate_event(store, job_id, add_event, report, err);
    if (result == 0) {
        report_set_last(report, ranks.last_wall_ns / 1000000);
        report_finish(report);
        result = store_each_output(store, job_id, add_output, report, err);
    }
    if (result < 0) {
        report_destroy(report);
        return -1;
    }
    *out = report;
    return 0;
}
