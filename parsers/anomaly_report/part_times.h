/* part_times.h - the idle time inside and before each part of a step, and its rankings
 */
#ifndef PARSERS_ANOMALY_REPORT_PART_TIMES_H
#define PARSERS_ANOMALY_REPORT_PART_TIMES_H

#include "parsers/anomaly/analysis.h"

/* Returns the idle time of the step between the part before and this one; 0 when they
 * overlap, and for the first part. */
int64_t
part_gap_before(const struct analysis *analysis, const struct step *step, size_t part);

enum part_order {
    PARTS_BY_WALL,
    PARTS_BY_COST,
    PARTS_BY_IDLE, /* inside and before */
    PART_ORDER_COUNT,
};

int64_t part_value(const struct analysis *analysis,
                   const struct step *step,
                   size_t part,
                   enum part_order order);
/* Returns the places of the parts, the largest value first. The caller frees them. */
size_t *part_ranking(const struct analysis *analysis,
                     const struct step *step,
                     enum part_order order);

#endif
