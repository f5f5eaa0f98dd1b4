#include "parsers/framework/comm_matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

enum { BLOCK_BYTES = 256 << 10, LEVELS = 3, RANK_MAX = 1 << 20 };

/* Reads "3-12". */
static bool read_ranks(const char *key, struct comm_link *link)
{
    int end = 0;

    return sscanf(key, "%7u-%7u%n", &link->from, &link->to, &end) == 2 && !key[end] &&
           link->from <= RANK_MAX && link->to <= RANK_MAX;
}

void comm_matrix_add(struct comm_matrix *matrix, const struct comm_link *link)
{
    if (matrix->count == matrix->room) {
        matrix->room = matrix->room ? matrix->room * 2 : 64;
        matrix->rows = xreallocarray(matrix->rows, matrix->room, sizeof(*matrix->rows));
    }
    matrix->rows[matrix->count++] = *link;
}

/* Adds a link of "<kind>@<group>"; `of` has the names of the kind, group and step. */
static void add_link(struct comm_matrix *matrix,
                     const struct comm_link *of,
                     const struct json_node *node)
{
    struct comm_link link = *of;
    const char *transport, *op = "";

    if (!read_ranks(node->key, &link) ||
        !json_tree_text(json_tree_get(node, "Transport Type"), &transport) ||
        !json_tree_double(json_tree_get(node, "Transit Size(MB)"), &link.size_mb) ||
        !json_tree_double(json_tree_get(node, "Transit Time(ms)"), &link.time_ms) ||
        !isfinite(link.size_mb) || !isfinite(link.time_ms))
        return;
    json_tree_text(json_tree_get(node, "Op Name"), &op);
    link.op = names_add(matrix->names, op);
    link.transport = names_add(matrix->names, transport);
    comm_matrix_add(matrix, &link);
}

/* Adds the links of "allreduce-total@<group>". */
static void add_links(struct comm_matrix *matrix,
                      const char *step,
                      const struct json_node *node,
                      const char *at)
{
    char *kind = xstrndup(node->key, (size_t)(at - node->key));
    struct comm_link of = {.group = names_add(matrix->names, at + 1),
                           .kind = names_add(matrix->names, kind),
                           .step = names_add(matrix->names, step),
                           .is_sum = text_has_suffix(kind, "-total")};

    free(kind);
    for (const struct json_node *link = node->first; link; link = link->next)
        add_link(matrix, &of, link);
}

/* Finds the types of operators below the steps and p2p or collective. */
static void read_level(struct comm_matrix *matrix,
                       const char *step,
                       const struct json_node *node,
                       int level)
{
    if (!json_tree_is(node, JSON_OBJECT))
        return;
    for (const struct json_node *child = node->first; child; child = child->next) {
        const char *at = strrchr(child->key, '@');

        if (!at && level < LEVELS)
            read_level(matrix, level == 0 ? child->key : step, child, level + 1);
        if (at && json_tree_is(child, JSON_OBJECT))
            add_links(matrix, step, child, at);
    }
}

int comm_matrix_read(struct comm_matrix *matrix,
                     struct names *names,
                     const char *path,
                     struct err *err)
{
    struct arena *arena = arena_create(BLOCK_BYTES);
    const struct json_node *root;
    int result = json_tree_parse_file(&root, path, arena, err);

    *matrix = (struct comm_matrix){.names = names};
    if (result == 0)
        read_level(matrix, "", root, 0);
    arena_destroy(arena);
    return result;
}

void comm_matrix_clear(struct comm_matrix *matrix)
{
    free(matrix->rows);
    *matrix = (struct comm_matrix){0};
}
