#include "cli/gate/gate_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/compare/comparison_groups.h"

/* Outcomes in the order from the worst on. */
static int rank_of(enum comparison_outcome outcome)
{
    static const int ranks[OUTCOME_COUNT] = {
        [OUTCOME_REGRESSED] = 0, [OUTCOME_NOT_MEASURED] = 1, [OUTCOME_INCONCLUSIVE] = 2,
        [OUTCOME_IMPROVED] = 3,  [OUTCOME_SAME] = 4,         [OUTCOME_GONE] = 5,
        [OUTCOME_ADDED] = 6,
    };

    return ranks[outcome];
}

static bool is_worse(const struct comparison_row *cell,
                     const struct comparison_row *worst)
{
    int one = rank_of(cell->outcome), other = rank_of(worst->outcome);

    return one != other ? one < other : cell->shift > worst->shift;
}

static bool is_of_point(const struct comparison_row *cell,
                        const struct gate_point *point)
{
    return strcmp(cell->kernel, point->kernel) == 0 &&
           strcmp(cell->point, point->point) == 0;
}

static int by_name(const void *left, const void *right)
{
    const struct gate_point *a = left, *b = right;
    int order = strcmp(a->kernel, b->kernel);

    return order ? order : strcmp(a->point, b->point);
}

static int by_address_of_name(const void *left, const void *right)
{
    return by_name(*(const struct gate_point *const *)left,
                   *(const struct gate_point *const *)right);
}

static const struct gate_point *find_by_name(const struct gate_point *const *sorted,
                                             size_t count,
                                             const struct gate_point *name)
{
    const struct gate_point *const *found =
        count > 0 ? bsearch(&name, sorted, count, sizeof(*sorted), by_address_of_name)
                  : NULL;

    return found ? *found : NULL;
}

/* Sets for each point the suspect that matters most, the largest change first. */
static void find_suspects(const struct gate *gate,
                          struct gate_point *points,
                          const struct gate_point *const *sorted,
                          size_t count)
{
    size_t suspect_count;
    const struct suspect *suspects = gate_suspects(gate, &suspect_count);

    for (size_t i = 0; i < suspect_count; i++) {
        const struct gate_point name = {.kernel = suspects[i].cell.kernel,
                                        .point = suspects[i].cell.point};
        const struct gate_point *found = find_by_name(sorted, count, &name);
        enum gate_weight weight = gate_weigh(gate, &suspects[i]);

        if (!found || (found->suspect && weight >= found->weight))
            continue;
        points[found - points].suspect = &suspects[i];
        points[found - points].weight = weight;
    }
}

/* Sets the outcomes: a point has that of its group, a point without a compared cell
 * that of its worst cell. */
static void find_outcomes(const struct gate *gate,
                          struct gate_point *points,
                          const struct gate_point *const *sorted,
                          size_t count)
{
    size_t group_count;
    struct comparison_group *groups =
        comparison_groups(gate_comparison(gate), LEVEL_POINT, &group_count);

    for (size_t i = 0; i < group_count; i++) {
        const struct gate_point name = {.kernel = groups[i].kernel,
                                        .point = groups[i].point};
        const struct gate_point *found = find_by_name(sorted, count, &name);

        if (!found ||
            !text_matches_any(groups[i].metric, gate_rules(gate)->suspects.metric))
            continue;
        struct gate_point *point = &points[found - points];
        if (point->outcome == OUTCOME_COUNT ||
            rank_of(groups[i].outcome) < rank_of(point->outcome))
            point->outcome = groups[i].outcome;
    }
    for (size_t i = 0; i < count; i++)
        if (points[i].outcome == OUTCOME_COUNT)
            points[i].outcome = points[i].worst->outcome;
    free(groups);
}

static void
find_verdicts(const struct gate *gate, struct gate_point *points, size_t count)
{
    const struct gate_point **sorted = xcalloc(count + 1, sizeof(*sorted));

    for (size_t i = 0; i < count; i++)
        sorted[i] = &points[i];
    if (count > 0)
        qsort(sorted, count, sizeof(*sorted), by_address_of_name);
    find_suspects(gate, points, sorted, count);
    find_outcomes(gate, points, sorted, count);
    free(sorted);
}

/* Sets the change of each point. */
static void find_shifts(struct gate_point *points, size_t count, size_t cells)
{
    double *shifts = xcalloc(cells + 1, sizeof(*shifts));

    for (size_t i = 0; i < count; i++) {
        size_t found = 0;

        for (const struct comparison_row *cell = points[i].first; cell < points[i].end;
             cell++)
            if (isfinite(cell->shift) &&
                strcmp(cell->metric, points[i].worst->metric) == 0)
                shifts[found++] = cell->shift;
        points[i].shift = stats_median(shifts, found);
    }
    free(shifts);
}

struct gate_point *gate_points(const struct gate *gate, size_t *count)
{
    size_t total;
    const struct comparison_row *rows = gate_rows(gate, &total);
    struct gate_point *points = xcalloc(total + 1, sizeof(*points)), *last = NULL;

    *count = 0;
    for (size_t i = 0; i < total; i++) {
        const struct comparison_row *cell = &rows[i];

        if (!text_matches_any(cell->metric, gate_rules(gate)->suspects.metric))
            continue;
        if (!last || !is_of_point(cell, last)) {
            last = &points[(*count)++];
            *last = (struct gate_point){cell->kernel,  cell->point, cell->quarantine,
                                        OUTCOME_COUNT, cell,        .first = cell};
        }
        last->cells++;
        last->end = cell + 1;
        if (is_worse(cell, last->worst))
            last->worst = cell;
    }
    find_shifts(points, *count, total);
    find_verdicts(gate, points, *count);
    return points;
}
