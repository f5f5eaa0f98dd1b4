/* scheduler_tasks.h - duration.bin, task by task: when the scheduler ran what on which
 * stream
 *
 * A later start or end of the same (stream, task) replaces the earlier: ids wrap. */
#ifndef PARSERS_RECORDS_SCHEDULER_TASKS_H
#define PARSERS_RECORDS_SCHEDULER_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/capture/counter_schedule.h"

enum { TASK_AI_CORE = 0, TASK_AI_CPU = 1 };

struct scheduler_task {
    uint64_t start_ticks; /* 0: not told, as is the end */
    uint64_t end_ticks;
    size_t place; /* in the file, which the order of equals follows */
    uint16_t stream;
    uint16_t task;
    uint8_t type; /* as logged; task_type_name() */
};

struct scheduler_tasks {
    struct scheduler_task *rows; /* by (stream, task) */
    size_t count, room;
    size_t other_records; /* records of other functions */
    /* The last of them, whatever their task. */
    uint64_t ai_core_start_ticks, ai_core_end_ticks, ai_cpu_start_ticks;
};

/* A2 and A3; other chips log no task that a timeline shows, and give none. */
void scheduler_tasks_read(struct scheduler_tasks *tasks,
                          enum chip chip,
                          const uint8_t *bytes,
                          size_t size);
void scheduler_tasks_clear(struct scheduler_tasks *tasks);
/* NULL: no such task was logged. */
const struct scheduler_task *scheduler_tasks_find(const struct scheduler_tasks *tasks,
                                                  uint16_t stream,
                                                  uint16_t task);
/* "AI_CORE", "EVENT_RECORD" ...; "INVALID_TYPE" for a number without a name. */
const char *task_type_name(unsigned type);
/* The same, as timelines call it: from AIV on with _SQE behind. */
const char *task_slice_name(unsigned type);

#endif
