/* operator_read.c - reads the program, its version, env, cwd, kernel, dump and elf,
 * which may contain ${name} */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/job/pattern_reader.h"

enum { KERNEL_BYTES_MAX = 256 };

static void read_command(struct pattern_reader *patterns,
                         struct patterns *command,
                         const struct yaml_node *list)
{
    struct job_reader *reader = patterns->reader;

    if (list->kind == YAML_LIST && list->first && yaml_is(list->first, ""))
        job_reader_complain(reader, list->first, "operator.command[0]",
                            "the path of the program is empty; write one");
    else
        pattern_reader_list(patterns, command, list, "operator.command");
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
    return node ? pattern_reader_read(patterns, node, key, JOB_WORD_BYTES_MAX, "")
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

static void read_args(struct pattern_reader *patterns,
                      struct patterns *command,
                      const struct yaml_node *list)
{
    char key[JOB_READER_KEY_MAX];
    size_t place = 0;

    for (const struct yaml_node *node = list->first; node; node = node->next) {
        job_reader_key(key, "operator.args", place++);
        command->items[command->count++] =
            pattern_reader_read(patterns, node, key, JOB_WORD_BYTES_MAX, "");
    }
}

/* Builds the command line of muster-runner; struct job_point has the order of words. */
static void read_runner(struct pattern_reader *patterns, struct patterns *command)
{
    struct job_reader *reader = patterns->reader;
    const struct yaml_node *file =
        reader->kernel_file ? reader->kernel_file : reader->library;
    const char *key = reader->kernel_file ? "operator.kernel" : "operator.library";
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
        read_args(patterns, command, reader->args);
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

/* Returns true for a kernel file or a library, which muster-runner calls. */
static bool is_for_runner(const struct job_reader *reader)
{
    return !reader->command && (reader->kernel_file || reader->library);
}

/* Returns the node of the program, and its key, or NULL when there is none. */
static const struct yaml_node *find_program(const struct job_reader *reader,
                                            const char **key)
{
    *key = reader->command       ? "operator.command"
           : reader->kernel_file ? "operator.kernel"
                                 : "operator.library";
    return reader->command       ? reader->command
           : reader->kernel_file ? reader->kernel_file
                                 : reader->library;
}

/* Reports a second program. */
static bool has_one_program(struct job_reader *reader)
{
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
            return false;
        }
        any |= nodes[i] != NULL;
    }
    return any;
}

/* An override may replace the program by another one of the same kind. */
static void check_kind(struct job_reader *reader)
{
    const char *key;
    const struct yaml_node *node = find_program(reader, &key);

    if (is_for_runner(reader) != reader->job->settings.runner)
        job_reader_complain(reader, node, key,
                            "a program and a file that muster-runner calls cannot "
                            "replace each other; use two jobs");
}

/* An override replaces a kernel or library as a whole. */
static void check_lone_words(struct job_reader *reader)
{
    const struct {
        const struct yaml_node *node;
        const char *key;
    } words[] = {{reader->entry, "operator.entry"},
                 {reader->blocks, "operator.blocks"},
                 {reader->args, "operator.args"}};
    const char *key;

    for (size_t i = 0; !find_program(reader, &key) && i < COUNT(words); i++)
        if (words[i].node)
            job_reader_complain(reader, words[i].node, words[i].key,
                                "an override with this key needs operator.kernel or "
                                "operator.library too; add one");
}

/* Reads the program, or the file that muster-runner calls. */
static void read_program(struct pattern_reader *patterns, struct patterns *command)
{
    struct job_reader *reader = patterns->reader;
    const char *key;

    if (!has_one_program(reader)) {
        if (!reader->override && reader->section && reader->section->kind == YAML_MAP &&
            !find_program(reader, &key) && !yaml_get(reader->section, "config"))
            job_reader_complain(
                reader, reader->section, "operator",
                "the operator has no program; add one of command, kernel and library");
        else if (reader->override)
            check_lone_words(reader);
        return;
    }
    if (reader->override)
        check_kind(reader);
    check_conflicts(reader);
    if (reader->command)
        read_command(patterns, command, reader->command);
    else
        read_runner(patterns, command);
}

/* Reads the version of the program: where it lies, and what it runs in. */
static void read_version(struct pattern_reader *patterns, struct program *program)
{
    const struct job_reader *reader = patterns->reader;

    if (reader->version_path)
        program->path =
            pattern_reader_read(patterns, reader->version_path, "operator.version.path",
                                JOB_WORD_BYTES_MAX, "");
    if (reader->environment)
        env_read(patterns, &program->env, reader->environment,
                 "operator.version.environment");
    if (!reader->container)
        return;
    if (reader->job->settings.runner)
        job_reader_complain(patterns->reader, reader->container,
                            "operator.version.container",
                            "a kernel or a library runs in muster-runner, outside of "
                            "containers; remove it or use operator.command");
    else
        pattern_reader_list(patterns, &program->container, reader->container,
                            "operator.version.container");
}

/* Reads the texts that overrides may replace. */
static void read_texts(struct pattern_reader *patterns, struct program *program)
{
    const struct job_reader *reader = patterns->reader;

    read_program(patterns, &program->command);
    if (reader->env)
        env_read(patterns, &program->env, reader->env, "operator.env");
    read_version(patterns, program);
    if (reader->cwd)
        program->cwd = pattern_reader_read(patterns, reader->cwd, "operator.cwd",
                                           JOB_WORD_BYTES_MAX, "");
    if (reader->dump)
        program->dump = pattern_reader_read(patterns, reader->dump, "profile.dump",
                                            JOB_WORD_BYTES_MAX, "");
    if (reader->collect)
        program->dump = pattern_reader_read(patterns, reader->collect,
                                            "profile.collect", JOB_WORD_BYTES_MAX, "");
    if (reader->elf)
        program->elf = pattern_reader_read(patterns, reader->elf, "profile.elf",
                                           JOB_WORD_BYTES_MAX, "");
    if (!reader->kernel)
        return;
    program->kernel = pattern_reader_read(patterns, reader->kernel, "profile.kernel",
                                          KERNEL_BYTES_MAX, "");
    if (program->kernel)
        job_reader_is_patterns(patterns->reader, reader->kernel, "profile.kernel");
}

void operator_read(struct job_reader *reader)
{
    struct pattern_reader patterns = {.reader = reader};
    struct job *job = reader->job;
    const char *key;

    job->settings.runner = is_for_runner(reader);
    if (job->settings.runner)
        read_renew(reader);
    read_texts(&patterns, &job->program);
    parts_read(&patterns);
    if (reader->at)
        places_read(&patterns);
    for (size_t i = 0; i < job->override_count; i++) {
        patterns.reader = &reader->overrides[i];
        read_texts(&patterns, &job->overrides[i].program);
    }
    if (patterns.bytes > JOB_FILLED_BYTES_MAX)
        job_reader_complain(reader,
                            find_program(reader, &key) ? find_program(reader, &key)
                                                       : reader->env,
                            "operator.command",
                            "command and env need %zu bytes with the longest values, "
                            "at most %d are allowed",
                            patterns.bytes, JOB_FILLED_BYTES_MAX);
}
