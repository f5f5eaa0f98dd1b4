#include "parsers/visualize/tree.h"

#include <string.h>

enum { DEPTH = 128 };
static const size_t TEXT_LIMIT = (size_t)8 << 20;

static void hang(struct node *parent, struct node **last, struct node *node)
{
    if (*last)
        (*last)->next = node;
    else
        parent->child = node;
    *last = node;
    parent->count++;
}

static int
build(struct json_read *read, struct arena *arena, struct node *top, struct err *err)
{
    struct node *open[DEPTH + 2] = {top}, *last[DEPTH + 2] = {NULL};
    struct json_token token;
    const char *key = NULL;
    size_t depth = 0;

    for (;;) {
        if (json_read_next(read, &token, err) < 0)
            return -1;
        if (token.kind == JSON_END)
            return 0;
        if (token.kind == JSON_KEY) {
            key = arena_strndup(arena, token.text, token.length);
            continue;
        }
        if (token.kind == JSON_OBJECT_END || token.kind == JSON_ARRAY_END) {
            depth--;
            continue;
        }
        struct node *node = arena_calloc(arena, 1, sizeof(*node));
        node->kind = token.kind;
        node->key = key;
        key = NULL;
        if (token.kind == JSON_TEXT || token.kind == JSON_NUMBER)
            node->text = arena_strndup(arena, token.text, token.length);
        hang(open[depth], &last[depth], node);
        if (token.kind == JSON_OBJECT || token.kind == JSON_ARRAY) {
            open[++depth] = node;
            last[depth] = NULL;
        }
    }
}

int tree_read(struct node **root,
              const void *bytes,
              size_t size,
              struct arena *arena,
              struct err *err)
{
    struct json_limits limits = {.depth = DEPTH, .text_bytes = TEXT_LIMIT};
    struct json_read *read = json_read_create_memory("payload", bytes, size, limits);
    struct node top = {.kind = JSON_ARRAY};
    int result = build(read, arena, &top, err);

    json_read_destroy(read);
    *root = top.child;
    return result;
}

const struct node *tree_get(const struct node *node, const char *key)
{
    if (!tree_is(node, JSON_OBJECT))
        return NULL;
    for (node = node->child; node; node = node->next)
        if (strcmp(node->key, key) == 0)
            return node;
    return NULL;
}

bool tree_is(const struct node *node, enum json_kind kind)
{
    return node && node->kind == kind;
}
