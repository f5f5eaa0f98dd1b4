/* steps.h - divides a capture into steps */
#ifndef PARSERS_ANOMALY_STEPS_H
#define PARSERS_ANOMALY_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/anomaly/rank_input.h"

enum step_source {
    STEP_SOURCE_MARKER,  /* ProfilerStep#N or the like in the trace */
    STEP_SOURCE_TABLE,   /* the table STEP_TIME of a database */
    STEP_SOURCE_STEP_ID, /* the column Step Id */
    STEP_SOURCE_PSEUDO,  /* the whole capture is one step */
};

struct step_window {
    uint32_t name; /* the number of the step, as text */
    int64_t start, end;
    int64_t marker_end;  /* of STEP_SOURCE_MARKER and STEP_SOURCE_TABLE */
    size_t first, count; /* kernels that start in the window */
};

struct step_windows {
    struct step_window *rows; /* by start */
    size_t count;
    enum step_source source;
    size_t unassigned; /* kernels before the first step */
};

void step_windows_find(struct step_windows *steps, const struct rank_input *input);
void step_windows_clear(struct step_windows *steps);
const char *step_source_name(enum step_source source);

#endif
