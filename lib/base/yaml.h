/* yaml.h - reads a YAML document into a tree of nodes with line and column
 *
 * One document in UTF-8. Duplicate keys, keys that are no scalars, aliases (a few bytes
 * of them can expand to gigabytes), tags, NUL characters and anything beyond the limits
 * below are errors with line and column. Scalars stay texts; the reader of a key
 * converts them. The tree is allocated in the arena. */
#ifndef LIB_BASE_YAML_H
#define LIB_BASE_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/arena.h"
#include "lib/base/err.h"

enum {
    YAML_DEPTH_MAX = 32,
    YAML_NODES_MAX = 1 << 18,
    YAML_TEXT_MAX = 1 << 16, /* bytes of one scalar */
    YAML_FILE_MAX = 1 << 20,
};

enum yaml_kind {
    YAML_TEXT,
    YAML_LIST,
    YAML_MAP,
};

struct yaml_node {
    enum yaml_kind kind;
    const char *file;      /* the name that yaml_parse() was given */
    unsigned line, column; /* from 1; the column counts characters */
    const char *text;      /* of a YAML_TEXT, otherwise "" */
    size_t length;
    bool plain;                    /* written without quotes and not as a block */
    const struct yaml_node *key;   /* key of a member of a map, otherwise NULL */
    const struct yaml_node *first; /* elements of a list, members of a map */
    const struct yaml_node *next;
    size_t count;
};

/* The text of an error is `name:line:column: reason`. */
int yaml_parse(const struct yaml_node **root,
               const char *text,
               size_t size,
               const char *name,
               struct arena *arena,
               struct err *err);
int yaml_parse_file(const struct yaml_node **root,
                    const char *path,
                    struct arena *arena,
                    struct err *err);

/* Returns the member of a map, or NULL, also when `map` is no map. */
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);
bool yaml_is_null(const struct yaml_node *node); /* nothing, ~ or null */
bool yaml_is(const struct yaml_node *node, const char *text);
/* Returns true when the node is a plain true or false. */
bool yaml_bool(const struct yaml_node *node, bool *value);
const char *yaml_kind_name(enum yaml_kind kind); /* "a text", "a list", "a map" */

/* Sets an error about this node, in the same form; returns -1. */
int yaml_error(const struct yaml_node *node,
               const char *name,
               struct err *err,
               const char *fmt,
               ...) __attribute__((format(printf, 4, 5)));

#endif
