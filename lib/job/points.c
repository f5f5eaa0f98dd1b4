/* points.c - the points of a job, one at a time, with their values put in */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/job/job_internal.h"

struct job_points {
    const struct job *job;
    size_t *digits;
    uint64_t next; /* index; the digits stand on the one before it */
    const char **values;
    struct text bytes;  /* all texts of the point, NUL after each */
    const char **words; /* command, NULL, env, NULL */
    /* of the point: the job's, with what its overrides say */
    struct job_settings settings;
    struct patterns env;
    const struct pattern *cwd, *kernel;
};

static size_t most_env(const struct job *job)
{
    size_t count = job->env.count;

    for (size_t i = 0; i < job->override_count; i++)
        count += job->overrides[i].env.count;
    return count;
}

struct job_points *job_points_create(const struct job *job)
{
    struct job_points *points = xcalloc(1, sizeof(*points));

    points->job = job;
    points->digits = xcalloc(job->sweep.axis_count, sizeof(*points->digits));
    points->values = xcalloc(job->sweep.variables.count + 1, sizeof(*points->values));
    points->words =
        xcalloc(job->command.count + most_env(job) + 2, sizeof(*points->words));
    points->env.items = xcalloc(most_env(job) + 1, sizeof(*points->env.items));
    points->env.names = xcalloc(most_env(job) + 1, sizeof(*points->env.names));
    return points;
}

void job_points_destroy(struct job_points *points)
{
    if (!points)
        return;
    free(points->digits);
    free(points->values);
    free(points->words);
    free(points->env.items);
    free(points->env.names);
    text_clear(&points->bytes);
    free(points);
}

/* Texts are built one behind the other; as the memory may move meanwhile, what is kept
 * of each is its offset, in the pointer, until all are there. */
static const char *begin(const struct job_points *points)
{
    return (const char *)(uintptr_t)points->bytes.length;
}

static void end(struct job_points *points)
{
    text_add_char(&points->bytes, '\0');
}

static void settle(const struct job_points *points, const char **offset)
{
    *offset = points->bytes.bytes + (uintptr_t)*offset;
}

static const char *fill(struct job_points *points, const struct pattern *pattern)
{
    const char *offset = begin(points);

    if (pattern)
        pattern_fill(pattern, points->digits, &points->bytes);
    end(points);
    return offset;
}

static const char *describe(struct job_points *points)
{
    const struct variables *variables = &points->job->sweep.variables;
    const char *offset = begin(points);

    for (size_t i = 0; i < variables->count; i++) {
        if (i)
            text_add_char(&points->bytes, ' ');
        text_add(&points->bytes, variables->items[i].name);
        text_add_char(&points->bytes, '=');
        text_add(&points->bytes, points->values[i]);
    }
    end(points);
    return offset;
}

static void
fill_words(struct job_points *points, const struct patterns *from, const char **words)
{
    for (size_t i = 0; i < from->count; i++)
        words[i] = fill(points, from->items[i]);
}

/* In the place of the one of this name, or behind all. */
static void put_env(struct patterns *env, const struct patterns *more)
{
    for (size_t i = 0; i < more->count; i++) {
        size_t at = 0;

        while (at < env->count && strcmp(env->names[at], more->names[i]) != 0)
            at++;
        env->count += at == env->count;
        env->names[at] = more->names[i];
        env->items[at] = more->items[i];
    }
}

static void override(struct job_points *points)
{
    const struct job *job = points->job;

    points->settings = job->settings;
    points->cwd = job->cwd;
    points->kernel = job->kernel;
    points->env.count = 0;
    put_env(&points->env, &job->env);
    for (size_t i = 0; i < job->override_count; i++) {
        const struct override *it = &job->overrides[i];

        if (!expression_is_true(it->when, points->digits))
            continue;
        for (size_t k = 0; k < it->set_count; k++)
            memcpy((char *)&points->settings + it->set[k].offset,
                   (const char *)&it->settings + it->set[k].offset, it->set[k].size);
        points->cwd = it->cwd ? it->cwd : points->cwd;
        points->kernel = it->kernel ? it->kernel : points->kernel;
        put_env(&points->env, &it->env);
    }
}

static void make(struct job_points *points, struct job_point *point)
{
    const struct job *job = points->job;
    const struct variables *variables = &job->sweep.variables;
    const char **env = points->words + job->command.count + 1;
    uint64_t card;

    text_reset(&points->bytes);
    for (size_t i = 0; i < variables->count; i++)
        points->values[i] =
            variables->items[i].values[points->digits[variables->items[i].axis]].text;
    point->values = points->values;
    point->text = describe(points);
    fill_words(points, &job->command, points->words);
    override(points);
    fill_words(points, &points->env, env);
    point->cwd = fill(points, points->cwd);
    point->kernel = fill(points, points->kernel);

    settle(points, &point->text);
    settle(points, &point->cwd);
    settle(points, &point->kernel);
    for (size_t i = 0; i < job->command.count; i++)
        settle(points, &points->words[i]);
    for (size_t i = 0; i < points->env.count; i++)
        settle(points, &env[i]);
    env[points->env.count] = NULL;
    point->settings = &points->settings;
    point->command = (struct job_list){points->words, job->command.count};
    point->env = (struct job_list){env, points->env.count};
    point->card = -1;
    if (job->has_cards && num_parse_u64(points->values[variables->count - 1], &card))
        point->card = (int64_t)card;
}

bool job_points_next(struct job_points *points, struct job_point *point)
{
    const struct sweep *sweep = &points->job->sweep;

    if (points->next >= sweep->points)
        return false;
    sweep_next(sweep, points->next, points->digits);
    point->index = points->next++;
    make(points, point);
    return true;
}

void job_points_at(struct job_points *points, uint64_t index, struct job_point *point)
{
    sweep_find(&points->job->sweep, index, points->digits);
    points->next = index + 1;
    point->index = index;
    make(points, point);
}
