#include "coordinator/allocation/allocator.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/allocation/allocator_internal.h"
#include "coordinator/allocation/child_command.h"
#include "coordinator/fleet/workers.h"
#include "coordinator/ledger/ledger.h"
#include "coordinator/placement/gang_fit.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "lib/store/store.h"
#include "lib/wire/join_ticket.h"
#include "lib/wire/keys.h"

enum {
    COMMAND_LIMIT_MS = 60000,
    COMING_MS = 120000, /* a worker connects within this time after the start */
};

static void store_failed(struct allocator *allocator, const struct err *err)
{
    if (!allocator->failed)
        allocator->err = *err;
    allocator->failed = true;
}

/* Counts a failure of the queue. After ALLOC_FAILURES_MAX in a row the queue is paused
 * until a person resumes it. */
static void count_failure(struct allocator *allocator,
                          struct alloc_queue *queue,
                          const char *problem)
{
    char reason[240];
    struct err err;

    queue->failures++;
    queue->not_before_ms = clock_mono_ms() + alloc_back_off_ms(queue->failures);
    log_warning("allocation queue failed: queue=%s failures=%" PRIu64 " reason=\"%s\"",
                queue->request.name, queue->failures, problem);
    bool paused = queue->paused || queue->failures >= ALLOC_FAILURES_MAX;
    snprintf(reason, sizeof(reason), "%s%s",
             paused && !queue->paused
                 ? "failed too often in a row; resume it when the cause is removed: "
                 : "",
             problem);
    if (!queue->removing &&
        allocations_pause(&allocator->all, queue, paused, reason, &err) < 0)
        store_failed(allocator, &err);
}

static void end_allocation(struct allocator *allocator,
                           struct allocation *allocation,
                           const char *reason)
{
    struct err err;

    allocation->worker_came |= allocations_workers(allocation, allocator->workers) > 0;
    if (allocations_move(&allocator->all, allocation, ALLOC_ENDED, 0, reason, &err) < 0)
        store_failed(allocator, &err);
}

/* Submitting */

static void on_submitted(void *arg, const struct child_command_result *result)
{
    struct alloc_queue *queue = arg;
    struct allocator *allocator = queue->all->owner;
    struct allocation *allocation = queue->about;
    uint64_t number;
    struct err err;

    queue->command = NULL;
    queue->about = NULL;
    if (!result->good)
        err_set(&err, ERR_SYSTEM, "%s", result->problem);
    if (result->good && alloc_slurm_read_number(result->output, &number, &err) == 0) {
        if (queue->failures &&
            allocations_pause(&allocator->all, queue, queue->paused, "", &err) < 0)
            store_failed(allocator, &err);
        queue->failures = 0;
        if (allocations_move(&allocator->all, allocation, ALLOC_QUEUED, number, "",
                             &err) < 0)
            store_failed(allocator, &err);
        return;
    }
    /* the cluster may have accepted it all the same: the next poll finds it by its name
     */
    queue->polled_ms = 0;
    count_failure(allocator, queue, err.text);
    if (allocations_move(&allocator->all, allocation, ALLOC_SUBMITTING, 0, err.text,
                         &err) < 0)
        store_failed(allocator, &err);
}

static void on_step_ended(void *arg, const struct child_command_result *result)
{
    struct allocation *allocation = arg;
    struct alloc_queue *queue = allocation->queue;
    struct allocator *allocator = queue->all->owner;

    allocation->step = NULL;
    end_allocation(allocator, allocation, result->good ? "" : result->problem);
    if (!allocation->worker_came)
        count_failure(allocator, queue,
                      result->good ? "no worker connected" : result->problem);
}

static int start_allocation(struct allocator *allocator,
                            struct allocation *allocation,
                            const char *secret,
                            struct err *err)
{
    struct alloc_queue *queue = allocation->queue;
    const struct allocator_options *options = &allocator->options;
    struct alloc_command command =
        queue->request.here
            ? alloc_slurm_step(&queue->request, allocation->name, options->program)
            : alloc_slurm_submit(&queue->request, allocation->name, options->logs,
                                 options->program);
    const struct join_ticket ticket = {options->control, options->data,
                                       keys_public(allocator->all.keys), secret};
    char *ticket_word = join_ticket_variable(&ticket);
    const char *const env[] = {ticket_word, NULL};
    struct child_command *started = NULL;

    int result =
        child_command_start(&started, allocator->reactor, command.argv, command.input,
                            env, queue->request.here ? 0 : COMMAND_LIMIT_MS,
                            queue->request.here ? on_step_ended : on_submitted,
                            queue->request.here ? (void *)allocation : queue, err);
    explicit_bzero(ticket_word, strlen(ticket_word));
    free(ticket_word);
    alloc_command_clear(&command);
    if (result < 0)
        return -1;
    if (queue->request.here) {
        allocation->step = started;
        return allocations_move(&allocator->all, allocation, ALLOC_RUNNING, 0, "", err);
    }
    queue->command = started;
    queue->about = allocation;
    return 0;
}

/* Commits the allocation before the cluster gets it: if the coordinator ends in
 * between, it finds the allocation again by its name. */
static int
submit(struct allocator *allocator, struct alloc_queue *queue, struct err *err)
{
    struct allocation *allocation;
    char secret[KEY_TEXT + 1];
    struct err why;

    if (allocations_add_allocation(&allocator->all, queue, &allocation, secret, err) <
            0 ||
        ledger_commit(allocator->ledger, err) < 0)
        return -1;
    if (start_allocation(allocator, allocation, secret, &why) < 0) {
        end_allocation(allocator, allocation, why.text);
        count_failure(allocator, queue, why.text);
    }
    explicit_bzero(secret, sizeof(secret));
    return 0;
}

/* Polling */

static void update_state(struct allocator *allocator,
                         struct allocation *allocation,
                         const char *output)
{
    uint64_t number = 0;
    enum alloc_state state = alloc_slurm_read_state(output, allocation->name, &number);
    struct alloc_queue *queue = allocation->queue;
    struct err err;

    if (state == allocation->state)
        return;
    if (state == ALLOC_ENDED) {
        bool began = allocation->state == ALLOC_RUNNING;

        end_allocation(allocator, allocation,
                       number                ? ""
                       : *allocation->reason ? allocation->reason
                                             : "the cluster does not list it any more");
        if (began && !allocation->worker_came && !allocation->cancelled)
            count_failure(allocator, queue,
                          "an allocation ended before a worker connected");
        return;
    }
    if (allocations_move(&allocator->all, allocation, state, number, "", &err) < 0)
        store_failed(allocator, &err);
}

static void on_polled(void *arg, const struct child_command_result *result)
{
    struct alloc_queue *queue = arg;

    queue->command = NULL;
    if (!result->good)
        log_warning("allocations not polled: queue=%s reason=\"%s\"",
                    queue->request.name, result->problem);
    for (struct allocation *one = queue->allocations; one; one = one->next) {
        if (one->polled && result->good && one->state != ALLOC_ENDED)
            update_state(queue->all->owner, one, result->output);
        one->polled = false;
    }
}

static int poll(struct allocator *allocator, struct alloc_queue *queue, struct err *err)
{
    const char *names[ALLOC_LIVE_MAX];
    size_t count = 0;

    for (struct allocation *one = queue->allocations; one; one = one->next) {
        one->polled = one->state != ALLOC_ENDED && !one->step && count < ALLOC_LIVE_MAX;
        if (one->polled)
            names[count++] = one->name;
    }
    queue->polled_ms = clock_mono_ms();
    if (count == 0)
        return 0;
    struct alloc_command command = alloc_slurm_look(names, count);
    int result = child_command_start(&queue->command, allocator->reactor, command.argv,
                                     "", NULL, COMMAND_LIMIT_MS, on_polled, queue, err);
    alloc_command_clear(&command);
    return result;
}

/* Cancelling */

static void on_cancelled(void *arg, const struct child_command_result *result)
{
    struct alloc_queue *queue = arg;
    struct allocation *allocation = queue->about;

    queue->command = NULL;
    queue->about = NULL;
    if (!result->good) { /* tried again later */
        allocation->cancelled = false;
        queue->not_before_ms = clock_mono_ms() + ALLOC_BACK_OFF_MS;
        log_warning("allocation not cancelled: queue=%s allocation=%s reason=\"%s\"",
                    queue->request.name, allocation->name, result->problem);
    }
    queue->polled_ms = 0; /* polls at once, for the final state */
}

static int
cancel(struct allocator *allocator, struct allocation *allocation, struct err *err)
{
    struct alloc_queue *queue = allocation->queue;

    allocation->cancelled = true;
    if (allocation->step) {
        child_command_ask_to_end(allocation->step);
        return 0;
    }
    queue->about = allocation;
    struct alloc_command command = alloc_slurm_cancel(allocation->name);
    int result =
        child_command_start(&queue->command, allocator->reactor, command.argv, "", NULL,
                            COMMAND_LIMIT_MS, on_cancelled, queue, err);
    alloc_command_clear(&command);
    return result;
}

static struct allocation *first_not_cancelled(const struct alloc_queue *queue)
{
    struct allocation *one = queue->allocations;

    while (one && (one->state == ALLOC_ENDED || one->cancelled))
        one = one->next;
    return one;
}

/* The next command of a queue */

static bool serves(const struct alloc_queue *queue, const struct ledger_job *job)
{
    return !job->cancelled && job->after_count == 0 &&
           (!*queue->request.model ||
            text_matches(queue->request.model, job_settings(job->job)->soc));
}

static uint64_t cards_wanted(const struct allocator *allocator,
                             const struct alloc_queue *queue)
{
    uint64_t cards = 0;

    for (const struct ledger_job *job = ledger_first_job(allocator->ledger); job;
         job = job->next) {
        const struct job_settings *settings = job_settings(job->job);
        uint64_t each;

        if (!serves(queue, job))
            continue;
        if (__builtin_mul_overflow(job->counts[TASK_WAITING], settings->ranks, &each) ||
            __builtin_add_overflow(cards, each, &cards))
            return UINT64_MAX; /* more than any cluster has */
    }
    return cards;
}

/* Returns true when a waiting task that the queue serves may use the card now. */
static bool helps(const struct allocator *allocator,
                  const struct alloc_queue *queue,
                  const struct worker *worker)
{
    if (worker->ranks || card_is_drained(worker->state))
        return false;
    for (const struct ledger_job *job = ledger_first_job(allocator->ledger); job;
         job = job->next)
        if (serves(queue, job) && job->counts[TASK_WAITING] > 0 &&
            gang_fit_card_matches(worker->host, worker->model, job_settings(job->job)))
            return true;
    return false;
}

static struct alloc_load read_load(const struct allocator *allocator,
                                   struct alloc_queue *queue)
{
    const struct workers *workers = allocator->workers;
    uint64_t each = queue->request.nodes * queue->request.cards_per_node;
    struct alloc_load load = {
        .cards_wanted = cards_wanted(allocator, queue),
        .queued = allocations_count(queue, ALLOC_SUBMITTING) +
                  allocations_count(queue, ALLOC_QUEUED),
    };

    for (const struct worker *worker = workers->first; worker; worker = worker->next)
        load.cards_idle += helps(allocator, queue, worker);
    load.live = load.queued + allocations_count(queue, ALLOC_RUNNING);
    for (struct allocation *one = queue->allocations; one; one = one->next) {
        uint64_t here;

        if (one->state != ALLOC_RUNNING)
            continue;
        here = allocations_workers(one, workers);
        one->worker_came |= here > 0;
        load.starting += here < each && one->running_from_ms &&
                         clock_mono_ms() - one->running_from_ms < COMING_MS &&
                         !one->worker_came;
    }
    return load;
}

static int
tick_queue(struct allocator *allocator, struct alloc_queue *queue, struct err *err)
{
    uint64_t now = clock_mono_ms();
    struct allocation *to_cancel = queue->removing ? first_not_cancelled(queue) : NULL;
    struct alloc_load load = read_load(allocator, queue);
    struct err why = {0};
    int result = 0;

    if (queue->command)
        return 0;
    if (queue->polled_ms == 0 || now - queue->polled_ms >= allocator->options.poll_ms)
        result = poll(allocator, queue, &why);
    if (result == 0 && !queue->command && now >= queue->not_before_ms) {
        if (to_cancel)
            result = cancel(allocator, to_cancel, &why);
        else if (queue->removing && load.live == 0)
            return allocations_remove(&allocator->all, queue, err);
        else if (!queue->paused && alloc_missing(&queue->request, &load) > 0)
            return submit(allocator, queue, err);
    }
    if (result < 0)
        count_failure(allocator, queue, why.text);
    return 0;
}

int allocator_tick(struct allocator *allocator, struct err *err)
{
    struct alloc_queue *next;

    for (struct alloc_queue *queue = allocator->all.first; queue; queue = next) {
        next = queue->next;
        if (tick_queue(allocator, queue, err) < 0)
            return -1;
    }
    if (allocator->failed)
        *err = allocator->err;
    return allocator->failed ? -1 : 0;
}

/* Start and end */

int allocator_open(struct allocator **out,
                   struct reactor *reactor,
                   const struct allocator_options *options,
                   struct store *store,
                   struct keys *keys,
                   struct ledger *ledger,
                   const struct workers *workers,
                   struct err *err)
{
    struct allocator *allocator = xcalloc(1, sizeof(*allocator));

    *allocator = (struct allocator){
        .reactor = reactor,
        .options = {.program = xstrdup(options->program),
                    .logs = xstrdup(options->logs),
                    .control = xstrdup(options->control),
                    .data = xstrdup(options->data),
                    .poll_ms = options->poll_ms},
        .all = {.store = store,
                .keys = keys,
                .store_id = store_id(store),
                .owner = allocator},
        .ledger = ledger,
        .workers = workers,
    };
    *out = allocator;
    if (allocations_load(&allocator->all, err) == 0)
        return 0;
    allocator_close(allocator);
    *out = NULL;
    return -1;
}

void allocator_close(struct allocator *allocator)
{
    if (!allocator)
        return;
    allocations_clear(&allocator->all);
    free((char *)allocator->options.program);
    free((char *)allocator->options.logs);
    free((char *)allocator->options.control);
    free((char *)allocator->options.data);
    free(allocator);
}
