#include "parsers/timeline/block_slices.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/decimal.h"

static void fill_span(const struct pmu_row *row, struct block_span *out)
{
    char *end;

    out->start_ticks = row->start_ticks;
    out->end_ticks = row->end_ticks;
    /* called for each pair of stamps: printf() would take most of the time */
    end = stpcpy(out->tid, "core");
    end += decimal_put_u64(end, row->block);
    end = stpcpy(end, row->kind == CORE_AIC ? ".cubecore" : ".veccore");
    end[decimal_put_u64(end, row->sub_block)] = '\0';
}

bool block_slices_find(const struct findings *findings,
                       enum core_kind kind,
                       uint32_t number,
                       struct block_span *out)
{
    /* stamps of a mix operator number the vector cores of all blocks consecutively */
    uint32_t cores = kind == CORE_AIV ? pmu_vectors_per_block(findings->pmu) : 1;
    const struct pmu_row *row = NULL;

    if (cores)
        row = pmu_find(findings->pmu, kind, number / cores, number % cores);
    if (row)
        fill_span(row, out);
    return row != NULL;
}

/* Marks start and end of a hidden block. */
static void add_ends(struct trace_writer *trace,
                     const struct timeline_view *view,
                     const struct pmu_row *row,
                     const struct block_span *span)
{
    const uint64_t ticks[] = {span->start_ticks, span->end_ticks};
    static const char *const ends[] = {"START", "END"};

    for (int i = 0; i < 2; i++) {
        char name[SLICE_NAME_BYTES];

        snprintf(name, sizeof(name), "%s BLOCK%" PRIu32 " %s",
                 row->kind == CORE_AIC ? "AIC" : "AIV", row->block, ends[i]);
        slice_add_instant(trace, view,
                          &(struct slice){
                              .pid = slice_pid(SLICE_BLOCK),
                              .tid = span->tid,
                              .name = name,
                              .colour = row->kind == CORE_AIC ? 0 : 1,
                              .start_ticks = ticks[i],
                              .end_ticks = ticks[i],
                          });
    }
}

void block_slices_add(struct trace_writer *trace,
                      const struct findings *findings,
                      const struct timeline_view *view)
{
    const char *pid = slice_pid(SLICE_BLOCK);

    slice_process(trace, view, SLICE_BLOCK);
    for (size_t i = 0; i < pmu_row_count(findings->pmu); i++) {
        const struct pmu_row *row = pmu_row(findings->pmu, i);
        bool is_cube = row->kind == CORE_AIC;
        struct block_span span;

        fill_span(row, &span);
        slice_add_track(trace, view, pid, span.tid, (int)i);
        if (slice_hides_blocks(findings)) {
            add_ends(trace, view, row, &span);
            continue;
        }
        slice_add(trace, view,
                  &(struct slice){
                      .pid = pid,
                      .tid = span.tid,
                      .name = is_cube ? "cube time" : "vector time",
                      .colour = is_cube ? 0 : 1,
                      .start_ticks = span.start_ticks,
                      .end_ticks = span.end_ticks,
                  });
    }
}
