/* yaml.h - a YAML document as a tree of nodes that know where they stand
 *
 * One document, UTF-8. Refused, each with its place: duplicate keys, keys that are not
 * scalars, aliases (a few bytes of them can mean gigabytes), tags, NUL characters, and
 * what is beyond the limits below. Scalars stay texts: what they mean is for the reader
 * of that key to say. The tree lives in the arena. */
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
    const char *text;      /* of a YAML_TEXT, else "" */
    size_t length;
    bool plain;                    /* written without quotes and not as a block */
    const struct yaml_node *key;   /* of a member of a map: its key, else NULL */
    const struct yaml_node *first; /* elements of a list, members of a map */
    const struct yaml_node *next;
    size_t count;
};

/* `name` stands in errors: `name:line:column: what`. */
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

/* The member of a map, or NULL; NULL too when it is not a map. */
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);
bool yaml_is_null(const struct yaml_node *node); /* nothing, ~ or null */
bool yaml_is(const struct yaml_node *node, const char *text);
/* True when it is a plain true or false. */
bool yaml_bool(const struct yaml_node *node, bool *value);
const char *yaml_kind_name(enum yaml_kind kind); /* "a text", "a list", "a map" */

/* A complaint about this node, in the same form; returns -1. */
int yaml_error(const struct yaml_node *node,
               const char *name,
               struct err *err,
               const char *fmt,
               ...) __attribute__((format(printf, 4, 5)));

#endif
