#include "coordinator/clients/client_requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/allocation/allocator.h"
#include "coordinator/clients/client_reply.h"
#include "coordinator/clients/list_requests.h"
#include "coordinator/placement/scheduler.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "lib/query/store_rows.h"
#include "lib/query/task_outcome.h"
#include "lib/store/store.h"

enum { WATCHERS_MAX = 1000 };

struct watcher {
    struct watcher *next;
    struct peer peer;
    uint64_t job_id;
};

/* The requests */

struct known { /* a job that is submitted again */
    struct client_requests *clients;
    const struct peer *peer;
    const char *yaml;
};

static int answer_known(const struct store_job *row, void *arg, struct err *err)
{
    const struct known *known = arg;

    (void)err;
    if (strcmp(row->yaml, known->yaml) != 0) {
        char text[200];

        snprintf(text, sizeof(text),
                 "%.128s was submitted with these words, and is another file",
                 row->key);
        client_reply_refuse(known->clients, known->peer, ERR_INPUT, text);
        return 0;
    }
    char *out = xasprintf("%s/%s", known->clients->out, row->key);
    const struct msg_submitted submitted = {.job_id = row->job_id,
                                            .job_key = row->key,
                                            .points = row->points_total,
                                            .tasks = row->tasks_total,
                                            .out = out};
    client_reply_send(known->clients, known->peer, MSG_SUBMITTED, &submitted);
    free(out);
    return 0;
}

static int
on_submit(struct client_requests *clients, const struct incoming *in, struct err *err)
{
    struct msg_submit submit = in->message.submit;
    struct known known = {clients, &in->peer, submit.yaml};
    struct ledger_job *job;
    char *problems = NULL;
    uint64_t job_id;

    if (*in->caller.name) /* what he says of himself does not count */
        submit.user = in->caller.name;
    if (store_job_find_once(clients->store, submit.user, submit.once, &job_id, err) < 0)
        return -1;
    if (job_id)
        return store_each_job(clients->store, job_id, answer_known, &known, err);
    if (ledger_submit(&job, clients->ledger, &submit, &problems, err) < 0) {
        if (!problems)
            return -1;
        client_reply_refuse(clients, &in->peer, err->code, problems);
        free(problems);
        return 0;
    }
    log_info("job submitted: job=%s user=%s tasks=%" PRIu64, job->key, submit.user,
             job->task_count);
    const struct msg_submitted submitted = {.job_id = job->job_id,
                                            .job_key = job->key,
                                            .points = job_point_count(job->job),
                                            .tasks = job->task_count,
                                            .out = job->out};
    client_reply_send(clients, &in->peer, MSG_SUBMITTED, &submitted);
    return 0;
}

static void say_progress(struct client_requests *clients,
                         const struct peer *peer,
                         const struct ledger_job *job)
{
    bool final = job_state_is_final(job->state);
    const struct msg_job_progress progress = {
        .job_id = job->job_id,
        .job_key = job->key,
        .state = job_state_name(job->state),
        .final = final,
        .exit_code = final ? store_rows_exit_code(job->state, job->counts[TASK_FAILED],
                                                  job->counts[TASK_CANCELLED])
                           : 0,
        .tasks = job_task_count(job->job),
        .waiting = job->counts[TASK_WAITING],
        .running = job->counts[TASK_LEASED],
        .parsing = job->counts[TASK_PARSING],
        .done = job->counts[TASK_DONE],
        .failed = job->counts[TASK_FAILED],
        .cancelled = job->counts[TASK_CANCELLED],
        .workers = clients->control->workers.count,
        .note = job->note,
        .out = job->out,
    };

    client_reply_send(clients, peer, MSG_JOB_PROGRESS, &progress);
}

static void
add_watcher(struct client_requests *clients, const struct peer *peer, uint64_t job_id)
{
    struct watcher **at = &clients->watchers;
    size_t count = 0;

    for (; *at; at = &(*at)->next, count++)
        if ((*at)->job_id == job_id && peer_is_same(&(*at)->peer, peer))
            return;
    if (count >= WATCHERS_MAX) { /* the oldest has long gone, or asks again */
        struct watcher *oldest = clients->watchers;

        clients->watchers = oldest->next;
        if (at == &oldest->next)
            at = &clients->watchers;
        free(oldest);
    }
    *at = xcalloc(1, sizeof(**at));
    (*at)->peer = *peer;
    (*at)->job_id = job_id;
}

static int
on_watch(struct client_requests *clients, const struct incoming *in, struct err *err)
{
    uint64_t job_id = in->message.watch.job_id;
    const struct ledger_job *job = ledger_find_job(clients->ledger, job_id);

    if (job) {
        add_watcher(clients, &in->peer, job_id);
        say_progress(clients, &in->peer, job);
        return 0;
    }
    return clients_stored_progress(clients, &in->peer, job_id, err);
}

static int find_owner(const struct store_job *row, void *arg, struct err *err)
{
    char **user = arg;

    (void)err;
    *user = xstrdup(row->user);
    return 0;
}

/* Who may submit may change what he submitted, and nothing of others. */
static int check_owner(struct client_requests *clients,
                       const struct incoming *in,
                       uint64_t job_id,
                       struct err *err)
{
    char *user = NULL;

    if (in->caller.roles != ROLE_SUBMIT)
        return 0;
    if (store_each_job(clients->store, job_id, find_owner, &user, err) < 0)
        return -1;
    bool his = user && !strcmp(user, in->caller.name);
    free(user);
    return his ? 0
               : err_set(err, ERR_DENIED,
                         "it is another one's job; your key's role is submit");
}

static int
on_cancel(struct client_requests *clients, const struct incoming *in, struct err *err)
{
    const struct msg_cancel *cancel = &in->message.cancel;
    struct ledger_job *job = ledger_find_job(clients->ledger, cancel->job_id);
    const struct msg_ok ok = {.text = job ? "cancelled" : "it has ended already"};

    if (!job && clients_find_job(clients, cancel->job_id, err) < 0)
        return client_reply_refuse_or_fail(clients, &in->peer, err);
    if (check_owner(clients, in, cancel->job_id, err) < 0)
        return client_reply_refuse_or_fail(clients, &in->peer, err);
    if (job) {
        log_info("job cancelled: job=%s now=%d", job->key, cancel->now);
        if (ledger_cancel(clients->ledger, job, err) < 0)
            return -1;
        sessions_stop_job(clients->control, job, cancel->now);
    }
    client_reply_send(clients, &in->peer, MSG_OK, &ok);
    return 0;
}

static const struct task *find_task(const struct ledger_job *job,
                                    const struct msg_explain *wanted)
{
    for (uint64_t i = 0; i < job->task_count; i++) {
        const struct task *task = &job->tasks[i];

        if (wanted->any
                ? !task_state_is_final(task->state)
                : task->point == wanted->point && task->repeat == wanted->repeat)
            return task;
    }
    return NULL;
}

static int
on_explain(struct client_requests *clients, const struct incoming *in, struct err *err)
{
    const struct msg_explain *wanted = &in->message.explain;
    const struct ledger_job *job = ledger_find_job(clients->ledger, wanted->job_id);
    const struct task *task = job ? find_task(job, wanted) : NULL;
    struct text words = {0};
    bool ended;

    if (!job && clients_find_job(clients, wanted->job_id, err) < 0)
        return client_reply_refuse_or_fail(clients, &in->peer, err);
    if (task && !task_state_is_final(task->state)) {
        text_printf(&words, "point %" PRIu64 " repeat %u ", task->point, task->repeat);
        scheduler_explain(clients->control, task, &words);
    } else if (task_outcome_explain(&words, &ended, clients->store, wanted, err) < 0) {
        text_clear(&words);
        return client_reply_refuse_or_fail(clients, &in->peer, err);
    }
    const struct msg_ok ok = {.text = text_get(&words)};
    client_reply_send(clients, &in->peer, MSG_OK, &ok);
    text_clear(&words);
    return 0;
}

/* What only waits on cards that get nothing more goes elsewhere. */
static void recall_drained(struct sessions *control)
{
    for (struct worker *worker = control->workers.first; worker;
         worker = worker->next) {
        struct attempt_rank *rank =
            worker->ranks ? worker->ranks->next_of_worker : NULL;

        if (!card_is_drained(worker->state))
            continue;
        for (; rank; rank = rank->next_of_worker)
            if (rank->state == RANK_STATE_LEASED && !rank->recalled)
                sessions_recall_rank(control, rank, "the card is drained");
    }
}

static int
on_drain(struct client_requests *clients, const struct incoming *in, struct err *err)
{
    const struct msg_drain *wish = &in->message.drain;
    int32_t card = wish->whole_host ? DRAINS_WHOLE_HOST : (int32_t)wish->card;
    struct drains *drains = clients->control->drains;
    bool found = true;
    int result;

    if (!*wish->host || (!wish->whole_host && wish->card > INT32_MAX) ||
        (!wish->undo && !*wish->reason)) {
        client_reply_refuse(clients, &in->peer, ERR_INPUT,
                            "a host, a card and a reason are wanted");
        return 0;
    }
    result = wish->undo ? drains_remove(drains, wish->host, card, &found, err)
                        : drains_add(drains, wish->host, card, wish->reason, err);
    if (result < 0 || ledger_card_drained(clients->ledger, wish->host, card,
                                          wish->undo ? NULL : wish->reason, err) < 0)
        return -1;
    workers_update_states(&clients->control->workers, drains, clock_mono_ms());
    recall_drained(clients->control);
    log_info("%s: host=%s card=%d: %s", wish->undo ? "undrained" : "drained",
             wish->host, card, wish->reason);
    const struct msg_ok ok = {.text = !found       ? "was not drained"
                                      : wish->undo ? "gets tasks again"
                                                   : "gets nothing more"};
    client_reply_send(clients, &in->peer, MSG_OK, &ok);
    return 0;
}

static int
on_retry(struct client_requests *clients, const struct incoming *in, struct err *err)
{
    const struct msg_retry *wish = &in->message.retry;
    uint64_t count;
    char words[64];

    if (check_owner(clients, in, wish->job_id, err) < 0 ||
        ledger_retry(clients->ledger, wish, &count, err) < 0)
        return client_reply_refuse_or_fail(clients, &in->peer, err);
    snprintf(words, sizeof(words), "%" PRIu64 " task%s again", count,
             count == 1 ? " waits" : "s wait");
    log_info("job retried: job=%" PRIu64 " tasks=%" PRIu64, wish->job_id, count);
    const struct msg_ok ok = {.text = words};
    client_reply_send(clients, &in->peer, MSG_OK, &ok);
    return 0;
}

static int
on_alloc(struct client_requests *clients, const struct incoming *in, struct err *err)
{
    const struct msg_alloc *wish = &in->message.alloc;
    char said[240];

    if (allocator_hear(clients->allocator, wish, said, err) < 0)
        return client_reply_refuse_or_fail(clients, &in->peer, err);
    log_info("queue of allocations: %s %s", wish->what, wish->name);
    client_reply_send(clients, &in->peer, MSG_OK, &(struct msg_ok){.text = said});
    return 0;
}

static int
on_read_log(struct client_requests *clients, const struct incoming *in, struct err *err)
{
    return log_relay_ask(clients->control, clients->store, &in->peer,
                         &in->message.read_log, err);
}

static int
on_shutdown(struct client_requests *clients, const struct incoming *in, struct err *err)
{
    const struct msg_ok ok = {.text = "ending"};

    (void)err;
    if (in->message.shutdown.workers_too)
        sessions_disconnect_all(clients->control, "shutdown");
    client_reply_send(clients, &in->peer, MSG_OK, &ok);
    clients->stop = true;
    return 0;
}

static const struct request {
    enum message_type type;
    int (*answer)(struct client_requests *clients,
                  const struct incoming *in,
                  struct err *err);
} requests[] = {
    {MSG_SUBMIT, on_submit},
    {MSG_LIST_JOBS, clients_list_jobs},
    {MSG_LIST_TASKS, clients_list_tasks},
    {MSG_LIST_RESULTS, clients_list_results},
    {MSG_LIST_WORKERS, clients_list_workers},
    {MSG_WATCH, on_watch},
    {MSG_CANCEL, on_cancel},
    {MSG_SHUTDOWN, on_shutdown},
    {MSG_EXPLAIN, on_explain},
    {MSG_LIST_EVENTS, clients_list_events},
    {MSG_DRAIN, on_drain},
    {MSG_READ_LOG, on_read_log},
    {MSG_ALLOC, on_alloc},
    {MSG_LIST_ALLOCS, clients_list_allocs},
    {MSG_RETRY, on_retry},
};

int client_requests_handle(struct client_requests *clients,
                           const struct incoming *in,
                           struct err *err)
{
    if (ledger_store_attempts(clients->ledger, err) <
        0) /* many an answer is read from there */
        return -1;
    for (size_t i = 0; i < COUNT(requests); i++)
        if (requests[i].type == in->kind->type)
            return requests[i].answer(clients, in, err);
    client_reply_refuse(clients, &in->peer, ERR_INPUT,
                        "this message is not for a coordinator");
    return 0;
}

void client_requests_notify_watchers(struct client_requests *clients)
{
    for (struct watcher **at = &clients->watchers; *at;) {
        struct watcher *watcher = *at;
        const struct ledger_job *job =
            ledger_find_job(clients->ledger, watcher->job_id);

        if (job && job->changed)
            say_progress(clients, &watcher->peer, job);
        if (!job || job_state_is_final(job->state)) {
            *at = watcher->next;
            free(watcher);
        } else {
            at = &watcher->next;
        }
    }
    for (struct ledger_job *job = ledger_first_job(clients->ledger); job;
         job = job->next)
        job->changed = false;
}

void client_requests_clear(struct client_requests *clients)
{
    while (clients->watchers) {
        struct watcher *watcher = clients->watchers;

        clients->watchers = watcher->next;
        free(watcher);
    }
}
