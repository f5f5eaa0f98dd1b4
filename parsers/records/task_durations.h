/* task_durations.h - reads duration.bin: start and end of the operator */
#ifndef PARSERS_RECORDS_TASK_DURATIONS_H
#define PARSERS_RECORDS_TASK_DURATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/capture/counter_schedule.h"

struct task_durations {
    bool has_duration; /* start and end exist, and end >= start */
    uint64_t start_ticks;
    uint64_t end_ticks;
    size_t records;
    size_t tail_bytes; /* bytes after the last complete record */
};

/* Finds the last start and the last end of an AI Core task. */
void task_durations_read(struct task_durations *durations,
                         enum chip chip,
                         const uint8_t *bytes,
                         size_t size);
/* Returns the duration in microseconds, or 0 when it is unknown. */
double task_durations_us(const struct task_durations *durations, uint32_t ticks_khz);

#endif
