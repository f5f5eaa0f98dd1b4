/* allocator_requests.c - what people ask of the queues of allocations, and are told */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/allocation/allocator_internal.h"
#include "lib/base/text.h"

static struct allocation_request wish_of(const struct msg_alloc *message)
{
    return (struct allocation_request){
        .name = message->name,
        .resource = message->resource,
        .nodes = message->nodes,
        .cards_per_node = message->cards_per_node,
        .time_limit_ms = message->time_limit_ms,
        .idle_ms = message->idle_ms,
        .backlog = message->backlog,
        .most = message->most,
        .model = message->model ? message->model : "",
        .simulated = message->simulated,
        .here = message->here,
        .options = message->words.items,
        .option_count = message->words.count,
    };
}

static int
hear_add(struct allocator *allocator, const struct msg_alloc *message, struct err *err)
{
    struct allocation_request wish = wish_of(message);

    if (!allocator->all.keys)
        return err_set(
            err, ERR_CONFLICT,
            "this coordinator runs without keys: workers of allocations come "
            "with keys of their own; start it with --key and --allow");
    if (!text_has_prefix(allocator->options.control, "tcp://"))
        return err_set(err, ERR_CONFLICT,
                       "this coordinator listens at %s, where no other host reaches it",
                       allocator->options.control);
    return allocations_add(&allocator->all, &wish, err);
}

int allocator_hear(struct allocator *allocator,
                   const struct msg_alloc *message,
                   char said[240],
                   struct err *err)
{
    struct alloc_queue *queue = allocations_find(&allocator->all, message->name);
    const char *what = message->what;

    said[0] = '\0';
    if (!strcmp(what, "add")) {
        if (hear_add(allocator, message, err) < 0)
            return -1;
        snprintf(said, 240, "asks for cards as long as tasks wait");
        return 0;
    }
    if (!queue)
        return err_set(err, ERR_NOT_FOUND, "there is no queue '%s'", message->name);
    if (!strcmp(what, "pause") || !strcmp(what, "resume")) {
        bool pause = what[0] == 'p';

        if (queue->removing)
            return err_set(err, ERR_CONFLICT, "the queue %s %s", message->name,
                           queue->reason);
        snprintf(said, 240,
                 pause ? "asks for nothing more; what it has stays"
                       : "asks for cards again");
        queue->failures = queue->not_before_ms = 0;
        return allocations_pause(&allocator->all, queue, pause,
                                 pause ? "paused by a person" : "", err);
    }
    if (!strcmp(what, "remove")) {
        snprintf(said, 240, "%" PRIu64 " of its allocations are being cancelled",
                 allocations_count(queue, ALLOC_SUBMITTING) +
                     allocations_count(queue, ALLOC_QUEUED) +
                     allocations_count(queue, ALLOC_RUNNING));
        return allocations_begin_removal(&allocator->all, queue, err);
    }
    return err_set(err, ERR_INPUT, "'%s': wanted add, pause, resume or remove", what);
}

int allocator_release_nodes(struct allocator *allocator, struct err *err)
{
    for (struct alloc_queue *queue = allocator->all.first; queue; queue = queue->next)
        if (!queue->removing &&
            allocations_begin_removal(&allocator->all, queue, err) < 0)
            return -1;
    return 0;
}

bool allocator_is_empty(const struct allocator *allocator)
{
    return !allocator->all.first;
}

static void list_queue(const struct alloc_queue *queue, allocator_row_fn *fn, void *arg)
{
    const struct msg_alloc_row row = {
        .name = queue->wish.name,
        .state = queue->removing   ? "removing"
                 : queue->paused   ? "paused"
                 : queue->failures ? "failing"
                                   : "active",
        .reason = queue->reason,
        .nodes = queue->wish.nodes,
        .cards_per_node = queue->wish.cards_per_node,
        .backlog = queue->wish.backlog,
        .most = queue->wish.most,
        .idle_ms = queue->wish.idle_ms,
        .queued = allocations_count(queue, ALLOC_SUBMITTING) +
                  allocations_count(queue, ALLOC_QUEUED),
        .running = allocations_count(queue, ALLOC_RUNNING),
        .ended = queue->ended,
        .failures = queue->failures,
    };

    fn(MSG_ALLOC_ROW, &row, arg);
}

static void list_allocation(const struct allocator *allocator,
                            const struct allocation *one,
                            allocator_row_fn *fn,
                            void *arg)
{
    const struct msg_allocation_row row = {
        .queue = one->queue->wish.name,
        .name = one->name,
        .number = one->number,
        .state = alloc_state_name(one->state),
        .reason = one->reason,
        .workers = allocations_workers(one, &allocator->control->workers),
        .asked_wall_ns = one->asked_wall_ms * 1000000,
        .ended_wall_ns = one->ended_wall_ms * 1000000,
    };

    fn(MSG_ALLOCATION_ROW, &row, arg);
}

void allocator_list(const struct allocator *allocator,
                    bool allocations,
                    allocator_row_fn *fn,
                    void *arg)
{
    for (const struct alloc_queue *queue = allocator->all.first; queue;
         queue = queue->next) {
        if (!allocations) {
            list_queue(queue, fn, arg);
            continue;
        }
        for (const struct allocation *one = queue->allocations; one; one = one->next)
            list_allocation(allocator, one, fn, arg);
    }
}
