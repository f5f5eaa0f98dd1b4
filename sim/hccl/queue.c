#include "sim/hccl/queue.h"

#include <stddef.h>
#include <time.h>

#include "sim/runtime/stream/outside.h"

#define SLICE_NS 20000000 /* delay until an abort is noticed */

void queue_init(struct queue *queue)
{
    pthread_condattr_t attributes;

    queue->first = NULL;
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->moved, &attributes);
    pthread_condattr_destroy(&attributes);
}

void queue_clear(struct queue *queue)
{
    pthread_cond_destroy(&queue->moved);
    pthread_mutex_destroy(&queue->mutex);
}

static void enter(struct queue *queue, struct place_in_queue *place, bool now)
{
    struct place_in_queue **after = &queue->first;

    pthread_mutex_lock(&queue->mutex);
    for (struct place_in_queue **at = &queue->first; *at; at = &(*at)->next)
        if (!now || (*at)->has_begun)
            after = &(*at)->next;
    place->has_begun = false;
    place->next = *after;
    *after = place;
    pthread_mutex_unlock(&queue->mutex);
}

void queue_enter(struct queue *queue, struct place_in_queue *place)
{
    enter(queue, place, false);
}

void queue_enter_now(struct queue *queue, struct place_in_queue *place)
{
    enter(queue, place, true);
}

void queue_leave(struct queue *queue, const struct place_in_queue *place)
{
    struct place_in_queue **at = &queue->first;

    pthread_mutex_lock(&queue->mutex);
    while (*at != place)
        at = &(*at)->next;
    *at = place->next;
    pthread_cond_broadcast(&queue->moved);
    pthread_mutex_unlock(&queue->mutex);
}

static bool share_something(const struct place_in_queue *a,
                            const struct place_in_queue *b)
{
    if (a->whole || b->whole)
        return a->whole && b->whole;
    return (a->sends & b->sends) || (a->receives & b->receives);
}

/* Called locked. */
static bool has_its_turn(const struct queue *queue, const struct place_in_queue *wanted)
{
    for (const struct place_in_queue *at = queue->first; at != wanted; at = at->next)
        if (share_something(at, wanted))
            return false;
    return true;
}

static struct timespec soon(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_nsec += SLICE_NS;
    if (at.tv_nsec >= 1000000000) {
        at.tv_nsec -= 1000000000;
        at.tv_sec++;
    }
    return at;
}

aclError queue_wait(struct queue *queue,
                    struct place_in_queue *place,
                    const struct npu_sim_turn *turn)
{
    aclError error = 0;

    pthread_mutex_lock(&queue->mutex);
    while (!error && !has_its_turn(queue, place)) {
        struct timespec until = soon();

        pthread_cond_timedwait(&queue->moved, &queue->mutex, &until);
        if (npu_sim_turn_is_aborted(turn))
            error = ACL_ERROR_RT_STREAM_ABORT;
    }
    place->has_begun = !error;
    pthread_mutex_unlock(&queue->mutex);
    return error;
}
