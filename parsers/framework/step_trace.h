/* step_trace.h - reads step_trace_time.csv: how long a rank computed and communicated
 * in each step */
#ifndef PARSERS_FRAMEWORK_STEP_TRACE_H
#define PARSERS_FRAMEWORK_STEP_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

enum step_time {
    STEP_COMPUTING,
    STEP_COMMUNICATION_ALONE, /* Communication(Not Overlapped) */
    STEP_OVERLAPPED,
    STEP_COMMUNICATION,
    STEP_FREE,
    STEP_STAGE,
    STEP_BUBBLE,
    STEP_COMMUNICATION_NO_RECEIVE, /* ... Not Overlapped and Exclude Receive */
    STEP_PREPARING,                /* NaN where the column is missing */
    STEP_TIME_COUNT,
};

struct step_trace_row {
    char *step; /* "" for a capture without step markers */
    double us[STEP_TIME_COUNT];
};

struct step_trace {
    struct step_trace_row *rows;
    size_t count;
    uint64_t rows_skipped;
};

/* The name of the column in the file. */
const char *step_time_name(enum step_time time);

int step_trace_read(struct step_trace *trace, const char *path, struct err *err);
void step_trace_clear(struct step_trace *trace);
/* Returns the time of a step in ns, or 0 when the file has no such step or column. */
int64_t step_trace_ns(const struct step_trace *trace, const char *step, enum step_time);

#endif
