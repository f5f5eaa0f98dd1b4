#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/anomaly/analysis_internal.h"

struct search {
    struct analysis *analysis;
    size_t step, room;
    unsigned number;
};

/* Returns the number of kernels, in the order of their ends, that end by the time. */
static size_t count_ended(const struct analysis *analysis, int64_t time)
{
    const struct kernel_list *kernels = &analysis->input->kernels;
    size_t low = 0, high = kernels->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (kernels->rows[analysis->by_end[middle]].end <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t first_from(const struct kernel_list *kernels, int64_t time)
{
    size_t low = 0, high = kernels->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (kernels->rows[middle].start < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void find_neighbours(const struct analysis *analysis, struct gap *gap)
{
    const struct kernel_list *kernels = &analysis->input->kernels;
    const struct kernel *rows = kernels->rows;
    size_t ended = count_ended(analysis, gap->start);

    gap->previous = ended;
    while (gap->previous > 0 && rows[analysis->by_end[gap->previous - 1]].end ==
                                    rows[analysis->by_end[ended - 1]].end)
        gap->previous--;
    gap->previous_count = ended - gap->previous;
    gap->next = first_from(kernels, gap->end);
    while (gap->next + gap->next_count < kernels->count &&
           rows[gap->next + gap->next_count].start == rows[gap->next].start)
        gap->next_count++;
}

/* Returns true when the gap lies within 1 % of the start or end of the capture. A
 * marker proves that the start of its step was recorded, so a gap after it is no
 * artefact. */
static bool is_boundary(const struct analysis *analysis, const struct gap *gap)
{
    int64_t near_ns = (analysis->end - analysis->start) / 100;

    if (gap->kind == GAP_PRELAUNCH && analysis->windows.source == STEP_SOURCE_MARKER)
        return false;
    return gap->start - analysis->start <= near_ns ||
           analysis->end - gap->end <= near_ns;
}

static void add_gap(void *arg, enum gap_kind kind, int64_t start, int64_t end)
{
    struct search *search = arg;
    struct analysis *analysis = search->analysis;
    struct gap gap = {.start = start,
                      .end = end,
                      .kind = kind,
                      .step = search->step,
                      .number = ++search->number,
                      .share = host_evidence_share(analysis->evidence, start, end)};

    gap.labels = labels_of(&gap.share);
    find_neighbours(analysis, &gap);
    if (analysis->gap_count == search->room) {
        search->room = search->room ? search->room * 2 : 64;
        analysis->gaps =
            xreallocarray(analysis->gaps, search->room, sizeof(*analysis->gaps));
    }
    analysis->gaps[analysis->gap_count++] = gap;
}

/* The single largest gap of a step may be an artefact of the capture's edge. The host
 * is not blamed for such a gap. */
static void judge_largest(struct analysis *analysis, const struct step *step)
{
    struct gap *largest = NULL;
    bool is_single = false;

    for (size_t i = 0; i < step->gap_count; i++) {
        struct gap *gap = &analysis->gaps[step->first_gap + i];
        int64_t longer =
            largest ? (gap->end - gap->start) - (largest->end - largest->start) : 1;

        is_single = longer > 0 || (longer < 0 && is_single);
        if (longer > 0)
            largest = gap;
    }
    if (is_single && is_boundary(analysis, largest)) {
        largest->is_boundary = true;
        largest->labels = 1u << LABEL_INSUFFICIENT;
    }
}

static void find_tops(struct analysis *analysis)
{
    int64_t(*windows)[2] = xcalloc(analysis->gap_count + 1, sizeof(*windows));

    for (size_t i = 0; i < analysis->gap_count; i++) {
        windows[i][0] = analysis->gaps[i].start;
        windows[i][1] = analysis->gaps[i].end;
    }
    analysis->tops = xcalloc(analysis->gap_count + 1, sizeof(*analysis->tops));
    host_evidence_tops(analysis->evidence, windows, analysis->gap_count,
                       analysis->tops);
    free(windows);
}

static int compare_lengths(const void *a, const void *b, void *gaps)
{
    const struct gap *left = (struct gap *)gaps + *(const size_t *)a;
    const struct gap *right = (struct gap *)gaps + *(const size_t *)b;
    int64_t left_ns = left->end - left->start, right_ns = right->end - right->start;

    if (left_ns != right_ns)
        return left_ns > right_ns ? -1 : 1;
    return left < right ? -1 : left > right;
}

size_t *analysis_longest_gaps(const struct analysis *analysis)
{
    size_t *places = xcalloc(analysis->gap_count + 1, sizeof(*places));

    for (size_t i = 0; i < analysis->gap_count; i++)
        places[i] = i;
    qsort_r(places, analysis->gap_count, sizeof(*places), compare_lengths,
            analysis->gaps);
    return places;
}

const struct structure *analysis_structure_of(const struct analysis *analysis,
                                              const struct gap *gap)
{
    const struct structures *structures = &analysis->steps[gap->step].structures;

    for (size_t i = 0; i < structures->count; i++)
        if (structures->rows[i].start <= gap->start &&
            gap->end <= structures->rows[i].end)
            return &structures->rows[i];
    return NULL;
}

void analysis_find_gaps(struct analysis *analysis)
{
    struct search search = {.analysis = analysis};

    for (size_t i = 0; i < analysis->step_count; i++) {
        struct step *step = &analysis->steps[i];
        const struct step_window *window = &step->window;

        search.step = i;
        search.number = 0;
        step->first_gap = analysis->gap_count;
        bubbles_each_gap(&analysis->busy.all, window->start, window->end,
                         bubbles_significant_ns(window->end - window->start), add_gap,
                         &search);
        step->gap_count = analysis->gap_count - step->first_gap;
        judge_largest(analysis, step);
    }
    find_tops(analysis);
}
