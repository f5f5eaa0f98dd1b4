/* points.c - builds the points of a job, one at a time */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/job/job_internal.h"

enum { PAIR = 2 }; /* cards */

struct job_points {
    const struct job *job;
    size_t *digits;
    uint64_t next; /* index of the next point; the digits are those of next - 1 */
    const char **values;
    struct text bytes;  /* all texts of the point, each with a NUL */
    const char **words; /* command, NULL, env, NULL, places, NULL */
    /* of the point: those of the job, with the overrides applied */
    struct job_settings settings;
    struct program program;
    const struct pattern **env_items; /* room for program.env */
    const char **env_names;
};

static size_t max_env_count(const struct job *job)
{
    size_t count = job->program.env.count;

    for (size_t i = 0; i < job->override_count; i++)
        count += job->overrides[i].program.env.count;
    return count;
}

/* Returns the number of words of all lists of a point, with their final NULL. */
static size_t max_word_count(const struct job *job)
{
    size_t container = job->program.container.count;
    size_t command = job->program.command.count;

    for (size_t i = 0; i < job->override_count; i++) {
        const struct program *program = &job->overrides[i].program;

        if (program->container.count > container)
            container = program->container.count;
        if (program->command.count > command)
            command = program->command.count;
    }
    for (size_t i = 0; i < COUNT(job->parts); i++)
        if (job->parts[i].count > command)
            command = job->parts[i].count;
    return container + command + 1 + max_env_count(job) + 1 + job->places.count + 1 +
           PAIR;
}

struct job_points *job_points_create(const struct job *job)
{
    struct job_points *points = xcalloc(1, sizeof(*points));

    points->job = job;
    points->digits = xcalloc(job->sweep.axis_count, sizeof(*points->digits));
    points->values = xcalloc(job->sweep.variables.count, sizeof(*points->values));
    points->words = xcalloc(max_word_count(job), sizeof(*points->words));
    points->env_items = xcalloc(max_env_count(job), sizeof(*points->env_items));
    points->env_names = xcalloc(max_env_count(job), sizeof(*points->env_names));
    return points;
}

void job_points_destroy(struct job_points *points)
{
    if (!points)
        return;
    free(points->digits);
    free(points->values);
    free(points->words);
    free(points->env_items);
    free(points->env_names);
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

/* Fills the words after the last list, and returns their list. The texts are offsets
 * until to_pointer(). */
static struct job_list
fill_list(struct job_points *points, const struct patterns *from, const char **words)
{
    for (size_t i = 0; i < from->count; i++)
        words[i] = fill(points, from->items[i]);
    words[from->count] = NULL;
    return (struct job_list){words, from->count};
}

static void list_to_pointers(const struct job_points *points, struct job_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        to_pointer(points, &list->items[i]);
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

static void put_program(struct program *program, const struct program *more)
{
    if (more->command.count > 0)
        program->command = more->command;
    if (more->container.count > 0)
        program->container = more->container;
    program->path = more->path ? more->path : program->path;
    program->cwd = more->cwd ? more->cwd : program->cwd;
    program->kernel = more->kernel ? more->kernel : program->kernel;
    program->dump = more->dump ? more->dump : program->dump;
    program->elf = more->elf ? more->elf : program->elf;
    put_env(&program->env, &more->env);
}

static void apply_overrides(struct job_points *points)
{
    const struct job *job = points->job;

    points->settings = job->settings;
    if (job->ranks)
        points->settings.ranks =
            (uint64_t)job->ranks->values[points->digits[job->ranks->axis]].number;
    points->program = (struct program){
        .env = {.items = points->env_items, .names = points->env_names}};
    put_program(&points->program, &job->program);
    for (size_t i = 0; i < job->override_count; i++) {
        const struct override *override = &job->overrides[i];

        if (!expression_is_true(override->when, points->digits))
            continue;
        for (size_t k = 0; k < override->set_count; k++)
            memcpy((char *)&points->settings + override->set[k].offset,
                   (const char *)&override->settings + override->set[k].offset,
                   override->set[k].size);
        put_program(&points->program, &override->program);
    }
    size_t part = job->part ? points->digits[job->part->axis] : JOB_PART_FUSED;
    if (part != JOB_PART_FUSED)
        points->program.command = job->parts[part - 1];
}

/* Fills the words with the two places of a value such as `a:0+a:1`. */
static struct job_list split_pair(struct job_points *points, const char **words)
{
    const struct variable *pair = points->job->pair;
    const char *text = pair->values[points->digits[pair->axis]].text;
    const char *plus = strchr(text, '+');

    words[0] = begin(points);
    text_add_bytes(&points->bytes, text, (size_t)(plus - text));
    end(points);
    words[1] = begin(points);
    text_add(&points->bytes, plus + 1);
    end(points);
    words[2] = NULL;
    return (struct job_list){words, 2};
}

/* Fills the lists of words one behind the other. */
static void fill_lists(struct job_points *points, struct job_point *point)
{
    const struct program *program = &points->program;
    const char **words = points->words;
    struct job_list container = fill_list(points, &program->container, words);

    point->program = container.count;
    point->command = fill_list(points, &program->command, words + container.count);
    point->command = (struct job_list){words, container.count + point->command.count};
    words += point->command.count + 1;
    point->env = fill_list(points, &program->env, words);
    words += point->env.count + 1;
    if (points->job->pair)
        point->places = split_pair(points, words);
    else
        point->places = fill_list(points, &points->job->places, words);
}

/* Rotates the places of the ranks. */
static void rotate_places(const struct job_points *points, struct job_list *places)
{
    const struct variable *variable = points->job->shift;
    size_t shift =
        variable ? (size_t)variable->values[points->digits[variable->axis]].number : 0;

    for (; shift > 0 && places->count > 0; shift--) {
        const char *first = places->items[0];

        memmove(places->items, places->items + 1,
                (places->count - 1) * sizeof(*places->items));
        places->items[places->count - 1] = first;
    }
}

bool job_points_is_overridden(const struct job_points *points, size_t override)
{
    return expression_is_true(points->job->overrides[override].when, points->digits);
}

/* Returns the entries of gate.tolerances whose condition is true, as bits. */
static uint64_t find_tolerances(const struct job_points *points)
{
    const struct job *job = points->job;
    uint64_t bits = 0;

    for (size_t i = 0; i < job->settings.gate.tolerance_count; i++)
        if (!job->tolerance_when[i] ||
            expression_is_true(job->tolerance_when[i], points->digits))
            bits |= UINT64_C(1) << i;
    return bits;
}

static void build_point(struct job_points *points, struct job_point *point)
{
    const struct job *job = points->job;
    const struct variables *variables = &job->sweep.variables;
    uint64_t card;

    text_reset(&points->bytes);
    for (size_t i = 0; i < variables->count; i++)
        points->values[i] =
            variables->items[i].values[points->digits[variables->items[i].axis]].text;
    point->values = points->values;
    point->text = write_values(points);
    apply_overrides(points);
    fill_lists(points, point);
    point->path = fill(points, points->program.path);
    point->cwd = fill(points, points->program.cwd);
    point->kernel = fill(points, points->program.kernel);
    point->dump = fill(points, points->program.dump);
    point->elf = fill(points, points->program.elf);

    to_pointer(points, &point->text);
    to_pointer(points, &point->path);
    to_pointer(points, &point->cwd);
    to_pointer(points, &point->kernel);
    to_pointer(points, &point->dump);
    to_pointer(points, &point->elf);
    list_to_pointers(points, &point->command);
    list_to_pointers(points, &point->env);
    list_to_pointers(points, &point->places);
    rotate_places(points, &point->places);
    point->settings = &points->settings;
    point->tolerances = find_tolerances(points);
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
