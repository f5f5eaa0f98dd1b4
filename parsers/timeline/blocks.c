/* blocks.c - one slice for each block on each core */
#include <inttypes.h>
#include <stdio.h>

#include "parsers/timeline/view.h"

static void span_of(const struct pmu_row *row, struct block_span *out)
{
    out->start_ticks = row->start_ticks;
    out->end_ticks = row->end_ticks;
    snprintf(out->tid, sizeof(out->tid), "core%" PRIu32 ".%score%u", row->block,
             row->kind == CORE_AIC ? "cube" : "vec", (unsigned)row->sub_block);
}

/* Vector cores of a block: the stamps of a mix operator count them through. */
static uint32_t vectors_of_a_block(const struct findings *findings)
{
    uint32_t most = 0;

    for (size_t i = 0; i < pmu_row_count(findings->pmu); i++) {
        const struct pmu_row *row = pmu_row(findings->pmu, i);

        if (row->kind == CORE_AIV && row->sub_block >= most)
            most = row->sub_block + 1u;
    }
    return most;
}

bool block_find(const struct findings *findings,
                enum core_kind kind,
                uint32_t number,
                struct block_span *out)
{
    uint32_t vectors = kind == CORE_AIV ? vectors_of_a_block(findings) : 1;
    uint32_t block = vectors ? number / vectors : 0;
    uint32_t sub_block = vectors ? number % vectors : 0;

    for (size_t i = 0; i < pmu_row_count(findings->pmu); i++) {
        const struct pmu_row *row = pmu_row(findings->pmu, i);

        if (row->kind == kind && row->block == block && row->sub_block == sub_block) {
            span_of(row, out);
            return true;
        }
    }
    return false;
}

void blocks_add(struct trace *trace,
                const struct findings *findings,
                const struct timeline_view *view)
{
    const char *pid = view_pid(VIEW_BLOCK);

    view_process(trace, view, VIEW_BLOCK);
    for (size_t i = 0; i < pmu_row_count(findings->pmu); i++) {
        const struct pmu_row *row = pmu_row(findings->pmu, i);
        bool is_cube = row->kind == CORE_AIC;
        struct block_span span;

        span_of(row, &span);
        view_lane(trace, view, pid, span.tid, (int)i);
        view_add(trace, view,
                 &(struct view_slice){
                     .pid = pid,
                     .tid = span.tid,
                     .name = is_cube ? "cube time" : "vector time",
                     .colour = is_cube ? 0 : 1,
                     .start_ticks = span.start_ticks,
                     .end_ticks = span.end_ticks,
                 });
    }
}
