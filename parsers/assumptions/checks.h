/* checks.h - one function for each assumption; each writes what it saw */
#ifndef PARSERS_ASSUMPTIONS_CHECKS_H
#define PARSERS_ASSUMPTIONS_CHECKS_H

#include "lib/base/text.h"
#include "parsers/assumptions/evidence.h"
#include "parsers/assumptions/verdict.h"

struct check_input {
    const struct evidence *alone; /* the run with one rank */
    const struct evidence *group; /* the run with several */
    const struct assumption_program *program;
};

typedef enum assumption_verdict check_fn(const struct check_input *input,
                                         struct text *seen);

/* of records that muster wrote (checks_records.c) */
check_fn check_whole_capture, check_launches, check_passes, check_restore, check_clocks,
    check_health, check_versions, check_barrier;
/* of the bytes that the channels returned (checks_channels.c) */
check_fn check_counter_bytes, check_counter_rows, check_operations, check_core_time,
    check_task_log, check_durations, check_task_clock, check_l2;

#endif
