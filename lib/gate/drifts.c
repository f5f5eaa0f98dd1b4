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

/* The largest change first. */
static int by_size(const struct worse_cell *a, const struct worse_cell *b)
{
    if (a->shift != b->shift)
        return a->shift > b->shift ? -1 : 1;
    int order = text_compare_names(a->card, b->card);
    return order ? order : text_compare_names(a->point, b->point);
}

/* Compares what the groups of a level have in common: metric and card, or metric,
 * kernel and point. */
static int by_card(const struct worse_cell *a, const struct worse_cell *b)
{
    int order = strcmp(a->metric, b->metric);

    return order ? order : strcmp(a->card, b->card);
}

static int by_point(const struct worse_cell *a, const struct worse_cell *b)
{
    int order = strcmp(a->metric, b->metric);

    if (!order)
        order = strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->point, b->point);
}

static int by_card_and_size(const void *left, const void *right)
{
    int order = by_card(left, right);

    return order ? order : by_size(left, right);
}

static int by_point_and_size(const void *left, const void *right)
{
    int order = by_point(left, right);

    return order ? order : by_size(left, right);
}

/* The levels whose groups have sentences, and how cells are found for a group. */
static const struct level {
    enum comparison_level level;
    int (*compare)(const struct worse_cell *a, const struct worse_cell *b);
    int (*sort)(const void *left, const void *right);
} levels[] = {{LEVEL_CARD, by_card, by_card_and_size},
              {LEVEL_POINT, by_point, by_point_and_size}};

/* The cells of cards that are known. */
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
    return worse;
}

/* Returns the cells of the group, the largest change first. All cells are sorted by the
 * level. */
static struct worse_cells cells_of(const struct worse_cells *worse,
                                   const struct level *level,
                                   const struct comparison_group *group)
{
    const struct worse_cell wanted = {.metric = group->metric,
                                      .kernel = group->kernel,
                                      .point = group->point,
                                      .card = group->card};
    size_t first = 0, end = worse->count;

    while (first < end) {
        size_t middle = first + (end - first) / 2;

        if (level->compare(&worse->all[middle], &wanted) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    while (end < worse->count && level->compare(&worse->all[end], &wanted) == 0)
        end++;
    return (struct worse_cells){worse->all + first, end - first};
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

/* Adds the cells of the group that are worse. */
static void add_cells(struct text *out,
                      const struct worse_cells *cells,
                      const struct comparison_group *group)
{
    bool is_of_card = group->card[0] != '\0';

    if (cells->count > 0)
        text_add(out, is_of_card ? " at " : " on ");
    if (cells->count > 1)
        text_printf(out, "%zu of %zu %s: ", cells->count, group->cells,
                    is_of_card ? "points" : "cells");
    for (size_t i = 0; i < cells->count && i < NAMES_MOST; i++) {
        text_add(out, i > 0 ? ", " : "");
        add_name(out, &cells->all[i], is_of_card);
    }
    if (cells->count > NAMES_MOST)
        text_printf(out, " and %zu more", cells->count - NAMES_MOST);
}

static char *sentence_of(const struct comparison_group *group,
                         const struct worse_cells *cells,
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
    add_cells(&out, cells, group);
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
    struct worse_cells worse = find_worse(comparison);
    char **sentences = NULL;

    *count = 0;
    for (size_t i = 0; i < COUNT(levels); i++) {
        size_t found;
        struct comparison_group *groups =
            comparison_groups(comparison, levels[i].level, &found);

        if (worse.count > 0)
            qsort(worse.all, worse.count, sizeof(*worse.all), levels[i].sort);
        sentences = xreallocarray(sentences, *count + found + 1, sizeof(*sentences));
        for (size_t k = 0; k < found; k++) {
            if (groups[k].outcome != OUTCOME_REGRESSED ||
                (levels[i].level == LEVEL_CARD &&
                 are_most_worse(groups, found, groups[k].metric)))
                continue;
            struct worse_cells cells = cells_of(&worse, &levels[i], &groups[k]);

            sentences[(*count)++] = sentence_of(&groups[k], &cells, anchor);
        }
        free(groups);
    }
    free(worse.all);
    return sentences;
}
