/* operator_read.c - reads command, env, cwd and kernel, which may contain ${name} */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/job/job_reader.h"

enum { ENV_MAX = 256, KERNEL_BYTES_MAX = 256 };

struct pattern_reader {
    struct job_reader *reader;
    size_t bytes; /* length of all patterns, each with its longest values */
};

/* Requires a text. An empty text must be written as "", so that a forgotten value is
 * found. */
static bool is_word(struct job_reader *reader,
                    const struct yaml_node *node,
                    const char *key,
                    size_t most)
{
    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return false;
    if (yaml_is_null(node) && node->length == 0)
        job_reader_complain(reader, node, key,
                            "the value is missing; write \"\" for an empty text");
    else if (node->length > most)
        job_reader_complain(reader, node, key,
                            "the text has %zu bytes, at most %zu are allowed",
                            node->length, most);
    else
        return true;
    return false;
}

/* Returns the pattern of `prefix` and the text of the node, or NULL after a reported
 * problem. */
static const struct pattern *read_pattern(struct pattern_reader *patterns,
                                          const struct yaml_node *node,
                                          const char *key,
                                          size_t most,
                                          const char *prefix)
{
    struct job_reader *reader = patterns->reader;
    struct arena *arena = reader->job->arena;
    const struct pattern *pattern;
    struct err err;
    size_t offset;

    if (!is_word(reader, node, key, most))
        return NULL;
    const char *text = arena_printf(arena, "%s%s", prefix, node->text);
    if (pattern_parse(&pattern, text, &reader->job->sweep.variables, arena, &offset,
                      &err) < 0) {
        job_reader_complain_inside(reader, node, offset - strlen(prefix), key,
                                   err.text);
        return NULL;
    }
    patterns->bytes += pattern_longest(pattern) + 1;
    return pattern;
}

static void read_command(struct pattern_reader *patterns, const struct yaml_node *list)
{
    struct job_reader *reader = patterns->reader;
    struct patterns *command = &reader->job->command;
    char key[JOB_READER_KEY_MAX];
    size_t place = 0;

    if (!job_reader_is(reader, list, "operator.command", YAML_LIST))
        return;
    if (list->count > JOB_WORDS_MAX) {
        job_reader_complain(reader, list, "operator.command",
                            "the list has %zu words, at most %d are allowed",
                            list->count, JOB_WORDS_MAX);
        return;
    }
    command->items =
        arena_calloc(reader->job->arena, list->count, sizeof(*command->items));
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        job_reader_key(key, "operator.command", place++);
        if (place == 1 && yaml_is(node, ""))
            job_reader_complain(reader, node, key,
                                "the path of the program is empty; write one");
        else
            command->items[command->count++] =
                read_pattern(patterns, node, key, JOB_WORD_BYTES_MAX, "");
    }
}

/* Returns a pattern for a word without variables. */
static const struct pattern *literal(struct pattern_reader *patterns, const char *text)
{
    struct job_reader *reader = patterns->reader;
    const struct pattern *pattern = NULL;
    struct err ignored;
    size_t offset;

    pattern_parse(&pattern, text, &reader->job->sweep.variables, reader->job->arena,
                  &offset, &ignored);
    return pattern;
}

static const struct pattern *read_word(struct pattern_reader *patterns,
                                       const struct yaml_node *node,
                                       const char *key,
                                       const char *otherwise)
{
    return node ? read_pattern(patterns, node, key, JOB_WORD_BYTES_MAX, "")
                : literal(patterns, otherwise);
}

static void read_renew(struct job_reader *reader)
{
    uint64_t *renew = &reader->job->settings.renew;

    *renew = JOB_RENEW;
    if (!reader->renew ||
        !job_reader_is(reader, reader->renew, "operator.renew", YAML_TEXT))
        return;
    if (!num_parse_u64(reader->renew->text, renew) || *renew > JOB_TASKS_MAX)
        job_reader_complain(reader, reader->renew, "operator.renew",
                            "expected a whole number from 0 to %d, found '%.64s'",
                            JOB_TASKS_MAX, reader->renew->text);
}

static void read_args(struct pattern_reader *patterns, const struct yaml_node *list)
{
    struct job_reader *reader = patterns->reader;
    struct patterns *command = &reader->job->command;
    char key[JOB_READER_KEY_MAX];
    size_t place = 0;

    for (const struct yaml_node *node = list->first; node; node = node->next) {
        job_reader_key(key, "operator.args", place++);
        command->items[command->count++] =
            read_pattern(patterns, node, key, JOB_WORD_BYTES_MAX, "");
    }
}

/* Builds the command line of muster-runner; struct job_point has the order of words. */
static void read_runner(struct pattern_reader *patterns)
{
    struct job_reader *reader = patterns->reader;
    const struct yaml_node *file =
        reader->kernel_file ? reader->kernel_file : reader->library;
    const char *key = reader->kernel_file ? "operator.kernel" : "operator.library";
    struct patterns *command = &reader->job->command;
    bool has_args =
        reader->args && job_reader_is(reader, reader->args, "operator.args", YAML_LIST);
    size_t args = has_args ? reader->args->count : 0;

    if (args > JOB_WORDS_MAX) {
        job_reader_complain(reader, reader->args, "operator.args",
                            "the list has %zu words, at most %d are allowed", args,
                            JOB_WORDS_MAX);
        return;
    }
    if (yaml_is(file, ""))
        job_reader_complain(reader, file, key,
                            "the path of the file is empty; write one");
    if (reader->library && reader->blocks)
        job_reader_complain(reader, reader->blocks, "operator.blocks",
                            "operator.blocks is for kernels only, because a library "
                            "sets its number of blocks itself; remove it");
    reader->job->settings.runner = true;
    read_renew(reader);
    command->items = arena_calloc(reader->job->arena, JOB_RUNNER_WORDS + args,
                                  sizeof(*command->items));
    command->items[command->count++] = literal(patterns, "muster-runner");
    command->items[command->count++] =
        literal(patterns, reader->kernel_file ? "kernel" : "library");
    command->items[command->count++] = read_word(patterns, file, key, "");
    command->items[command->count++] =
        read_word(patterns, reader->entry, "operator.entry", "");
    command->items[command->count++] =
        read_word(patterns, reader->blocks, "operator.blocks", "1");
    if (has_args)
        read_args(patterns, reader->args);
}

static void check_conflicts(struct job_reader *reader)
{
    const struct {
        const struct yaml_node *node;
        const char *key;
    } with_runner[] =
        {
            {reader->entry, "operator.entry"},
            {reader->blocks, "operator.blocks"},
            {reader->args, "operator.args"},
            {reader->renew, "operator.renew"},
        },
      with_command[] = {
          {reader->ranks, "operator.ranks"},
          {reader->threads, "operator.threads"},
      };

    for (size_t i = 0; reader->command && i < COUNT(with_runner); i++)
        if (with_runner[i].node)
            job_reader_complain(reader, with_runner[i].node, with_runner[i].key,
                                "this key works with kernel or library only, not with "
                                "command; remove it");
    for (size_t i = 0; !reader->command && i < COUNT(with_command); i++)
        if (with_command[i].node && !yaml_is(with_command[i].node, "1"))
            job_reader_complain(reader, with_command[i].node, with_command[i].key,
                                "a kernel or a library runs on one card; use "
                                "operator.command for several cards");
}

/* Reads the program, or the file that muster-runner calls. */
static void read_program(struct pattern_reader *patterns)
{
    struct job_reader *reader = patterns->reader;
    const struct yaml_node *nodes[] = {reader->command, reader->kernel_file,
                                       reader->library};
    static const char *const keys[] = {"operator.command", "operator.kernel",
                                       "operator.library"};
    bool any = false;

    for (size_t i = 0; i < COUNT(nodes); i++) {
        if (nodes[i] && any) {
            job_reader_complain(reader, nodes[i], keys[i],
                                "an operator has only one of command, kernel and "
                                "library; remove the others");
            return;
        }
        any |= nodes[i] != NULL;
    }
    if (!any) {
        if (reader->section && reader->section->kind == YAML_MAP)
            job_reader_complain(
                reader, reader->section, "operator",
                "the operator has no program; add one of command, kernel and library");
        return;
    }
    check_conflicts(reader);
    if (reader->command)
        read_command(patterns, reader->command);
    else
        read_runner(patterns);
}

/* Returns true for a variable that muster sets itself for every rank. A build with test
 * switches lets a job set the variables of the tests. */
static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {
        "LD_PRELOAD", "ASCEND_RT_VISIBLE_DEVICES", "RANK_ID",
        "RANK_SIZE",  "RANK_TABLE_FILE",           "TASK_QUEUE_ENABLE"};

    for (size_t i = 0; i < COUNT(reserved); i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
#ifdef MUSTER_TEST_SWITCHES
    if (text_has_prefix(name, "MUSTER_TEST_"))
        return false;
#endif
    return text_has_prefix(name, "MUSTER_");
}

static void read_env_entry(struct pattern_reader *patterns,
                           struct patterns *env,
                           const struct yaml_node *node,
                           const char *name)
{
    struct job_reader *reader = patterns->reader;
    char key[JOB_READER_KEY_MAX];

    snprintf(key, sizeof(key), "operator.env.%.64s", name);
    if (!variable_name_is_good(name))
        job_reader_complain(reader, node->key, key,
                            "invalid name '%.64s'; use up to 64 letters, digits and _, "
                            "without a digit in front",
                            name);
    else if (is_reserved(name))
        job_reader_complain(reader, node->key, key, "muster sets %s itself; remove it",
                            name);
    else {
        env->names[env->count] = arena_strdup(reader->job->arena, name);
        env->items[env->count++] =
            read_pattern(patterns, node, key, JOB_WORD_BYTES_MAX,
                         arena_printf(reader->job->arena, "%s=", name));
    }
}

static void read_env(struct pattern_reader *patterns,
                     struct patterns *env,
                     const struct yaml_node *map)
{
    struct job_reader *reader = patterns->reader;

    if (!job_reader_is(reader, map, "operator.env", YAML_MAP))
        return;
    if (map->count > ENV_MAX) {
        job_reader_complain(reader, map, "operator.env",
                            "the map has %zu variables, at most %d are allowed",
                            map->count, ENV_MAX);
        return;
    }
    env->items = arena_calloc(reader->job->arena, map->count, sizeof(*env->items));
    env->names = arena_calloc(reader->job->arena, map->count, sizeof(*env->names));
    for (const struct yaml_node *node = map->first; node; node = node->next)
        read_env_entry(patterns, env, node, node->key->text);
}

/* Reads the patterns that overrides may replace. */
static void read_per_point(struct pattern_reader *patterns,
                           struct patterns *env,
                           const struct pattern **cwd,
                           const struct pattern **kernel)
{
    const struct job_reader *reader = patterns->reader;

    if (reader->env)
        read_env(patterns, env, reader->env);
    if (reader->cwd)
        *cwd =
            read_pattern(patterns, reader->cwd, "operator.cwd", JOB_WORD_BYTES_MAX, "");
    if (!reader->kernel)
        return;
    *kernel =
        read_pattern(patterns, reader->kernel, "profile.kernel", KERNEL_BYTES_MAX, "");
    if (*kernel)
        job_reader_is_patterns(patterns->reader, reader->kernel, "profile.kernel");
}

void operator_read(struct job_reader *reader)
{
    struct pattern_reader patterns = {.reader = reader};
    struct job *job = reader->job;

    read_program(&patterns);
    read_per_point(&patterns, &job->env, &job->cwd, &job->kernel);
    for (size_t i = 0; i < job->override_count; i++) {
        struct override *it = &job->overrides[i];

        patterns.reader = &reader->overrides[i];
        read_per_point(&patterns, &it->env, &it->cwd, &it->kernel);
    }
    if (patterns.bytes > JOB_FILLED_BYTES_MAX)
        job_reader_complain(reader,
                            reader->command       ? reader->command
                            : reader->kernel_file ? reader->kernel_file
                            : reader->library     ? reader->library
                                                  : reader->env,
                            "operator.command",
                            "command and env need %zu bytes with the longest values, "
                            "at most %d are allowed",
                            patterns.bytes, JOB_FILLED_BYTES_MAX);
}
