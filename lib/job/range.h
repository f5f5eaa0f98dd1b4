/* range.h - a range of numbers as the values of a variable
 *
 *     {from: 1024, to: 8192, step: 1024}    adds 1024 to each value
 *     {from: 1, to: 4096, times: 2}         multiplies each value by 2
 *
 * The default is `step: 1`; a step may be negative. The range ends with the last value
 * that is not beyond `to`. */
#ifndef LIB_JOB_RANGE_H
#define LIB_JOB_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/job/job_reader.h"

enum { RANGE_VALUES_MAX = 65536, RANGE_TEXT_MAX = 32 };

struct range {
    double from, by; /* by: the step, or the factor */
    bool times;      /* `by` is a factor */
    size_t count;
};

/* Returns false and adds problems when the map is not a valid range. */
bool range_read(struct job_reader *reader,
                const struct yaml_node *map,
                const char *key,
                struct range *range);
/* Writes the value at index `place` with at most 12 digits, to hide rounding: 0.3, not
 * 0.30000000000000004. */
void range_value(const struct range *range, size_t place, char out[RANGE_TEXT_MAX]);

#endif
