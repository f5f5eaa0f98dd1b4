#include "coordinator/control.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "coordinator/lease.h"
#include "job/job.h"

enum {
    REST_MS = 1000,
    SILENCE_MS = LINK_SILENCE_HEARTBEATS * LINK_HEARTBEAT_MS,
    CREDIT = 2, /* leases of a worker: one runs, one waits for it to end */
};

static void say(struct control *control,
                const struct worker *worker,
                enum message_type type,
                const void *message)
{
    outbox_say(control->outbox, control->link, &worker->peer, type, message);
}

static void say_lease(struct control *control, struct run *run)
{
    char program[PATH_MAX], cwd[PATH_MAX];
    struct msg_lease lease;

    lease_fill(&lease, run, program, sizeof(program), cwd, sizeof(cwd));
    say(control, run->worker, MSG_LEASE, &lease);
    run->recalled = false;
}

static void say_stop(struct control *control,
                     const struct worker *worker,
                     uint64_t run_id,
                     const char *why)
{
    const struct msg_stop_rank stop = {.run_id = run_id, .reason = why};

    say(control, worker, MSG_STOP_RANK, &stop);
}

/* Its worker answers with a refusal, when it has not begun. */
static void recall(struct control *control, struct run *run, const char *why)
{
    const struct msg_stop_rank stop = {
        .run_id = run->run_id, .reason = why, .only_waiting = true};

    say(control, run->worker, MSG_STOP_RANK, &stop);
    run->recalled = true;
}

static int lose_worker(struct control *control,
                       struct worker *worker,
                       const char *reason,
                       struct err *err)
{
    log_warning("worker lost: host=%s card=%d: %s", worker->host, worker->card, reason);
    if (ledger_worker_lost(control->ledger, worker, reason, err) < 0)
        return -1;
    while (worker->runs)
        if (ledger_lost(control->ledger, worker->runs, reason, err) < 0)
            return -1;
    workers_remove(&control->workers, worker);
    return 0;
}

/* Hello */

static bool holds(const struct msg_worker_hello *hello, uint64_t run_id)
{
    for (size_t i = 0; i < hello->held_runs.count; i++)
        if (hello->held_runs.items[i] == run_id)
            return true;
    return false;
}

/* What was out on this card and is not held any more. */
static int lose_awaited(struct control *control,
                        const struct worker *worker,
                        const struct msg_worker_hello *hello,
                        struct err *err)
{
    struct run *run;

    for (size_t cursor = 0; (run = ledger_next_run(control->ledger, &cursor));) {
        if (run->worker || !run->await_until_ms || run->card != worker->card ||
            strcmp(run->host, worker->host) || holds(hello, run->run_id))
            continue;
        if (ledger_lost(control->ledger, run, "its worker does not have it", err) < 0)
            return -1;
        cursor = 0; /* the table may have moved */
    }
    return 0;
}

static int take_back_held(struct control *control,
                          struct worker *worker,
                          const struct msg_worker_hello *hello,
                          struct err *err)
{
    for (size_t i = 0; i < hello->held_runs.count; i++) {
        uint64_t run_id = hello->held_runs.items[i];
        struct run *run = ledger_find_run(control->ledger, run_id);

        if (!run)
            say_stop(control, worker, run_id, "this attempt has ended");
        else if (ledger_back(control->ledger, run, worker, err) < 0)
            return -1;
    }
    return 0;
}

/* The leases that its old connection had: given again, or lost. */
static int move_leases(struct control *control,
                       struct worker *old,
                       struct worker *worker,
                       struct err *err)
{
    bool same_process = old->pid == worker->pid;

    while (old->runs) {
        struct run *run = old->runs;

        if (run->state == ATTEMPT_LEASED && same_process) {
            ledger_hand(run, worker);
            say_lease(control, run);
        } else if (ledger_lost(control->ledger, run, "its worker does not have it",
                               err) < 0) {
            return -1;
        }
    }
    return 0;
}

static int on_hello(struct control *control, const struct incoming *in, struct err *err)
{
    const struct msg_worker_hello *hello = &in->message.worker_hello;
    const struct msg_welcome welcome = {.protocol = MSG_PROTOCOL,
                                        .heartbeat_ms = LINK_HEARTBEAT_MS,
                                        .store_id = control->store_id};
    struct worker *old, *worker;

    if (hello->protocol != MSG_PROTOCOL || hello->card > INT32_MAX || !*hello->host) {
        const struct msg_go_away away = {"this coordinator speaks another protocol"};

        outbox_say(control->outbox, control->link, &in->peer, MSG_GO_AWAY, &away);
        return 0;
    }
    old = workers_find(&control->workers, &in->peer);
    if (!old)
        old = workers_find_card(&control->workers, hello->host, (int32_t)hello->card);
    if (old && old->pid != hello->pid) {
        const struct msg_go_away away = {"another worker serves this card now"};

        say(control, old, MSG_GO_AWAY, &away);
    }
    worker = workers_add(&control->workers, &in->peer, hello);
    if ((!old || old->pid != hello->pid) &&
        ledger_worker_came(control->ledger, worker, err) < 0)
        return -1;
    if (!old)
        log_info("worker came: host=%s card=%" PRIu64 " model=%s version=%s",
                 hello->host, hello->card, hello->model, hello->version);
    worker->heard_ms = clock_mono_ms();
    say(control, worker, MSG_WELCOME, &welcome);
    if (take_back_held(control, worker, hello, err) < 0 ||
        (old && move_leases(control, old, worker, err) < 0))
        return -1;
    if (old)
        workers_remove(&control->workers, old);
    return lose_awaited(control, worker, hello, err);
}

/* Everything else */

static int on_result(struct control *control,
                     struct worker *worker,
                     const struct msg_rank_result *result,
                     struct err *err)
{
    struct run *run = ledger_find_run(control->ledger, result->run_id);
    const struct msg_result_ack ack = {result->run_id, result->rank};

    if (result->rank != 0)
        return 0; /* gangs are of one */
    if (run) {
        worker->ranks_ended++;
        if (ledger_result(control->ledger, run, worker, result, err) < 0)
            return -1;
    } else { /* of an attempt that does not count: the worker need not keep it */
        log_debug("result of an old attempt: run=%" PRIu64 " host=%s", result->run_id,
                  worker->host);
    }
    say(control, worker, MSG_RESULT_ACK, &ack);
    return 0;
}

static int on_taken(struct control *control,
                    struct worker *worker,
                    const struct msg_lease_taken *taken,
                    struct err *err)
{
    struct run *run = ledger_find_run(control->ledger, taken->run_id);

    if (run && run->worker == worker)
        return ledger_taken(control->ledger, run, err);
    say_stop(control, worker, taken->run_id, "this attempt has ended");
    return 0;
}

static int on_refused(struct control *control,
                      struct worker *worker,
                      const struct msg_lease_refused *refused,
                      struct err *err)
{
    struct run *run = ledger_find_run(control->ledger, refused->run_id);

    if (!run || run->worker != worker)
        return 0;
    if (!run->recalled)
        worker->rest_until_ms = clock_mono_ms() + REST_MS;
    return ledger_refused(control->ledger, run, refused->reason, err);
}

/* We began anew, or had given it up. One question a heartbeat is enough. */
static void ask_for_hello(struct control *control, const struct incoming *in)
{
    const struct msg_refused who = {refusal_word(ERR_NOT_FOUND), "say hello first"};

    if (in->kind->type == MSG_HEARTBEAT)
        outbox_say(control->outbox, control->link, &in->peer, MSG_REFUSED, &who);
}

int control_hear(struct control *control,
                 const struct incoming *in,
                 bool *mine,
                 struct err *err)
{
    enum message_type type = in->kind->type;
    struct worker *worker;

    *mine = type >= MSG_WORKER_HELLO && type <= MSG_RANK_RESULT;
    if (!*mine)
        return 0;
    if (type == MSG_WORKER_HELLO)
        return on_hello(control, in, err);
    worker = workers_find(&control->workers, &in->peer);
    if (!worker) {
        ask_for_hello(control, in);
        return 0;
    }
    worker->heard_ms = clock_mono_ms();
    switch (type) {
    case MSG_HEARTBEAT:
        say(control, worker, MSG_HEARTBEAT_REPLY,
            &(struct msg_heartbeat_reply){in->message.heartbeat.run_id});
        return 0;
    case MSG_LEASE_TAKEN:
        return on_taken(control, worker, &in->message.lease_taken, err);
    case MSG_LEASE_REFUSED:
        return on_refused(control, worker, &in->message.lease_refused, err);
    default:
        return on_result(control, worker, &in->message.rank_result, err);
    }
}

static int lose_late(struct control *control, uint64_t now, struct err *err)
{
    struct run *run;

    for (size_t cursor = 0; (run = ledger_next_run(control->ledger, &cursor));) {
        if (run->worker || !run->await_until_ms || run->await_until_ms > now)
            continue;
        if (ledger_lost(control->ledger, run, "its worker did not come back", err) < 0)
            return -1;
        cursor = 0;
    }
    return 0;
}

int control_tick(struct control *control, uint64_t now_ms, struct err *err)
{
    uint64_t late = control->ticked_ms ? now_ms - control->ticked_ms : 0;
    char reason[80];

    /* When we were busy ourselves, their heartbeats wait to be read. */
    late = late > 2 * LINK_HEARTBEAT_MS ? late : 0;
    control->ticked_ms = now_ms;
    for (struct worker *worker = control->workers.first, *next; worker; worker = next) {
        next = worker->next;
        worker->heard_ms += late;
        if (worker->heard_ms + SILENCE_MS >= now_ms)
            continue;
        snprintf(reason, sizeof(reason), "worker silent for %" PRIu64 " ms",
                 now_ms - worker->heard_ms);
        if (lose_worker(control, worker, reason, err) < 0)
            return -1;
    }
    return lose_late(control, now_ms, err);
}

static bool fits(const struct worker *worker, const struct ledger_job *job)
{
    return !job->cancelled && text_matches(worker->model, job_settings(job->job)->soc);
}

static struct task *choose(const struct control *control, const struct worker *worker)
{
    for (struct ledger_job *job = ledger_first_job(control->ledger); job;
         job = job->next) {
        struct waiting *waiting;

        if (job->counts[TASK_WAITING] == 0 || !fits(worker, job))
            continue;
        waiting = queue_first(job->queue, worker->card);
        if (waiting)
            return (struct task *)waiting;
    }
    return NULL;
}

/* A worker's first run may have begun; those behind it only wait. */
static struct run *find_elsewhere(const struct control *control,
                                  const struct worker *idle)
{
    for (const struct worker *worker = control->workers.first; worker;
         worker = worker->next) {
        struct run *run = worker->runs ? worker->runs->next_of_worker : NULL;

        for (; run; run = run->next_of_worker)
            if (run->state == ATTEMPT_LEASED && !run->recalled &&
                (run->task->waiting.card < 0 ||
                 run->task->waiting.card == idle->card) &&
                fits(idle, run->task->job))
                return run;
    }
    return NULL;
}

static size_t count_recalled(const struct control *control)
{
    size_t count = 0;

    for (const struct worker *worker = control->workers.first; worker;
         worker = worker->next)
        for (const struct run *run = worker->runs; run; run = run->next_of_worker)
            count += run->recalled && run->state == ATTEMPT_LEASED;
    return count;
}

/* A task that would wait behind a long one while a card stands idle goes there. */
static void share(struct control *control, uint64_t now)
{
    size_t coming = 0;
    bool counted = false;

    for (const struct worker *worker = control->workers.first; worker;
         worker = worker->next) {
        struct run *run;

        if (worker->runs || worker->rest_until_ms > now)
            continue;
        if (!counted)
            coming = count_recalled(control);
        counted = true;
        if (coming > 0)
            coming--; /* one is on its way already */
        else if ((run = find_elsewhere(control, worker)))
            recall(control, run, "another card is free");
    }
}

/* Up to `credit` for each worker, one more each. */
static int
dispatch(struct control *control, size_t credit, uint64_t now, struct err *err)
{
    for (struct worker *worker = control->workers.first; worker;
         worker = worker->next) {
        struct task *task;
        struct run *run;

        if (worker->run_count >= credit || worker->rest_until_ms > now)
            continue;
        task = choose(control, worker);
        if (!task)
            continue;
        if (ledger_lease(&run, control->ledger, task, worker, err) < 0)
            return -1;
        say_lease(control, run);
    }
    return 0;
}

int control_dispatch(struct control *control, struct err *err)
{
    uint64_t now = clock_mono_ms();

    for (size_t credit = 1; credit <= CREDIT; credit++)
        if (dispatch(control, credit, now, err) < 0)
            return -1;
    share(control, now);
    return 0;
}

void control_stop_job(struct control *control, const struct ledger_job *job, bool now)
{
    for (struct worker *worker = control->workers.first; worker; worker = worker->next)
        for (struct run *run = worker->runs; run; run = run->next_of_worker) {
            if (run->task->job != job)
                continue;
            if (now)
                say_stop(control, worker, run->run_id, "cancelled");
            else if (run->state == ATTEMPT_LEASED)
                recall(control, run, "cancelled");
        }
}

void control_send_away(struct control *control, const char *reason)
{
    const struct msg_go_away away = {reason};

    for (struct worker *worker = control->workers.first; worker; worker = worker->next)
        say(control, worker, MSG_GO_AWAY, &away);
}
