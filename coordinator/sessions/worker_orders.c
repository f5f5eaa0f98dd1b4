/* worker_orders.c - what workers are told, and who is taken off the list */
#include <limits.h>
#include <stdio.h>

#include "coordinator/sessions/lease_message.h"
#include "coordinator/sessions/sessions_internal.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"

void sessions_send(struct sessions *control,
                   const struct worker *worker,
                   enum message_type type,
                   const void *message)
{
    outbox_send(control->outbox, control->link, &worker->peer, type, message);
}

void sessions_send_lease(struct sessions *control, struct attempt_rank *rank)
{
    char program[PATH_MAX], cwd[PATH_MAX];
    struct msg_lease lease;

    lease_message_fill(&lease, rank, program, sizeof(program), cwd, sizeof(cwd));
    outbox_send_with_next_commit(control->outbox, control->link, &rank->worker->peer,
                                 MSG_LEASE, &lease);
    rank->worker->unsent++;
    rank->recalled = false;
    if (rank->worker->ranks == rank)
        rank->worker->began_ms = clock_mono_ms();
}

bool sessions_need_commit_now(const struct sessions *control)
{
    for (const struct worker *worker = control->workers.first; worker;
         worker = worker->next)
        if (worker->unsent > 0 && 2 * worker->unsent >= worker->rank_count)
            return true;
    return false;
}

void sessions_leases_sent(struct sessions *control)
{
    for (struct worker *worker = control->workers.first; worker; worker = worker->next)
        worker->unsent = 0;
}

void sessions_send_stop(struct sessions *control,
                        const struct worker *worker,
                        uint64_t run_id,
                        uint64_t number,
                        const char *why)
{
    const struct msg_stop_rank stop = {.run_id = run_id, .rank = number, .reason = why};

    sessions_send(control, worker, MSG_STOP_RANK, &stop);
}

void sessions_recall_rank(struct sessions *control,
                          struct attempt_rank *rank,
                          const char *why)
{
    const struct msg_stop_rank stop = {.run_id = rank->attempt->run_id,
                                       .rank = rank->number,
                                       .reason = why,
                                       .only_waiting = true};

    sessions_send(control, rank->worker, MSG_STOP_RANK, &stop);
    rank->recalled = true;
}

void sessions_stop_rank(struct sessions *control,
                        const struct attempt_rank *rank,
                        const char *why)
{
    if (rank->worker && rank_is_open(rank->state))
        sessions_send_stop(control, rank->worker, rank->attempt->run_id, rank->number,
                           why);
}

void sessions_release_lent_cards(struct sessions *control,
                                 const struct attempt *attempt)
{
    for (uint32_t i = 1; attempt->threads && i < attempt->rank_count; i++)
        sessions_stop_rank(control, &attempt->ranks[i], "the process has ended");
}

int sessions_mark_rank_lost(struct sessions *control,
                            struct attempt_rank *rank,
                            const char *reason,
                            struct err *err)
{
    if (rank->number == 0)
        sessions_release_lent_cards(control, rank->attempt);
    return ledger_lost(control->ledger, rank, reason, err);
}

void sessions_remove_worker(struct sessions *control, struct worker *worker)
{
    char host[256];

    snprintf(host, sizeof(host), "%s", worker->host);
    if (workers_remove(&control->workers, worker))
        log_info("host away: host=%s", host);
}
