/* range_figures.h - the figures of a replayed range, from the figures of its launches
 *
 * Counts of work (cycles, operations, bytes) are summed. Ratios, bandwidths and means
 * of several launches have no meaning, so a range has none. */
#ifndef PARSERS_FINDINGS_RANGE_FIGURES_H
#define PARSERS_FINDINGS_RANGE_FIGURES_H

#include "parsers/findings/findings.h"
#include "parsers/findings/key_figures.h"

enum { RANGE_SUMS_MAX = 8 };

/* one launch of the range */
struct range_row {
    char kernel[257];
    uint32_t folder;  /* number that names its folder */
    const char *kind; /* "mix", "collective" ... */
    bool has_times;
    uint64_t start_ticks, end_ticks;
    size_t sub_blocks; /* 0: it has no counters */
    double sums[RANGE_SUMS_MAX];
    bool has_sum[RANGE_SUMS_MAX];
};

struct range_figures {
    struct range_row *rows; /* in the order of the launches */
    size_t count, room;
};

/* Adds a launch, which the parser has read. */
void range_figures_add(struct range_figures *figures,
                       const struct findings *inner,
                       uint32_t folder);
/* Reports range_launches, range_busy_us, range_segment, and each sum. A sum is left out
 * when a launch that should have counters has none. */
void range_figures_each(const struct range_figures *figures,
                        const struct findings *range,
                        figure_fn *fn,
                        void *arg);
/* Returns the key figure whose values are in `sums` at this index, or NULL. */
const struct key_figure *range_figures_sum(size_t index);
/* Writes RangeLaunches.csv. */
void range_figures_csv(const struct findings *range, struct text *out);
void range_figures_clear(struct range_figures *figures);

#endif
