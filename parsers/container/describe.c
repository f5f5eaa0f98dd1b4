#include "parsers/container/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_read.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "parsers/container/bin.h"
#include "parsers/container/tracekit.h"

enum { DEPTH_MAX = 16, PATH_BYTES = 512, FIELDS_MAX = 4096, PHASES = 128 };

struct field {
    char *path, first[48];
    uint64_t count;
};

struct explaining {
    struct json_read *read;
    struct map *known; /* path: its field */
    struct field *fields;
    size_t count;
    uint64_t phases[PHASES]; /* events of a timeline */
};

static void add_field(struct explaining *e, const char *path, const char *value)
{
    struct field *field = map_get(e->known, path);

    if (!field) {
        if (e->count == FIELDS_MAX)
            return;
        field = &e->fields[e->count++];
        field->path = xstrdup(path);
        snprintf(field->first, sizeof(field->first), "%.40s", value);
        map_put(e->known, path, field);
    }
    field->count++;
}

/* The value that `token` starts; `path` is where it stands. */
static int take_value(struct explaining *e,
                      const struct json_token *token,
                      char path[PATH_BYTES],
                      size_t used,
                      unsigned depth,
                      struct err *err);

static int take_members(struct explaining *e,
                        char path[PATH_BYTES],
                        size_t used,
                        unsigned depth,
                        struct err *err)
{
    struct json_token token;

    while (json_read_next(e->read, &token, err) == 0) {
        size_t more;

        if (token.kind == JSON_OBJECT_END)
            return 0;
        more = (size_t)snprintf(path + used, PATH_BYTES - used, "%s%.100s",
                                used ? "." : "", token.text);
        if (json_read_next(e->read, &token, err) < 0 ||
            take_value(e, &token, path, used + more, depth, err) < 0)
            return -1;
        path[used] = '\0';
    }
    return -1;
}

static int take_elements(struct explaining *e,
                         char path[PATH_BYTES],
                         size_t used,
                         unsigned depth,
                         struct err *err)
{
    struct json_token token;

    snprintf(path + used, PATH_BYTES - used, "[]");
    while (json_read_next(e->read, &token, err) == 0) {
        if (token.kind == JSON_ARRAY_END) {
            path[used] = '\0';
            return 0;
        }
        if (take_value(e, &token, path, used + 2, depth, err) < 0)
            return -1;
    }
    return -1;
}

static int take_value(struct explaining *e,
                      const struct json_token *token,
                      char path[PATH_BYTES],
                      size_t used,
                      unsigned depth,
                      struct err *err)
{
    if (depth == DEPTH_MAX || used + 128 > PATH_BYTES)
        return json_read_skip(e->read, err);
    if (token->kind == JSON_OBJECT)
        return take_members(e, path, used, depth + 1, err);
    if (token->kind == JSON_ARRAY)
        return take_elements(e, path, used, depth + 1, err);
    if (token->kind == JSON_TEXT && strcmp(path, "traceEvents[].ph") == 0)
        e->phases[(unsigned char)token->text[0] % PHASES]++;
    add_field(e, path,
              token->kind == JSON_TEXT || token->kind == JSON_NUMBER
                  ? token->text
                  : json_kind_name(token->kind));
    return 0;
}

/* A list of values by core is one field. */
static const char *meaning_of(unsigned type, const char *path)
{
    const char *meaning = describe_field(type, path);
    size_t length = strlen(path);
    char without[PATH_BYTES];

    if (meaning || length < 2 || strcmp(path + length - 2, "[]") != 0)
        return meaning;
    snprintf(without, sizeof(without), "%.*s", (int)length - 2, path);
    return describe_field(type, without);
}

static void write_fields(const struct explaining *e, unsigned type, struct text *out)
{
    for (size_t i = 0; i < e->count; i++) {
        const struct field *field = &e->fields[i];
        const char *meaning = meaning_of(type, field->path);

        if (type == BIN_TRACE && strncmp(field->path, "traceEvents[]", 13) == 0)
            continue;
        text_printf(out, "  %-44s %8" PRIu64 "  %-24s  %s\n", field->path, field->count,
                    field->first, meaning ? meaning : "not read by the viewer");
    }
}

static void write_phases(const struct explaining *e, struct text *out)
{
    static const struct {
        char phase;
        const char *meaning;
    } phases[] = {{'X', "bars"},
                  {'B', "begins of a flag"},
                  {'E', "ends of a flag"},
                  {'s', "starts of an arrow"},
                  {'t', "its ends"},
                  {'C', "samples of a counter"},
                  {'M', "names and places of lanes"}};
    uint64_t others = 0;

    for (size_t i = 0; i < PHASES; i++)
        others += e->phases[i];
    for (size_t i = 0; i < COUNT(phases); i++) {
        uint64_t count = e->phases[(unsigned char)phases[i].phase];

        others -= count;
        if (count)
            text_printf(out, "  traceEvents[] with ph %c %29" PRIu64 "  %s\n",
                        phases[i].phase, count, phases[i].meaning);
    }
    if (others)
        text_printf(out, "  traceEvents[] of other phases %20" PRIu64 "  passed over\n",
                    others);
}

static void write_json(const struct bin_block *block, struct text *out)
{
    struct explaining e = {0};
    struct json_token token;
    char path[PATH_BYTES] = "";
    struct err err;

    e.read =
        json_read_create_memory("payload", block->payload, block->size, JSON_LIMITS);
    e.known = map_create();
    e.fields = xcalloc(FIELDS_MAX, sizeof(e.fields[0]));
    if (json_read_next(e.read, &token, &err) < 0 ||
        take_value(&e, &token, path, 0, 0, &err) < 0)
        text_printf(out, "  cannot be read on: %s\n", err.text);
    write_fields(&e, block->type, out);
    if (block->type == BIN_TRACE)
        write_phases(&e, out);
    for (size_t i = 0; i < e.count; i++)
        free(e.fields[i].path);
    free(e.fields);
    map_destroy(e.known);
    json_read_destroy(e.read);
}

static void write_code(const struct bin_block *block, struct text *out)
{
    size_t lines = 0;

    for (size_t i = 0; i < block->size; i++)
        lines += block->payload[i] == '\n';
    text_printf(out, "  %.4095s: %zu lines\n", (const char *)block->path, lines);
}

void describe_write(const struct bin_block *block, struct text *out)
{
    const char *purpose = describe_block(block->type);

    text_printf(out, "block %zu, type 0x%02X, %zu bytes: %s\n", block->index,
                block->type, block->size, purpose ? purpose : "not read by any viewer");
    if (block->type == BIN_CODE)
        write_code(block, out);
    else if (block->type == BIN_MEMORY_RECORDS || block->type == BIN_CACHE_SETS)
        tracekit_explain(block, out);
    else if (purpose)
        write_json(block, out);
}
