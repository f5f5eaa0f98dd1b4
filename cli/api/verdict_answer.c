#include "cli/api/verdict_answer.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verdicts/command_rows.h"
#include "lib/base/file.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"

enum {
    WORDS = 24,
    LINES_BYTES = 256 * 1024,
    USAGE = 2,
    NO_RESOURCE = 3,
    INTERNAL = 7
}; /* exit codes of muster */

/* The command line, whose texts it owns. */
struct words {
    char *words[WORDS + 1];
    size_t count;
};

static void add_word(struct words *words, char *word)
{
    if (words->count < WORDS)
        words->words[words->count++] = word;
    else
        free(word);
}

static void clear_words(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->words[i]);
}

static void add_option(struct words *words, const char *name, const char *value)
{
    if (value && *value)
        add_word(words, xasprintf("--%s=%s", name, value));
}

/* An argument of the request is an option of the command, except `base`. No argument
 * can become another option, because each is behind its = or behind --. */
static int make_words(struct words *words,
                      const struct verdict_source *source,
                      const struct endpoint *endpoint,
                      const struct http_request *request,
                      struct err *err)
{
    const struct endpoint_verdict *verdict = endpoint->verdict;
    const char *base = http_argument(request, "base");
    char program[PATH_MAX];
    uint64_t parts[HTTP_PARTS_MAX];

    for (size_t i = 0; i < verdict->parts; i++)
        if (http_part_u64(request, i, &parts[i], err) < 0)
            return -1;
    if (file_next_to_program(program, sizeof(program), "muster", err) < 0)
        return -1;
    add_word(words, xstrdup(program));
    add_word(words, xstrdup(verdict->command));
    for (const char *const *fixed = verdict->options; *fixed; fixed++)
        add_word(words, xstrdup(*fixed));
    add_option(words, "out", source->out);
    add_option(words, "coordinator", source->client->endpoint);
    add_option(words, "key", source->client->key);
    add_option(words, "server-key", source->client->server_key);
    for (const struct endpoint_argument *own = endpoint->own; own && own->name; own++)
        if (strcmp(own->name, "base") != 0)
            add_option(words, own->name, http_argument(request, own->name));
    add_word(words, xstrdup("--"));
    if (base && *base)
        add_word(words, xstrdup(base));
    for (size_t i = 0; i < verdict->parts; i++)
        add_word(words, xasprintf("%" PRIu64, parts[i]));
    if (verdict->last)
        add_word(words, xstrdup(verdict->last));
    return 0;
}

/* Writes how often each verdict occurs among all rows. */
static void put_verdicts(struct json_write *json, const struct command_output *output)
{
    struct {
        const char *text;
        uint64_t count;
    } verdicts[16];
    size_t count = 0;

    for (size_t i = 0; i < output->count; i++) {
        const struct json_node *node = json_tree_get(output->rows[i].node, "verdict");
        size_t k = 0;

        if (!node)
            return;
        while (k < count && strcmp(verdicts[k].text, node->text) != 0)
            k++;
        if (k == COUNT(verdicts))
            continue;
        if (k == count) {
            verdicts[count].text = node->text;
            verdicts[count++].count = 0;
        }
        verdicts[k].count++;
    }
    if (count == 0)
        return;
    json_write_key(json, "verdicts");
    json_write_object(json);
    for (size_t i = 0; i < count; i++) {
        json_write_key(json, verdicts[i].text);
        json_write_u64(json, verdicts[i].count);
    }
    json_write_object_end(json);
}

/* Writes the last lines, at most LINES_BYTES. */
static void put_lines(struct json_write *json, const struct text *text)
{
    const char *at = text_get(text), *end = at + text->length;

    if (text->length > LINES_BYTES) {
        at = end - LINES_BYTES;
        while (at < end && *at++ != '\n')
            continue;
    }
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((stop ? stop : end) - at);

        json_write_object(json);
        json_write_key(json, "text");
        json_write_bytes(json, at, size);
        json_write_object_end(json);
        at += size + (stop != NULL);
    }
}

/* The text of the command begins with its name, which the reader of an answer has. */
static const char *reason_of(const struct command_output *output)
{
    const char *text = text_get(&output->errors), *colon = strstr(text, ": ");

    return colon ? colon + 2 : text;
}

static void put_note(struct json_write *json,
                     const struct endpoint *endpoint,
                     const struct command_output *output)
{
    if (!endpoint->verdict->may_lack || output->exit_code != USAGE)
        return;
    json_write_key(json, "note");
    json_write_bytes(json, reason_of(output), strcspn(reason_of(output), "\n"));
}

static int put_output(struct http_response *response,
                      const struct endpoint *endpoint,
                      const struct http_request *request,
                      const struct command_output *output,
                      struct err *err)
{
    const char *own[HTTP_ARGUMENTS_MAX];
    struct json_write json = {0};
    int result = 0;

    endpoint_arguments(endpoint, own);
    json_write_to_text(&json, &response->body);
    json_write_object(&json);
    json_write_key(&json, "schema");
    json_write_text(&json, endpoint->schema);
    json_write_key(&json, "state");
    json_write_text(&json, output ? "ready" : "running");
    if (output) {
        json_write_key(&json, "exit");
        json_write_i64(&json, output->exit_code);
        put_verdicts(&json, output);
        put_note(&json, endpoint, output);
    }
    json_write_key(&json, "rows");
    json_write_array(&json);
    if (output && endpoint->verdict->is_text)
        put_lines(&json, &output->text);
    else if (output)
        result = command_rows_add(output, request, own, response, err);
    json_write_array_end(&json);
    json_write_object_end(&json);
    json_write_line(&json);
    json_write_clear(&json);
    response->type = "application/json";
    return result;
}

static int command_failed(const struct command_output *output, struct err *err)
{
    return err_set(err,
                   output->exit_code == USAGE         ? ERR_INPUT
                   : output->exit_code == NO_RESOURCE ? ERR_UNREACHABLE
                                                      : ERR_SYSTEM,
                   "%.*s", (int)strcspn(reason_of(output), "\n"), reason_of(output));
}

/* Returns false when the output is an answer. */
static bool has_failed(const struct endpoint *endpoint,
                       const struct command_output *output)
{
    if (output->exit_code == USAGE && endpoint->verdict->may_lack)
        return false;
    return output->exit_code < 0 || output->exit_code == USAGE ||
           output->exit_code == NO_RESOURCE || output->exit_code >= INTERNAL;
}

int verdict_answer(struct command_runs *runs,
                   const struct verdict_source *source,
                   const struct endpoint *endpoint,
                   const struct http_request *request,
                   struct http_response *response,
                   struct err *err)
{
    const struct command_output *output = NULL;
    const char *own[HTTP_ARGUMENTS_MAX];
    struct words words = {.count = 0};

    endpoint_arguments(endpoint, own);
    if (endpoint->verdict->is_text && http_arguments_check(request, own, err) < 0)
        return -1;
    int result = make_words(&words, source, endpoint, request, err);

    if (result == 0)
        result = command_runs_get(&output, runs, words.words, source->version, err);
    clear_words(&words);
    if (result < 0)
        return -1;
    if (output && has_failed(endpoint, output))
        return command_failed(output, err);
    return put_output(response, endpoint, request, output, err);
}
