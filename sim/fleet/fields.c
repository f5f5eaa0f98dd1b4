#include "sim/fleet/fields.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#define COMPLAINTS_MAX 20
#define DEPTH_MAX      16
#define WORD_MAX       48 /* longest key that is compared with the allowed ones */

static void
complain_at(struct reader *reader, yaml_mark_t mark, const char *key, const char *text)
{
    int size;

    if (++reader->count > COMPLAINTS_MAX)
        return;
    size =
        snprintf(reader->complaints + reader->used, reader->room - reader->used,
                 "%s%s:%zu:%zu: %s%s%s", reader->used ? "\n" : "", reader->file,
                 mark.line + 1, mark.column + 1, key ? key : "", key ? ": " : "", text);
    if (size > 0 && (size_t)size < reader->room - reader->used)
        reader->used += (size_t)size;
    else
        reader->used = reader->room - 1; /* truncated; snprintf wrote the NUL */
}

void fields_complain(struct reader *reader,
                     yaml_node_t *node,
                     const char *key,
                     const char *format,
                     ...)
{
    char text[512];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    complain_at(reader, node->start_mark, key, text);
}

/* Checks the depth first, because the run time of libyaml grows with its square. Does
 * not complain about invalid YAML: the parser does that. */
static bool is_too_deep(const char *text, size_t size, yaml_mark_t *where)
{
    bool ended = false, deep = false;
    yaml_parser_t parser;
    yaml_event_t event;
    int depth = 0;

    if (!yaml_parser_initialize(&parser))
        return false;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    while (!ended && !deep && yaml_parser_parse(&parser, &event)) {
        if (event.type == YAML_SEQUENCE_START_EVENT ||
            event.type == YAML_MAPPING_START_EVENT)
            depth++;
        else if (event.type == YAML_SEQUENCE_END_EVENT ||
                 event.type == YAML_MAPPING_END_EVENT)
            depth--;
        deep = depth > DEPTH_MAX;
        ended = event.type == YAML_STREAM_END_EVENT;
        *where = event.start_mark;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return deep;
}

yaml_node_t *fields_open(struct reader *reader, const char *text, size_t size)
{
    yaml_document_t *document = calloc(1, sizeof(*document));
    yaml_node_t *root = NULL;
    yaml_parser_t parser;
    yaml_mark_t where = {0};

    reader->document = NULL;
    if (is_too_deep(text, size, &where)) {
        complain_at(reader, where, NULL, "nested too deeply");
        free(document);
        return NULL;
    }
    if (!document || !yaml_parser_initialize(&parser)) {
        free(document);
        complain_at(reader, (yaml_mark_t){0}, NULL, "no memory");
        return NULL;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    if (!yaml_parser_load(&parser, document)) {
        yaml_mark_t mark = parser.problem_mark;

        complain_at(reader, mark, NULL,
                    parser.problem ? parser.problem : "invalid YAML");
        free(document);
    } else {
        reader->document = document;
        root = yaml_document_get_root_node(document);
        if (!root)
            complain_at(reader, (yaml_mark_t){0}, NULL, "the file is empty");
    }
    yaml_parser_delete(&parser);
    return root;
}

void fields_close(struct reader *reader)
{
    if (!reader->document)
        return;
    yaml_document_delete(reader->document);
    free(reader->document);
    reader->document = NULL;
}

static yaml_node_t *node_at(const struct reader *reader, int index)
{
    return yaml_document_get_node(reader->document, index);
}

static const char *text_of(const yaml_node_t *node)
{
    const char *text;

    if (node->type != YAML_SCALAR_NODE)
        return NULL;
    text = (const char *)node->data.scalar.value;
    return strlen(text) == node->data.scalar.length ? text : NULL;
}

const char *fields_text(struct reader *reader, const char *key, yaml_node_t *node)
{
    const char *text = text_of(node);

    if (!text)
        fields_complain(reader, node, key, "expected one word or number");
    return text;
}

bool fields_number(struct reader *reader,
                   const char *key,
                   yaml_node_t *node,
                   uint64_t min,
                   uint64_t max,
                   uint64_t *out)
{
    const char *text = fields_text(reader, key, node);
    char *end;

    if (!text)
        return false;
    errno = 0;
    *out = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    if (*text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *out >= min &&
        *out <= max)
        return true;
    fields_complain(reader, node, key,
                    "'%.40s' is not a whole number from %llu to %llu", text,
                    (unsigned long long)min, (unsigned long long)max);
    return false;
}

static bool
real(struct reader *reader, const struct field *field, yaml_node_t *node, double *out)
{
    const char *text = fields_text(reader, field->key, node);
    char *end;

    if (!text)
        return false;
    *out = strtod(text, &end);
    if (*text && *end == '\0' && strspn(text, "0123456789.+-eE") == strlen(text) &&
        isfinite(*out) && *out >= field->min && *out <= field->max)
        return true;
    fields_complain(reader, node, field->key, "'%.40s' is not a number from %g to %g",
                    text, field->min, field->max);
    return false;
}

static void read_text(struct reader *reader,
                      const struct field *field,
                      yaml_node_t *node,
                      char *out)
{
    const char *text = fields_text(reader, field->key, node);

    if (!text)
        return;
    if (!*text || strlen(text) >= (size_t)field->max)
        fields_complain(reader, node, field->key, "expected a text of 1 to %zu letters",
                        (size_t)field->max - 1);
    else
        strcpy(out, text);
}

static void read_field(struct reader *reader,
                       const struct field *field,
                       yaml_node_t *node,
                       void *into)
{
    char *at = (char *)into + field->offset;
    uint64_t number;

    switch (field->type) {
    case FIELD_U32:
        if (fields_number(reader, field->key, node, (uint64_t)field->min,
                          (uint64_t)field->max, &number))
            *(uint32_t *)at = (uint32_t)number;
        break;
    case FIELD_U64: /* a double cannot hold UINT64_MAX: max 0 means no limit */
        if (fields_number(reader, field->key, node, (uint64_t)field->min,
                          field->max > 0 ? (uint64_t)field->max : UINT64_MAX, &number))
            *(uint64_t *)at = number;
        break;
    case FIELD_REAL:
        real(reader, field, node, (double *)at);
        break;
    case FIELD_TEXT:
        read_text(reader, field, node, at);
        break;
    case FIELD_OTHER:
        field->read(reader, field->key, node, at);
        break;
    case FIELD_LATER:
        break;
    }
}

/* Returns the edit distance of two words: letters to add, drop or change. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[WORD_MAX + 1];
    size_t length = strlen(b);

    if (strlen(a) > WORD_MAX || length > WORD_MAX)
        return UINT32_MAX;
    for (size_t i = 0; i <= length; i++)
        row[i] = (unsigned)i;
    for (; *a; a++) {
        unsigned before = row[0]++;

        for (size_t i = 1; i <= length; i++) {
            unsigned best = before + (*a != b[i - 1]);

            before = row[i];
            if (row[i] + 1 < best)
                best = row[i] + 1;
            if (row[i - 1] + 1 < best)
                best = row[i - 1] + 1;
            row[i] = best;
        }
    }
    return row[length];
}

/* Returns true when a key is in the list of allowed keys. Sets *needed when "!" follows
 * it there. */
static bool is_allowed(const char *allowed, const char *key, bool *needed)
{
    size_t length = strlen(key);

    *needed = false;
    if (!allowed)
        return true;
    for (const char *at = allowed; (at = strstr(at, key)); at += length) {
        bool begins = at == allowed || at[-1] == ' ';
        char end = at[length];

        if (begins && (end == ' ' || end == '!' || end == '\0')) {
            *needed = end == '!';
            return true;
        }
    }
    return false;
}

static void complain_unknown(struct reader *reader,
                             const char *what,
                             yaml_node_t *node,
                             const char *key,
                             const struct field *fields,
                             size_t count,
                             const char *allowed)
{
    unsigned best = 4; /* a greater edit distance is not a typing error */
    const char *near = NULL;
    char known[256] = "";
    bool needed;

    for (size_t i = 0; i < count; i++) {
        unsigned off = distance(key, fields[i].key);
        size_t used = strlen(known);

        if (!is_allowed(allowed, fields[i].key, &needed))
            continue;
        snprintf(known + used, sizeof(known) - used, "%s%s", used ? ", " : "",
                 fields[i].key);
        if (off < best && off <= strlen(fields[i].key) / 2) {
            best = off;
            near = fields[i].key;
        }
    }
    if (near)
        fields_complain(reader, node, key, "%s has no such key; did you mean '%s'?",
                        what, near);
    else
        fields_complain(reader, node, key, "%s has no such key; allowed keys: %s", what,
                        known);
}

uint64_t fields_read(struct reader *reader,
                     const char *what,
                     yaml_node_t *node,
                     const struct field *fields,
                     size_t count,
                     const char *allowed,
                     void *into)
{
    uint64_t seen = 0;
    bool needed;

    if (node->type != YAML_MAPPING_NODE) {
        fields_complain(reader, node, NULL, "%s must be a mapping of keys to values",
                        what);
        return 0;
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        yaml_node_t *key_node = node_at(reader, pair->key);
        const char *key = fields_text(reader, what, key_node);
        size_t i = 0;

        if (!key)
            continue;
        while (i < count && (strcmp(key, fields[i].key) != 0 ||
                             !is_allowed(allowed, fields[i].key, &needed)))
            i++;
        if (i == count) {
            complain_unknown(reader, what, key_node, key, fields, count, allowed);
        } else if (seen & 1ull << i) {
            fields_complain(reader, key_node, key, "duplicate key");
        } else {
            seen |= 1ull << i;
            read_field(reader, &fields[i], node_at(reader, pair->value), into);
        }
    }
    for (size_t i = 0; allowed && i < count; i++)
        if (!(seen & 1ull << i) && is_allowed(allowed, fields[i].key, &needed) &&
            needed)
            fields_complain(reader, node, fields[i].key, "%s needs this key", what);
    return seen;
}

void fields_each(struct reader *reader,
                 const char *key,
                 yaml_node_t *node,
                 size_t max,
                 void (*fn)(struct reader *reader, yaml_node_t *item, void *arg),
                 void *arg)
{
    size_t count = 0;

    if (node->type != YAML_SEQUENCE_NODE) {
        fields_complain(reader, node, key, "expected a list");
        return;
    }
    for (yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++) {
        if (count++ == max) {
            fields_complain(reader, node_at(reader, *item), key,
                            "expected at most %zu items", max);
            return;
        }
        fn(reader, node_at(reader, *item), arg);
    }
}

void fields_pairs(struct reader *reader,
                  const char *key,
                  yaml_node_t *node,
                  void (*fn)(struct reader *reader,
                             yaml_node_t *at,
                             const char *name,
                             const char *value,
                             void *arg),
                  void *arg)
{
    if (node->type != YAML_MAPPING_NODE) {
        fields_complain(reader, node, key, "expected a mapping");
        return;
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        const char *name = fields_text(reader, key, node_at(reader, pair->key));
        const char *value = fields_text(reader, key, node_at(reader, pair->value));

        if (name && value)
            fn(reader, node_at(reader, pair->key), name, value, arg);
    }
}

yaml_node_t *fields_find(struct reader *reader, yaml_node_t *node, const char *key)
{
    if (node->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++) {
        const char *name = text_of(node_at(reader, pair->key));

        if (name && !strcmp(name, key))
            return node_at(reader, pair->value);
    }
    return NULL;
}
