/* task_queue.h - the tasks of one job that wait for a card, in the job's order
 *
 * A task wants a certain card or any. First and push at the ends are quick however
 * many wait. The queue borrows its tasks. */
#ifndef COORDINATOR_LEDGER_TASK_QUEUE_H
#define COORDINATOR_LEDGER_TASK_QUEUE_H

#include <stdint.h>

struct waiting { /* stands inside a task */
    struct waiting *next;
    uint64_t place; /* lower goes first */
    int32_t card;   /* -1: any */
};

struct task_queue;

struct task_queue *task_queue_create(void);
void task_queue_destroy(struct task_queue *queue); /* NULL is welcome */

void task_queue_push(struct task_queue *queue, struct waiting *waiting);
/* What a worker with this card should do next, still queued, or NULL. */
struct waiting *task_queue_first(const struct task_queue *queue, int32_t card);
void task_queue_remove(struct task_queue *queue, struct waiting *waiting);

#endif
