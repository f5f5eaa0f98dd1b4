#include "coordinator/sessions/worker_hello.h"

#include <inttypes.h>

#include "coordinator/sessions/sessions_internal.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"

static bool holds(const struct msg_worker_hello *hello, uint64_t run_id)
{
    for (size_t i = 0; i < hello->held_runs.count; i++)
        if (hello->held_runs.items[i] == run_id)
            return true;
    return false;
}

/* What was out on this card and is not held any more. */
static int lose_awaited(struct sessions *control,
                        const struct worker *worker,
                        const struct msg_worker_hello *hello,
                        struct err *err)
{
    struct attempt *attempt;

    for (size_t cursor = 0;
         (attempt = ledger_next_attempt(control->ledger, &cursor));) {
        struct attempt_rank *rank =
            ledger_find_rank_on_card(attempt, worker->host, worker->card);

        if (!rank || rank->worker || !rank->await_until_ms ||
            holds(hello, attempt->run_id))
            continue;
        if (sessions_mark_rank_lost(control, rank, "its worker does not have it", err) <
            0)
            return -1;
        cursor = 0; /* the table may have moved */
    }
    return 0;
}

static int resume_held_attempt(struct sessions *control,
                               struct worker *worker,
                               uint64_t run_id,
                               struct err *err)
{
    struct attempt *attempt = ledger_find_attempt(control->ledger, run_id);
    struct attempt_rank *rank =
        attempt ? ledger_find_rank_on_card(attempt, worker->host, worker->card) : NULL;
    bool goes_on = false;

    if (rank && ledger_resume_rank(control->ledger, rank, worker, &goes_on, err) < 0)
        return -1;
    if (!goes_on)
        sessions_send_stop(control, worker, run_id, rank ? rank->number : 0,
                           "this attempt has ended");
    return 0;
}

static int take_back_held(struct sessions *control,
                          struct worker *worker,
                          const struct msg_worker_hello *hello,
                          struct err *err)
{
    for (size_t i = 0; i < hello->held_runs.count; i++)
        if (resume_held_attempt(control, worker, hello->held_runs.items[i], err) < 0)
            return -1;
    return 0;
}

/* The leases that its old connection had: given again, or lost. */
static int move_leases(struct sessions *control,
                       struct worker *old,
                       struct worker *worker,
                       struct err *err)
{
    bool same_process = old->pid == worker->pid;

    while (old->ranks) {
        struct attempt_rank *rank = old->ranks;

        if (rank->state == RANK_STATE_LEASED && same_process &&
            rank->attempt->state != ATTEMPT_ENDING) {
            ledger_assign_worker(rank, worker);
            sessions_send_lease(control, rank);
        } else if (sessions_mark_rank_lost(control, rank, "its worker does not have it",
                                           err) < 0) {
            return -1;
        }
    }
    return 0;
}

int worker_hello_handle(struct sessions *control,
                        const struct incoming *in,
                        struct err *err)
{
    const struct msg_worker_hello *hello = &in->message.worker_hello;
    const struct msg_welcome welcome = {.protocol = MSG_PROTOCOL,
                                        .heartbeat_ms = LINK_HEARTBEAT_MS,
                                        .store_id = control->store_id};
    struct worker *old, *worker;

    if (hello->protocol != MSG_PROTOCOL || hello->card > INT32_MAX || !*hello->host) {
        const struct msg_go_away away = {"this coordinator speaks another protocol"};

        outbox_send(control->outbox, control->link, &in->peer, MSG_GO_AWAY, &away);
        return 0;
    }
    old = workers_find(&control->workers, &in->peer);
    if (!old)
        old = workers_find_card(&control->workers, hello->host, (int32_t)hello->card);
    if (old && old->pid != hello->pid) {
        const struct msg_go_away away = {"another worker serves this card now"};

        sessions_send(control, old, MSG_GO_AWAY, &away);
    }
    worker = workers_add(&control->workers, &in->peer, hello);
    if ((!old || old->pid != hello->pid) &&
        ledger_worker_came(control->ledger, worker, err) < 0)
        return -1;
    if (!old)
        log_info("worker came: host=%s card=%" PRIu64 " model=%s version=%s",
                 hello->host, hello->card, hello->model, hello->version);
    worker->heard_ms = clock_mono_ms();
    sessions_send(control, worker, MSG_WELCOME, &welcome);
    if (take_back_held(control, worker, hello, err) < 0 ||
        (old && move_leases(control, old, worker, err) < 0))
        return -1;
    if (old)
        sessions_remove_worker(control, old); /* its host has the new one */
    return lose_awaited(control, worker, hello, err);
}
