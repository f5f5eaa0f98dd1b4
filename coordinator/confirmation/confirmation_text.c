#include "coordinator/confirmation/confirmation_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/sessions/lease_message.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

static const char *const roles[SUSPECT_PLACES] = {"suspect", "neighbour", "other",
                                                  "rotated1", "rotated2"};
static const char *const sides[] = {"A", "B"};

/* Writes a text in which ${ is not replaced. */
static void write_plain(struct json_write *json, const char *text)
{
    struct text plain = {0};

    for (const char *c = text; *c; c++) {
        if (c[0] == '$' && c[1] == '{')
            text_add_char(&plain, '$');
        if (c[0] == '$' && c[1] == '{')
            text_add_char(&plain, '$');
        else
            text_add_char(&plain, *c);
    }
    json_write_text(json, text_get(&plain));
    text_clear(&plain);
}

static void add_text(struct json_write *json, const char *key, const char *text)
{
    json_write_key(json, key);
    write_plain(json, text);
}

static void add_u64(struct json_write *json, const char *key, uint64_t value)
{
    json_write_key(json, key);
    json_write_u64(json, value);
}

static void add_ms(struct json_write *json, const char *key, uint64_t ms)
{
    char text[32];

    snprintf(text, sizeof(text), "%" PRIu64 "ms", ms);
    add_text(json, key, text);
}

static void add_words(struct json_write *json,
                      const char *key,
                      const char *const *words,
                      size_t count)
{
    json_write_key(json, key);
    json_write_array(json);
    for (size_t i = 0; i < count; i++)
        write_plain(json, words[i]);
    json_write_array_end(json);
}

/* Puts the path of the program into its word. */
static void resolve(struct job_point *point, const char *folder, char path[PATH_MAX])
{
    int word = lease_message_program_word(point);

    if (word < 0)
        return;
    lease_message_program(path, PATH_MAX, point, folder);
    point->command.items[word] = path;
}

static void write_program(struct json_write *json, const struct job_point *point)
{
    const char *const *words = (const char *const *)point->command.items;

    if (!point->settings->runner) {
        add_words(json, "command", words, point->command.count);
        return;
    }
    add_text(json, words[1], words[JOB_RUNNER_FILE]); /* kernel or library */
    if (*words[3])
        add_text(json, "entry", words[3]);
    if (strcmp(words[1], "kernel") == 0)
        add_text(json, "blocks", words[4]);
    if (point->command.count > JOB_RUNNER_WORDS)
        add_words(json, "args", words + JOB_RUNNER_WORDS,
                  point->command.count - JOB_RUNNER_WORDS);
}

static void write_env(struct json_write *json, const struct job_list *env)
{
    if (env->count == 0)
        return;
    json_write_key(json, "env");
    json_write_object(json);
    for (size_t i = 0; i < env->count; i++) {
        const char *value = strchr(env->items[i], '=');

        json_write_key_bytes(json, env->items[i], (size_t)(value - env->items[i]));
        write_plain(json, value + 1);
    }
    json_write_object_end(json);
}

/* Writes a list from a text with separators, unless it is empty. */
static void write_list(struct json_write *json,
                       const char *key,
                       const char *words,
                       const char *separator)
{
    if (!*words)
        return;
    json_write_key(json, key);
    json_write_array(json);
    while (*words) {
        size_t length = strcspn(words, separator);

        json_write_bytes(json, words, length);
        words += length + (words[length] != '\0');
    }
    json_write_array_end(json);
}

static void write_profile(struct json_write *json, const struct job_point *point)
{
    const struct job_settings *settings = point->settings;

    if (settings->tool == JOB_TOOL_XPTI)
        return; /* its keys are the same for all points */
    json_write_key(json, "profile");
    json_write_object(json);
    if (job_collects_files(settings->tool)) { /* other keys are refused */
        add_text(json, job_files_key(settings->tool), point->dump);
        json_write_object_end(json);
        return;
    }
    if (settings->tool == JOB_TOOL_SIMULATOR) {
        if (*point->elf)
            add_text(json, "elf", point->elf);
        json_write_object_end(json);
        return;
    }
    if (*point->kernel)
        add_text(json, "kernel", point->kernel);
    add_u64(json, "warmup", settings->warmup);
    if (settings->kill)
        add_text(json, "kill", "on");
    json_write_key(json, "launch");
    json_write_object(json);
    if (settings->launch_count == 0)
        add_text(json, "count", "all");
    else
        add_u64(json, "count", settings->launch_count);
    add_u64(json, "skip", settings->launch_skip);
    write_list(json, "range", settings->launch_range, "\n");
    json_write_object_end(json);
    json_write_key(json, "barrier");
    json_write_object(json);
    add_ms(json, "deadline", settings->barrier_ms);
    json_write_object_end(json);
    json_write_object_end(json);
}

static void write_limits(struct json_write *json, const struct job_settings *settings)
{
    json_write_key(json, "limits");
    json_write_object(json);
    if (settings->time_ms > 0)
        add_ms(json, "time", settings->time_ms);
    add_u64(json, "retries", settings->retries);
    json_write_object_end(json);
}

/* Writes the program of one side of a suspect, for the points that `when` selects. */
static void write_override(struct json_write *json,
                           size_t number,
                           const char *side,
                           const struct confirmation_side *from,
                           struct job_point *point)
{
    char when[64], path[PATH_MAX], cwd[PATH_MAX];

    snprintf(when, sizeof(when), "suspect == %zu && side == %s", number, side);
    resolve(point, from->folder, path);
    lease_message_cwd(cwd, sizeof(cwd), point, from->folder);
    json_write_object(json);
    add_text(json, "when", when);
    json_write_key(json, "operator");
    json_write_object(json);
    write_program(json, point);
    write_env(json, &point->env);
    if (*cwd)
        add_text(json, "cwd", cwd);
    json_write_object_end(json);
    write_profile(json, point);
    write_limits(json, point->settings);
    json_write_object_end(json);
}

/* Returns the program, environment and folder of a point as one text; free() it. */
static char *identity_of(const struct confirmation_side *side, struct job_point *point)
{
    char path[PATH_MAX], cwd[PATH_MAX];
    struct text text = {0};

    resolve(point, side->folder, path);
    lease_message_cwd(cwd, sizeof(cwd), point, side->folder);
    for (size_t i = 0; i < point->command.count; i++)
        text_printf(&text, "%s\n", point->command.items[i]);
    for (size_t i = 0; i < point->env.count; i++)
        text_printf(&text, "env %s\n", point->env.items[i]);
    text_printf(&text, "cwd %s\n", cwd);
    return text_take(&text);
}

struct readers {
    struct job_points *base, *fresh;
};

static bool
is_same_program(const struct confirmation_plan *plan, struct readers *at, size_t i)
{
    struct job_point base, fresh;

    job_points_at(at->base, plan->suspects[i].base_point, &base);
    job_points_at(at->fresh, plan->suspects[i].fresh_point, &fresh);
    char *a = identity_of(&plan->base, &base), *b = identity_of(&plan->fresh, &fresh);
    bool same = strcmp(a, b) == 0;

    free(a);
    free(b);
    return same;
}

static void write_overrides(struct json_write *json,
                            const struct confirmation_plan *plan,
                            struct readers *at)
{
    struct job_point point;

    json_write_key(json, "overrides");
    json_write_array(json);
    for (size_t i = 0; i < plan->count; i++) {
        struct suspect *suspect = &plan->suspects[i];

        if (*suspect->reason)
            continue;
        suspect->same_program = is_same_program(plan, at, i);
        job_points_at(at->base, suspect->base_point, &point);
        write_override(json, i + 1, sides[0], &plan->base, &point);
        job_points_at(at->fresh, suspect->fresh_point, &point);
        write_override(json, i + 1, sides[1], &plan->fresh, &point);
    }
    json_write_array_end(json);
}

/* Returns the place of the rank in "a:0 a:1"; free() it. */
static char *place_of_rank(const char *places, uint64_t rank)
{
    for (; rank > 0; rank--)
        places += strcspn(places, " ") + 1;
    return xstrndup(places, strcspn(places, " "));
}

typedef void column_fn(struct json_write *json,
                       const struct suspect *suspect,
                       size_t number,
                       int place,
                       uint64_t rank);

static void number_cell(struct json_write *json,
                        const struct suspect *suspect,
                        size_t number,
                        int place,
                        uint64_t rank)
{
    (void)suspect, (void)place, (void)rank;
    json_write_u64(json, number);
}

static void role_cell(struct json_write *json,
                      const struct suspect *suspect,
                      size_t number,
                      int place,
                      uint64_t rank)
{
    (void)suspect, (void)number, (void)rank;
    json_write_text(json, roles[place]);
}

static void place_cell(struct json_write *json,
                       const struct suspect *suspect,
                       size_t number,
                       int place,
                       uint64_t rank)
{
    char *at = place_of_rank(suspect->places[place], rank);

    (void)number;
    json_write_text(json, at);
    free(at);
}

/* Writes a value for each card of each suspect. */
static void write_column(struct json_write *json,
                         const struct confirmation_plan *plan,
                         const char *name,
                         column_fn *fn,
                         uint64_t rank)
{
    json_write_key(json, name);
    json_write_array(json);
    for (size_t i = 0; i < plan->count; i++)
        for (int place = 0; place < SUSPECT_PLACES && !*plan->suspects[i].reason;
             place++)
            if (plan->suspects[i].places[place])
                fn(json, &plan->suspects[i], i + 1, place, rank);
    json_write_array_end(json);
}

/* "at" for a single rank, otherwise "at0", "at1", ... */
enum { PLACE_NAME_ROOM = 24 };

static const char *place_name(char out[PLACE_NAME_ROOM], uint64_t ranks, uint64_t rank)
{
    if (ranks == 1)
        return "at";
    snprintf(out, PLACE_NAME_ROOM, "at%" PRIu64, rank);
    return out;
}

static void write_sweep(struct json_write *json, const struct confirmation_plan *plan)
{
    uint64_t ranks = job_settings(plan->fresh.job)->ranks;
    char name[PLACE_NAME_ROOM];

    json_write_key(json, "sweep");
    json_write_object(json);
    json_write_key(json, "zip");
    json_write_array(json);
    json_write_object(json);
    write_column(json, plan, "suspect", number_cell, 0);
    write_column(json, plan, "role", role_cell, 0);
    for (uint64_t rank = 0; rank < ranks; rank++)
        write_column(json, plan, place_name(name, ranks, rank), place_cell, rank);
    json_write_object_end(json);
    json_write_object(json);
    add_words(json, "side", sides, COUNT(sides));
    json_write_object_end(json);
    json_write_array_end(json);
    add_u64(json, "repeat", plan->pairs);
    add_text(json, "order", "balanced");
    add_u64(json, "sessions", plan->sessions);
    json_write_object_end(json);
}

static void write_cards(struct json_write *json, const struct job_settings *settings)
{
    char name[PLACE_NAME_ROOM], word[PLACE_NAME_ROOM + 4];

    json_write_key(json, "cards");
    json_write_object(json);
    add_text(json, "exclusive", "host");
    json_write_key(json, "at");
    json_write_array(json);
    for (uint64_t rank = 0; rank < settings->ranks; rank++) {
        snprintf(word, sizeof(word), "${%s}", place_name(name, settings->ranks, rank));
        json_write_text(json, word);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}

/* Writes what is equal for all points. The overrides name the programs. */
static void write_head(struct json_write *json, const struct job_settings *settings)
{
    char name[JOB_NAME_MAX + 1];

    snprintf(name, sizeof(name), "%.*s-confirm", JOB_NAME_MAX - 8, settings->name);
    add_u64(json, "version", 1);
    add_text(json, "name", name);
    add_u64(json, "priority", JOB_PRIORITY_MAX);
    json_write_key(json, "operator");
    json_write_object(json);
    if (settings->runner) {
        add_text(json, "kernel", "set-by-overrides");
        add_u64(json, "renew", 0); /* a process of its own for each run */
    } else {
        static const char *const program[] = {"set-by-overrides"};

        add_words(json, "command", program, 1);
    }
    if (settings->ranks > 1 || settings->threads)
        add_u64(json, settings->threads ? "threads" : "ranks", settings->ranks);
    json_write_object_end(json);
    json_write_key(json, "profile");
    json_write_object(json);
    if (settings->tool != JOB_TOOL_NPU) {
        add_text(json, "tool", job_tool_word(settings->tool));
        if (job_collects_files(settings->tool))
            add_text(json, job_files_key(settings->tool), "set-by-overrides");
        write_list(json, "metrics", settings->simulation, ",");
        if (*settings->cores)
            add_text(json, "cores", settings->cores);
        write_list(json, "streams", settings->streams, "\n");
        write_list(json, "filter", settings->filter, "\n");
        json_write_object_end(json);
        return;
    }
    add_words(json, "metrics", (const char *const *)settings->metrics.items,
              settings->metrics.count);
    add_text(json, "replay", job_replay_word(settings->replay));
    if (settings->stubs)
        add_text(json, "stubs", "on");
    if (settings->distribute > 0) {
        char share[32];

        snprintf(share, sizeof(share), "%g%%", settings->distribute * 100);
        add_text(json, "distribute", share);
    }
    json_write_object_end(json);
}

char *confirmation_text(const struct confirmation_plan *plan)
{
    struct readers at = {job_points_create(plan->base.job),
                         job_points_create(plan->fresh.job)};
    struct text text = {0};
    struct json_write json;
    struct err ignored; /* writing to memory cannot fail */

    json_write_to_text(&json, &text);
    json_write_pretty(&json);
    json_write_object(&json);
    write_head(&json, job_settings(plan->fresh.job));
    write_sweep(&json, plan);
    write_cards(&json, job_settings(plan->fresh.job));
    write_overrides(&json, plan, &at);
    json_write_object_end(&json);
    json_write_finish(&json, &ignored);
    job_points_destroy(at.base);
    job_points_destroy(at.fresh);
    return text_take(&text);
}

static bool lists_are_equal(const struct job_list *a, const struct job_list *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    return true;
}

int confirmation_check_jobs(const struct job *base,
                            const struct job *fresh,
                            struct err *err)
{
    const struct job_settings *a = job_settings(base), *b = job_settings(fresh);
    const char *differs = a->ranks != b->ranks       ? "number of ranks"
                          : a->threads != b->threads ? "number of processes"
                          : a->runner != b->runner   ? "kind of operator"
                          : a->replay != b->replay   ? "replay"
                          : a->tool != b->tool       ? "tool"
                          : !lists_are_equal(&a->metrics, &b->metrics) ||
                                  strcmp(a->simulation, b->simulation) != 0
                              ? "metrics"
                              : NULL;

    if (job_ranks_variable(base) != SIZE_MAX || job_ranks_variable(fresh) != SIZE_MAX)
        return err_set(err, ERR_INPUT,
                       "a job whose points have different numbers of ranks cannot be "
                       "confirmed; use a job for each number");
    return differs
               ? err_set(err, ERR_INPUT,
                         "the two jobs cannot run in turn: their %s differs", differs)
               : 0;
}

static const char *
value_of(const struct job *job, const char *const *values, const char *name)
{
    for (size_t i = 0; i < job_variable_count(job); i++)
        if (strcmp(job_variable_name(job, i), name) == 0)
            return values[i];
    return "";
}

bool confirmation_point_read(struct confirmation_point *point,
                             const struct job *job,
                             const char *const *values)
{
    const char *role = value_of(job, values, "role");
    uint64_t number;
    int place = 0;

    while (place < SUSPECT_PLACES && strcmp(roles[place], role) != 0)
        place++;
    if (place == SUSPECT_PLACES ||
        !num_parse_u64(value_of(job, values, "suspect"), &number) || number < 1 ||
        number > CONFIRMATION_SUSPECTS_MAX)
        return false;
    point->suspect = (size_t)number - 1;
    point->place = place;
    point->fresh = strcmp(value_of(job, values, "side"), sides[1]) == 0;
    return true;
}
