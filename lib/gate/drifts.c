#include "lib/gate/drifts.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/compare/comparison_groups.h"

enum { NAMES_MOST = 3 }; /* cards or points that a sentence names */

/* A cell that is worse than in the anchor by at least its margin. */
struct worse_cell {
    const char *metric, *point, *kernel, *card, *host;
    double shift;
};

struct worse_cells {
    struct worse_cell *all;
    size_t count;
};

static int by_size(const void *left, const void *right)
{
    const struct worse_cell *a = left, *b = right;

    if (a->shift != b->shift)
        return a->shift > b->shift ? -1 : 1;
    int order = text_compare_names(a->card, b->card);
    return order ? order : text_compare_names(a->point, b->point);
}

/* The cells of cards that are known, the largest change first. */
static struct worse_cells find_worse(const struct comparison *comparison)
{
    size_t total = comparison_count(comparison);
    struct worse_cells worse = {xcalloc(total + 1, sizeof(struct worse_cell)), 0};

    for (size_t i = 0; i < total; i++) {
        const struct comparison_row row = comparison_row(comparison, i);
        bool is_pinned = row.card[0] != '\0';

        if (row.quarantine[0] || row.measured_otherwise || !(row.shift >= row.margin) ||
            (!is_pinned && !row.placed_serial[0]))
            continue;
        worse.all[worse.count++] =
            (struct worse_cell){row.metric,
                                row.point,
                                row.kernel,
                                is_pinned ? row.card : row.placed_serial,
                                is_pinned ? row.host : row.placed_host,
                                row.shift};
    }
    if (worse.count > 0)
        qsort(worse.all, worse.count, sizeof(*worse.all), by_size);
    return worse;
}

static bool is_in_group(const struct worse_cell *cell,
                        const struct comparison_group *group)
{
    if (strcmp(cell->metric, group->metric) != 0)
        return false;
    return group->card[0] ? strcmp(cell->card, group->card) == 0
                          : strcmp(cell->kernel, group->kernel) == 0 &&
                                strcmp(cell->point, group->point) == 0;
}

/* "card S3 of host node0 (+4.1 %)", or "point m=1 of kernel add (+4.1 %)" */
static void add_name(struct text *out, const struct worse_cell *cell, bool is_of_card)
{
    if (!is_of_card)
        text_printf(out, "card %s of host %s", cell->card, cell->host);
    else if (cell->point[0])
        text_printf(out, "point %s of kernel %s", cell->point, cell->kernel);
    else
        text_printf(out, "kernel %s", cell->kernel);
    text_printf(out, " (+%.1f %%)", 100 * expm1(cell->shift));
}

/* Adds the cells of the group that are worse, the largest change first. */
static void add_cells(struct text *out,
                      const struct worse_cells *worse,
                      const struct comparison_group *group)
{
    struct text names = {0};
    size_t found = 0;

    text_add(&names, "");
    for (size_t i = 0; i < worse->count; i++) {
        if (!is_in_group(&worse->all[i], group) || ++found > NAMES_MOST)
            continue;
        text_add(&names, found > 1 ? ", " : "");
        add_name(&names, &worse->all[i], group->card[0] != '\0');
    }
    if (found > 0)
        text_add(out, group->card[0] ? " at " : " on ");
    if (found > 1)
        text_printf(out, "%zu of %zu %s: ", found, group->cells,
                    group->card[0] ? "points" : "cells");
    text_add(out, text_get(&names));
    if (found > NAMES_MOST)
        text_printf(out, " and %zu more", found - NAMES_MOST);
    text_clear(&names);
}

static char *sentence_of(const struct comparison_group *group,
                         const struct worse_cells *worse,
                         const char *anchor)
{
    struct text out = {0};

    if (group->card[0])
        text_printf(&out, "card %s of host %s", group->card, group->host);
    else if (group->point[0])
        text_printf(&out, "point %s of kernel %s", group->point, group->kernel);
    else
        text_printf(&out, "kernel %s", group->kernel);
    text_printf(&out, " is %.1f %% worse than in %s (metric %s)",
                100 * expm1(group->shift), anchor, group->metric);
    add_cells(&out, worse, group);
    return text_take(&out);
}

/* Most cards of a metric are worse: the points are, not the cards. */
static bool
are_most_worse(const struct comparison_group *groups, size_t count, const char *metric)
{
    size_t all = 0, worse = 0;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(groups[i].metric, metric) != 0 || groups[i].cells == 0)
            continue;
        all++;
        worse += groups[i].outcome == OUTCOME_REGRESSED;
    }
    return 2 * worse > all;
}

char **
drifts_find(const struct comparison *comparison, const char *anchor, size_t *count)
{
    static const enum comparison_level levels[] = {LEVEL_CARD, LEVEL_POINT};
    struct worse_cells worse = find_worse(comparison);
    char **sentences = NULL;

    *count = 0;
    for (size_t level = 0; level < COUNT(levels); level++) {
        size_t found;
        struct comparison_group *groups =
            comparison_groups(comparison, levels[level], &found);

        sentences = xreallocarray(sentences, *count + found + 1, sizeof(*sentences));
        for (size_t i = 0; i < found; i++)
            if (groups[i].outcome == OUTCOME_REGRESSED &&
                (levels[level] == LEVEL_POINT ||
                 !are_most_worse(groups, found, groups[i].metric)))
                sentences[(*count)++] = sentence_of(&groups[i], &worse, anchor);
        free(groups);
    }
    free(worse.all);
    return sentences;
}
