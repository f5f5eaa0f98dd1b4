#include "lib/gate/night_findings.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static void add_point(struct point_list *list, const char *point)
{
    const char *name = point[0] ? point : "*";

    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->points[i], name) == 0)
            return;
    if (list->count == NIGHT_FINDINGS_MOST)
        return;
    if (!list->points)
        list->points = xcalloc(NIGHT_FINDINGS_MOST, sizeof(*list->points));
    list->points[list->count++] = name;
}

static bool is_noisy(const struct comparison_row *row)
{
    return row->nights >= COMPARISON_NIGHTS_FEWEST && row->night_spread > row->margin;
}

/* The cells of a point and metric follow each other. */
static void add_noisy(struct point_list *list, const struct gate *gate)
{
    size_t total;
    const struct comparison_row *rows = gate_rows(gate, &total);

    for (size_t first = 0, end; first < total; first = end) {
        size_t noisy = 0;

        for (end = first;
             end < total && strcmp(rows[first].point, rows[end].point) == 0 &&
             strcmp(rows[first].kernel, rows[end].kernel) == 0 &&
             strcmp(rows[first].metric, rows[end].metric) == 0;
             end++)
            noisy += is_noisy(&rows[end]);
        if (gate_is_judged(gate, &rows[first]) && 2 * noisy > end - first)
            add_point(list, rows[first].point);
    }
}

void night_findings_init(struct night_findings *findings, const struct gate *gate)
{
    size_t improved_count, suspect_count;
    const struct improved_point *improved = gate_improved(gate, &improved_count);
    const struct suspect *suspects = gate_suspects(gate, &suspect_count);

    *findings = (struct night_findings){0};
    for (size_t i = 0; i < improved_count; i++)
        add_point(&findings->improved, improved[i].cell->point);
    for (size_t i = 0; i < suspect_count; i++)
        if (suspects[i].state == SUSPECT_NOT_REPRODUCED)
            add_point(&findings->not_reproduced, suspects[i].cell.point);
    add_noisy(&findings->noisy, gate);
}

void night_findings_clear(struct night_findings *findings)
{
    free(findings->improved.points);
    free(findings->not_reproduced.points);
    free(findings->noisy.points);
    *findings = (struct night_findings){0};
}
