/* json_tree.h - reads a small JSON document into a tree in an arena
 *
 * For reports and configuration; use json_read.h for input that may be large. */
#ifndef LIB_BASE_JSON_TREE_H
#define LIB_BASE_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"
#include "lib/base/json_read.h"

enum {
    JSON_TREE_BYTES_MAX = 64 << 20,
    JSON_TREE_NODES_MAX = 1 << 22,
    JSON_TREE_DEPTH_MAX = 128,
};
/* Generous limits; use smaller ones where the input is known to be small. */
#define JSON_TREE_LIMITS                                                               \
    ((struct json_limits){.depth = JSON_TREE_DEPTH_MAX, .text_bytes = 8 << 20})

struct json_node {
    enum json_kind kind; /* OBJECT, ARRAY, TEXT, NUMBER, TRUE, FALSE or NULL */
    const char *key;     /* of a member of an object, otherwise "" */
    const char *text;    /* of a text or a number, otherwise "" */
    size_t length;
    const struct json_node *first, *next; /* members or elements */
    size_t count;
    uint64_t line, column;
};

/* Errors begin with `name`. Two members with the same key are both kept. */
int json_tree_parse(const struct json_node **root,
                    const char *name,
                    const void *bytes,
                    size_t size,
                    struct json_limits limits,
                    struct arena *arena,
                    struct err *err);
/* Reads the next value of a larger document, of which `read` may already have read a
 * part, after JSON_KEY or in an array. *root becomes NULL where the array ends. The
 * limit of depth of `read` must be at most JSON_TREE_DEPTH_MAX. */
int json_tree_read(const struct json_node **root,
                   struct json_read *read,
                   struct arena *arena,
                   struct err *err);
int json_tree_parse_file(const struct json_node **root,
                         const char *path,
                         struct arena *arena,
                         struct err *err);

bool json_tree_is(const struct json_node *node, enum json_kind kind); /* NULL: false */
/* Returns the first member with this key, or NULL, also when `node` is NULL or no
 * object, so that calls can be nested. */
const struct json_node *json_tree_get(const struct json_node *node, const char *key);
/* Does the same for an element by its index. */
const struct json_node *json_tree_at(const struct json_node *node, size_t place);
/* Return the value, or false when the node is NULL, of another kind, or does not fit.
 */
bool json_tree_text(const struct json_node *node, const char **value);
bool json_tree_u64(const struct json_node *node, uint64_t *value);
bool json_tree_i64(const struct json_node *node, int64_t *value);
bool json_tree_double(const struct json_node *node, double *value);
bool json_tree_bool(const struct json_node *node, bool *value);

#endif
