#include "parsers/anomaly_report/part_times.h"

#include <stdlib.h>

#include "lib/base/mem.h"

int64_t
part_gap_before(const struct analysis *analysis, const struct step *step, size_t part)
{
    const struct structure *row = &step->structures.rows[part];
    int64_t from;

    if (part == 0 || row->start <= row[-1].end)
        return 0;
    from = row[-1].end;
    return row->start - from - intervals_cover(&analysis->busy.all, from, row->start);
}

int64_t part_value(const struct analysis *analysis,
                   const struct step *step,
                   size_t part,
                   enum part_order order)
{
    const struct structure *row = &step->structures.rows[part];

    switch (order) {
    case PARTS_BY_WALL:
        return row->end - row->start;
    case PARTS_BY_COST:
        return row->total_cost;
    case PARTS_BY_IDLE:
        return row->end - row->start - row->busy +
               part_gap_before(analysis, step, part);
    case PART_ORDER_COUNT:
        break;
    }
    return 0;
}

struct ranked {
    int64_t value;
    size_t part;
};

static int compare(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;

    if (left->value != right->value)
        return left->value > right->value ? -1 : 1;
    return left->part < right->part ? -1 : left->part > right->part;
}

size_t *part_ranking(const struct analysis *analysis,
                     const struct step *step,
                     enum part_order order)
{
    size_t count = step->structures.count;
    struct ranked *rows = xcalloc(count + 1, sizeof(*rows));
    size_t *places = xcalloc(count + 1, sizeof(*places));

    for (size_t i = 0; i < count; i++)
        rows[i] = (struct ranked){part_value(analysis, step, i, order), i};
    qsort(rows, count, sizeof(*rows), compare);
    for (size_t i = 0; i < count; i++)
        places[i] = rows[i].part;
    free(rows);
    return places;
}
