/* effects.h - names the points, cards and hosts that explain a table of shifts
 *
 * The table has a row per point and a column per card. An effect is named when it is at
 * least the margin, when four of five of its cells have its sign, and, with seven cells
 * or more, when the signed-rank test gives at most 1 %. */
#ifndef LIB_VERDICT_CAUSE_EFFECTS_H
#define LIB_VERDICT_CAUSE_EFFECTS_H

#include <stddef.h>

struct median_polish;

enum effect_kind {
    EFFECT_ALL,   /* all points on all cards */
    EFFECT_POINT, /* code of one point; index: row */
    EFFECT_CARD,  /* index: column */
    EFFECT_HOST,  /* all cards of a host; index: host */
};

struct effect {
    enum effect_kind kind;
    size_t index;
    double size; /* natural logarithm; of a host: the median over its cards */
};

/* Writes the effects, at most 1 + row_count + column_count, and returns their number.
 * `hosts` has the host of each column, numbered from 0; NULL: hosts are not judged. A
 * host with at least two cards replaces them when all are named with the same sign.
 * `delta` is the margin, a natural logarithm. */
size_t effects_find(const struct median_polish *polish,
                    const size_t *hosts,
                    double delta,
                    struct effect *out);

#endif
