/* gate_points.h - the judged cells of each kernel and point, with the worst of them */
#ifndef CLI_GATE_GATE_POINTS_H
#define CLI_GATE_GATE_POINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/gate/gate.h"

struct gate_point {
    const char *kernel, *point;
    const struct comparison_row *worst; /* the cell with the worst outcome */
    const struct suspect *suspect;      /* the suspect that matters most, or NULL */
    enum gate_weight weight;            /* of the suspect */
    size_t cells;
    double shift; /* median over the compared cells, a natural logarithm; NaN: none */
};

bool gate_point_has_cell(const struct gate_point *point,
                         const struct comparison_row *cell);

/* Returns the points by kernel and point; the caller frees the array. */
struct gate_point *gate_points(const struct gate *gate, size_t *count);

#endif
