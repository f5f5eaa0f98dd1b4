/* scheduler_tasks.h - reads the tasks of duration.bin: start and end by stream and task
 *
 * A later start or end of the same stream and task replaces an earlier one, because the
 * numbers wrap around. */
#ifndef PARSERS_RECORDS_SCHEDULER_TASKS_H
#define PARSERS_RECORDS_SCHEDULER_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/capture/counter_schedule.h"

enum { TASK_AI_CORE = 0, TASK_AI_CPU = 1 };

struct scheduler_task {
    uint64_t start_ticks; /* 0: not logged; so is end_ticks */
    uint64_t end_ticks;
    size_t place; /* position in the file, the second sort key */
    uint16_t stream;
    uint16_t task;
    uint8_t type; /* raw number, see task_type_name() */
};

struct scheduler_tasks {
    struct scheduler_task *rows; /* sorted by stream and task */
    size_t count, room;
    size_t other_records; /* records that are no start and no end */
    /* from the last AI Core and AI CPU records, of any task */
    uint64_t ai_core_start_ticks, ai_core_end_ticks, ai_cpu_start_ticks;
};

/* Reads the log of an A2 or A3. Other chips log no tasks for a timeline; their result
 * is empty. */
void scheduler_tasks_read(struct scheduler_tasks *tasks,
                          enum chip chip,
                          const uint8_t *bytes,
                          size_t size);
void scheduler_tasks_clear(struct scheduler_tasks *tasks);
/* Returns the task, or NULL. */
const struct scheduler_task *scheduler_tasks_find(const struct scheduler_tasks *tasks,
                                                  uint16_t stream,
                                                  uint16_t task);
/* Returns "AI_CORE", "EVENT_RECORD" ..., or "INVALID_TYPE" for an unknown number. */
const char *task_type_name(unsigned type);
/* Returns the name in timelines: types from AIV on end with _SQE. */
const char *task_slice_name(unsigned type);

#endif
