/* task_durations.h - duration.bin: when the scheduler started and ended tasks */
#ifndef PARSERS_RECORDS_TASK_DURATIONS_H
#define PARSERS_RECORDS_TASK_DURATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/capture/counter_schedule.h"

struct task_durations {
    bool has_duration; /* a start, and an end that is not before it */
    uint64_t start_ticks;
    uint64_t end_ticks;
    size_t records;
    size_t tail_bytes; /* behind the last whole record */
};

/* The last start and the last end of an AI Core task. */
void task_durations_read(struct task_durations *durations,
                         enum chip chip,
                         const uint8_t *bytes,
                         size_t size);
double task_durations_us(const struct task_durations *durations, uint32_t ticks_khz);

#endif
