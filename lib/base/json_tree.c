#include "lib/base/json_tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"

struct builder {
    struct json_read *read;
    struct arena *arena;
    struct err *err;
    const struct json_node *root;
    struct {
        struct json_node *node;
        const struct json_node **tail;
    } levels[JSON_TREE_DEPTH_MAX];
    size_t depth, nodes;
    const char *key;
};

static int add(struct builder *builder, const struct json_token *token)
{
    struct json_node *node = arena_calloc(builder->arena, 1, sizeof(*node));

    if (++builder->nodes > JSON_TREE_NODES_MAX)
        return json_read_error(builder->read, builder->err, "too many values");
    *node = (struct json_node){
        .kind = token->kind,
        .key = builder->key,
        .text = token->length
                    ? arena_memdup(builder->arena, token->text, token->length + 1)
                    : "",
        .length = token->length,
        .line = token->line,
        .column = token->column,
    };
    builder->key = "";
    if (builder->depth == 0) {
        builder->root = node;
    } else {
        assert(builder->levels[builder->depth - 1].tail);
        *builder->levels[builder->depth - 1].tail = node;
        builder->levels[builder->depth - 1].tail = &node->next;
        builder->levels[builder->depth - 1].node->count++;
    }
    if (token->kind == JSON_OBJECT || token->kind == JSON_ARRAY) {
        builder->levels[builder->depth].node = node;
        builder->levels[builder->depth++].tail = &node->first;
    }
    return 0;
}

/* Reads one value. The root stays NULL at the end of an array that the caller reads. */
static int build(struct builder *builder)
{
    struct json_token token;

    do {
        if (json_read_next(builder->read, &token, builder->err) < 0)
            return -1;
        if (token.kind == JSON_KEY)
            builder->key = arena_memdup(builder->arena, token.text, token.length + 1);
        else if (token.kind != JSON_OBJECT_END && token.kind != JSON_ARRAY_END) {
            if (add(builder, &token) < 0)
                return -1;
        } else if (builder->depth) {
            builder->depth--;
        }
    } while (builder->depth);
    return 0;
}

int json_tree_read(const struct json_node **root,
                   struct json_read *read,
                   struct arena *arena,
                   struct err *err)
{
    struct builder builder = {.read = read, .arena = arena, .err = err, .key = ""};

    if (build(&builder) < 0)
        return -1;
    *root = builder.root;
    return 0;
}

int json_tree_parse(const struct json_node **root,
                    const char *name,
                    const void *bytes,
                    size_t size,
                    struct json_limits limits,
                    struct arena *arena,
                    struct err *err)
{
    if (limits.depth > JSON_TREE_DEPTH_MAX)
        limits.depth = JSON_TREE_DEPTH_MAX;
    if (size > JSON_TREE_BYTES_MAX)
        return err_set(err, ERR_LIMIT, "%s: larger than %d bytes", name,
                       JSON_TREE_BYTES_MAX);
    struct builder builder = {
        .read = json_read_create_memory(name, bytes, size, limits),
        .arena = arena,
        .err = err,
        .key = "",
    };
    struct json_token token;
    int result = build(&builder);
    if (result == 0)
        result = json_read_expect(builder.read, JSON_END, &token, err);
    json_read_destroy(builder.read);
    if (result == 0)
        *root = builder.root;
    return result;
}

int json_tree_parse_file(const struct json_node **root,
                         const char *path,
                         struct arena *arena,
                         struct err *err)
{
    char *bytes;
    size_t size;

    if (file_read(&bytes, &size, path, JSON_TREE_BYTES_MAX, err) < 0)
        return -1;
    int result = json_tree_parse(root, path, bytes, size, JSON_TREE_LIMITS, arena, err);
    free(bytes);
    return result;
}

bool json_tree_is(const struct json_node *node, enum json_kind kind)
{
    return node && node->kind == kind;
}

const struct json_node *json_tree_get(const struct json_node *node, const char *key)
{
    if (!json_tree_is(node, JSON_OBJECT))
        return NULL;
    const struct json_node *member = node->first;
    while (member && strcmp(member->key, key) != 0)
        member = member->next;
    return member;
}

const struct json_node *json_tree_at(const struct json_node *node, size_t place)
{
    if (!json_tree_is(node, JSON_ARRAY))
        return NULL;
    const struct json_node *element = node->first;
    while (element && place--)
        element = element->next;
    return element;
}

bool json_tree_text(const struct json_node *node, const char **value)
{
    if (!json_tree_is(node, JSON_TEXT))
        return false;
    *value = node->text;
    return true;
}

bool json_tree_u64(const struct json_node *node, uint64_t *value)
{
    return json_tree_is(node, JSON_NUMBER) && json_number_u64(node->text, value);
}

bool json_tree_i64(const struct json_node *node, int64_t *value)
{
    return json_tree_is(node, JSON_NUMBER) && json_number_i64(node->text, value);
}

bool json_tree_double(const struct json_node *node, double *value)
{
    return json_tree_is(node, JSON_NUMBER) && json_number_double(node->text, value);
}

bool json_tree_bool(const struct json_node *node, bool *value)
{
    if (!node || (node->kind != JSON_TRUE && node->kind != JSON_FALSE))
        return false;
    *value = node->kind == JSON_TRUE;
    return true;
}
