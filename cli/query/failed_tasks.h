/* failed_tasks.h - the tasks of a job that failed or were cancelled
 *
 * `muster results` prints a row for each of them without figures. */
#ifndef CLI_QUERY_FAILED_TASKS_H
#define CLI_QUERY_FAILED_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/wire/messages.h"

struct row_source;

struct failed_tasks {
    struct failed_task {
        struct msg_task_row row; /* its texts belong to the list */
        bool has_figures;        /* set by the user of the list */
    } * items;
    size_t count, room;
    bool any_failed; /* a task failed; the others were cancelled */
};

int failed_tasks_read(struct failed_tasks *tasks, /* all zero */
                      struct row_source *source,
                      uint64_t job_id,
                      struct err *err);
void failed_tasks_clear(struct failed_tasks *tasks);
/* Returns NULL when this task neither failed nor was cancelled. */
struct failed_task *
failed_tasks_find(const struct failed_tasks *tasks, uint64_t point, uint64_t repeat);

#endif
