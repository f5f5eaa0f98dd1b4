#include "lib/verdict/cell.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/verdict/margin.h"
#include "lib/verdict/statistics/false_discovery.h"
#include "lib/verdict/statistics/rank_sum.h"

static bool is_in_family(const struct cell *cell)
{
    return !cell->measured_otherwise && !isnan(cell->shift.p_worse);
}

static void adjust_family(struct cell *const *cells, size_t count)
{
    double *p = xreallocarray(NULL, count ? count : 1, sizeof(*p));

    for (size_t i = 0; i < count; i++)
        p[i] = is_in_family(cells[i]) ? cells[i]->shift.p_worse : NAN;
    false_discovery_adjust(p, count, p);
    for (size_t i = 0; i < count; i++)
        cells[i]->p_worse_adjusted = p[i];
    for (size_t i = 0; i < count; i++)
        p[i] = is_in_family(cells[i]) ? cells[i]->shift.p_better : NAN;
    false_discovery_adjust(p, count, p);
    for (size_t i = 0; i < count; i++)
        cells[i]->p_better_adjusted = p[i];
    free(p);
}

static void cell_judge(struct cell *cell, const struct verdict_limits *limits)
{
    struct margin margin =
        margin_of(cell->tolerance, cell->tick, cell->shift.base_median,
                  cell->alternating ? NULL : &cell->nights);

    cell->delta = margin.delta;
    if (cell->measured_otherwise)
        cell->verdict = (struct verdict){.reason = REASON_MEASURED_OTHERWISE};
    else
        cell->verdict = verdict_judge(&cell->shift, &margin, limits,
                                      cell->p_worse_adjusted, cell->p_better_adjusted);
}

void family_judge(struct cell *const *cells,
                  size_t count,
                  bool more_is_better,
                  const struct verdict_limits *limits)
{
    struct rank_sum_cache *cache = rank_sum_cache_create();

    for (size_t i = 0; i < count; i++)
        cells[i]->shift = shift_of_samples(cache, cells[i]->base, cells[i]->base_count,
                                           cells[i]->fresh, cells[i]->fresh_count,
                                           cells[i]->tick, more_is_better);
    adjust_family(cells, count);
    for (size_t i = 0; i < count; i++)
        cell_judge(cells[i], limits);
    rank_sum_cache_destroy(cache);
}

void cells_judge(struct cell *cells,
                 size_t count,
                 bool more_is_better,
                 const struct verdict_limits *limits)
{
    struct cell **family = xcalloc(count, sizeof(struct cell *));

    for (size_t i = 0; i < count; i++)
        family[i] = &cells[i];
    family_judge(family, count, more_is_better, limits);
    free(family);
}
