/* gang_overlap.h - the overlap of each repeat of a fused operator */
#ifndef LIB_GANG_GANG_OVERLAP_H
#define LIB_GANG_GANG_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

struct gang_input;

struct gang_overlap_repeat {
    uint64_t point, repeat;      /* of the fused operator */
    int64_t rank;                /* -1: all ranks together */
    double efficiency, attained; /* NaN: there is nothing to hide */
    bool simulated;
};

typedef void gang_overlap_fn(const struct gang_overlap_repeat *repeat, void *arg);

/* Calls fn for each repeat with all four parts: first for all ranks together, then for
 * each rank. */
void gang_overlap_each(const struct gang_input *input, gang_overlap_fn *fn, void *arg);

#endif
