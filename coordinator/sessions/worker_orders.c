/* worker_orders.c - what workers are told, and who is taken off the list */
#include <limits.h>
#include <stdio.h>

#include "coordinator/sessions/lease_message.h"
#include "coordinator/sessions/sessions_internal.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"

void control_say(struct sessions *control,
                 const struct worker *worker,
                 enum message_type type,
                 const void *message)
{
    outbox_send(control->outbox, control->link, &worker->peer, type, message);
}

void sessions_lease(struct sessions *control, struct attempt_rank *part)
{
    char program[PATH_MAX], cwd[PATH_MAX];
    struct msg_lease lease;

    lease_message_fill(&lease, part, program, sizeof(program), cwd, sizeof(cwd));
    outbox_send_with_next_commit(control->outbox, control->link, &part->worker->peer,
                                 MSG_LEASE, &lease);
    part->worker->unsent++;
    part->recalled = false;
    if (part->worker->parts == part)
        part->worker->began_ms = clock_mono_ms();
}

bool sessions_need_commit_now(const struct sessions *control)
{
    for (const struct worker *worker = control->workers.first; worker;
         worker = worker->next)
        if (worker->unsent > 0 && 2 * worker->unsent >= worker->part_count)
            return true;
    return false;
}

void sessions_sent(struct sessions *control)
{
    for (struct worker *worker = control->workers.first; worker; worker = worker->next)
        worker->unsent = 0;
}

void control_stop(struct sessions *control,
                  const struct worker *worker,
                  uint64_t run_id,
                  uint64_t rank,
                  const char *why)
{
    const struct msg_stop_rank stop = {.run_id = run_id, .rank = rank, .reason = why};

    control_say(control, worker, MSG_STOP_RANK, &stop);
}

void sessions_recall(struct sessions *control,
                     struct attempt_rank *part,
                     const char *why)
{
    const struct msg_stop_rank stop = {.run_id = part->run->run_id,
                                       .rank = part->rank,
                                       .reason = why,
                                       .only_waiting = true};

    control_say(control, part->worker, MSG_STOP_RANK, &stop);
    part->recalled = true;
}

void control_stop_part(struct sessions *control,
                       const struct attempt_rank *part,
                       const char *why)
{
    if (part->worker && part_is_open(part->state))
        control_stop(control, part->worker, part->run->run_id, part->rank, why);
}

void sessions_release_lent_cards(struct sessions *control, const struct attempt *run)
{
    for (uint32_t rank = 1; run->threads && rank < run->part_count; rank++)
        control_stop_part(control, &run->parts[rank], "the process has ended");
}

int sessions_mark_rank_lost(struct sessions *control,
                            struct attempt_rank *part,
                            const char *reason,
                            struct err *err)
{
    if (part->rank == 0)
        sessions_release_lent_cards(control, part->run);
    return ledger_lost(control->ledger, part, reason, err);
}

void control_remove(struct sessions *control, struct worker *worker)
{
    char host[256];

    snprintf(host, sizeof(host), "%s", worker->host);
    if (workers_remove(&control->workers, worker))
        log_info("host away: host=%s", host);
}
