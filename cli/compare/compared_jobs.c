#include "cli/compare/compared_jobs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compared_figures.h"
#include "cli/compare/job_method.h"
#include "cli/compare/job_name.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/disturbance.h"

const struct compared_part compared_everything = {"*", "*"};

struct reader {
    const char *points, *cards, *metric; /* patterns */
    bool all_cards;
    struct comparison *comparison;
    enum comparison_side side;
    bool is_night;             /* the figures belong to a night */
    struct job_method *method; /* of the job that is read */
};

struct job_search {
    uint64_t job_id; /* the job to find; 0: the newest with this name */
    uint64_t before; /* only older jobs; 0: all */
    const char *name;
    struct compared_job found;
};

void compared_job_clear(struct compared_job *job)
{
    free(job->key);
    free(job->state);
    free(job->against);
    free(job->metric);
    *job = (struct compared_job){0};
}

static void keep_job(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct job_search *search = arg;

    if (search->job_id
            ? job->job_id != search->job_id
            : job->job_id >= search->before || job->job_id <= search->found.job_id ||
                  strcmp(job->state, "done") != 0 ||
                  !job_has_name(job->job_key, search->name))
        return;
    compared_job_clear(&search->found);
    search->found = (struct compared_job){
        .job_id = job->job_id,
        .key = xstrdup(job->job_key),
        .state = xstrdup(job->state),
        .against = xstrdup(job->compare_against ? job->compare_against : ""),
        .metric = xstrdup(job->compare_metric ? job->compare_metric : ""),
        .tolerance = job->compare_tolerance,
        .submitted_wall_ns = job->submitted_wall_ns,
    };
}

int compared_job_find(struct compared_job *job,
                      struct row_source *source,
                      const char *job_arg,
                      struct err *err)
{
    struct job_search search = {0};

    if (row_source_find_job(source, job_arg, &search.job_id, err) < 0 ||
        row_source_uncounted_jobs(source, keep_job, &search, err) < 0)
        return -1;
    if (!search.found.key)
        return err_set(err, ERR_NOT_FOUND, "there is no job %s", job_arg);
    *job = search.found;
    return 0;
}

/* Finds the newest job of the name before the new job that is done. */
static int find_against(struct compared_job *base,
                        struct row_source *source,
                        const struct compared_job *fresh,
                        struct err *err)
{
    struct job_search search = {.before = fresh->job_id, .name = fresh->against};

    if (row_source_uncounted_jobs(source, keep_job, &search, err) < 0)
        return -1;
    if (!search.found.key)
        return err_set(err, ERR_NOT_FOUND,
                       "compare.against of job %s: there is no baseline '%s', and no "
                       "job '%s' before it is done; run one, or name both jobs: "
                       "muster compare BASE %s",
                       fresh->key, fresh->against, fresh->against, fresh->key);
    *base = search.found;
    return 0;
}

int compared_base_find(struct compared_base *base,
                       struct row_source *source,
                       const char *name,
                       const struct compared_job *fresh,
                       struct err *err)
{
    *base = (struct compared_base){0};
    if (!name && !fresh->against[0])
        return err_set(err, ERR_INPUT,
                       "job %s has no key compare.against; name the base: "
                       "muster compare BASE %s",
                       fresh->key, fresh->key);
    if (stored_baseline_find(&base->baseline, source, name ? name : fresh->against,
                             err) < 0)
        return -1;
    if (base->baseline.rule)
        return 0;
    if (!name)
        return find_against(&base->job, source, fresh, err);
    if (compared_job_find(&base->job, source, name, err) < 0)
        return err->code == ERR_NOT_FOUND
                   ? err_set(err, ERR_NOT_FOUND,
                             "no baseline and no job '%s'; 'muster baseline list' and "
                             "'muster list' show them",
                             name)
                   : -1;
    if (base->job.job_id == fresh->job_id)
        return err_set(err, ERR_INPUT, "job %s cannot be compared with itself",
                       fresh->key);
    return 0;
}

void compared_base_clear(struct compared_base *base)
{
    stored_baseline_clear(&base->baseline);
    compared_job_clear(&base->job);
}

const char *compared_base_name(const struct compared_base *base)
{
    return base->baseline.rule ? base->baseline.name : base->job.key;
}

uint64_t compared_base_newest(const struct compared_base *base,
                              const struct compared_job *fresh)
{
    const struct baseline *baseline = base->baseline.rule;
    uint64_t newest = 0;

    if (!baseline)
        return base->job.job_id;
    for (size_t i = 0; i < baseline_night_count(baseline); i++) {
        uint64_t job_id = baseline_night(baseline, i)->job_id;

        if (job_id != fresh->job_id &&
            baseline_may_use(baseline, job_id, fresh->job_id))
            newest = job_id;
    }
    return newest;
}

static void add_task(const void *row, void *arg)
{
    const struct msg_task_row *task = row;
    const struct reader *reader = arg;

    if (text_matches(task->point_text, reader->points))
        comparison_add_task(
            reader->comparison, reader->side,
            &(struct comparison_task){.point = task->point_text,
                                      .repeat = task->repeat,
                                      .done = strcmp(task->state, "done") == 0});
}

static void add_figure(const struct comparison_figure *row, void *arg)
{
    const struct reader *reader = arg;
    struct comparison_figure figure = *row;

    /* a disturbed card disturbs the other ranks of its task as well */
    if (!text_matches(figure.point, reader->points) ||
        (!reader->all_cards && strcmp(figure.metric, disturbed_metric) != 0 &&
         !compared_figure_has_card(&figure, reader->cards)))
        return;
    figure.method = job_method_at(reader->method, figure.point);
    if (reader->is_night)
        comparison_add_night(reader->comparison, &figure);
    else
        comparison_add_figure(reader->comparison, reader->side, &figure);
}

static int read_figures(struct reader *reader,
                        struct row_source *source,
                        uint64_t job_id,
                        struct err *err)
{
    int result = job_method_read(&reader->method, source, job_id, err);

    if (result == 0)
        result = compared_figures_each(source, job_id, reader->metric, add_figure,
                                       reader, err);
    job_method_destroy(reader->method);
    reader->method = NULL;
    return result;
}

static int read_side(struct reader *reader,
                     struct row_source *source,
                     enum comparison_side side,
                     uint64_t job_id,
                     struct err *err)
{
    reader->side = side;
    return row_source_task_states(source, job_id, add_task, reader, err) < 0 ||
                   read_figures(reader, source, job_id, err) < 0
               ? -1
               : 0;
}

/* The jobs of the base's name, newest first: the base itself and older ones. */
struct night_list {
    const struct compared_job *base;
    char *name;
    uint64_t *job_ids;
    size_t count, most;
};

static void keep_night(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct night_list *list = arg;
    size_t at;

    if (job->job_id > list->base->job_id || strcmp(job->state, "done") != 0 ||
        !job_has_name(job->job_key, list->name))
        return;
    for (at = list->count; at > 0 && list->job_ids[at - 1] < job->job_id; at--)
        list->job_ids[at] = list->job_ids[at - 1]; /* the array has `most` + 1 places */
    if (at < list->most)
        list->job_ids[at] = job->job_id;
    if (list->count < list->most)
        list->count++;
}

static int read_night(struct reader *reader,
                      struct row_source *source,
                      uint64_t job_id,
                      struct err *err)
{
    reader->is_night = true;
    comparison_begin_night(reader->comparison, job_id);
    return read_figures(reader, source, job_id, err);
}

static int read_nights_of_job(struct reader *reader,
                              struct row_source *source,
                              const struct compared_job *base,
                              uint64_t nights,
                              struct err *err)
{
    struct night_list list = {.base = base, .most = nights};
    int result;

    list.job_ids = xcalloc(list.most + 1, sizeof(*list.job_ids));
    list.name = job_name_of(base->key);
    result = row_source_uncounted_jobs(source, keep_night, &list, err);
    /* fewer nights show no noise, so their figures have no effect */
    if (list.count < COMPARISON_NIGHTS_FEWEST)
        list.count = 0;
    for (size_t i = 0; result == 0 && i < list.count; i++)
        result = read_night(reader, source, list.job_ids[i], err);
    free(list.job_ids);
    free(list.name);
    return result;
}

static int read_nights_of_baseline(struct reader *reader,
                                   struct row_source *source,
                                   const struct baseline *baseline,
                                   uint64_t before,
                                   struct err *err)
{
    for (size_t i = 0; i < baseline_night_count(baseline); i++) {
        uint64_t job_id = baseline_night(baseline, i)->job_id;

        if (baseline_may_use(baseline, job_id, before) &&
            read_night(reader, source, job_id, err) < 0)
            return -1;
    }
    return 0;
}

int compared_jobs_read(struct comparison *comparison,
                       struct row_source *source,
                       const struct compared_base *base,
                       const struct compared_job *fresh,
                       const struct compared_part *part,
                       uint64_t nights,
                       struct err *err)
{
    char *metric = xasprintf("%s|%s", comparison_metric(comparison), disturbed_metric);
    struct reader reader = {.points = part->points,
                            .cards = part->cards,
                            .all_cards = strcmp(part->cards, "*") == 0,
                            .metric = metric,
                            .comparison = comparison};
    const struct baseline *baseline = base->baseline.rule;
    int result = 0;

    if (!baseline)
        result = read_side(&reader, source, COMPARISON_BASE, base->job.job_id, err);
    if (result == 0)
        result = read_side(&reader, source, COMPARISON_NEW, fresh->job_id, err);
    if (result == 0 && baseline)
        result = read_nights_of_baseline(&reader, source, baseline, fresh->job_id, err);
    else if (result == 0 && nights > 0)
        result = read_nights_of_job(&reader, source, &base->job, nights, err);
    free(metric);
    return result;
}

int compared_night_read(struct comparison *comparison,
                        struct row_source *source,
                        uint64_t job_id,
                        struct err *err)
{
    char *metric = xasprintf("%s|%s", comparison_metric(comparison), disturbed_metric);
    struct reader reader = {.points = "*",
                            .cards = "*",
                            .all_cards = true,
                            .metric = metric,
                            .comparison = comparison};
    int result = read_side(&reader, source, COMPARISON_NEW, job_id, err);

    free(metric);
    return result;
}
