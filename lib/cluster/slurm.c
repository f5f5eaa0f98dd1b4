#include "lib/cluster/slurm.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

enum { CARD_NUMBERS = 4096 }; /* the cards of a node have smaller numbers */

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

/* Appends a word in single quotes for the shell; a quote inside becomes '\''. */
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

/* Appends the command that runs on each node: it finds the allocated cards there and
 * starts a worker for each. */
static void add_node_words(struct words *words,
                           const struct allocation_request *request,
                           const char *job_name,
                           const char *program)
{
    add(words, xstrdup(program));
    add(words, xstrdup("alloc"));
    add(words, xstrdup("node"));
    add(words, xasprintf("--name=%s", job_name));
    add(words, xasprintf("--resource=%s", request->resource));
    add(words, xasprintf("--idle=%" PRIu64 "ms", request->idle_ms));
    if (*request->model)
        add(words, xasprintf("--model=%s", request->model));
    if (request->simulated)
        add(words, xstrdup("--simulated"));
}

/* Slurm's unit is a minute, so the time is rounded up. */
static void add_time(struct words *words, const struct allocation_request *request)
{
    if (request->time_limit_ms)
        add(words,
            xasprintf("--time=%" PRIu64, (request->time_limit_ms + 59999) / 60000));
}

static void add_place(struct words *words, const struct allocation_request *request)
{
    add(words, xasprintf("--nodes=%" PRIu64, request->nodes));
    add(words, xstrdup("--ntasks-per-node=1"));
    add(words,
        xasprintf("--gres=%s:%" PRIu64, request->resource, request->cards_per_node));
    add_time(words, request);
}

static char *script_of(const struct allocation_request *request,
                       const char *job_name,
                       const char *program)
{
    struct text script = {0};
    struct words node = {0};

    add_node_words(&node, request, job_name, program);
    text_add(&script, "#!/bin/sh\n"
                      "# Starts one worker per card. Each exits after its idle time.\n"
                      "exec srun --ntasks-per-node=1 --kill-on-bad-exit=0");
    for (size_t i = 0; i < node.count; i++) {
        add_quoted(&script, node.argv[i]);
        free(node.argv[i]);
    }
    free(node.argv);
    text_add_char(&script, '\n');
    return text_take(&script);
}

struct alloc_command alloc_slurm_submit(const struct allocation_request *request,
                                        const char *job_name,
                                        const char *log_folder,
                                        const char *program)
{
    struct words words = {0};

    add(&words, xstrdup("sbatch"));
    add(&words, xstrdup("--parsable"));
    add(&words, xasprintf("--job-name=%s", job_name));
    add(&words, xasprintf("--output=%s/%s.log", log_folder, job_name));
    add(&words,
        xstrdup(
            "--no-requeue")); /* the coordinator rejects a key that was used before */
    add_place(&words, request);
    add_all(&words, request->options, request->option_count);
    return (struct alloc_command){words.argv, script_of(request, job_name, program)};
}

struct alloc_command alloc_slurm_step(const struct allocation_request *request,
                                      const char *job_name,
                                      const char *program)
{
    struct words words = {0};

    add(&words, xstrdup("srun"));
    add(&words, xasprintf("--job-name=%s", job_name));
    add(&words, xstrdup("--ntasks-per-node=1"));
    add(&words, xasprintf("--nodes=%" PRIu64, request->nodes));
    add(&words, xasprintf("--ntasks=%" PRIu64, request->nodes));
    add(&words, xstrdup("--kill-on-bad-exit=0"));
    add(&words, xstrdup("--overlap")); /* the coordinator runs on one of these nodes */
    add_all(&words, request->options, request->option_count);
    add_node_words(&words, request, job_name, program);
    return (struct alloc_command){words.argv, xstrdup("")};
}

struct alloc_command alloc_slurm_dry_run(const struct allocation_request *request,
                                         const char *program)
{
    struct words words = {0};

    add(&words, xstrdup("sbatch"));
    add(&words, xstrdup("--test-only"));
    add_place(&words, request);
    add_all(&words, request->options, request->option_count);
    return (struct alloc_command){words.argv,
                                  script_of(request, request->name, program)};
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

/* Output of Slurm's commands */

int alloc_slurm_read_number(const char *output, uint64_t *number, struct err *err)
{
    char *end;

    /* NUMBER, or NUMBER;CLUSTER */
    *number = isdigit((unsigned char)*output) ? strtoull(output, &end, 10) : 0;
    if (*number == 0 || *number == UINT64_MAX || !strchr(";\n", *end))
        return err_set(err, ERR_INPUT, "sbatch printed no job number but '%.*s'",
                       (int)strcspn(output, "\n"), output);
    return 0;
}

/* Maps Slurm's states, about twenty, to queued, running and ended. */
static enum alloc_state parse_state(const char *word, size_t length)
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
alloc_slurm_read_state(const char *output, const char *job_name, uint64_t *number)
{
    size_t name_length = strlen(job_name);

    for (const char *line = output; *line;
         line += strcspn(line, "\n"), line += !!*line) {
        size_t length = strcspn(line, "\n"), id = strcspn(line, "|\n");
        const char *state = line + id + 1;
        size_t state_length = id < length ? strcspn(state, "|\n") : 0;
        const char *name = state + state_length + 1;

        if (id >= length || id + 1 + state_length >= length ||
            (size_t)(line + length - name) != name_length ||
            memcmp(name, job_name, name_length) != 0)
            continue;
        *number = strtoull(line, NULL, 10);
        return parse_state(state, state_length);
    }
    return ALLOC_ENDED;
}

/* Node lists: "n[0-3,07-09],m2" */

struct span {
    const char *at;
    size_t length;
};

/* Takes the next item of a list: the text up to a comma outside brackets. Returns false
 * at the end of the list. */
static bool next_item(struct span *list, struct span *item)
{
    size_t length = 0, depth = 0;

    if (list->length == 0)
        return false;
    for (; length < list->length && (list->at[length] != ',' || depth > 0); length++)
        depth = list->at[length] == '[' ? 1 : list->at[length] == ']' ? 0 : depth;
    *item = (struct span){list->at, length};
    length += length < list->length; /* the comma */
    list->at += length;
    list->length -= length;
    return true;
}

/* Reads digits at the start of the text. Returns how many, 0 when there are none. */
static size_t take_number(struct span *text, uint64_t *number)
{
    size_t digits = 0;

    *number = 0;
    for (; digits < text->length && isdigit((unsigned char)text->at[digits]); digits++)
        *number = *number * 10 + (uint64_t)(text->at[digits] - '0');
    text->at += digits;
    text->length -= digits;
    return digits;
}

/* "07-09" is {7, 9} with a width of 2, "3" is {3, 3} with a width of 1. */
struct range {
    uint64_t low, high;
    size_t width;
};

static bool parse_range(struct span text, struct range *range)
{
    range->width = take_number(&text, &range->low);
    range->high = range->low;
    if (range->width == 0)
        return false;
    if (text.length > 0 && *text.at == '-') {
        text.at++;
        text.length--;
        if (take_number(&text, &range->high) == 0)
            return false;
    }
    return text.length == 0;
}

/* Slurm writes 007 to 012 with their zeros, and 7 to 12 without. */
static bool range_contains(const struct range *range, struct span digits)
{
    bool padded = *digits.at == '0';
    size_t length = digits.length;
    uint64_t number;

    return take_number(&digits, &number) > 0 && digits.length == 0 &&
           number >= range->low && number <= range->high &&
           (padded ? length == range->width : length >= range->width);
}

/* Compares a node with one item: "solo" or "n[0-3,07-09]". */
static bool item_names_node(struct span item, const char *node)
{
    const char *bracket = memchr(item.at, '[', item.length);
    size_t stem = bracket ? (size_t)(bracket - item.at) : item.length;
    struct range range;
    struct span part;

    if (strlen(node) < stem || memcmp(node, item.at, stem) != 0)
        return false;
    if (!bracket)
        return node[stem] == '\0';
    if (item.at[item.length - 1] != ']')
        return false;
    struct span digits = {node + stem, strlen(node + stem)};
    struct span ranges = {bracket + 1, item.length - stem - 2};
    while (next_item(&ranges, &part))
        if (parse_range(part, &range) && range_contains(&range, digits))
            return true;
    return false;
}

/* Returns true when the list names the node. An item that has another form names no
 * node. */
static bool names_node(const char *text, size_t length, const char *node)
{
    struct span list = {text, length}, item;

    while (next_item(&list, &item))
        if (item_names_node(item, node))
            return true;
    return false;
}

/* Writes "0-1,4" as "0,1,4". */
static int expand_card_list(const char *list, char *out, size_t size, struct err *err)
{
    size_t used = 0;

    while (isdigit((unsigned char)*list)) {
        char *end;
        uint64_t low = strtoull(list, &end, 10), high = low;

        if (*end == '-')
            high = strtoull(end + 1, &end, 10);
        if (high < low || high >= CARD_NUMBERS)
            return err_set(err, ERR_INPUT,
                           "Slurm printed an invalid list of cards: %.40s", list);
        for (uint64_t card = low; card <= high; card++) {
            int more =
                snprintf(out + used, size - used, "%s%" PRIu64, used ? "," : "", card);

            if (more < 0 || (size_t)more >= size - used)
                return err_set(err, ERR_LIMIT, "Slurm lists more cards than fit: %.40s",
                               list);
            used += (size_t)more;
        }
        list = end + (*end == ',');
    }
    return used ? 0
                : err_set(err, ERR_INPUT,
                          "Slurm printed a list without a card: '%.40s'", list);
}

static int not_listed(const char *resource, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND,
                   "Slurm lists no %s; see 'scontrol show job --details' and check "
                   "--resource",
                   resource);
}

/* Reads the cards of one line of scontrol: "... GRES=npu:2(IDX:0-1),gpu:1(IDX:3)". */
static int read_gres(const char *at,
                     const char *end,
                     const char *resource,
                     char *out,
                     size_t size,
                     struct err *err)
{
    size_t length = strlen(resource);

    while (at < end) {
        const char *list = memmem(at, (size_t)(end - at), "(IDX:", 5);

        if (!list)
            break;
        if (strncmp(at, resource, length) == 0 &&
            (at[length] == ':' || at[length] == '('))
            return expand_card_list(list + 5, out, size, err);
        at = list + 5 + strcspn(list + 5, ")\n");
        at += strspn(at, "),");
    }
    return not_listed(resource, err);
}

int alloc_slurm_read_cards(const char *output,
                           const char *node,
                           const char *resource,
                           char *out,
                           size_t size,
                           struct err *err)
{
    not_listed(resource, err);

    for (const char *line = output; *line;
         line += strcspn(line, "\n"), line += !!*line) {
        size_t length = strcspn(line, "\n");
        const char *nodes = memmem(line, length, " Nodes=", 7);
        const char *gres = memmem(line, length, " GRES=", 6);

        if (!nodes || !gres || nodes > gres)
            continue;
        nodes += 7;
        if (names_node(nodes, strcspn(nodes, " "), node) &&
            read_gres(gres + 6, line + length, resource, out, size, err) == 0)
            return 0;
    }
    return err_wrap(err, "reading the cards of node %s", node);
}
