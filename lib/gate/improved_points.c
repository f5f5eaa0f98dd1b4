#include "lib/gate/improved_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/compare/comparison_groups.h"

static char *key_of(const char *kernel, const char *point, const char *metric)
{
    return xasprintf("%s\n%s\n%s", kernel, point, metric);
}

/* Returns a map whose keys are the points that improved by all their cells together. */
static struct map *find_groups(const struct comparison *comparison)
{
    struct map *improved = map_create();
    size_t count;
    struct comparison_group *groups =
        comparison_groups(comparison, LEVEL_POINT, &count);

    for (size_t i = 0; i < count; i++)
        if (groups[i].outcome == OUTCOME_IMPROVED) {
            char *key = key_of(groups[i].kernel, groups[i].point, groups[i].metric);

            map_put(improved, key, improved);
            free(key);
        }
    free(groups);
    return improved;
}

static bool is_same_point(const struct comparison_row *a,
                          const struct comparison_row *b)
{
    return strcmp(a->kernel, b->kernel) == 0 && strcmp(a->point, b->point) == 0 &&
           strcmp(a->metric, b->metric) == 0;
}

/* Reads the cells of one point. Returns false when none improved. */
static bool read_point(struct improved_point *point,
                       const struct comparison_row *rows,
                       size_t count,
                       bool together,
                       double *shifts)
{
    size_t found = 0;
    const char *last = NULL;

    *point = (struct improved_point){0};
    for (size_t i = 0; i < count; i++) {
        const struct comparison_row *row = &rows[i];

        if (row->outcome != OUTCOME_IMPROVED && !(together && row->shift < 0))
            continue;
        if (!point->cell)
            point->cell = row;
        if (!last || strcmp(last, row->placed_serial) != 0)
            point->cards++;
        last = row->placed_serial;
        shifts[found++] = row->shift;
    }
    point->shift = found ? stats_median(shifts, found) : 0;
    return found > 0;
}

static int by_shift(const void *left, const void *right)
{
    const struct improved_point *a = left, *b = right;

    if (a->shift < b->shift || a->shift > b->shift)
        return a->shift < b->shift ? -1 : 1;
    return text_compare_names(a->cell->point, b->cell->point);
}

struct improved_point *improved_points_find(const struct comparison *comparison,
                                            const struct comparison_row *rows,
                                            size_t row_count,
                                            const char *metric,
                                            size_t *count)
{
    struct improved_point *points = xcalloc(row_count + 1, sizeof(*points));
    double *shifts = xcalloc(row_count + 1, sizeof(*shifts));
    struct map *groups = find_groups(comparison);

    *count = 0;
    for (size_t first = 0, end; first < row_count; first = end) {
        const struct comparison_row *row = &rows[first];
        char *key = key_of(row->kernel, row->point, row->metric);

        for (end = first + 1; end < row_count && is_same_point(row, &rows[end]);)
            end++;
        if (!row->quarantine[0] && text_matches_any(row->metric, metric) &&
            read_point(&points[*count], row, end - first, map_get(groups, key), shifts))
            ++*count;
        free(key);
    }
    if (*count > 0)
        qsort(points, *count, sizeof(*points), by_shift);
    map_destroy(groups);
    free(shifts);
    return points;
}
