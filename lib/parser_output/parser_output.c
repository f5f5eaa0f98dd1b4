#include "lib/parser_output/parser_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_read.h"
#include "lib/base/mem.h"

/* FIELD_TIME: a number, of which a missing one is -1 */
enum field_kind { FIELD_NUMBER, FIELD_TIME, FIELD_REAL, FIELD_BOOL, FIELD_TEXT };

enum field_name {
    KEY_LAUNCH,
    KEY_DEVICE,
    KEY_VALUE,
    KEY_SIMULATED,
    KEY_KERNEL,
    KEY_METRIC,
    KEY_UNIT,
    KEY_OUTPUT,
    KEY_ERROR,
    KEY_BLOCK,
    KEY_CODE_HASH,
    KEY_TICK,
    KEY_MEASUREMENT,
    KEY_CHIP,
    KEY_HBM_MAKER,
    KEY_CANN,
    KEY_DRIVER,
    KEY_FIRMWARE,
    KEY_HOST_KERNEL,
    KEY_REPLAY,
    KEY_PASS,
    KEY_STARTED,
    KEY_DURATION,
    KEY_ARRIVED,
    KEY_RELEASED,
    KEY_UNCERTAINTY,
    KEY_GROUP_FOUND,
    KEY_RESTORED,
    KEY_ADVICE,
    KEY_NOTES,
};

#define AT(member)                                                                     \
    offsetof(struct reading, member), sizeof(((struct reading *)0)->member)

struct reading {
    struct parser_output out;
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
    [KEY_LAUNCH] = {"launch", FIELD_NUMBER, AT(out.launch)},
    [KEY_DEVICE] = {"device", FIELD_NUMBER, AT(out.device)},
    [KEY_VALUE] = {"value", FIELD_REAL, AT(out.value)},
    [KEY_SIMULATED] = {"simulated", FIELD_BOOL, AT(out.simulated)},
    [KEY_KERNEL] = {"kernel", FIELD_TEXT, AT(out.kernel)},
    [KEY_METRIC] = {"metric", FIELD_TEXT, AT(out.metric)},
    [KEY_UNIT] = {"unit", FIELD_TEXT, AT(out.unit)},
    [KEY_OUTPUT] = {"output", FIELD_TEXT, AT(output)},
    [KEY_ERROR] = {"error", FIELD_TEXT, AT(error)},
    [KEY_BLOCK] = {"block", FIELD_NUMBER, AT(block)},
    [KEY_CODE_HASH] = {"code_hash", FIELD_TEXT, AT(out.code_hash)},
    [KEY_TICK] = {"tick_ns", FIELD_REAL, AT(out.tick_ns)},
    [KEY_MEASUREMENT] = {"measurement", FIELD_TEXT, AT(out.measurement)},
    [KEY_CHIP] = {"chip", FIELD_TEXT, AT(out.chip)},
    [KEY_HBM_MAKER] = {"hbm_maker", FIELD_NUMBER, AT(out.hbm_maker)},
    [KEY_CANN] = {"cann", FIELD_TEXT, AT(out.cann)},
    [KEY_DRIVER] = {"driver", FIELD_TEXT, AT(out.driver)},
    [KEY_FIRMWARE] = {"firmware", FIELD_TEXT, AT(out.firmware)},
    [KEY_HOST_KERNEL] = {"host_kernel", FIELD_TEXT, AT(out.host_kernel)},
    [KEY_REPLAY] = {"replay", FIELD_NUMBER, AT(out.replay)},
    [KEY_PASS] = {"pass", FIELD_NUMBER, AT(out.pass)},
    [KEY_STARTED] = {"started_ns", FIELD_TIME, AT(out.started_ns)},
    [KEY_DURATION] = {"duration_ns", FIELD_TIME, AT(out.duration_ns)},
    [KEY_ARRIVED] = {"arrived_ns", FIELD_TIME, AT(out.arrived_ns)},
    [KEY_RELEASED] = {"released_ns", FIELD_TIME, AT(out.released_ns)},
    [KEY_UNCERTAINTY] = {"uncertainty_ns", FIELD_TIME, AT(out.uncertainty_ns)},
    [KEY_GROUP_FOUND] = {"group_found", FIELD_TEXT, AT(out.group_found)},
    [KEY_RESTORED] = {"restored", FIELD_TEXT, AT(out.restored)},
    [KEY_ADVICE] = {"advice", FIELD_TEXT, AT(out.advice)},
    [KEY_NOTES] = {"notes", FIELD_TEXT, AT(out.notes)},
};

static bool
store_field(struct reading *reading, size_t field, const struct json_token *token)
{
    void *at = (char *)reading + fields[field].offset;

    switch (fields[field].kind) {
    case FIELD_NUMBER:
        return json_token_u64(token, at);
    case FIELD_TIME:
        return json_token_u64(token, at) && *(const int64_t *)at >= 0;
    case FIELD_REAL:
        return json_token_double(token, at);
    case FIELD_BOOL:
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
        if (!store_field(reading, i, &token))
            return json_read_error(json, err,
                                   "field '%s' has a value of the wrong type or size",
                                   fields[i].key);
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
    struct parser_output *out = &reading->out;

    if (has(reading, KEY_ERROR)) {
        out->kind = PARSER_ERROR;
        if (has(reading, KEY_BLOCK))
            snprintf(out->text, sizeof(out->text), "block %" PRIu64 ": %.900s",
                     reading->block, reading->error);
        else
            memcpy(out->text, reading->error, sizeof(out->text));
        return 0;
    }
    if (has(reading, KEY_OUTPUT)) {
        out->kind = PARSER_OUTPUT;
        memcpy(out->text, reading->output, sizeof(out->text));
        return 0;
    }
    for (size_t i = 0; i < COUNT(fields); i++)
        if (fields[i].kind == FIELD_TIME && !has(reading, i))
            *(int64_t *)((char *)reading + fields[i].offset) = -1;
    out->kind = has(reading, KEY_CODE_HASH)     ? PARSER_LAUNCH
                : has(reading, KEY_REPLAY)      ? PARSER_REPLAY
                : has(reading, KEY_MEASUREMENT) ? PARSER_ENVIRONMENT
                                                : PARSER_METRIC;
    if (out->kind == PARSER_METRIC &&
        (!has(reading, KEY_METRIC) || !has(reading, KEY_VALUE)))
        return err_set(err, ERR_INPUT,
                       "the line has none of 'error', 'output', 'code_hash', "
                       "'replay', 'measurement', and 'metric' with 'value'");
    return 0;
}

int parser_output_read(struct parser_output *out,
                       const char *line,
                       size_t size,
                       struct err *err)
{
    struct json_limits limits = {.depth = 8, .text_bytes = PARSER_ADVICE_BYTES};
    struct json_read *json =
        json_read_create_memory("muster-parser", line, size, limits);
    struct reading *reading = xcalloc(1, sizeof(*reading));

    int result = read_object(reading, json, err);
    if (result == 0)
        result = finish(reading, err);
    if (result == 0)
        *out = reading->out;
    free(reading);
    json_read_destroy(json);
    return result;
}

void parser_problems_add(struct parser_problems *problems, const char *problem)
{
    enum { REST = 40 }; /* for the number of the others */
    size_t used = strlen(problems->text);
    bool is_first = problems->count++ == 0;

    if (!is_first && (problems->named == PARSER_PROBLEMS_NAMED ||
                      used + strlen(problem) + REST >= sizeof(problems->text)))
        return;
    snprintf(problems->text + used, sizeof(problems->text) - used - REST, "%s%s",
             is_first ? "" : "; ", problem);
    problems->named++;
}

void parser_problems_finish(struct parser_problems *problems)
{
    size_t used = strlen(problems->text);

    if (problems->count > problems->named)
        snprintf(problems->text + used, sizeof(problems->text) - used, "; and %zu more",
                 problems->count - problems->named);
}
