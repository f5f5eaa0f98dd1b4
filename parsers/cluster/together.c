#include "parsers/cluster/together.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_keys(const struct together_op *a, const struct together_op *b)
{
    int order = compare_numbers(a->op->group, b->op->group);

    if (order == 0)
        order = compare_numbers(a->key, b->key);
    return order ? order : compare_numbers(a->op->step, b->op->step);
}

static int compare_ops(const void *a, const void *b)
{
    const struct together_op *left = a, *right = b;
    int order = compare_keys(left, right);

    return order ? order : (left->rank > right->rank) - (left->rank < right->rank);
}

static size_t ranks_of_group(const struct cluster *cluster, uint32_t hash)
{
    for (size_t i = 0; i < cluster->group_count; i++)
        if (strcmp(cluster->groups[i].hash, names_text(cluster->names, hash)) == 0)
            return cluster->groups[i].rank_count;
    return 0;
}

/* A collective has the same name on all ranks. Of hcom_send__586_3_1 the part after __
 * is the same on both. */
static uint32_t key_of(struct cluster *cluster, const struct comm_op *op)
{
    const char *numbers = strstr(names_text(cluster->names, op->name), "__");
    char *text;
    uint32_t key;

    if (!op->is_p2p || !numbers)
        return op->name;
    text = xstrdup(numbers); /* names_add() may move the text */
    key = names_add(cluster->names, text);
    free(text);
    return key;
}

static struct together_op *
list_ops(struct cluster *cluster, bool are_p2p, size_t *count)
{
    struct together_op *ops;
    size_t room = 0;

    for (size_t i = 0; i < cluster->count; i++)
        room += cluster->ranks[i].comm.count;
    ops = xcalloc(room + 1, sizeof(*ops));
    *count = 0;
    for (size_t i = 0; i < cluster->count; i++)
        for (size_t j = 0; j < cluster->ranks[i].comm.count; j++) {
            const struct comm_op *op = &cluster->ranks[i].comm.rows[j];

            if (op->is_p2p == are_p2p)
                ops[(*count)++] = (struct together_op){op, i, key_of(cluster, op)};
        }
    qsort(ops, *count, sizeof(*ops), compare_ops);
    return ops;
}

static void each(struct cluster *cluster, bool are_p2p, together_fn *fn)
{
    size_t count, next;
    struct together_op *ops = list_ops(cluster, are_p2p, &count);

    for (size_t i = 0; i < count; i = next) {
        bool once = true; /* on each rank */

        for (next = i + 1; next < count && compare_keys(&ops[next], &ops[i]) == 0;
             next++)
            once &= ops[next].rank != ops[next - 1].rank;
        size_t all = are_p2p ? 2 : ranks_of_group(cluster, ops[i].op->group);
        if (once && next - i >= 2 && next - i == all)
            fn(cluster, &ops[i], next - i);
    }
    free(ops);
}

void together_each_collective(struct cluster *cluster, together_fn *fn)
{
    each(cluster, false, fn);
}

void together_each_pair(struct cluster *cluster, together_fn *fn)
{
    each(cluster, true, fn);
}
