/* operator_read.c - command, env, cwd and kernel: the texts with ${name} in them */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/job/job_reader.h"

enum { ENV_MAX = 256, KERNEL_BYTES_MAX = 256 };

struct filler {
    struct job_reader *reader;
    size_t bytes; /* of all patterns, filled with the longest values */
};

/* An empty text must be said to be one: "". */
static bool is_word(struct job_reader *reader,
                    const struct yaml_node *node,
                    const char *key,
                    size_t most)
{
    if (!job_reader_is(reader, node, key, YAML_TEXT))
        return false;
    if (yaml_is_null(node) && node->length == 0)
        job_reader_complain(reader, node, key,
                            "nothing stands here; write \"\" for an empty text");
    else if (node->length > most)
        job_reader_complain(reader, node, key, "longer than %zu bytes", most);
    else
        return true;
    return false;
}

/* The pattern of `prefix` and the node's text; NULL, and told, when it is wrong. */
static const struct pattern *read_pattern(struct filler *filler,
                                          const struct yaml_node *node,
                                          const char *key,
                                          size_t most,
                                          const char *prefix)
{
    struct job_reader *reader = filler->reader;
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
    filler->bytes += pattern_longest(pattern) + 1;
    return pattern;
}

static void read_command(struct filler *filler, const struct yaml_node *list)
{
    struct job_reader *reader = filler->reader;
    struct patterns *command = &reader->job->command;
    char key[JOB_READER_KEY_MAX];
    size_t place = 0;

    if (!job_reader_is(reader, list, "operator.command", YAML_LIST))
        return;
    if (list->count > JOB_WORDS_MAX) {
        job_reader_complain(reader, list, "operator.command", "more than %d words",
                            JOB_WORDS_MAX);
        return;
    }
    command->items =
        arena_calloc(reader->job->arena, list->count, sizeof(*command->items));
    for (const struct yaml_node *node = list->first; node; node = node->next) {
        job_reader_key(key, "operator.command", place++);
        if (place == 1 && yaml_is(node, ""))
            job_reader_complain(reader, node, key, "the program has no name");
        else
            command->items[command->count++] =
                read_pattern(filler, node, key, JOB_WORD_BYTES_MAX, "");
    }
}

/* A word of ours, in which nothing is put. */
static const struct pattern *literal(struct filler *filler, const char *text)
{
    struct job_reader *reader = filler->reader;
    const struct pattern *pattern = NULL;
    struct err ignored;
    size_t offset;

    pattern_parse(&pattern, text, &reader->job->sweep.variables, reader->job->arena,
                  &offset, &ignored);
    return pattern;
}

static const struct pattern *read_word(struct filler *filler,
                                       const struct yaml_node *node,
                                       const char *key,
                                       const char *otherwise)
{
    return node ? read_pattern(filler, node, key, JOB_WORD_BYTES_MAX, "")
                : literal(filler, otherwise);
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
                            "a whole number from 0 to %d is wanted here, not '%.64s'",
                            JOB_TASKS_MAX, reader->renew->text);
}

static void read_args(struct filler *filler, const struct yaml_node *list)
{
    struct job_reader *reader = filler->reader;
    struct patterns *command = &reader->job->command;
    char key[JOB_READER_KEY_MAX];
    size_t place = 0;

    for (const struct yaml_node *node = list->first; node; node = node->next) {
        job_reader_key(key, "operator.args", place++);
        command->items[command->count++] =
            read_pattern(filler, node, key, JOB_WORD_BYTES_MAX, "");
    }
}

/* The words of muster-runner; job.h tells their order. */
static void read_runner(struct filler *filler)
{
    struct job_reader *reader = filler->reader;
    const struct yaml_node *file =
        reader->kernel_file ? reader->kernel_file : reader->library;
    const char *key = reader->kernel_file ? "operator.kernel" : "operator.library";
    struct patterns *command = &reader->job->command;
    bool has_args =
        reader->args && job_reader_is(reader, reader->args, "operator.args", YAML_LIST);
    size_t args = has_args ? reader->args->count : 0;

    if (args > JOB_WORDS_MAX) {
        job_reader_complain(reader, reader->args, "operator.args", "more than %d words",
                            JOB_WORDS_MAX);
        return;
    }
    if (yaml_is(file, ""))
        job_reader_complain(reader, file, key, "the file has no name");
    if (reader->library && reader->blocks)
        job_reader_complain(reader, reader->blocks, "operator.blocks",
                            "blocks are of a kernel; a library launches by itself");
    reader->job->settings.runner = true;
    read_renew(reader);
    command->items = arena_calloc(reader->job->arena, JOB_RUNNER_WORDS + args,
                                  sizeof(*command->items));
    command->items[command->count++] = literal(filler, "muster-runner");
    command->items[command->count++] =
        literal(filler, reader->kernel_file ? "kernel" : "library");
    command->items[command->count++] = read_word(filler, file, key, "");
    command->items[command->count++] =
        read_word(filler, reader->entry, "operator.entry", "");
    command->items[command->count++] =
        read_word(filler, reader->blocks, "operator.blocks", "1");
    if (has_args)
        read_args(filler, reader->args);
}

static void complain_of_company(struct job_reader *reader)
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
                                "it goes with kernel or library, not with command");
    for (size_t i = 0; !reader->command && i < COUNT(with_command); i++)
        if (with_command[i].node && !yaml_is(with_command[i].node, "1"))
            job_reader_complain(
                reader, with_command[i].node, with_command[i].key,
                "a kernel or a library runs on one card; several need a "
                "command");
}

/* A program, or what the runner runs. */
static void read_what(struct filler *filler)
{
    struct job_reader *reader = filler->reader;
    const struct yaml_node *nodes[] = {reader->command, reader->kernel_file,
                                       reader->library};
    static const char *const keys[] = {"operator.command", "operator.kernel",
                                       "operator.library"};
    bool any = false;

    for (size_t i = 0; i < COUNT(nodes); i++) {
        if (nodes[i] && any) {
            job_reader_complain(reader, nodes[i], keys[i],
                                "only one of command, kernel and library");
            return;
        }
        any |= nodes[i] != NULL;
    }
    if (!any) {
        if (reader->section && reader->section->kind == YAML_MAP)
            job_reader_complain(reader, reader->section, "operator",
                                "the key 'command' is missing, or kernel, or library");
        return;
    }
    complain_of_company(reader);
    if (reader->command)
        read_command(filler, reader->command);
    else
        read_runner(filler);
}

/* Returns true for a variable that muster sets itself for every rank. A build with test
 * switches lets a job set the variables of the tests. */
static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {"LD_PRELOAD", "ASCEND_RT_VISIBLE_DEVICES",
                                           "RANK_ID", "RANK_SIZE", "RANK_TABLE_FILE"};

    for (size_t i = 0; i < COUNT(reserved); i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
#ifdef MUSTER_TEST_SWITCHES
    if (text_has_prefix(name, "MUSTER_TEST_"))
        return false;
#endif
    return text_has_prefix(name, "MUSTER_");
}

static void read_env_entry(struct filler *filler,
                           struct patterns *env,
                           const struct yaml_node *node,
                           const char *name)
{
    struct job_reader *reader = filler->reader;
    char key[JOB_READER_KEY_MAX];

    snprintf(key, sizeof(key), "operator.env.%.64s", name);
    if (!variable_name_is_good(name))
        job_reader_complain(reader, node->key, key,
                            "a name has letters, digits and _ only, up to 64");
    else if (is_reserved(name))
        job_reader_complain(reader, node->key, key, "muster sets %s itself", name);
    else {
        env->names[env->count] = arena_strdup(reader->job->arena, name);
        env->items[env->count++] =
            read_pattern(filler, node, key, JOB_WORD_BYTES_MAX,
                         arena_printf(reader->job->arena, "%s=", name));
    }
}

static void
read_env(struct filler *filler, struct patterns *env, const struct yaml_node *map)
{
    struct job_reader *reader = filler->reader;

    if (!job_reader_is(reader, map, "operator.env", YAML_MAP))
        return;
    if (map->count > ENV_MAX) {
        job_reader_complain(reader, map, "operator.env", "more than %d names", ENV_MAX);
        return;
    }
    env->items = arena_calloc(reader->job->arena, map->count, sizeof(*env->items));
    env->names = arena_calloc(reader->job->arena, map->count, sizeof(*env->names));
    for (const struct yaml_node *node = map->first; node; node = node->next)
        read_env_entry(filler, env, node, node->key->text);
}

/* What may be otherwise for some points. */
static void read_per_point(struct filler *filler,
                           struct patterns *env,
                           const struct pattern **cwd,
                           const struct pattern **kernel)
{
    const struct job_reader *reader = filler->reader;

    if (reader->env)
        read_env(filler, env, reader->env);
    if (reader->cwd)
        *cwd =
            read_pattern(filler, reader->cwd, "operator.cwd", JOB_WORD_BYTES_MAX, "");
    if (reader->kernel)
        *kernel = read_pattern(filler, reader->kernel, "profile.kernel",
                               KERNEL_BYTES_MAX, "");
}

void operator_read(struct job_reader *reader)
{
    struct filler filler = {.reader = reader};
    struct job *job = reader->job;

    read_what(&filler);
    read_per_point(&filler, &job->env, &job->cwd, &job->kernel);
    for (size_t i = 0; i < job->override_count; i++) {
        struct override *it = &job->overrides[i];

        filler.reader = &reader->overrides[i];
        read_per_point(&filler, &it->env, &it->cwd, &it->kernel);
    }
    if (filler.bytes > JOB_FILLED_BYTES_MAX)
        job_reader_complain(reader,
                            reader->command       ? reader->command
                            : reader->kernel_file ? reader->kernel_file
                            : reader->library     ? reader->library
                                                  : reader->env,
                            "operator.command",
                            "command and env can become %zu bytes; at most %d",
                            filler.bytes, JOB_FILLED_BYTES_MAX);
}
