#include "lib/job/argument/argument.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/job/argument/element.h"

static const struct row {
    const char *word;
    enum argument_kind kind;
    bool is_read, is_written;
} kinds[] = {
    {"in", ARGUMENT_BUFFER, true, false},    {"out", ARGUMENT_BUFFER, false, true},
    {"inout", ARGUMENT_BUFFER, true, true},  {"data", ARGUMENT_DATA, false, false},
    {"value", ARGUMENT_VALUE, false, false},
};

static const size_t bytes_max = (size_t)1 << 40;

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* Copies the next word and advances *text. Returns false at the end. */
static bool next_word(char out[ARGUMENT_WORD_MAX], const char **text)
{
    const char *at = *text;
    size_t length = 0;

    while (is_space(*at))
        at++;
    for (; *at && !is_space(*at); at++)
        if (length < ARGUMENT_WORD_MAX - 1) /* a cut word matches no known word */
            out[length++] = *at;
    out[length] = '\0';
    *text = at;
    return length > 0;
}

static int read_count(size_t *count, const char *word, struct err *err)
{
    const char *at = word;
    char *end;

    *count = 1;
    for (;; at = end + 1) {
        errno = 0;
        unsigned long long value =
            isdigit((unsigned char)*at) ? strtoull(at, &end, 10) : 0;
        if (value == 0 || errno || (*end && *end != '*') ||
            !num_mul(*count, value, count) || *count > bytes_max)
            return err_set(err, ERR_INPUT, "'%.40s' is not a count such as 16 or 64*64",
                           word);
        if (!*end)
            return 0;
    }
}

static int read_expect(struct argument *argument, const char *word, struct err *err)
{
    char *end;

    if (strncmp(word, "sum:", 4) != 0) {
        snprintf(argument->expect, sizeof(argument->expect), "%s", word);
        return 0;
    }
    argument->sum = strtoull(word + 4, &end, 16);
    argument->has_sum = strspn(word + 4, "0123456789abcdef") == 16 && !*end;
    return argument->has_sum
               ? 0
               : err_set(err, ERR_INPUT,
                         "'%.40s' is not a checksum sum: and 16 digits 0-9a-f", word);
}

static int read_option(struct argument *argument,
                       const char *name,
                       const char *value,
                       struct err *err)
{
    if (strcmp(name, "from") == 0 && argument->is_read) {
        snprintf(argument->from, sizeof(argument->from), "%s", value);
        return 0;
    }
    if (strcmp(name, "expect") == 0 && argument->is_written)
        return read_expect(argument, value, err);
    if (strcmp(name, "within") == 0 && argument->expect[0])
        return num_parse_double(value, &argument->within) && argument->within >= 0
                   ? 0
                   : err_set(err, ERR_INPUT, "within '%.40s' is not a number from 0 on",
                             value);
    return err_set(err, ERR_INPUT,
                   "'%.40s' is not allowed here; use from, expect or within", name);
}

static int read_buffer(struct argument *argument, const char *text, struct err *err)
{
    char name[ARGUMENT_WORD_MAX], value[ARGUMENT_WORD_MAX];

    if (!next_word(value, &text))
        return err_set(err, ERR_INPUT, "the count is missing");
    if (read_count(&argument->count, value, err) < 0)
        return -1;
    if (!num_mul(argument->count, element_bytes(argument->element), &argument->bytes) ||
        argument->bytes > bytes_max)
        return err_set(err, ERR_LIMIT, "%s values of %s exceed 1 TiB", value,
                       element_name(argument->element));
    while (next_word(name, &text)) {
        if (!next_word(value, &text))
            return err_set(err, ERR_INPUT, "the value after '%.40s' is missing", name);
        if (read_option(argument, name, value, err) < 0)
            return -1;
    }
    return 0;
}

static int read_values(struct argument *argument, const char *text, struct err *err)
{
    char word[ARGUMENT_WORD_MAX], value[8];
    size_t most = argument->kind == ARGUMENT_VALUE ? 1 : ARGUMENT_VALUES_MAX;

    for (; next_word(word, &text); argument->count++) {
        if (argument->count == most)
            return err_set(err, ERR_LIMIT, "more than %zu value%s", most,
                           most == 1 ? "" : "s");
        if (!element_parse(argument->element, word, value))
            return err_set(err, ERR_INPUT, "'%.40s' is not a value of type %s", word,
                           element_name(argument->element));
        text_add_bytes(&argument->values, value, element_bytes(argument->element));
    }
    if (argument->count == 0)
        return err_set(err, ERR_INPUT, "the value is missing");
    argument->bytes = argument->values.length;
    return 0;
}

static int read_all(struct argument *argument, const char *text, struct err *err)
{
    char word[ARGUMENT_WORD_MAX] = "";
    const struct row *row = NULL;

    next_word(word, &text);
    for (size_t i = 0; i < COUNT(kinds) && !row; i++)
        row = strcmp(kinds[i].word, word) == 0 ? &kinds[i] : NULL;
    if (!row)
        return err_set(err, ERR_INPUT, "'%.40s' is not in, out, inout, data or value",
                       word);
    argument->kind = row->kind;
    argument->is_read = row->is_read;
    argument->is_written = row->is_written;
    word[0] = '\0';
    next_word(word, &text);
    argument->element = element_find(word);
    if (!argument->element)
        return err_set(err, ERR_INPUT, "unknown type '%.40s'; use one of %s", word,
                       element_names());
    return row->kind == ARGUMENT_BUFFER ? read_buffer(argument, text, err)
                                        : read_values(argument, text, err);
}

int argument_parse(struct argument *argument, const char *text, struct err *err)
{
    memset(argument, 0, sizeof(*argument));
    if (read_all(argument, text, err) < 0)
        return err_wrap(err, "argument '%.60s'", text);
    return 0;
}

void argument_clear(struct argument *argument)
{
    text_clear(&argument->values);
}
