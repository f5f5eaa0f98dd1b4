#include "parsers/reports/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/gang/gang_figures.h"
#include "parsers/reports/model_internal.h"

struct report *report_create(const struct report_job *job)
{
    struct report *report = xcalloc(1, sizeof(*report));

    report->arena = arena_create(64 * 1024);
    report->job = *job;
    report->job.key = arena_strdup(report->arena, job->key);
    report->job.name = arena_strdup(report->arena, job->name);
    report->job.yaml = arena_strdup(report->arena, job->yaml);
    report->job.file_name = arena_strdup(report->arena, job->file_name);
    report->job.user = arena_strdup(report->arena, job->user);
    report->job.state = arena_strdup(report->arena, job->state);
    report->job.reason = arena_strdup(report->arena, job->reason);
    report->job.compare_against = arena_strdup(report->arena, job->compare_against);
    report->gang = gang_figures_create(job->yaml);
    report->bad_tasks = map_create();
    report->work_ids = map_create();
    report->card_ids = map_create();
    report->file_owners = map_create();
    report->tasks.size = sizeof(struct report_task);
    report->rank_times.size = sizeof(struct report_rank_time);
    report->samples.size = sizeof(struct sample);
    report->figures.size = sizeof(struct figure);
    report->works.size = sizeof(struct report_work);
    report->series.size = sizeof(struct report_series);
    report->cards.size = sizeof(struct report_card);
    report->ranks.size = sizeof(struct report_rank);
    report->suspects.size = sizeof(const char *);
    report->environments.size = sizeof(struct report_environment);
    report->steps.size = sizeof(struct report_steps);
    report->kernels.size = sizeof(struct report_kernel);
    report->advice.size = sizeof(struct report_advice);
    report->notes.size = sizeof(struct report_advice);
    return report;
}

void report_destroy(struct report *report)
{
    if (!report)
        return;
    free(report->tasks.items);
    free(report->rank_times.items);
    free(report->samples.items);
    free(report->figures.items);
    free(report->works.items);
    free(report->series.items);
    free(report->cards.items);
    free(report->ranks.items);
    free(report->environments.items);
    free(report->steps.items);
    free(report->kernels.items);
    free(report->advice.items);
    free(report->notes.items);
    free(report->suspects.items);
    gang_figures_destroy(report->gang);
    map_destroy(report->bad_tasks);
    map_destroy(report->work_ids);
    map_destroy(report->card_ids);
    map_destroy(report->file_owners);
    arena_destroy(report->arena);
    free(report);
}

/* Writes the text of a point without its `card=N` to `shape`, which has room for it. */
static void copy_shape(char *shape, const char *point_text)
{
    char *out = shape;

    for (const char *word = point_text; *word;) {
        size_t length = strcspn(word, " ");

        if (length && strncmp(word, "card=", 5) != 0) {
            if (out != shape)
                *out++ = ' ';
            memcpy(out, word, length);
            out += length;
        }
        word += length;
        word += strspn(word, " ");
    }
    *out = '\0';
}

/* Returns the position of the work of the launch, which it adds when it is new. */
static uint32_t find_work(struct report *report, const struct report_launch *launch)
{
    size_t kernel_length = strlen(launch->kernel);
    size_t room = kernel_length + strlen(launch->point_text) + 2;
    char *key = xmalloc(room);

    memcpy(key, launch->kernel, kernel_length);
    key[kernel_length] = '\n';
    copy_shape(key + kernel_length + 1, launch->point_text);
    uintptr_t position = (uintptr_t)map_get(report->work_ids, key);
    if (position == 0) {
        struct report_work *work = report_list_add(&report->works);

        work->kernel = arena_strdup(report->arena, launch->kernel);
        work->shape = arena_strdup(report->arena, key + kernel_length + 1);
        position = report->works.count;
        map_put(report->work_ids, key, (void *)position);
    }
    free(key);

    struct report_work *work =
        (struct report_work *)report->works.items + (position - 1);
    work->simulated |= launch->simulated;
    if (work->ranks < (size_t)launch->rank + 1)
        work->ranks = (size_t)launch->rank + 1;
    return (uint32_t)position - 1;
}

static uint32_t find_card(struct report *report, const struct report_launch *launch)
{
    char *key = xasprintf("%" PRIu64 " %s", launch->card, launch->host);
    uintptr_t position = (uintptr_t)map_get(report->card_ids, key);

    if (position == 0) {
        struct report_card *card = report_list_add(&report->cards);

        *card = (struct report_card){
            .host = arena_strdup(report->arena, launch->host),
            .model = arena_strdup(report->arena, launch->model),
            .serial = arena_strdup(report->arena, launch->serial),
            .card = launch->card,
        };
        position = report->cards.count;
        map_put(report->card_ids, key, (void *)position);
    }
    free(key);
    return (uint32_t)position - 1;
}

void report_add_launch(struct report *report, const struct report_launch *launch)
{
    report->launch = (struct sample){.work = find_work(report, launch),
                                     .card = find_card(report, launch),
                                     .rank = launch->rank,
                                     .device = launch->device,
                                     .point = launch->point,
                                     .repeat = launch->repeat,
                                     .run_id = launch->run_id,
                                     .launch = launch->launch,
                                     .simulated = launch->simulated};
}

void report_add_figure(struct report *report, const char *metric, double value)
{
    const struct sample *launch = &report->launch;
    size_t measure;

    report_add_step_figure(report, metric, value);
    if (!report_measure_find(metric, &measure))
        return;
    bool of_rank = report_measures[measure].group == REPORT_GROUP_RANK;
    *(struct figure *)report_list_add(&report->figures) =
        (struct figure){.work = launch->work,
                        .rank = of_rank ? launch->rank : 0,
                        .card = launch->card,
                        .measure = (uint32_t)measure,
                        .value = value * report_measures[measure].factor};
    if (measure != MEASURE_DURATION)
        return;
    struct sample *sample = report_list_add(&report->samples);
    *sample = *launch;
    sample->value_us = value;
    report->simulated |= launch->simulated;
    report->measured |= !launch->simulated;
}

static bool same_environment(const struct report_environment *a,
                             const struct report_environment *b)
{
    return a->simulated == b->simulated && strcmp(a->chip, b->chip) == 0 &&
           strcmp(a->cann, b->cann) == 0 && strcmp(a->driver, b->driver) == 0 &&
           strcmp(a->firmware, b->firmware) == 0 &&
           strcmp(a->host_kernel, b->host_kernel) == 0 &&
           strcmp(a->measurement, b->measurement) == 0;
}

void report_add_environment(struct report *report,
                            const struct report_environment *environment)
{
    struct report_environment *known = report->environments.items;

    for (size_t i = 0; i < report->environments.count; i++)
        if (same_environment(&known[i], environment)) {
            known[i].ranks++;
            return;
        }
    known = report_list_add(&report->environments);
    *known = (struct report_environment){
        .chip = arena_strdup(report->arena, environment->chip),
        .cann = arena_strdup(report->arena, environment->cann),
        .driver = arena_strdup(report->arena, environment->driver),
        .firmware = arena_strdup(report->arena, environment->firmware),
        .host_kernel = arena_strdup(report->arena, environment->host_kernel),
        .measurement = arena_strdup(report->arena, environment->measurement),
        .simulated = environment->simulated,
        .ranks = 1,
    };
}

void report_set_gate(struct report *report, const char *text)
{
    report->gate = arena_strdup(report->arena, text);
    report->suspects.count = 0;
}

void report_add_suspect(struct report *report, const char *text)
{
    *(const char **)report_list_add(&report->suspects) =
        arena_strdup(report->arena, text);
}

const char *report_gate(const struct report *report)
{
    return report->gate;
}

const char *const *report_suspects(const struct report *report, size_t *count)
{
    *count = report->suspects.count;
    return report->suspects.items;
}

void report_set_last(struct report *report, uint64_t wall_ms)
{
    struct report_job *job = &report->job;

    report->last_wall_ms = wall_ms;
    if (job->has_ended && !job->ended_wall_ms)
        job->ended_wall_ms = wall_ms ? wall_ms : job->submitted_wall_ms;
}

uint64_t report_last_wall_ms(const struct report *report)
{
    return report->last_wall_ms;
}

void report_finish(struct report *report)
{
    report_sort(report);
    report_sort_tasks(report);
    if (report->gang)
        gang_figures_finish(report->gang);
    snprintf(report->verdict, sizeof(report->verdict), "%s, %zu of %zu tasks",
             report->tasks.count == 0                               ? "no tasks"
             : report_is_complete(report)                           ? "complete"
             : report->good_count == 0 && report->series.count == 0 ? "no results"
                                                                    : "incomplete",
             report->good_count, report->tasks.count);
}

/* Writes `RUN RANK deviceN LAUNCH` of a path `HOST/deviceN/OP/LAUNCH/FILE`. Returns
 * false for another file. */
static bool write_owner_key(char *out,
                            size_t size,
                            uint64_t run_id,
                            uint32_t rank,
                            const char *path)
{
    const char *parts[5];
    size_t lengths[COUNT(parts)];

    for (size_t i = 0; i < COUNT(parts); i++) {
        parts[i] = path;
        lengths[i] = strcspn(path, "/");
        path += lengths[i];
        if (*path == '/')
            path++;
    }
    if (strcmp(parts[4], "visualize_data.bin") != 0)
        return false;
    snprintf(out, size, "%" PRIu64 " %" PRIu32 " %.*s %.*s", run_id, rank,
             (int)lengths[1], parts[1], (int)lengths[3], parts[3]);
    return true;
}

static const char *
path_of(struct report *report, const struct report_series *series, const char *path)
{
    return arena_printf(report->arena, "p%" PRIu64 "/r%" PRIu64 "/%s", series->point,
                        series->repeat, path);
}

void report_add_output(struct report *report,
                       uint64_t run_id,
                       uint32_t rank,
                       const char *path)
{
    struct report_series *all = report->series.items;
    struct report_work *works = report->works.items;
    bool is_timeline = text_has_prefix(path, "merged/");
    char key[512];

    if (text_has_suffix(path, "/analysis/analysis.html")) {
        report_add_analysis(report, run_id, rank, path);
        return;
    }
    if (is_timeline)
        snprintf(key, sizeof(key), "%" PRIu64, run_id);
    else if (!write_owner_key(key, sizeof(key), run_id, rank, path))
        return;
    uintptr_t position = (uintptr_t)map_get(report->file_owners, key);
    if (position == 0)
        return;
    struct report_series *series = &all[position - 1];
    if (!is_timeline)
        series->data_path = path_of(report, series, path);
    else if (!works[series->work].timeline_path)
        works[series->work].timeline_path = path_of(report, series, path);
}

const struct report_job *report_job(const struct report *report)
{
    return &report->job;
}

bool report_has_simulated(const struct report *report)
{
    return report->simulated;
}

bool report_has_measured(const struct report *report)
{
    return report->measured;
}

const struct report_work *report_works(const struct report *report, size_t *count)
{
    *count = report->works.count;
    return report->works.items;
}

const struct report_series *report_series(const struct report *report, size_t *count)
{
    *count = report->series.count;
    return report->series.items;
}

const struct report_card *report_cards(const struct report *report, size_t *count)
{
    *count = report->cards.count;
    return report->cards.items;
}

const struct report_rank *report_ranks(const struct report *report, size_t *count)
{
    *count = report->ranks.count;
    return report->ranks.items;
}

const struct report_environment *report_environments(const struct report *report,
                                                     size_t *count)
{
    *count = report->environments.count;
    return report->environments.items;
}

const char *report_verdict(const struct report *report)
{
    return report->verdict;
}
