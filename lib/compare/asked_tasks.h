/* asked_tasks.h - the tasks that both jobs of a comparison asked for
 *
 * `point` is the number of the text of a point: figure_task_point_number(). */
#ifndef LIB_COMPARE_ASKED_TASKS_H
#define LIB_COMPARE_ASKED_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct asked_tasks;

struct asked_tasks *asked_tasks_create(void);
void asked_tasks_destroy(struct asked_tasks *tasks); /* NULL is allowed */

void asked_tasks_add(struct asked_tasks *tasks,
                     bool is_new,
                     uint32_t point,
                     uint64_t repeat,
                     bool done);
/* Returns true for a repeat whose task failed after some of its launches. */
bool asked_tasks_is_unfinished(const struct asked_tasks *tasks,
                               bool is_new,
                               uint32_t point,
                               uint64_t repeat);
/* Number of repeats of the point that the new job asked for, and that it has not done.
 */
size_t asked_tasks_new(const struct asked_tasks *tasks, uint32_t point);
size_t asked_tasks_missing(const struct asked_tasks *tasks, uint32_t point);
/* All points that were added have smaller numbers. */
uint32_t asked_tasks_end(const struct asked_tasks *tasks);

#endif
