/* queue.h - the operations of a communicator, in the order of the calls
 *
 * Two of them run at the same time only when they share no mailbox. */
#ifndef SIM_HCCL_QUEUE_H
#define SIM_HCCL_QUEUE_H

#include <acl/acl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct npu_sim_turn;

/* A place in the queue, inside of what has it. */
struct place_in_queue {
    struct place_in_queue *next;
    bool whole;               /* all ranks take part */
    bool has_begun;           /* the queue's */
    uint64_t sends, receives; /* otherwise: to and from whom, a bit each */
};

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    struct place_in_queue *first;
};

void queue_init(struct queue *queue);
void queue_clear(struct queue *queue);
void queue_enter(struct queue *queue, struct place_in_queue *place);
/* In front of all that has not begun: for what was called long ago and has its turn on
 * the stream now. Others may be behind it on that very stream. */
void queue_enter_now(struct queue *queue, struct place_in_queue *place);
/* Until nothing in front is in the way: 0, or an abort. */
aclError queue_wait(struct queue *queue,
                    struct place_in_queue *place,
                    const struct npu_sim_turn *turn);
void queue_leave(struct queue *queue, const struct place_in_queue *place);

#endif
