/* tree.h - a JSON document as a tree, for those who must look at all of it */
#ifndef PARSERS_VISUALIZE_TREE_H
#define PARSERS_VISUALIZE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/json_read.h"

struct node {
    enum json_kind kind; /* JSON_OBJECT, JSON_ARRAY, JSON_TEXT ... */
    const char *key;     /* in an object */
    const char *text;    /* of a text, or the literal of a number */
    struct node *child, *next;
    size_t count; /* of children */
};

/* ERR_INPUT with line and column. The tree lives in the arena. */
int tree_read(struct node **root,
              const void *bytes,
              size_t size,
              struct arena *arena,
              struct err *err);

/* The first member of that name, as the reader takes it; NULL when there is none, or
 * when `node` is no object (NULL is welcome). */
const struct node *tree_get(const struct node *node, const char *key);
bool tree_is(const struct node *node, enum json_kind kind); /* false for NULL */

#endif
