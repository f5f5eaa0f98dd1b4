/* task_queue.h - the waiting tasks of one job, in the order of the job file
 *
 * A task needs one certain card number, or any card. Push and remove at both ends take
 * constant time. The queue borrows its tasks. */
#ifndef COORDINATOR_LEDGER_TASK_QUEUE_H
#define COORDINATOR_LEDGER_TASK_QUEUE_H

#include <stdint.h>

struct waiting { /* a member of struct task */
    struct waiting *next;
    uint64_t place; /* the lowest place is served first */
    int32_t card;   /* -1: any */
};

struct task_queue;
struct task_queue_cursor;

struct task_queue *task_queue_create(void);
void task_queue_destroy(struct task_queue *queue); /* NULL is allowed */

void task_queue_push(struct task_queue *queue, struct waiting *waiting);
void task_queue_remove(struct task_queue *queue, struct waiting *waiting);

/* A cursor reads the queue in order and does not change it. Do not use the cursor after
 * the queue has changed. */
struct task_queue_cursor *task_queue_cursor_create(const struct task_queue *queue);
void task_queue_cursor_destroy(struct task_queue_cursor *cursor); /* NULL is allowed */
/* Returns the first task that a worker with this card can run, or NULL. */
struct waiting *task_queue_cursor_first(const struct task_queue_cursor *cursor,
                                        int32_t card);
/* Steps over a task that task_queue_cursor_first() returned. */
void task_queue_cursor_skip(struct task_queue_cursor *cursor,
                            const struct waiting *waiting);

#endif
