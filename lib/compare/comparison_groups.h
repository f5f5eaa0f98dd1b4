/* comparison_groups.h - summarises the cells of a comparison: by point, card or host
 *
 * The changes of the cells are paired: each cell gives ln(new median / base median),
 * and the signed-rank test judges them together. Eight cards with three repeats decide
 * together what no cell can alone. A group of a single cell has that cell's verdict.
 * The limits of the comparison judge groups as they judge cells. */
#ifndef LIB_COMPARE_COMPARISON_GROUPS_H
#define LIB_COMPARE_COMPARISON_GROUPS_H

#include <stddef.h>

#include "lib/compare/comparison.h"

enum comparison_level {
    LEVEL_POINT, /* a kernel at a point, over cards and ranks */
    LEVEL_CARD,  /* a card, over all points; cells without a card are left out */
    LEVEL_HOST,  /* a host, over its cards; likewise */
    LEVEL_FLEET, /* all cells of a metric */
};

/* The texts are valid until the comparison is destroyed. Shifts are natural logarithms
 * of new/base, positive is worse; NaN: unknown. */
struct comparison_group {
    enum comparison_outcome outcome; /* never OUTCOME_GONE or OUTCOME_ADDED */
    const char *metric;
    const char *point, *kernel; /* "" except for LEVEL_POINT */
    const char *card;           /* "" except for LEVEL_CARD */
    const char *host;           /* "" except for LEVEL_CARD and LEVEL_HOST */
    size_t cells;               /* that both jobs measured in the same way */
    size_t missing;             /* cells that the new job asked for without a value */
    double shift, low, high;
    double p_worse, p_better, p_worse_adjusted, p_better_adjusted;
    double margin;       /* median over the cells */
    const char *reason;  /* of an inconclusive group, or "" */
    const char *leaning; /* worse, better or "" */
    bool simulated;      /* a figure of a cell is simulated */
};

/* Groups the cells of a judged comparison. Returns an array that the caller frees,
 * worst outcomes first, then the largest shift; its length is *count. Cells that only
 * one job contains, and those in quarantine, are left out. The groups of one metric are
 * a family. */
struct comparison_group *comparison_groups(const struct comparison *comparison,
                                           enum comparison_level level,
                                           size_t *count);

#endif
