#include "cli/trend/trend_nights.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compared_figures.h"
#include "cli/compare/environments_read.h"
#include "cli/compare/job_name.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/disturbance.h"

static void night_clear(struct trend_night *night)
{
    free(night->key);
    free(night->environment_change);
}

void trend_nights_clear(struct trend_nights *nights)
{
    for (size_t i = 0; i < nights->count; i++)
        night_clear(&nights->nights[i]);
    free(nights->nights);
    free(nights->name);
    stored_baseline_clear(&nights->baseline);
    *nights = (struct trend_nights){0};
}

static bool is_night_of_baseline(const struct baseline *baseline, uint64_t job_id)
{
    for (size_t i = 0; i < baseline_night_count(baseline); i++)
        if (baseline_night(baseline, i)->job_id == job_id)
            return true;
    return false;
}

/* Jobs arrive with the oldest first. */
static void keep_night(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct trend_nights *nights = arg;
    const struct baseline *baseline = nights->baseline.rule;

    if (strcmp(job->state, "done") != 0 ||
        !(baseline ? is_night_of_baseline(baseline, job->job_id)
                   : job_has_name(job->job_key, nights->name)))
        return;
    if (nights->count == nights->room) {
        nights->room = nights->room ? nights->room * 2 : 64;
        nights->nights =
            xreallocarray(nights->nights, nights->room, sizeof(*nights->nights));
    }
    nights->nights[nights->count++] =
        (struct trend_night){.job_id = job->job_id,
                             .key = xstrdup(job->job_key),
                             .ended_wall_ns = job->ended_wall_ns};
}

struct newest {
    uint64_t job_id;
    char *against, *name;
};

static void keep_newest(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct newest *newest = arg;

    if (strcmp(job->state, "done") != 0 || job->job_id < newest->job_id)
        return;
    free(newest->against);
    free(newest->name);
    newest->job_id = job->job_id;
    newest->against = xstrdup(job->compare_against ? job->compare_against : "");
    newest->name = job_name_of(job->job_key);
}

/* Chooses the nights of the newest job. */
static int
find_of_newest(struct trend_nights *nights, struct row_source *source, struct err *err)
{
    struct newest newest = {0};
    int result = row_source_uncounted_jobs(source, keep_newest, &newest, err);

    if (result == 0 && !newest.name)
        result = err_set(err, ERR_NOT_FOUND, "no job is done");
    if (result == 0 && newest.against[0])
        result = stored_baseline_find(&nights->baseline, source, newest.against, err);
    if (result == 0)
        nights->name =
            xstrdup(nights->baseline.rule ? nights->baseline.name : newest.name);
    free(newest.against);
    free(newest.name);
    return result;
}

static int find_named(struct trend_nights *nights,
                      struct row_source *source,
                      const char *name,
                      struct err *err)
{
    nights->name = xstrdup(name);
    return stored_baseline_find(&nights->baseline, source, name, err);
}

static void keep_last(struct trend_nights *nights, uint64_t last)
{
    size_t surplus = nights->count > last ? nights->count - (size_t)last : 0;

    for (size_t i = 0; i < surplus; i++)
        night_clear(&nights->nights[i]);
    nights->count -= surplus;
    memmove(nights->nights, nights->nights + surplus,
            nights->count * sizeof(*nights->nights));
}

int trend_nights_find(struct trend_nights *nights,
                      struct row_source *source,
                      const char *name,
                      uint64_t last,
                      struct err *err)
{
    *nights = (struct trend_nights){0};
    if ((name ? find_named(nights, source, name, err)
              : find_of_newest(nights, source, err)) < 0 ||
        row_source_uncounted_jobs(source, keep_night, nights, err) < 0)
        goto fail;
    if (nights->count == 0) {
        err_set(err, ERR_NOT_FOUND,
                "there is no baseline '%s', and no job of this name is done; 'muster "
                "baseline list' and 'muster list' show them",
                nights->name);
        goto fail;
    }
    keep_last(nights, last);
    return 0;

fail:
    trend_nights_clear(nights);
    return -1;
}

struct reader {
    struct night_trends *trends;
    const char *points, *cards;
};

static void add_figure(const struct comparison_figure *figure, void *arg)
{
    const struct reader *reader = arg;

    /* a disturbed card disturbs the other ranks of its task as well */
    if (text_matches(figure->point, reader->points) &&
        (strcmp(figure->metric, disturbed_metric) == 0 ||
         compared_figure_has_card(figure, reader->cards)))
        night_trends_add(reader->trends, figure);
}

static int read_figures(struct reader *reader,
                        struct row_source *source,
                        uint64_t job_id,
                        struct err *err)
{
    char *metrics =
        xasprintf("%s|%s", night_trends_metric(reader->trends), disturbed_metric);
    int result =
        compared_figures_each(source, job_id, metrics, add_figure, reader, err);

    free(metrics);
    return result;
}

/* Compares the environments of the cards of a night with those of the nights before. */
static int read_environment(struct trend_night *night,
                            struct environments *before,
                            struct row_source *source,
                            struct err *err)
{
    struct environments *now = environments_create();
    int result = environments_read(now, source, night->job_id, err);

    if (result == 0) {
        night->environment_change = environments_change(before, now);
        environments_update(before, now);
    }
    environments_destroy(now);
    return result;
}

int trend_nights_read(struct trend_nights *nights,
                      struct night_trends *trends,
                      struct row_source *source,
                      const char *points,
                      const char *cards,
                      struct err *err)
{
    struct reader reader = {trends, points, cards};
    struct environments *before = environments_create();
    int result = 0;

    for (size_t i = 0; result == 0 && i < nights->count; i++) {
        uint64_t job_id = nights->nights[i].job_id;

        night_trends_begin_night(trends, job_id);
        result = read_figures(&reader, source, job_id, err);
        if (result == 0)
            result = read_environment(&nights->nights[i], before, source, err);
    }
    environments_destroy(before);
    return result;
}

int trend_nights_read_anchor(const struct compared_base *anchor,
                             struct night_trends *trends,
                             struct row_source *source,
                             const char *points,
                             const char *cards,
                             struct err *err)
{
    struct reader reader = {trends, points, cards};
    const struct baseline *rule = anchor->baseline.rule;
    size_t count = rule ? baseline_night_count(rule) : 1;
    int result = 0;

    for (size_t i = 0; result == 0 && i < count; i++) {
        uint64_t job_id = rule ? baseline_night(rule, i)->job_id : anchor->job.job_id;

        if (rule && !baseline_may_use(rule, job_id, 0))
            continue;
        night_trends_begin_anchor_job(trends, job_id, rule);
        result = read_figures(&reader, source, job_id, err);
    }
    return result;
}
