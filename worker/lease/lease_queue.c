#include "worker/lease/lease_queue.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "worker/lease/waiting_lease.h"

struct lease_queue {
    /* The first `count` slots hold waiting leases. */
    struct waiting_lease *slots[LEASE_QUEUE_MAX];
    size_t count, slot_count;
};

struct lease_queue *lease_queue_create(void)
{
    return xcalloc(1, sizeof(struct lease_queue));
}

void lease_queue_destroy(struct lease_queue *queue)
{
    if (!queue)
        return;
    for (size_t i = 0; i < queue->slot_count; i++)
        waiting_lease_destroy(queue->slots[i]);
    free(queue);
}

size_t lease_queue_bytes(const struct lease_queue *queue)
{
    size_t bytes = 0;

    for (size_t i = 0; i < queue->slot_count; i++)
        bytes += waiting_lease_bytes(queue->slots[i]);
    return bytes;
}

bool lease_queue_put(struct lease_queue *queue, const struct msg_lease *lease)
{
    if (queue->count == LEASE_QUEUE_MAX ||
        lease_queue_bytes(queue) >= LEASE_QUEUE_BYTES)
        return false;
    if (queue->count == queue->slot_count)
        queue->slots[queue->slot_count++] = waiting_lease_create();
    waiting_lease_put(queue->slots[queue->count++], lease);
    return true;
}

/* Moves the slot to the end, so that the lease borrowed from it stays valid until the
 * slot is used again. Frees the memory of the slot that was there before, if it is
 * large. */
static struct waiting_lease *remove_slot(struct lease_queue *queue, size_t at)
{
    struct waiting_lease *slot = queue->slots[at];

    if (queue->count < queue->slot_count)
        waiting_lease_trim(queue->slots[queue->slot_count - 1]);

    memmove(&queue->slots[at], &queue->slots[at + 1],
            (queue->slot_count - at - 1) * sizeof(struct waiting_lease *));
    queue->slots[queue->slot_count - 1] = slot;
    queue->count--;
    return slot;
}

const struct msg_lease *lease_queue_take(struct lease_queue *queue)
{
    return queue->count > 0 ? waiting_lease_take(remove_slot(queue, 0)) : NULL;
}

const struct msg_lease *lease_queue_peek(const struct lease_queue *queue, size_t at)
{
    return at < queue->count ? waiting_lease_peek(queue->slots[at]) : NULL;
}

size_t lease_queue_count(const struct lease_queue *queue)
{
    return queue->count;
}

static size_t find(const struct lease_queue *queue, uint64_t run_id)
{
    size_t at = 0;

    while (at < queue->count && waiting_lease_run_id(queue->slots[at]) != run_id)
        at++;
    return at;
}

bool lease_queue_has(const struct lease_queue *queue, uint64_t run_id)
{
    return find(queue, run_id) < queue->count;
}

bool lease_queue_drop(struct lease_queue *queue, uint64_t run_id)
{
    size_t at = find(queue, run_id);

    if (at == queue->count)
        return false;
    waiting_lease_drop(remove_slot(queue, at));
    return true;
}

void lease_queue_drop_all(struct lease_queue *queue)
{
    while (queue->count > 0)
        waiting_lease_drop(remove_slot(queue, 0));
}
