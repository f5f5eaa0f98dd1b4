#include "coordinator/clients/client_requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/allocation/allocator.h"
#include "coordinator/baselines/baselines.h"
#include "coordinator/clients/client_reply.h"
#include "coordinator/clients/gate_requests.h"
#include "coordinator/clients/job_watchers.h"
#include "coordinator/clients/list_requests.h"
#include "coordinator/confirmation/confirmations.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/ledger/ledger.h"
#include "coordinator/placement/scheduler.h"
#include "coordinator/sessions/worker_sessions.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "lib/query/task_outcome.h"
#include "lib/store/store.h"

struct client_requests {
    struct client_requests_parts parts;
    struct list_sources lists;
    struct job_watchers *watchers;
    bool shut_down;
};

struct client_requests *
client_requests_create(const struct client_requests_parts *parts)
{
    struct client_requests *clients = xcalloc(1, sizeof(*clients));

    clients->parts = *parts;
    clients->lists = (struct list_sources){.store = parts->store,
                                           .fleet = parts->fleet,
                                           .allocator = parts->allocator,
                                           .out = parts->out};
    clients->watchers =
        job_watchers_create(parts->ledger, parts->fleet, parts->outbox, parts->link);
    return clients;
}

void client_requests_destroy(struct client_requests *clients)
{
    if (!clients)
        return;
    job_watchers_destroy(clients->watchers);
    free(clients);
}

/* Submit */

struct known_job { /* a job that was submitted before with the same token */
    const struct client_requests *clients;
    struct client_reply *reply;
    const char *yaml; /* NULL: the token stands for the job */
};

static int reply_known_job(const struct store_job *row, void *arg, struct err *err)
{
    const struct known_job *known = arg;

    (void)err;
    if (known->yaml && strcmp(row->yaml, known->yaml) != 0) {
        char text[240];

        snprintf(
            text, sizeof(text),
            "the token of --once was used for %.128s, a different job file; choose "
            "another token",
            row->key);
        client_reply_refuse(known->reply, ERR_INPUT, text);
        return 0;
    }
    char *out = xasprintf("%s/%s", known->clients->parts.out, row->key);
    const struct msg_submitted submitted = {.job_id = row->job_id,
                                            .job_key = row->key,
                                            .points = row->points_total,
                                            .tasks = row->tasks_total,
                                            .out = out,
                                            .repeated = true};
    client_reply_send(known->reply, MSG_SUBMITTED, &submitted);
    free(out);
    return 0;
}

static void reply_submitted(struct client_reply *reply, const struct ledger_job *job)
{
    const struct msg_submitted submitted = {.job_id = job->job_id,
                                            .job_key = job->key,
                                            .points = job_point_count(job->job),
                                            .tasks = job->task_count,
                                            .out = job->out};

    client_reply_send(reply, MSG_SUBMITTED, &submitted);
}

static int on_submit(struct client_requests *clients,
                     const struct incoming *in,
                     struct client_reply *reply,
                     struct err *err)
{
    struct msg_submit submit = in->message.submit;
    struct known_job known = {clients, reply, submit.yaml};
    struct store *store = clients->parts.store;
    struct ledger_job *job;
    char *problems = NULL;
    uint64_t job_id;

    if (*in->caller.name) /* the name of the key replaces the name in the message */
        submit.user = in->caller.name;
    if (store_job_find_once(store, submit.user, submit.once, &job_id, err) < 0)
        return -1;
    if (job_id)
        return store_job_read(store, job_id, reply_known_job, &known, err);
    if (ledger_submit(&job, clients->parts.ledger, &submit, &problems, err) < 0) {
        if (!problems)
            return -1;
        client_reply_refuse(reply, err->code, problems);
        free(problems);
        return 0;
    }
    log_info("job submitted: job=%s user=%s tasks=%" PRIu64, job->key, submit.user,
             job->task_count);
    reply_submitted(reply, job);
    return 0;
}

/* Watch and explain */

static int on_watch(struct client_requests *clients,
                    const struct incoming *in,
                    struct client_reply *reply,
                    struct err *err)
{
    uint64_t job_id = in->message.watch.job_id;
    const struct ledger_job *job = ledger_find_job(clients->parts.ledger, job_id);

    if (!job)
        return list_stored_progress(&clients->lists, job_id, reply, err);
    job_watchers_add(clients->watchers, &in->peer, job);
    return 0;
}

static const struct task *find_task(const struct ledger_job *job,
                                    const struct msg_explain *request)
{
    for (uint64_t i = 0; i < job->task_count; i++) {
        const struct task *task = &job->tasks[i];

        if (request->any
                ? !task_state_is_final(task->state)
                : task->point == request->point && task->repeat == request->repeat)
            return task;
    }
    return NULL;
}

static int on_explain(struct client_requests *clients,
                      const struct incoming *in,
                      struct client_reply *reply,
                      struct err *err)
{
    const struct msg_explain *request = &in->message.explain;
    const struct ledger_job *job =
        ledger_find_job(clients->parts.ledger, request->job_id);
    const struct task *task = job ? find_task(job, request) : NULL;
    const struct scheduler_view view = {clients->parts.ledger, clients->parts.fleet,
                                        clock_mono_ms()};
    struct text text = {0};
    bool ended;
    int result = 0;

    if (!job && list_find_job(&clients->lists, request->job_id, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    if (task && !task_state_is_final(task->state)) {
        text_printf(&text, "point %" PRIu64 " repeat %u ", task->point, task->repeat);
        scheduler_explain(&view, task, &text);
        if (task->state == TASK_WAITING)
            allocator_explain(clients->parts.allocator, &text);
    } else {
        result =
            task_outcome_explain(&text, &ended, clients->parts.store, request, err);
    }
    if (result < 0)
        result = client_reply_refuse_or_fail(reply, err);
    else
        client_reply_ok(reply, text_get(&text));
    text_clear(&text);
    return result;
}

/* Cancel, retry and reparse */

static int read_user(const struct store_job *row, void *arg, struct err *err)
{
    char **user = arg;

    (void)err;
    *user = xstrdup(row->user);
    return 0;
}

/* A key whose only role is submit may change its own jobs only. */
static int check_owner(struct client_requests *clients,
                       const struct incoming *in,
                       uint64_t job_id,
                       struct err *err)
{
    char *user;

    if (in->caller.roles != ROLE_SUBMIT)
        return 0;
    if (store_job_read(clients->parts.store, job_id, read_user, &user, err) < 0)
        return -1;
    bool is_owner = !strcmp(user, in->caller.name);
    free(user);
    return is_owner ? 0
                    : err_set(err, ERR_DENIED,
                              "the job belongs to another user, and a key with role "
                              "submit may change only its own jobs");
}

static int on_cancel(struct client_requests *clients,
                     const struct incoming *in,
                     struct client_reply *reply,
                     struct err *err)
{
    const struct msg_cancel *request = &in->message.cancel;
    struct ledger_job *job = ledger_find_job(clients->parts.ledger, request->job_id);

    if (!job && list_find_job(&clients->lists, request->job_id, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    if (check_owner(clients, in, request->job_id, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    if (job) {
        log_info("job cancelled: job=%s now=%d", job->key, request->now);
        if (ledger_cancel(clients->parts.ledger, job, err) < 0)
            return -1;
        sessions_stop_job(clients->parts.sessions, job, request->now);
    }
    client_reply_ok(reply, job ? "cancelled" : "has already ended");
    return 0;
}

static int on_retry(struct client_requests *clients,
                    const struct incoming *in,
                    struct client_reply *reply,
                    struct err *err)
{
    const struct msg_retry *request = &in->message.retry;
    uint64_t count;
    char text[64];

    if (check_owner(clients, in, request->job_id, err) < 0 ||
        ledger_retry(clients->parts.ledger, request, &count, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    log_info("job retried: job_id=%" PRIu64 " tasks=%" PRIu64, request->job_id, count);
    snprintf(text, sizeof(text), "%" PRIu64 " task%s again", count,
             count == 1 ? " waits" : "s wait");
    client_reply_ok(reply, text);
    return 0;
}

static int on_reparse(struct client_requests *clients,
                      const struct incoming *in,
                      struct client_reply *reply,
                      struct err *err)
{
    const struct msg_reparse *request = &in->message.reparse;
    uint64_t count;
    char text[80];

    if (check_owner(clients, in, request->job_id, err) < 0 ||
        ledger_reparse(clients->parts.ledger, request, &count, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    log_info("job parsed again: job_id=%" PRIu64 " tasks=%" PRIu64, request->job_id,
             count);
    snprintf(text, sizeof(text), "the captures of %" PRIu64 " task%s are parsed again",
             count, count == 1 ? "" : "s");
    client_reply_ok(reply, text);
    return 0;
}

/* Gates */

static int on_read_job_file(struct client_requests *clients,
                            const struct incoming *in,
                            struct client_reply *reply,
                            struct err *err)
{
    return gate_requests_job_file(clients->parts.store, in, reply, err);
}

static int on_gate_verdict(struct client_requests *clients,
                           const struct incoming *in,
                           struct client_reply *reply,
                           struct err *err)
{
    uint64_t job_id = in->message.gate_verdict.job_id;

    if (list_find_job(&clients->lists, job_id, err) < 0 ||
        check_owner(clients, in, job_id, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    return gate_requests_verdict(clients->parts.ledger, clients->parts.store, in, reply,
                                 err);
}

static int on_confirm(struct client_requests *clients,
                      const struct incoming *in,
                      struct client_reply *reply,
                      struct err *err)
{
    struct msg_confirm_suspects request = in->message.confirm_suspects;
    struct known_job known = {clients, reply, NULL};
    struct ledger_job *job;
    uint64_t job_id;

    if (*in->caller.name) /* the name of the key replaces the name in the message */
        request.user = in->caller.name;
    if (check_owner(clients, in, request.job_id, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    if (store_job_find_once(clients->parts.store, request.user, request.once, &job_id,
                            err) < 0)
        return -1;
    if (job_id)
        return store_job_read(clients->parts.store, job_id, reply_known_job, &known,
                              err);
    if (confirmations_start(clients->parts.confirmations, &request, &job, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    log_info("confirmation submitted: job=%s confirms=%" PRIu64 " base=%" PRIu64
             " user=%s tasks=%" PRIu64,
             job->key, request.job_id, request.base_job_id, request.user,
             job->task_count);
    reply_submitted(reply, job);
    return 0;
}

/* Administration */

static void log_drain(const struct msg_drain *request)
{
    const char *event = request->undo ? "undrained" : "drained";

    if (request->whole_host)
        log_info("host %s: host=%s reason=\"%s\"", event, request->host,
                 request->reason);
    else
        log_info("card %s: host=%s card=%" PRIu64 " reason=\"%s\"", event,
                 request->host, request->card, request->reason);
}

static int on_drain(struct client_requests *clients,
                    const struct incoming *in,
                    struct client_reply *reply,
                    struct err *err)
{
    const struct msg_drain *request = &in->message.drain;
    struct fleet *fleet = clients->parts.fleet;
    int32_t card = request->whole_host ? DRAINS_WHOLE_HOST : (int32_t)request->card;
    const char *reason = request->undo ? NULL : request->reason;
    bool found = true;
    int result;

    if (!*request->host || (!request->whole_host && request->card > INT32_MAX) ||
        (reason && !*reason)) {
        client_reply_refuse(reply, ERR_INPUT,
                            "a drain needs a host name, a card number below 2147483648 "
                            "or the whole host, and a reason");
        return 0;
    }
    result = reason ? drains_add(fleet->drains, request->host, card, reason, err)
                    : drains_remove(fleet->drains, request->host, card, &found, err);
    if (result < 0 || ledger_card_drained(clients->parts.ledger, request->host, card,
                                          reason, err) < 0)
        return -1;
    workers_update_states(&fleet->workers, fleet->drains, clock_mono_ms());
    sessions_recall_from_drained_cards(clients->parts.sessions);
    log_drain(request);
    client_reply_ok(reply,
                    !found    ? "was not drained"
                    : !reason ? "back in service"
                    : workers_have_card(&fleet->workers, request->host, card)
                        ? "drained: no new task starts there"
                        : "drained, but no connected worker has this name; check "
                          "it with 'muster list --workers', or undo it with "
                          "'muster undrain'");
    return 0;
}

static int on_alloc(struct client_requests *clients,
                    const struct incoming *in,
                    struct client_reply *reply,
                    struct err *err)
{
    const struct msg_alloc *request = &in->message.alloc;
    char text[240];

    if (allocator_handle_request(clients->parts.allocator, request, text, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    log_info("allocation queue changed: queue=%s action=%s", request->name,
             request->what);
    client_reply_ok(reply, text);
    return 0;
}

static int on_baseline(struct client_requests *clients,
                       const struct incoming *in,
                       struct client_reply *reply,
                       struct err *err)
{
    struct msg_baseline request = in->message.baseline;
    char text[BASELINE_REPLY_SIZE];

    if (*in->caller.name) /* the name of the key replaces the name in the message */
        request.user = in->caller.name;
    if (baselines_handle_request(clients->parts.ledger, clients->parts.store, &request,
                                 text, err) < 0)
        return client_reply_refuse_or_fail(reply, err);
    log_info("baseline changed: baseline=%s action=%s user=%s", request.name,
             request.what, request.user);
    client_reply_ok(reply, text);
    return 0;
}

static int on_read_log(struct client_requests *clients,
                       const struct incoming *in,
                       struct client_reply *reply,
                       struct err *err)
{
    (void)reply; /* the worker sends the output, and log_relay.c forwards it */
    return sessions_read_log(clients->parts.sessions, clients->parts.store, &in->peer,
                             &in->message.read_log, err);
}

static int on_shutdown(struct client_requests *clients,
                       const struct incoming *in,
                       struct client_reply *reply,
                       struct err *err)
{
    (void)err;
    if (in->message.shutdown.workers_too)
        sessions_disconnect_all(clients->parts.sessions, "shutdown");
    client_reply_ok(reply, "shutting down");
    clients->shut_down = true;
    return 0;
}

/* The table of requests */

typedef int request_fn(struct client_requests *clients,
                       const struct incoming *in,
                       struct client_reply *reply,
                       struct err *err);

static const struct request { /* `handle` or `list` */
    enum message_type type;
    request_fn *handle;
    list_request_fn *list;
} requests[] = {
    {MSG_SUBMIT, .handle = on_submit},
    {MSG_WATCH, .handle = on_watch},
    {MSG_EXPLAIN, .handle = on_explain},
    {MSG_CANCEL, .handle = on_cancel},
    {MSG_RETRY, .handle = on_retry},
    {MSG_REPARSE, .handle = on_reparse},
    {MSG_DRAIN, .handle = on_drain},
    {MSG_ALLOC, .handle = on_alloc},
    {MSG_BASELINE, .handle = on_baseline},
    {MSG_CONFIRM_SUSPECTS, .handle = on_confirm},
    {MSG_READ_LOG, .handle = on_read_log},
    {MSG_SHUTDOWN, .handle = on_shutdown},
    {MSG_LIST_JOBS, .list = list_jobs},
    {MSG_LIST_TASKS, .list = list_tasks},
    {MSG_LIST_RESULTS, .list = list_results},
    {MSG_LIST_WORKERS, .list = list_workers},
    {MSG_LIST_EVENTS, .list = list_events},
    {MSG_LIST_ALLOCS, .list = list_allocations},
    {MSG_LIST_RANKS, .list = list_ranks},
    {MSG_LIST_LAUNCHES, .list = list_launches},
    {MSG_LIST_REPLAYS, .list = list_replays},
    {MSG_LIST_BASELINES, .list = list_baselines},
    {MSG_READ_JOB_FILE, .handle = on_read_job_file},
    {MSG_GATE_VERDICT, .handle = on_gate_verdict},
    {MSG_LIST_SUSPECTS, .list = list_suspects},
    {MSG_LIST_FILES, .list = list_files},
    {MSG_READ_FILE, .list = list_file_piece},
};

int client_requests_handle(struct client_requests *clients,
                           const struct incoming *in,
                           struct err *err)
{
    struct client_reply reply = {.outbox = clients->parts.outbox,
                                 .link = clients->parts.link,
                                 .peer = &in->peer};

    if (ledger_store_attempts(clients->parts.ledger, err) < 0)
        return -1; /* many requests read the attempts from the store */
    for (size_t i = 0; i < COUNT(requests); i++) {
        const struct request *request = &requests[i];

        if (request->type == in->kind->type)
            return request->list ? request->list(&clients->lists, in, &reply, err)
                                 : request->handle(clients, in, &reply, err);
    }
    client_reply_refuse(&reply, ERR_INPUT,
                        "a coordinator does not accept this type of message");
    return 0;
}

void client_requests_notify_watchers(struct client_requests *clients)
{
    job_watchers_notify(clients->watchers);
}

bool client_requests_shut_down(const struct client_requests *clients)
{
    return clients->shut_down;
}
