#include "parsers/container/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_read.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "parsers/container/advice.h"
#include "parsers/container/describe_fields.h"
#include "parsers/container/tracekit.h"

enum { DEPTH_MAX = 16, PATH_BYTES = 512, FIELDS_MAX = 4096, PHASES = 128 };

struct field {
    char *path, first[48];
    uint64_t count;
};

struct description {
    struct json_read *read;
    struct map *known; /* struct field by path */
    struct field *fields;
    size_t count;
    uint64_t phases[PHASES]; /* events of a trace by phase */
    struct text advice;      /* a line for each different advice */
};

static void add_field(struct description *d, const char *path, const char *value)
{
    struct field *field = map_get(d->known, path);

    if (!field) {
        if (d->count == FIELDS_MAX)
            return;
        field = &d->fields[d->count++];
        field->path = xstrdup(path);
        snprintf(field->first, sizeof(field->first), "%.40s", value);
        map_put(d->known, path, field);
    }
    field->count++;
}

/* Reads the value that `token` starts. `path` is its path, of which `used` bytes are
 * filled. Deep values and long paths are skipped. */
static int read_value(struct description *d,
                      const struct json_token *token,
                      char path[PATH_BYTES],
                      size_t used,
                      unsigned depth,
                      struct err *err);

static int read_members(struct description *d,
                        char path[PATH_BYTES],
                        size_t used,
                        unsigned depth,
                        struct err *err)
{
    struct json_token token;

    while (json_read_next(d->read, &token, err) == 0) {
        size_t more;

        if (token.kind == JSON_OBJECT_END)
            return 0;
        more = (size_t)snprintf(path + used, PATH_BYTES - used, "%s%.100s",
                                used ? "." : "", token.text);
        if (json_read_next(d->read, &token, err) < 0 ||
            read_value(d, &token, path, used + more, depth, err) < 0)
            return -1;
        path[used] = '\0';
    }
    return -1;
}

static int read_elements(struct description *d,
                         char path[PATH_BYTES],
                         size_t used,
                         unsigned depth,
                         struct err *err)
{
    struct json_token token;

    snprintf(path + used, PATH_BYTES - used, "[]");
    while (json_read_next(d->read, &token, err) == 0) {
        if (token.kind == JSON_ARRAY_END) {
            path[used] = '\0';
            return 0;
        }
        if (read_value(d, &token, path, used + 2, depth, err) < 0)
            return -1;
    }
    return -1;
}

static int read_value(struct description *d,
                      const struct json_token *token,
                      char path[PATH_BYTES],
                      size_t used,
                      unsigned depth,
                      struct err *err)
{
    if (depth == DEPTH_MAX || used + 128 > PATH_BYTES)
        return json_read_skip(d->read, err);
    if (token->kind == JSON_OBJECT)
        return read_members(d, path, used, depth + 1, err);
    if (token->kind == JSON_ARRAY)
        return read_elements(d, path, used, depth + 1, err);
    if (token->kind == JSON_TEXT && strcmp(path, "traceEvents[].ph") == 0)
        d->phases[(unsigned char)token->text[0] % PHASES]++;
    /* the list of fields has only the start of a value */
    if (token->kind == JSON_TEXT && advice_is_path(path))
        advice_add_line(&d->advice, "  advice: ", token->text);
    add_field(d, path,
              token->kind == JSON_TEXT || token->kind == JSON_NUMBER
                  ? token->text
                  : json_kind_name(token->kind));
    return 0;
}

/* Returns the meaning of a path. A list of values per core has the meaning of the field
 * that holds it. */
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

static void write_fields(const struct description *d, unsigned type, struct text *out)
{
    for (size_t i = 0; i < d->count; i++) {
        const struct field *field = &d->fields[i];
        const char *meaning = meaning_of(type, field->path);

        if (type == BIN_TRACE && strncmp(field->path, "traceEvents[]", 13) == 0)
            continue;
        text_printf(out, "  %-44s %8" PRIu64 "  %-24s  %s\n", field->path, field->count,
                    field->first, meaning ? meaning : "not read by the viewer");
    }
}

static void write_phases(const struct description *d, struct text *out)
{
    static const struct {
        char phase;
        const char *meaning;
    } phases[] = {{'X', "bars"},
                  {'B', "starts of flags"},
                  {'E', "ends of flags"},
                  {'s', "starts of arrows"},
                  {'t', "ends of arrows"},
                  {'C', "counter samples"},
                  {'M', "names and positions of tracks"}};
    uint64_t others = 0;

    for (size_t i = 0; i < PHASES; i++)
        others += d->phases[i];
    for (size_t i = 0; i < COUNT(phases); i++) {
        uint64_t count = d->phases[(unsigned char)phases[i].phase];

        others -= count;
        if (count)
            text_printf(out, "  traceEvents[] with ph %c %29" PRIu64 "  %s\n",
                        phases[i].phase, count, phases[i].meaning);
    }
    if (others)
        text_printf(
            out, "  traceEvents[] with other ph %22" PRIu64 "  ignored by the viewer\n",
            others);
}

static void write_json(const struct bin_block *block, struct text *out)
{
    struct description d = {0};
    struct json_token token;
    char path[PATH_BYTES] = "";
    struct err err;

    d.read =
        json_read_create_memory("payload", block->payload, block->size, JSON_LIMITS);
    d.known = map_create();
    d.fields = xcalloc(FIELDS_MAX, sizeof(d.fields[0]));
    if (json_read_next(d.read, &token, &err) < 0 ||
        read_value(&d, &token, path, 0, 0, &err) < 0)
        text_printf(out, "  reading stopped: %s\n", err.text);
    write_fields(&d, block->type, out);
    if (block->type == BIN_TRACE)
        write_phases(&d, out);
    text_add(out, text_get(&d.advice));
    text_clear(&d.advice);
    for (size_t i = 0; i < d.count; i++)
        free(d.fields[i].path);
    free(d.fields);
    map_destroy(d.known);
    json_read_destroy(d.read);
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
                block->type, block->size,
                purpose ? purpose : "unknown type; the viewer skips it");
    if (block->type == BIN_CODE)
        write_code(block, out);
    else if (block->type == BIN_MEMORY_RECORDS || block->type == BIN_CACHE_SETS)
        tracekit_describe(block, out);
    else if (purpose)
        write_json(block, out);
}
