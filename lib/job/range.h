/* range.h - values that are counted up instead of written down
 *
 *     {from: 1024, to: 8192, step: 1024}    each is a step away from the one before it
 *     {from: 1, to: 4096, times: 2}         each is so many times the one before it
 *
 * `step` is 1 when neither is given, and may be negative. The last value is the last
 * one that does not go beyond `to`. */
#ifndef LIB_JOB_RANGE_H
#define LIB_JOB_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/job/job_reader.h"

enum { RANGE_VALUES_MAX = 65536, RANGE_TEXT_MAX = 32 };

struct range {
    double from, by;
    bool times;
    size_t count;
};

/* False, and told, when it is no good range. */
bool range_read(struct job_reader *reader,
                const struct yaml_node *map,
                const char *key,
                struct range *range);
/* As a person would write it: 0.3, not 0.30000000000000004. */
void range_value(const struct range *range, size_t place, char out[RANGE_TEXT_MAX]);

#endif
