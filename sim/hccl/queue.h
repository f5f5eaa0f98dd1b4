/* queue.h - the operations of a communicator, in the order of their calls
 *
 * Two operations run at the same time only when they share no mailbox. */
#ifndef SIM_HCCL_QUEUE_H
#define SIM_HCCL_QUEUE_H

#include <acl/acl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct npu_sim_turn;

/* Queue entry, a member of the queued operation. */
struct place_in_queue {
    struct place_in_queue *next;
    bool whole;     /* all ranks take part */
    bool has_begun; /* set by the queue */
    uint64_t sends,
        receives; /* otherwise: bit sets of the ranks sent to and received from */
};

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    struct place_in_queue *first;
};

void queue_init(struct queue *queue);
void queue_clear(struct queue *queue);
void queue_enter(struct queue *queue, struct place_in_queue *place);
/* Enters in front of all operations that have not begun: for an operation that was
 * called earlier and has its turn on the stream now. Operations behind it may wait on
 * the same stream. */
void queue_enter_now(struct queue *queue, struct place_in_queue *place);
/* Waits until no operation in front shares a mailbox. Returns 0 or the abort of the
 * stream. */
aclError queue_wait(struct queue *queue,
                    struct place_in_queue *place,
                    const struct npu_sim_turn *turn);
void queue_leave(struct queue *queue, const struct place_in_queue *place);

#endif
