/* points.c - builds the points of a job, one at a time */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/job/job_internal.h"

struct job_points {
    const struct job *job;
    size_t *digits;
    uint64_t next; /* index of the next point; the digits are those of next - 1 */
    const char **values;
    struct text bytes;  /* all texts of the point, each with a NUL */
    const char **words; /* command, NULL, env, NULL */
    /* of the point: those of the job, with the overrides applied */
    struct job_settings settings;
    struct patterns env;
    const struct pattern *cwd, *kernel;
};

static size_t max_env_count(const struct job *job)
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
        xcalloc(job->command.count + max_env_count(job) + 2, sizeof(*points->words));
    points->env.items = xcalloc(max_env_count(job) + 1, sizeof(*points->env.items));
    points->env.names = xcalloc(max_env_count(job) + 1, sizeof(*points->env.names));
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

/* The texts of a point are appended to one buffer, which may move while it grows.
 * Therefore the pointers hold offsets until to_pointer() converts them. */
static const char *begin(const struct job_points *points)
{
    return (const char *)(uintptr_t)points->bytes.length;
}

static void end(struct job_points *points)
{
    text_add_char(&points->bytes, '\0');
}

static void to_pointer(const struct job_points *points, const char **offset)
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

static const char *write_values(struct job_points *points)
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
fill_all(struct job_points *points, const struct patterns *from, const char **words)
{
    for (size_t i = 0; i < from->count; i++)
        words[i] = fill(points, from->items[i]);
}

/* Replaces variables with the same name, and appends the others. */
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

static void apply_overrides(struct job_points *points)
{
    const struct job *job = points->job;

    points->settings = job->settings;
    points->cwd = job->cwd;
    points->kernel = job->kernel;
    points->env.count = 0;
    put_env(&points->env, &job->env);
    for (size_t i = 0; i < job->override_count; i++) {
        const struct override *override = &job->overrides[i];

        if (!expression_is_true(override->when, points->digits))
            continue;
        for (size_t k = 0; k < override->set_count; k++)
            memcpy((char *)&points->settings + override->set[k].offset,
                   (const char *)&override->settings + override->set[k].offset,
                   override->set[k].size);
        points->cwd = override->cwd ? override->cwd : points->cwd;
        points->kernel = override->kernel ? override->kernel : points->kernel;
        put_env(&points->env, &override->env);
    }
}

static void build_point(struct job_points *points, struct job_point *point)
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
    point->text = write_values(points);
    fill_all(points, &job->command, points->words);
    apply_overrides(points);
    fill_all(points, &points->env, env);
    point->cwd = fill(points, points->cwd);
    point->kernel = fill(points, points->kernel);

    to_pointer(points, &point->text);
    to_pointer(points, &point->cwd);
    to_pointer(points, &point->kernel);
    for (size_t i = 0; i < job->command.count; i++)
        to_pointer(points, &points->words[i]);
    for (size_t i = 0; i < points->env.count; i++)
        to_pointer(points, &env[i]);
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
    build_point(points, point);
    return true;
}

void job_points_at(struct job_points *points, uint64_t index, struct job_point *point)
{
    sweep_find(&points->job->sweep, index, points->digits);
    points->next = index + 1;
    point->index = index;
    build_point(points, point);
}
