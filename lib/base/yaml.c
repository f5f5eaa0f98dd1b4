#include "lib/base/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "lib/base/file.h"
#include "lib/base/map.h"

struct level {
    struct yaml_node *node;
    const struct yaml_node **tail;
    const struct yaml_node *key; /* read; its value follows */
    struct map *keys;            /* keys of a map so far */
};

struct builder {
    struct arena *arena;
    const char *name;
    struct err *err;
    struct level levels[YAML_DEPTH_MAX];
    size_t depth;
    size_t nodes;
    const struct yaml_node *root;
    const char *text;
};

const char *yaml_kind_name(enum yaml_kind kind)
{
    static const char *const names[] = {"a text", "a list", "a map"};

    return names[kind];
}

static int fail_at(const struct builder *builder,
                   yaml_mark_t mark,
                   enum err_code code,
                   const char *what)
{
    return err_set(builder->err, code, "%s:%zu:%zu: %s", builder->name, mark.line + 1,
                   mark.column + 1, what);
}

/* A decoding error has an offset, but no line. */
static yaml_mark_t mark_of(const char *text, size_t offset)
{
    yaml_mark_t mark = {.index = offset};

    for (size_t i = 0; i < offset; i++)
        if (text[i] == '\n') {
            mark.line++;
            mark.column = 0;
        } else {
            mark.column += ((unsigned char)text[i] & 0xc0) != 0x80;
        }
    return mark;
}

/* Reports the error of libyaml, with the line of its context if there is one. */
static int fail_syntax(const struct builder *builder, const yaml_parser_t *parser)
{
    char what[200];

    if (parser->error == YAML_READER_ERROR)
        return fail_at(builder, mark_of(builder->text, parser->problem_offset),
                       ERR_INPUT, parser->problem);
    if (parser->context)
        snprintf(what, sizeof(what), "%s, %s that starts in line %zu", parser->problem,
                 parser->context, parser->context_mark.line + 1);
    else
        snprintf(what, sizeof(what), "%s", parser->problem ? parser->problem : "wrong");
    return fail_at(builder, parser->problem_mark, ERR_INPUT, what);
}

static struct yaml_node *
add_node(struct builder *builder, enum yaml_kind kind, yaml_mark_t mark)
{
    if (++builder->nodes > YAML_NODES_MAX) {
        fail_at(builder, mark, ERR_LIMIT, "the document has too many values");
        return NULL;
    }
    struct yaml_node *node = arena_calloc(builder->arena, 1, sizeof(*node));
    node->kind = kind;
    node->file = builder->name;
    node->line = (unsigned)mark.line + 1;
    node->column = (unsigned)mark.column + 1;
    node->text = "";
    return node;
}

static int take_key(struct builder *builder,
                    struct level *level,
                    const struct yaml_node *node,
                    yaml_mark_t mark)
{
    char what[160];

    if (node->kind != YAML_TEXT)
        return fail_at(builder, mark, ERR_INPUT, "a key must be a text");
    const struct yaml_node *before = map_put(level->keys, node->text, (void *)node);
    if (before) {
        snprintf(what, sizeof(what),
                 "key '%.80s' appears twice; the first is in line %u", node->text,
                 before->line);
        return fail_at(builder, mark, ERR_INPUT, what);
    }
    level->key = node;
    return 0;
}

/* Adds the node as root, element, key or value. */
static int place(struct builder *builder, struct yaml_node *node, yaml_mark_t mark)
{
    if (!node)
        return -1;
    if (builder->depth == 0) {
        builder->root = node;
        return 0;
    }
    struct level *level = &builder->levels[builder->depth - 1];
    if (level->node->kind == YAML_MAP && !level->key)
        return take_key(builder, level, node, mark);
    node->key = level->key;
    level->key = NULL;
    *level->tail = node;
    level->tail = &node->next;
    level->node->count++;
    return 0;
}

static int open_level(struct builder *builder, enum yaml_kind kind, yaml_mark_t mark)
{
    struct yaml_node *node = add_node(builder, kind, mark);

    if (place(builder, node, mark) < 0)
        return -1;
    if (builder->depth == YAML_DEPTH_MAX)
        return fail_at(builder, mark, ERR_LIMIT, "nested too deeply");
    builder->levels[builder->depth++] =
        (struct level){.node = node,
                       .tail = &node->first,
                       .keys = kind == YAML_MAP ? map_create() : NULL};
    return 0;
}

static void close_level(struct builder *builder)
{
    map_destroy(builder->levels[--builder->depth].keys);
}

static int add_text(struct builder *builder, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    struct yaml_node *node = add_node(builder, YAML_TEXT, event->start_mark);

    if (!node)
        return -1;
    if (length > YAML_TEXT_MAX)
        return fail_at(builder, event->start_mark, ERR_LIMIT, "a text is too long");
    if (memchr(value, '\0', length))
        return fail_at(builder, event->start_mark, ERR_INPUT, "a text contains a NUL");
    node->text = arena_strndup(builder->arena, value, length);
    node->length = length;
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return place(builder, node, event->start_mark);
}

static bool has_tag(const yaml_event_t *event)
{
    return (event->type == YAML_SCALAR_EVENT && event->data.scalar.tag) ||
           (event->type == YAML_SEQUENCE_START_EVENT &&
            event->data.sequence_start.tag) ||
           (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.tag);
}

static int take_event(struct builder *builder, const yaml_event_t *event)
{
    yaml_mark_t mark = event->start_mark;

    if (has_tag(event))
        return fail_at(builder, mark, ERR_INPUT, "tags (!) are not supported");
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (builder->root)
            return fail_at(builder, mark, ERR_INPUT,
                           "a second document starts here; only one is allowed");
        return 0;
    case YAML_ALIAS_EVENT:
        return fail_at(builder, mark, ERR_INPUT,
                       "aliases (*) are not supported; write the value again");
    case YAML_SCALAR_EVENT:
        return add_text(builder, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_level(builder, YAML_LIST, mark);
    case YAML_MAPPING_START_EVENT:
        return open_level(builder, YAML_MAP, mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_level(builder);
        return 0;
    default:
        return 0;
    }
}

static int read_events(struct builder *builder, yaml_parser_t *parser)
{
    for (bool ended = false; !ended;) {
        yaml_event_t event;

        if (!yaml_parser_parse(parser, &event))
            return fail_syntax(builder, parser);
        int result = take_event(builder, &event);
        ended = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (result < 0)
            return -1;
    }
    if (!builder->root)
        return err_set(builder->err, ERR_INPUT, "%s:1:1: the document is empty",
                       builder->name);
    return 0;
}

int yaml_parse(const struct yaml_node **root,
               const char *text,
               size_t size,
               const char *name,
               struct arena *arena,
               struct err *err)
{
    struct builder builder = {
        .arena = arena, .name = arena_strdup(arena, name), .err = err};
    yaml_parser_t parser;

    if (size > YAML_FILE_MAX)
        return err_set(err, ERR_LIMIT, "%s: larger than %d bytes", name, YAML_FILE_MAX);
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        text += 3;
        size -= 3;
    }
    builder.text = text;
    if (!yaml_parser_initialize(&parser))
        return err_set(err, ERR_SYSTEM, "%s: the YAML parser could not be created",
                       name);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    int result = read_events(&builder, &parser);
    while (builder.depth)
        close_level(&builder);
    yaml_parser_delete(&parser);
    if (result == 0)
        *root = builder.root;
    return result;
}

int yaml_parse_file(const struct yaml_node **root,
                    const char *path,
                    struct arena *arena,
                    struct err *err)
{
    char *text;
    size_t size;

    if (file_read(&text, &size, path, YAML_FILE_MAX, err) < 0)
        return -1;
    int result = yaml_parse(root, text, size, path, arena, err);
    free(text);
    return result;
}

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
    if (map->kind != YAML_MAP)
        return NULL;
    const struct yaml_node *node = map->first;
    while (node && strcmp(node->key->text, key) != 0)
        node = node->next;
    return node;
}

bool yaml_is(const struct yaml_node *node, const char *text)
{
    return node->kind == YAML_TEXT && strcmp(node->text, text) == 0;
}

bool yaml_is_null(const struct yaml_node *node)
{
    return node->kind == YAML_TEXT && node->plain &&
           (node->length == 0 || yaml_is(node, "~") || yaml_is(node, "null"));
}

bool yaml_bool(const struct yaml_node *node, bool *value)
{
    if (!node->plain || (!yaml_is(node, "true") && !yaml_is(node, "false")))
        return false;
    *value = node->text[0] == 't';
    return true;
}

int yaml_error(const struct yaml_node *node,
               const char *name,
               struct err *err,
               const char *fmt,
               ...)
{
    char what[200];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    return err_set(err, ERR_INPUT, "%s:%u:%u: %s", name, node->line, node->column,
                   what);
}
