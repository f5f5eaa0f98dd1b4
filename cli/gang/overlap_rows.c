#include "cli/gang/overlap_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/gang/stored_gang.h"
#include "cli/query/row_source.h"
#include "lib/base/mem.h"
#include "lib/gang/gang_analysis.h"
#include "lib/gang/gang_overlap.h"
#include "lib/job/job.h"

const char *const overlap_metrics[OVERLAP_METRICS] = {"overlap_efficiency",
                                                      "overlap_attained"};

struct adder {
    overlap_row_fn *fn;
    void *arg;
    uint64_t job_id;
    char **texts; /* of the points */
    size_t point_count;
};

static void add_figure(const struct adder *adder,
                       const struct gang_overlap_repeat *repeat,
                       const char *metric,
                       double value)
{
    bool has_rank = repeat->rank >= 0;

    if (!isfinite(value) || repeat->point >= adder->point_count)
        return;
    adder->fn(
        &(struct msg_result_row){
            .job_id = adder->job_id,
            .point = repeat->point,
            .repeat = repeat->repeat,
            .point_text = adder->texts[repeat->point],
            .rank = has_rank ? (uint64_t)repeat->rank : 0,
            .host = "",
            .simulated = repeat->simulated,
            .kernel = "",
            .metric = metric,
            .value = value,
            .unit = "ratio",
            .card = -1,
            .serial = "",
        },
        has_rank, adder->arg);
}

static void add_repeat(const struct gang_overlap_repeat *repeat, void *arg)
{
    add_figure(arg, repeat, overlap_metrics[0], repeat->efficiency);
    add_figure(arg, repeat, overlap_metrics[1], repeat->attained);
}

static void read_texts(struct adder *adder, const struct job *job)
{
    struct job_points *points = job_points_create(job);
    struct job_point point;
    size_t room = 0;

    while (job_points_next(points, &point)) {
        if (adder->point_count == room) {
            room = room ? room * 2 : 16;
            adder->texts = xreallocarray(adder->texts, room, sizeof(*adder->texts));
        }
        adder->texts[adder->point_count++] = xstrdup(point.text);
    }
    job_points_destroy(points);
}

static int add_of_job(struct adder *adder,
                      struct row_source *source,
                      const struct job *job,
                      struct err *err)
{
    struct gang_figures *figures;
    struct gang_times times = {0};

    if (stored_gang_read(&figures, source, adder->job_id, err) < 0)
        return -1;
    if (!figures)
        return 0;
    read_texts(adder, job);
    gang_times_read(&times, figures);
    gang_overlap_each(&(struct gang_input){.figures = figures, .times = &times},
                      add_repeat, adder);
    gang_times_clear(&times);
    gang_figures_destroy(figures);
    for (size_t i = 0; i < adder->point_count; i++)
        free(adder->texts[i]);
    free(adder->texts);
    return 0;
}

int overlap_rows_each(struct row_source *source,
                      uint64_t job_id,
                      overlap_row_fn *fn,
                      void *arg,
                      struct err *err)
{
    struct adder adder = {.fn = fn, .arg = arg, .job_id = job_id};
    struct problems problems = {0};
    struct job *job = NULL;
    char *yaml;
    int result = 0;

    if (row_source_job_file(source, job_id, &yaml, err) < 0)
        return -1;
    /* a file of an older version may not be valid any more; it has no overlap */
    if (job_parse(&job, yaml, strlen(yaml), &problems) == 0 &&
        job_part_variable(job) != SIZE_MAX)
        result = add_of_job(&adder, source, job, err);
    problems_clear(&problems);
    job_destroy(job);
    free(yaml);
    return result;
}
