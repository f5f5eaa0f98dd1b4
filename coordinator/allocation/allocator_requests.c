/* allocator_requests.c - requests of users about allocation queues, and lists of them
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/allocation/allocator_internal.h"
#include "lib/base/text.h"

static struct allocation_request read_request(const struct msg_alloc *message)
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
add_queue(struct allocator *allocator, const struct msg_alloc *message, struct err *err)
{
    struct allocation_request request = read_request(message);

    if (!allocator->all.keys)
        return err_set(err, ERR_CONFLICT,
                       "the coordinator runs without keys, and workers of allocations "
                       "need keys of "
                       "their own; start muster-coordinator with --key and --allow");
    if (!text_has_prefix(allocator->options.control, "tcp://"))
        return err_set(err, ERR_CONFLICT,
                       "the coordinator listens at %s, which other hosts cannot reach; "
                       "start muster-coordinator with --control tcp://...",
                       allocator->options.control);
    return allocations_add(&allocator->all, &request, err);
}

int allocator_handle_request(struct allocator *allocator,
                             const struct msg_alloc *message,
                             char reply[240],
                             struct err *err)
{
    struct alloc_queue *queue = allocations_find(&allocator->all, message->name);
    const char *what = message->what;

    reply[0] = '\0';
    if (!strcmp(what, "add")) {
        if (add_queue(allocator, message, err) < 0)
            return -1;
        snprintf(reply, 240, "added: requests cards while tasks wait");
        return 0;
    }
    if (!queue)
        return err_set(
            err, ERR_NOT_FOUND,
            "there is no allocation queue '%s'; 'muster alloc list' shows all",
            message->name);
    if (!strcmp(what, "pause") || !strcmp(what, "resume")) {
        bool pause = what[0] == 'p';

        if (queue->removing)
            return err_set(err, ERR_CONFLICT, "allocation queue %s %s", message->name,
                           queue->reason);
        snprintf(reply, 240,
                 pause ? "paused: requests no more allocations; present ones continue"
                       : "resumed: requests cards while tasks wait");
        queue->failures = queue->not_before_ms = 0;
        return allocations_pause(&allocator->all, queue, pause,
                                 pause ? "paused by a user" : "", err);
    }
    if (!strcmp(what, "remove")) {
        snprintf(reply, 240, "being removed: %" PRIu64 " allocations are cancelled",
                 allocations_count(queue, ALLOC_SUBMITTING) +
                     allocations_count(queue, ALLOC_QUEUED) +
                     allocations_count(queue, ALLOC_RUNNING));
        return allocations_begin_removal(&allocator->all, queue, err);
    }
    return err_set(err, ERR_INPUT,
                   "unknown action '%s'; use add, pause, resume or remove", what);
}

void allocator_explain(const struct allocator *allocator, struct text *out)
{
    for (const struct alloc_queue *queue = allocator->all.first; queue;
         queue = queue->next)
        if (*queue->reason)
            text_printf(out, "; allocation queue %s: %s", queue->request.name,
                        queue->reason);
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
        .name = queue->request.name,
        .state = queue->removing   ? "removing"
                 : queue->paused   ? "paused"
                 : queue->failures ? "failing"
                                   : "active",
        .reason = queue->reason,
        .nodes = queue->request.nodes,
        .cards_per_node = queue->request.cards_per_node,
        .backlog = queue->request.backlog,
        .most = queue->request.most,
        .idle_ms = queue->request.idle_ms,
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
        .queue = one->queue->request.name,
        .name = one->name,
        .number = one->number,
        .state = alloc_state_name(one->state),
        .reason = one->reason,
        .workers = allocations_workers(one, allocator->workers),
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
