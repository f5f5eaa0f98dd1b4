#include "coordinator/parse/parser_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_read.h"
#include "lib/base/mem.h"

enum field_kind { FIELD_NUMBER, FIELD_REAL, FIELD_YES_NO, FIELD_WORD };

enum field_name {
    SEEN_LAUNCH,
    SEEN_DEVICE,
    SEEN_VALUE,
    SEEN_SIMULATED,
    SEEN_KERNEL,
    SEEN_METRIC,
    SEEN_UNIT,
    SEEN_OUTPUT,
    SEEN_ERROR,
    SEEN_BLOCK,
};

#define AT(member)                                                                     \
    offsetof(struct reading, member), sizeof(((struct reading *)0)->member)

struct reading {
    struct parser_output word;
    uint64_t block;
    char output[1024];
    char error[1024];
    unsigned seen; /* 1 << enum field_name */
};

static const struct {
    const char *key;
    enum field_kind kind;
    size_t offset, size;
} fields[] = {
    [SEEN_LAUNCH] = {"launch", FIELD_NUMBER, AT(word.launch)},
    [SEEN_DEVICE] = {"device", FIELD_NUMBER, AT(word.device)},
    [SEEN_VALUE] = {"value", FIELD_REAL, AT(word.value)},
    [SEEN_SIMULATED] = {"simulated", FIELD_YES_NO, AT(word.simulated)},
    [SEEN_KERNEL] = {"kernel", FIELD_WORD, AT(word.kernel)},
    [SEEN_METRIC] = {"metric", FIELD_WORD, AT(word.metric)},
    [SEEN_UNIT] = {"unit", FIELD_WORD, AT(word.unit)},
    [SEEN_OUTPUT] = {"output", FIELD_WORD, AT(output)},
    [SEEN_ERROR] = {"error", FIELD_WORD, AT(error)},
    [SEEN_BLOCK] = {"block", FIELD_NUMBER, AT(block)},
};

static bool take(struct reading *reading, size_t field, const struct json_token *token)
{
    void *at = (char *)reading + fields[field].offset;

    switch (fields[field].kind) {
    case FIELD_NUMBER:
        return json_token_u64(token, at);
    case FIELD_REAL:
        return json_token_double(token, at);
    case FIELD_YES_NO:
        *(bool *)at = token->kind == JSON_TRUE;
        return token->kind == JSON_TRUE || token->kind == JSON_FALSE;
    default:
        if (token->kind != JSON_TEXT || token->length >= fields[field].size ||
            strlen(token->text) != token->length)
            return false;
        memcpy(at, token->text, token->length + 1);
        return true;
    }
}

static int read_member(struct reading *reading,
                       struct json_read *json,
                       const char *key,
                       struct err *err)
{
    struct json_token token;

    for (size_t i = 0; i < COUNT(fields); i++) {
        if (strcmp(key, fields[i].key) != 0)
            continue;
        if (json_read_next(json, &token, err) < 0)
            return -1;
        if (!take(reading, i, &token))
            return json_read_error(json, err, "'%s' cannot be that", fields[i].key);
        reading->seen |= 1u << i;
        return 0;
    }
    return json_read_skip(json, err);
}

static int read_object(struct reading *reading, struct json_read *json, struct err *err)
{
    struct json_token token;
    char key[64];

    if (json_read_expect(json, JSON_OBJECT, &token, err) < 0)
        return -1;
    for (;;) {
        if (json_read_next(json, &token, err) < 0)
            return -1;
        if (token.kind == JSON_OBJECT_END)
            return json_read_expect(json, JSON_END, &token, err);
        snprintf(key, sizeof(key), "%s", token.text);
        if (read_member(reading, json, key, err) < 0)
            return -1;
    }
}

static bool has(const struct reading *reading, enum field_name name)
{
    return reading->seen & 1u << name;
}

static int finish(struct reading *reading, struct err *err)
{
    struct parser_output *word = &reading->word;

    if (has(reading, SEEN_ERROR)) {
        word->kind = PARSER_ERROR;
        if (has(reading, SEEN_BLOCK))
            snprintf(word->text, sizeof(word->text), "block %" PRIu64 ": %.900s",
                     reading->block, reading->error);
        else
            memcpy(word->text, reading->error, sizeof(word->text));
        return 0;
    }
    if (has(reading, SEEN_OUTPUT)) {
        word->kind = PARSER_OUTPUT;
        memcpy(word->text, reading->output, sizeof(word->text));
        return 0;
    }
    word->kind = PARSER_METRIC;
    if (!has(reading, SEEN_METRIC) || !has(reading, SEEN_VALUE))
        return err_set(err, ERR_INPUT,
                       "neither 'error' nor 'output' nor 'metric' with 'value'");
    return 0;
}

int parser_output_read(struct parser_output *word,
                       const char *line,
                       size_t size,
                       struct err *err)
{
    struct json_limits limits = {.depth = 8, .text_bytes = 4096};
    struct json_read *json =
        json_read_create_memory("muster-parser", line, size, limits);
    struct reading *reading = xcalloc(1, sizeof(*reading));

    int result = read_object(reading, json, err);
    if (result == 0)
        result = finish(reading, err);
    if (result == 0)
        *word = reading->word;
    free(reading);
    json_read_destroy(json);
    return result;
}
