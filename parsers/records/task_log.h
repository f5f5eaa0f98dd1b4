/* task_log.h - reads duration.bin: starts and ends of the tasks of a card */
#ifndef PARSERS_RECORDS_TASK_LOG_H
#define PARSERS_RECORDS_TASK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/capture/counter_schedule.h"

enum task_moment { TASK_START, TASK_END, TASK_OTHER };

struct task_log_record {
    enum task_moment moment;
    bool is_core; /* a task of the AI Cores */
    uint64_t ids; /* of stream and task; equal in all records of a task */
    uint64_t ticks;
};

/* Returns the bytes of a record. */
size_t task_log_record_bytes(enum chip chip);
struct task_log_record task_log_read(enum chip chip, const uint8_t *record);
/* Returns the ids of the task to which a counter record belongs, as task_log_read()
 * does. The counter records of a 310P have no ids; the result is then 0. */
uint64_t task_log_ids_of_counters(enum chip chip, const uint8_t *record);

/* start and end of the operator */
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
