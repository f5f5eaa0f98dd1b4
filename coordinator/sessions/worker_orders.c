/* worker_orders.c - leases, recalls and stops for workers; removal of workers */
#include <limits.h>
#include <stdio.h>

#include "coordinator/placement/scheduler.h"
#include "coordinator/sessions/lease_message.h"
#include "coordinator/sessions/sessions_internal.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"

void sessions_send(struct sessions *sessions,
                   const struct worker *worker,
                   enum message_type type,
                   const void *message)
{
    outbox_send(sessions->outbox, sessions->link, &worker->peer, type, message);
}

/* Leases */

void sessions_send_lease(struct sessions *sessions, struct attempt_rank *rank)
{
    char program[PATH_MAX], cwd[PATH_MAX];
    struct msg_lease lease;

    lease_message_fill(&lease, rank, program, sizeof(program), cwd, sizeof(cwd));
    outbox_send_with_next_commit(sessions->outbox, sessions->link, &rank->worker->peer,
                                 MSG_LEASE, &lease);
    rank->worker->unsent++;
    rank->recalled = false;
    if (rank->worker->ranks == rank)
        rank->worker->began_ms = clock_mono_ms();
}

static void
recall_rank(struct sessions *sessions, struct attempt_rank *rank, const char *reason)
{
    const struct msg_stop_rank stop = {.run_id = rank->attempt->run_id,
                                       .rank = rank->number,
                                       .reason = reason,
                                       .only_waiting = true};

    sessions_send(sessions, rank->worker, MSG_STOP_RANK, &stop);
    rank->recalled = true;
}

static int lease_task(struct sessions *sessions,
                      struct task *task,
                      struct worker *const *workers,
                      uint32_t count,
                      struct err *err)
{
    struct attempt *attempt;

    if (ledger_lease(&attempt, sessions->ledger, task, workers, count, err) < 0)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        sessions_send_lease(sessions, &attempt->ranks[i]);
    return 0;
}

int sessions_apply(struct sessions *sessions,
                   const struct scheduler_actions *actions,
                   struct err *err)
{
    for (struct worker *worker = sessions->fleet->workers.first; worker;
         worker = worker->next)
        worker->reserved_for_gang = false;
    for (size_t i = 0; i < actions->count; i++) {
        const struct scheduler_action *action = &actions->items[i];
        struct worker *const *workers = actions->workers + action->first_worker;

        switch (action->kind) {
        case SCHEDULER_LEASE:
            if (lease_task(sessions, action->task, workers,
                           (uint32_t)action->worker_count, err) < 0)
                return -1;
            break;
        case SCHEDULER_RECALL:
            recall_rank(sessions, action->rank, action->reason);
            break;
        case SCHEDULER_RESERVE:
            workers[0]->reserved_for_gang = true;
            break;
        }
    }
    return 0;
}

bool sessions_need_commit_now(const struct sessions *sessions)
{
    for (const struct worker *worker = sessions->fleet->workers.first; worker;
         worker = worker->next)
        if (worker->unsent > 0 && 2 * worker->unsent >= worker->rank_count)
            return true;
    return false;
}

void sessions_leases_sent(struct sessions *sessions)
{
    for (struct worker *worker = sessions->fleet->workers.first; worker;
         worker = worker->next)
        worker->unsent = 0;
}

void sessions_recall_from_drained_cards(struct sessions *sessions)
{
    for (struct worker *worker = sessions->fleet->workers.first; worker;
         worker = worker->next) {
        struct attempt_rank *rank =
            worker->ranks ? worker->ranks->next_of_worker : NULL;

        if (!card_is_drained(worker->state))
            continue;
        for (; rank; rank = rank->next_of_worker)
            if (rank->state == RANK_STATE_LEASED && !rank->recalled)
                recall_rank(sessions, rank, "the card is drained");
    }
}

/* Stops */

void sessions_send_stop(struct sessions *sessions,
                        const struct worker *worker,
                        uint64_t run_id,
                        uint64_t rank,
                        const char *reason)
{
    const struct msg_stop_rank stop = {
        .run_id = run_id, .rank = rank, .reason = reason};

    sessions_send(sessions, worker, MSG_STOP_RANK, &stop);
}

void sessions_stop_rank(struct sessions *sessions,
                        const struct attempt_rank *rank,
                        const char *reason)
{
    if (rank->worker && rank_is_open(rank->state))
        sessions_send_stop(sessions, rank->worker, rank->attempt->run_id, rank->number,
                           reason);
}

void sessions_release_lent_cards(struct sessions *sessions,
                                 const struct attempt *attempt)
{
    for (uint32_t i = 1; attempt->threads && i < attempt->rank_count; i++)
        sessions_stop_rank(sessions, &attempt->ranks[i], "the process has ended");
}

void sessions_stop_job(struct sessions *sessions,
                       const struct ledger_job *job,
                       bool now)
{
    for (struct worker *worker = sessions->fleet->workers.first; worker;
         worker = worker->next)
        for (struct attempt_rank *rank = worker->ranks; rank;
             rank = rank->next_of_worker) {
            if (rank->attempt->task->job != job)
                continue;
            if (now)
                sessions_stop_rank(sessions, rank, "cancelled");
            else if (rank->state == RANK_STATE_LEASED && !rank->attempt->started)
                recall_rank(sessions, rank, "cancelled");
        }
}

int sessions_mark_rank_lost(struct sessions *sessions,
                            struct attempt_rank *rank,
                            const char *reason,
                            struct err *err)
{
    if (rank->number == 0)
        sessions_release_lent_cards(sessions, rank->attempt);
    return ledger_lost(sessions->ledger, rank, reason, err);
}

/* Workers */

void sessions_remove_worker(struct sessions *sessions, struct worker *worker)
{
    char host[256];

    snprintf(host, sizeof(host), "%s", worker->host);
    if (workers_remove(&sessions->fleet->workers, worker))
        log_info("host disconnected: host=%s", host);
}

void sessions_disconnect_all(struct sessions *sessions, const char *reason)
{
    const struct msg_go_away away = {reason};

    for (struct worker *worker = sessions->fleet->workers.first; worker;
         worker = worker->next)
        sessions_send(sessions, worker, MSG_GO_AWAY, &away);
}
