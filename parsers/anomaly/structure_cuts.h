/* structure_cuts.h - the first kernels of the parts of a step without attention kernels
 *
 * Repeated kernels are tried first, then long gaps. */
#ifndef PARSERS_ANOMALY_STRUCTURE_CUTS_H
#define PARSERS_ANOMALY_STRUCTURE_CUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/framework/kernel_list.h"

/* Kernels without shadows: `rows` are places in the list, `tokens` are theirs. */
struct cut_step {
    const struct kernel_list *kernels;
    const size_t *rows;
    const uint32_t *tokens;
    size_t count;
};

/* Sets is_start[i] where the token begins that repeats most evenly and divides most of
 * the time. Returns the number of starts; 0 when no token repeats evenly. */
size_t structure_cuts_by_repetition(const struct cut_step *step, bool *is_start);
/* Sets is_start[i] behind gaps that are far longer than the others and have unusual
 * neighbours. Returns the number of starts; 0 for fewer than two such gaps. */
size_t structure_cuts_by_gaps(const struct cut_step *step, bool *is_start);

#endif
