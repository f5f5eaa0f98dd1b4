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

struct queue;

struct queue *queue_create(void);
void queue_destroy(struct queue *queue); /* NULL is welcome */

void queue_push(struct queue *queue, struct waiting *waiting);
/* What a worker with this card should do next, still queued, or NULL. */
struct waiting *queue_first(const struct queue *queue, int32_t card);
void queue_remove(struct queue *queue, struct waiting *waiting);

#endif
