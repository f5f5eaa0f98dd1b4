#include "parsers/anomaly/steps.h"

#include <stdlib.h>

#include "lib/base/mem.h"

static void add(struct step_windows *steps, struct step_window step)
{
    steps->rows = xreallocarray(steps->rows, steps->count + 1, sizeof(*steps->rows));
    steps->rows[steps->count++] = step;
}

static void find_markers(struct step_windows *steps, const struct trace_view *trace)
{
    for (size_t i = 0; i < trace->marker_count; i++) {
        const struct trace_marker *marker = &trace->markers[i];

        add(steps, (struct step_window){.name = marker->step,
                                        .start = marker->start,
                                        .marker_end = marker->end});
    }
}

static int compare_starts(const void *a, const void *b)
{
    const struct step_window *left = a, *right = b;

    return left->start < right->start ? -1 : left->start > right->start;
}

/* A step starts when the host starts it: the column Preparing before its first kernel.
 */
static void find_step_ids(struct step_windows *steps, const struct rank_input *input)
{
    const struct kernel_list *kernels = &input->kernels;
    bool *found = xcalloc(names_count(input->names), sizeof(*found));

    for (size_t i = 0; i < kernels->count; i++) {
        uint32_t name = kernels->rows[i].step;

        if (name == 0 || found[name])
            continue;
        found[name] = true;
        add(steps,
            (struct step_window){.name = name,
                                 .start = kernels->rows[i].start -
                                          step_trace_ns(&input->step_trace,
                                                        names_text(input->names, name),
                                                        STEP_PREPARING)});
    }
    free(found);
    if (steps->count > 0)
        qsort(steps->rows, steps->count, sizeof(*steps->rows), compare_starts);
}

/* Returns the first kernel that starts at or after the time. */
static size_t kernel_from(const struct kernel_list *kernels, int64_t time)
{
    size_t low = 0, high = kernels->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (kernels->rows[middle].start >= time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* A step ends where the next one starts; the last one with its last kernel. */
static void set_ends(struct step_windows *steps, const struct kernel_list *kernels)
{
    for (size_t i = 0; i < steps->count; i++) {
        struct step_window *step = &steps->rows[i];
        size_t next;

        step->first = kernel_from(kernels, step->start);
        if (i + 1 < steps->count) {
            step->end = step[1].start;
            next = kernel_from(kernels, step->end);
        } else {
            next = kernels->count;
            step->end = step->first < next ? step->start : step->marker_end;
            for (size_t k = step->first; k < next; k++)
                if (kernels->rows[k].end > step->end)
                    step->end = kernels->rows[k].end;
        }
        step->count = next - step->first;
    }
    steps->unassigned = steps->rows[0].first;
}

void step_windows_find(struct step_windows *steps, const struct rank_input *input)
{
    const struct kernel_list *kernels = &input->kernels;

    *steps = (struct step_windows){.source = STEP_SOURCE_MARKER};
    find_markers(steps, &input->trace);
    if (input->trace.marker_kind == TRACE_MARKER_TABLE)
        steps->source = STEP_SOURCE_TABLE;
    if (steps->count == 0) {
        steps->source = STEP_SOURCE_STEP_ID;
        find_step_ids(steps, input);
    }
    if (steps->count == 0) {
        steps->source = STEP_SOURCE_PSEUDO;
        add(steps, (struct step_window){.name = names_add(input->names, "all"),
                                        .start = kernels->rows[0].start});
    }
    set_ends(steps, kernels);
}

void step_windows_clear(struct step_windows *steps)
{
    free(steps->rows);
    *steps = (struct step_windows){0};
}

const char *step_source_name(enum step_source source)
{
    static const char *const names[] = {
        [STEP_SOURCE_MARKER] = "marker",
        [STEP_SOURCE_TABLE] = "step_time_table",
        [STEP_SOURCE_STEP_ID] = "step_id_column",
        [STEP_SOURCE_PSEUDO] = "pseudo",
    };

    return names[source];
}
