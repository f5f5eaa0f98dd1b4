/* gate_points.h - the cells of each kernel and point, with the worst of them
 *
 * Points in quarantine are points as well, though nothing judges them. */
#ifndef CLI_GATE_GATE_POINTS_H
#define CLI_GATE_GATE_POINTS_H

#include <stddef.h>

#include "lib/gate/gate.h"

struct gate_point {
    const char *kernel, *point;
    const char *quarantine;             /* reason; "": the point is judged */
    enum comparison_outcome outcome;    /* of its cells together; of the worst metric */
    const struct comparison_row *worst; /* the cell with the worst outcome */
    const struct suspect *suspect;      /* the suspect that matters most, or NULL */
    enum gate_weight weight;            /* of the suspect */
    const struct comparison_row *first, *end; /* its cells, also of other metrics */
    size_t cells;                             /* of the judged metrics */
    /* Median over the compared cells of the metric of the worst cell, a natural
     * logarithm; NaN: none. Changes of different metrics have no common median. */
    double shift;
};

/* Returns the points by kernel and point; the caller frees the array. */
struct gate_point *gate_points(const struct gate *gate, size_t *count);

#endif
