#include "coordinator/allocation/allocations.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/allocation/child_command.h"
#include "coordinator/fleet/workers.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/store/store.h"
#include "lib/wire/keys.h"

/* The stored reason of a queue that is being removed. */
static const char removal[] = "is being removed";

/* Memory */

static void free_allocation(struct allocation *allocation)
{
    child_command_destroy(allocation->step);
    free(allocation->name);
    free(allocation->reason);
    free(allocation->public_key);
    free(allocation);
}

static void free_queue(struct alloc_queue *queue)
{
    child_command_destroy(queue->command);
    while (queue->allocations) {
        struct allocation *gone = queue->allocations;

        queue->allocations = gone->next;
        free_allocation(gone);
    }
    for (size_t i = 0; i < queue->request.option_count; i++)
        free((char *)queue->request.options[i]);
    free((void *)queue->request.options);
    free((char *)queue->request.name);
    free((char *)queue->request.resource);
    free((char *)queue->request.model);
    free(queue->reason);
    free(queue);
}

void allocations_clear(struct allocations *all)
{
    while (all->first) {
        struct alloc_queue *gone = all->first;

        all->first = gone->next;
        free_queue(gone);
    }
}

static void replace(char **text, const char *with)
{
    char *copy = xstrdup(with);

    free(*text);
    *text = copy;
}

static struct alloc_queue *keep_queue(struct allocations *all,
                                      uint64_t id,
                                      const struct allocation_request *request)
{
    struct alloc_queue *queue = xcalloc(1, sizeof(*queue)), **at = &all->first;
    const char **words = xcalloc(request->option_count + 1, sizeof(*words));

    for (size_t i = 0; i < request->option_count; i++)
        words[i] = xstrdup(request->options[i]);
    queue->all = all;
    queue->id = id;
    queue->request = *request;
    queue->request.name = xstrdup(request->name);
    queue->request.resource = xstrdup(request->resource);
    queue->request.model = xstrdup(request->model);
    queue->request.options = words;
    queue->reason = xstrdup("");
    while (*at)
        at = &(*at)->next;
    *at = queue;
    return queue;
}

static struct allocation *keep_allocation(struct alloc_queue *queue)
{
    struct allocation *allocation = xcalloc(1, sizeof(*allocation));
    struct allocation **at = &queue->allocations;

    allocation->queue = queue;
    allocation->name = xstrdup("");
    allocation->reason = xstrdup("");
    allocation->public_key = xstrdup("");
    while (*at)
        at = &(*at)->next;
    *at = allocation;
    return allocation;
}

/* Frees the oldest ended allocations; the store has them. */
static void prune(struct alloc_queue *queue)
{
    size_t count = 0;

    for (const struct allocation *one = queue->allocations; one; one = one->next)
        count++;
    for (struct allocation **at = &queue->allocations;
         *at && count > STORE_ALLOCATIONS_KEPT;) {
        struct allocation *one = *at;

        if (one->state != ALLOC_ENDED || one->step || one == queue->about) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        free_allocation(one);
        count--;
    }
}

struct alloc_queue *allocations_find(const struct allocations *all, const char *name)
{
    struct alloc_queue *queue = all->first;

    while (queue && strcmp(queue->request.name, name) != 0)
        queue = queue->next;
    return queue;
}

/* Loading */

static int load_queue(const struct store_alloc_queue *row, void *arg, struct err *err)
{
    struct allocations *all = arg;
    const char *words[ALLOC_OPTIONS_MAX];
    char *lines = xstrdup(row->words), *rest = lines;
    struct allocation_request request = {
        .name = row->name,
        .resource = row->resource,
        .nodes = row->nodes,
        .cards_per_node = row->cards_per_node,
        .time_limit_ms = row->time_limit_ms,
        .idle_ms = row->idle_ms,
        .backlog = row->backlog,
        .most = row->most,
        .model = row->model,
        .simulated = row->simulated,
        .here = row->here,
        .options = words,
    };

    for (char *line;
         request.option_count < ALLOC_OPTIONS_MAX && (line = strsep(&rest, "\n"));)
        if (*line)
            words[request.option_count++] = line;
    int result = alloc_check(&request, err);
    if (result == 0) {
        struct alloc_queue *queue = keep_queue(all, row->queue_id, &request);

        queue->paused = row->paused;
        queue->removing = !strcmp(row->reason, removal);
        replace(&queue->reason, row->reason);
    }
    free(lines);
    return result;
}

static int
load_allocation(const struct store_allocation *row, void *arg, struct err *err)
{
    struct allocations *all = arg;
    struct alloc_queue *queue = all->first;
    enum alloc_state state = alloc_state_of(row->state);

    while (queue && queue->id != row->queue_id)
        queue = queue->next;
    if (!queue || state == ALLOC_STATE_END)
        return err_set(err, ERR_STORE, "allocation %" PRIu64 " cannot be loaded: %s",
                       row->allocation_id,
                       queue ? "unknown state" : "its queue does not exist");
    struct allocation *allocation = keep_allocation(queue);
    allocation->id = row->allocation_id;
    allocation->number = row->number;
    allocation->state = state;
    allocation->asked_wall_ms = row->asked_wall_ms;
    allocation->ended_wall_ms = row->ended_wall_ms;
    /* a worker may have connected before this start, so assume that one has */
    allocation->worker_came = state == ALLOC_RUNNING;
    replace(&allocation->name, row->name);
    replace(&allocation->reason, row->reason);
    replace(&allocation->public_key, row->public_key);
    queue->ended += state == ALLOC_ENDED;
    if (state == ALLOC_ENDED || !*row->public_key || !all->keys)
        return 0;
    return keys_admit(all->keys, row->public_key, row->name, err);
}

int allocations_load(struct allocations *all, struct err *err)
{
    if (store_each_alloc_queue(all->store, load_queue, all, err) < 0 ||
        store_each_allocation(all->store, load_allocation, all, err) < 0)
        return err_wrap(err, "loading allocations");
    return 0;
}

/* Queues */

int allocations_add(struct allocations *all,
                    const struct allocation_request *request,
                    struct err *err)
{
    struct text words = {0};
    uint64_t id;

    if (alloc_check(request, err) < 0)
        return -1;
    if (allocations_find(all, request->name))
        return err_set(err, ERR_CONFLICT,
                       "allocation queue %s exists already; choose another name or "
                       "remove it first",
                       request->name);
    for (size_t i = 0; i < request->option_count; i++)
        text_printf(&words, "%s\n", request->options[i]);
    const struct store_alloc_queue row = {
        .name = request->name,
        .resource = request->resource,
        .nodes = request->nodes,
        .cards_per_node = request->cards_per_node,
        .time_limit_ms = request->time_limit_ms,
        .idle_ms = request->idle_ms,
        .backlog = request->backlog,
        .most = request->most,
        .model = request->model,
        .simulated = request->simulated,
        .here = request->here,
        .words = text_get(&words),
        .reason = "",
    };
    int result = store_alloc_queue_add(all->store, &row, &id, err);
    text_clear(&words);
    if (result == 0)
        keep_queue(all, id, request);
    return result;
}

int allocations_pause(struct allocations *all,
                      struct alloc_queue *queue,
                      bool paused,
                      const char *reason,
                      struct err *err)
{
    if (store_alloc_queue_pause(all->store, queue->id, paused, reason, err) < 0)
        return -1;
    queue->paused = paused;
    replace(&queue->reason, reason);
    return 0;
}

int allocations_begin_removal(struct allocations *all,
                              struct alloc_queue *queue,
                              struct err *err)
{
    queue->removing = true;
    return allocations_pause(all, queue, true, removal, err);
}

int allocations_remove(struct allocations *all,
                       struct alloc_queue *queue,
                       struct err *err)
{
    struct alloc_queue **at = &all->first;

    if (store_alloc_queue_remove(all->store, queue->id, err) < 0)
        return -1;
    while (*at != queue)
        at = &(*at)->next;
    *at = queue->next;
    free_queue(queue);
    return 0;
}

/* Allocations */

static int
store_row(struct allocations *all, const struct allocation *allocation, struct err *err)
{
    const struct store_allocation row = {
        .allocation_id = allocation->id,
        .queue_id = allocation->queue->id,
        .name = allocation->name,
        .number = allocation->number,
        .state = alloc_state_name(allocation->state),
        .reason = allocation->reason,
        .public_key = allocation->public_key,
        .asked_wall_ms = allocation->asked_wall_ms,
        .ended_wall_ms = allocation->ended_wall_ms,
    };

    return store_allocation_put(all->store, &row, err);
}

int allocations_add_allocation(struct allocations *all,
                               struct alloc_queue *queue,
                               struct allocation **out,
                               char secret[KEY_TEXT + 1],
                               struct err *err)
{
    char public[KEY_TEXT + 1];
    struct store_allocation row = {.queue_id = queue->id,
                                   .name = "",
                                   .state = alloc_state_name(ALLOC_SUBMITTING),
                                   .reason = "",
                                   .public_key = public,
                                   .asked_wall_ms = clock_wall_ns() / 1000000};
    uint64_t id;

    if (keys_pair(public, secret, err) < 0 ||
        store_allocation_add(all->store, &row, &id, err) < 0)
        return -1;
    prune(queue);
    struct allocation *allocation = keep_allocation(queue);
    allocation->id = id;
    allocation->asked_wall_ms = row.asked_wall_ms;
    free(allocation->name);
    allocation->name = xasprintf("muster-%.8s-%" PRIu64, all->store_id, id);
    replace(&allocation->public_key, public);
    *out = allocation;
    if (store_row(all, allocation, err) < 0)
        return -1;
    return keys_admit(all->keys, public, allocation->name, err);
}

int allocations_move(struct allocations *all,
                     struct allocation *allocation,
                     enum alloc_state state,
                     uint64_t number,
                     const char *reason,
                     struct err *err)
{
    bool ends = state == ALLOC_ENDED && allocation->state != ALLOC_ENDED;

    if (state == ALLOC_RUNNING && allocation->state != ALLOC_RUNNING)
        allocation->running_from_ms = clock_mono_ms();
    if (state != allocation->state)
        log_info("allocation changed: allocation=%s state=%s reason=\"%s\"",
                 allocation->name, alloc_state_name(state), reason);
    allocation->state = state;
    if (number)
        allocation->number = number;
    replace(&allocation->reason, reason);
    if (ends) {
        allocation->queue->ended++;
        allocation->ended_wall_ms = clock_wall_ns() / 1000000;
        if (*allocation->public_key)
            keys_dismiss(all->keys, allocation->public_key);
        replace(&allocation->public_key, "");
    }
    return store_row(all, allocation, err);
}

uint64_t allocations_count(const struct alloc_queue *queue, enum alloc_state state)
{
    uint64_t count = 0;

    for (const struct allocation *one = queue->allocations; one; one = one->next)
        count += one->state == state;
    return count;
}

uint64_t allocations_workers(const struct allocation *allocation,
                             const struct workers *workers)
{
    uint64_t count = 0;

    for (const struct worker *worker = workers->first; worker; worker = worker->next)
        count += !strcmp(worker->allocation, allocation->name);
    return count;
}
