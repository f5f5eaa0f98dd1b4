#include "lib/cluster/slurm.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

static const char *const state_names[ALLOC_STATE_END] = {
    "submitting",
    "queued",
    "running",
    "ended",
};

const char *alloc_state_name(enum alloc_state state)
{
    return state_names[state];
}

enum alloc_state alloc_state_of(const char *name)
{
    for (int state = 0; state < ALLOC_STATE_END; state++)
        if (!strcmp(state_names[state], name))
            return (enum alloc_state)state;
    return ALLOC_STATE_END;
}

/* Command lines */

struct words {
    char **argv;
    size_t count;
};

static void add(struct words *words, char *word)
{
    words->argv = xreallocarray(words->argv, words->count + 2, sizeof(*words->argv));
    words->argv[words->count++] = word;
    words->argv[words->count] = NULL;
}

static void add_all(struct words *words, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(words, xstrdup(list[i]));
}

void alloc_command_clear(struct alloc_command *command)
{
    for (char **word = command->argv; word && *word; word++)
        free(*word);
    free(command->argv);
    free(command->input);
    *command = (struct alloc_command){0};
}

/* For the shell: in quotes, with what would end them taken out of them. */
static void add_quoted(struct text *script, const char *word)
{
    text_add(script, " '");
    for (; *word; word++)
        if (*word == '\'')
            text_add(script, "'\\''");
        else
            text_add_char(script, *word);
    text_add_char(script, '\'');
}

/* What runs on each node: it finds out which cards are ours there, and serves them. */
static void add_node_words(struct words *words,
                           const struct allocation_request *wish,
                           const char *job_name,
                           const char *program)
{
    add(words, xstrdup(program));
    add(words, xstrdup("alloc"));
    add(words, xstrdup("node"));
    add(words, xasprintf("--name=%s", job_name));
    add(words, xasprintf("--resource=%s", wish->resource));
    add(words, xasprintf("--idle=%" PRIu64 "ms", wish->idle_ms));
    if (*wish->model)
        add(words, xasprintf("--model=%s", wish->model));
    if (wish->simulated)
        add(words, xstrdup("--simulated"));
}

/* Slurm counts in minutes; a part of one is one more. */
static void add_time(struct words *words, const struct allocation_request *wish)
{
    if (wish->time_limit_ms)
        add(words, xasprintf("--time=%" PRIu64, (wish->time_limit_ms + 59999) / 60000));
}

static void add_place(struct words *words, const struct allocation_request *wish)
{
    add(words, xasprintf("--nodes=%" PRIu64, wish->nodes));
    add(words, xstrdup("--ntasks-per-node=1"));
    add(words, xasprintf("--gres=%s:%" PRIu64, wish->resource, wish->cards_per_node));
    add_time(words, wish);
}

static char *script_of(const struct allocation_request *wish,
                       const char *job_name,
                       const char *program)
{
    struct text script = {0};
    struct words node = {0};

    add_node_words(&node, wish, job_name, program);
    text_add(&script, "#!/bin/sh\n"
                      "# A worker for each card; they end when nothing was to do.\n"
                      "exec srun --ntasks-per-node=1 --kill-on-bad-exit=0");
    for (size_t i = 0; i < node.count; i++) {
        add_quoted(&script, node.argv[i]);
        free(node.argv[i]);
    }
    free(node.argv);
    text_add_char(&script, '\n');
    return text_take(&script);
}

struct alloc_command alloc_slurm_submit(const struct allocation_request *wish,
                                        const char *job_name,
                                        const char *log_folder,
                                        const char *program)
{
    struct words words = {0};

    add(&words, xstrdup("sbatch"));
    add(&words, xstrdup("--parsable"));
    add(&words, xasprintf("--job-name=%s", job_name));
    add(&words, xasprintf("--output=%s/%s.log", log_folder, job_name));
    add(&words, xstrdup("--no-requeue")); /* its key would be known already */
    add_place(&words, wish);
    add_all(&words, wish->words, wish->word_count);
    return (struct alloc_command){words.argv, script_of(wish, job_name, program)};
}

struct alloc_command alloc_slurm_step(const struct allocation_request *wish,
                                      const char *job_name,
                                      const char *program)
{
    struct words words = {0};

    add(&words, xstrdup("srun"));
    add(&words, xasprintf("--job-name=%s", job_name));
    add(&words, xstrdup("--ntasks-per-node=1"));
    add(&words, xasprintf("--nodes=%" PRIu64, wish->nodes));
    add(&words, xasprintf("--ntasks=%" PRIu64, wish->nodes));
    add(&words, xstrdup("--kill-on-bad-exit=0"));
    add(&words, xstrdup("--overlap")); /* we ourselves run on one of these nodes */
    add_all(&words, wish->words, wish->word_count);
    add_node_words(&words, wish, job_name, program);
    return (struct alloc_command){words.argv, xstrdup("")};
}

struct alloc_command alloc_slurm_dry_run(const struct allocation_request *wish,
                                         const char *program)
{
    struct words words = {0};

    add(&words, xstrdup("sbatch"));
    add(&words, xstrdup("--test-only"));
    add_place(&words, wish);
    add_all(&words, wish->words, wish->word_count);
    return (struct alloc_command){words.argv, script_of(wish, wish->name, program)};
}

struct alloc_command alloc_slurm_look(const char *const *job_names, size_t count)
{
    struct words words = {0};
    struct text names = {0};

    for (size_t i = 0; i < count; i++)
        text_printf(&names, "%s%s", i ? "," : "", job_names[i]);
    add(&words, xstrdup("squeue"));
    add(&words, xstrdup("--noheader"));
    add(&words, xstrdup("--states=all"));
    add(&words, xstrdup("--format=%i|%T|%j"));
    add(&words, xasprintf("--name=%s", text_get(&names)));
    text_clear(&names);
    return (struct alloc_command){words.argv, xstrdup("")};
}

struct alloc_command alloc_slurm_cancel(const char *job_name)
{
    struct words words = {0};

    add(&words, xstrdup("scancel"));
    add(&words, xasprintf("--name=%s", job_name));
    return (struct alloc_command){words.argv, xstrdup("")};
}

/* What comes back */

int alloc_slurm_read_number(const char *said, uint64_t *number, struct err *err)
{
    char *end;

    /* NUMBER, or NUMBER;CLUSTER */
    *number = isdigit((unsigned char)*said) ? strtoull(said, &end, 10) : 0;
    if (*number == 0 || *number == UINT64_MAX || !strchr(";\n", *end))
        return err_set(err, ERR_INPUT, "sbatch did not say a job's number: '%.*s'",
                       (int)strcspn(said, "\n"), said);
    return 0;
}

/* Slurm has some twenty states; what matters is whether it waits, runs, or is over. */
static enum alloc_state state_of(const char *word, size_t length)
{
    static const struct {
        const char *word;
        enum alloc_state state;
    } known[] = {
        {"PENDING", ALLOC_QUEUED},       {"CONFIGURING", ALLOC_QUEUED},
        {"REQUEUED", ALLOC_QUEUED},      {"REQUEUE_HOLD", ALLOC_QUEUED},
        {"RESV_DEL_HOLD", ALLOC_QUEUED}, {"SPECIAL_EXIT", ALLOC_QUEUED},
        {"RUNNING", ALLOC_RUNNING},      {"SUSPENDED", ALLOC_RUNNING},
        {"STOPPED", ALLOC_RUNNING},      {"RESIZING", ALLOC_RUNNING},
        {"SIGNALING", ALLOC_RUNNING},    {"STAGE_OUT", ALLOC_RUNNING},
    };

    for (size_t i = 0; i < COUNT(known); i++)
        if (strlen(known[i].word) == length && !memcmp(known[i].word, word, length))
            return known[i].state;
    return ALLOC_ENDED;
}

enum alloc_state
alloc_slurm_read_state(const char *said, const char *job_name, uint64_t *number)
{
    size_t name_length = strlen(job_name);

    for (const char *line = said; *line; line += strcspn(line, "\n"), line += !!*line) {
        size_t length = strcspn(line, "\n"), id = strcspn(line, "|\n");
        const char *state = line + id + 1;
        size_t state_length = id < length ? strcspn(state, "|\n") : 0;
        const char *name = state + state_length + 1;

        if (id >= length || id + 1 + state_length >= length ||
            (size_t)(line + length - name) != name_length ||
            memcmp(name, job_name, name_length) != 0)
            continue;
        *number = strtoull(line, NULL, 10);
        return state_of(state, state_length);
    }
    return ALLOC_ENDED;
}

/* "n[0-3,07-09],m2": does it name this node? What does not look like that names none.
 */
static bool names_node(const char *list, size_t length, const char *node)
{
    const char *end = list + length;

    while (list < end) {
        size_t stem = strcspn(list, ",[");

        if (list + stem > end)
            stem = (size_t)(end - list);
        if (list + stem == end || list[stem] == ',') {
            if (strlen(node) == stem && !memcmp(node, list, stem))
                return true;
            list += stem + (list + stem < end);
            continue;
        }
        bool same_stem = !strncmp(node, list, stem);
        const char *tail = same_stem ? node + stem : "", *at = list + stem + 1;
        size_t digits = same_stem ? strspn(tail, "0123456789") : 0;
        uint64_t number = digits ? strtoull(tail, NULL, 10) : 0;

        same_stem = same_stem && digits > 0 && tail[digits] == '\0';
        while (at < end && isdigit((unsigned char)*at)) {
            size_t width = strspn(at, "0123456789");
            uint64_t low = strtoull(at, NULL, 10), high = low;

            at += width;
            if (*at == '-') {
                high = strtoull(at + 1, NULL, 10);
                at += 1 + strspn(at + 1, "0123456789");
            }
            /* 007 to 012 are written with their zeros; 7 to 12 without */
            if (same_stem && number >= low && number <= high &&
                (digits == width || (digits > width && tail[0] != '0')))
                return true;
            at += *at == ',';
        }
        if (at >= end || *at != ']')
            return false;
        list = at + 1;
        list += list < end && *list == ',';
    }
    return false;
}

/* "0-1,4" as "0,1,4". */
static int spell_out(const char *list, char *out, size_t size, struct err *err)
{
    size_t used = 0;

    while (isdigit((unsigned char)*list)) {
        char *end;
        uint64_t low = strtoull(list, &end, 10), high = low;

        if (*end == '-')
            high = strtoull(end + 1, &end, 10);
        if (high < low || high >= ALLOC_NODES_MAX)
            return err_set(err, ERR_INPUT, "Slurm names the cards %.40s", list);
        for (uint64_t card = low; card <= high; card++) {
            int more =
                snprintf(out + used, size - used, "%s%" PRIu64, used ? "," : "", card);

            if (more < 0 || (size_t)more >= size - used)
                return err_set(err, ERR_LIMIT, "too many cards: %.40s", list);
            used += (size_t)more;
        }
        list = end + (*end == ',');
    }
    return used ? 0 : err_set(err, ERR_INPUT, "Slurm names no card in '%.40s'", list);
}

int alloc_slurm_read_cards(const char *said,
                           const char *node,
                           const char *resource,
                           char *out,
                           size_t size,
                           struct err *err)
{
    char *wanted = xasprintf("%s:", resource), *typed = xasprintf("%s(", resource);
    int result = -1;

    err_set(err, ERR_NOT_FOUND, "Slurm names no %s of %s", resource, node);
    for (const char *line = said; *line; line += strcspn(line, "\n"), line += !!*line) {
        size_t length = strcspn(line, "\n");
        const char *nodes = memmem(line, length, " Nodes=", 7);
        const char *gres = memmem(line, length, " GRES=", 6);

        if (!nodes || !gres || nodes > gres)
            continue;
        nodes += 7;
        if (!names_node(nodes, strcspn(nodes, " "), node))
            continue;
        const char *end = line + length, *at = gres + 6;

        while (at < end) { /* npu:2(IDX:0-1),gpu:1(IDX:3) */
            const char *list = memmem(at, (size_t)(end - at), "(IDX:", 5);

            if (!list)
                break;
            if (text_has_prefix(at, wanted) || text_has_prefix(at, typed)) {
                result = spell_out(list + 5, out, size, err);
                break;
            }
            at = list + 5 + strcspn(list + 5, ")\n");
            at += strspn(at, "),");
        }
    }
    free(wanted);
    free(typed);
    return result;
}
