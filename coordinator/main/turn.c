#include "coordinator/main/turn.h"

#include <stdlib.h>

#include "coordinator/clients/client_requests.h"
#include "coordinator/confirmation/confirmations.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/ledger/ledger.h"
#include "coordinator/net/outbox.h"
#include "coordinator/parse/parse_feed.h"
#include "coordinator/placement/scheduler.h"
#include "coordinator/sessions/worker_sessions.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"

enum {
    FLUSH_SOON_MS = 1,   /* when a peer took a part of its messages */
    FLUSH_AGAIN_MS = 20, /* when the socket of a peer is full */
    PROGRESS_MS = 50,    /* between two reports of progress */
    COMMIT_WITHIN_MS = 20,
};

struct turn {
    struct turn_parts parts;
    uint64_t commits;
    uint64_t progress_ms; /* time of the last report */
    uint64_t committed_ms;
    bool timer_is_set; /* that starts the next turn */
};

struct turn *turn_create(const struct turn_parts *parts)
{
    struct turn *turn = xcalloc(1, sizeof(*turn));

    turn->parts = *parts;
    return turn;
}

void turn_destroy(struct turn *turn)
{
    free(turn);
}

uint64_t turn_commits(const struct turn *turn)
{
    return turn ? turn->commits : 0;
}

static void on_timer(void *arg)
{
    struct turn *turn = arg;

    turn->timer_is_set = false; /* turn_end() does the rest */
}

static void wake_in(struct turn *turn, uint64_t ms)
{
    if (!turn->timer_is_set)
        reactor_once(turn->parts.reactor, ms, on_timer, turn);
    turn->timer_is_set = true;
}

/* Sends the progress of changed jobs at most every PROGRESS_MS, and at once when a job
 * has ended. */
static void send_progress(struct turn *turn)
{
    uint64_t now_ms = clock_mono_ms();
    bool changed = false, final = false;

    for (struct ledger_job *job = ledger_first_job(turn->parts.ledger); job;
         job = job->next) {
        changed |= job->changed;
        final |= job_state_is_final(job->state);
    }
    if (!changed)
        return;
    if (!final && now_ms - turn->progress_ms < PROGRESS_MS) {
        wake_in(turn, PROGRESS_MS);
        return;
    }
    client_requests_notify_watchers(turn->parts.clients);
    turn->progress_ms = now_ms;
}

static int schedule(const struct turn *turn, struct err *err)
{
    struct fleet *fleet = turn->parts.fleet;
    const struct scheduler_view view = {turn->parts.ledger, fleet, clock_mono_ms()};
    struct scheduler_actions actions = {0};

    workers_update_states(&fleet->workers, fleet->drains, view.now_ms);
    scheduler_plan(&view, &actions);
    int result = sessions_apply(turn->parts.sessions, &actions, err);
    scheduler_actions_clear(&actions);
    return result;
}

static bool commit_is_due(const struct turn *turn, bool stops)
{
    return outbox_is_urgent(turn->parts.outbox) ||
           sessions_need_commit_now(turn->parts.sessions) ||
           ledger_needs_parsers(turn->parts.ledger) || stops ||
           clock_mono_ms() - turn->committed_ms >= COMMIT_WITHIN_MS;
}

/* Commits all changes since the last commit, or sets a timer when that can wait. */
static int
commit_if_due(struct turn *turn, bool stops, bool *committed, struct err *err)
{
    *committed = commit_is_due(turn, stops);
    if (!*committed) {
        if (ledger_has_changes(turn->parts.ledger) ||
            !outbox_is_empty(turn->parts.outbox))
            wake_in(turn, COMMIT_WITHIN_MS);
        return 0;
    }
    turn->committed_ms = clock_mono_ms();
    if (ledger_commit(turn->parts.ledger, err) < 0)
        return -1;
    turn->commits++;
    return 0;
}

/* Sends the replies, which are true now, and starts the parsers, which read the store.
 */
static void after_commit(struct turn *turn, bool stops)
{
    enum outbox_rest rest = outbox_flush(turn->parts.outbox);

    if (rest != OUTBOX_SENT)
        wake_in(turn, rest == OUTBOX_MOVING ? FLUSH_SOON_MS : FLUSH_AGAIN_MS);
    sessions_leases_sent(turn->parts.sessions);
    ledger_free_ended_jobs(turn->parts.ledger);
    if (stops)
        reactor_stop(turn->parts.reactor);
    else
        parse_feed_start(turn->parts.parse_feed);
}

/* Stops failed attempts first, so that the scheduler does not extend them. */
int turn_end(struct turn *turn, bool leases, bool stops, struct err *err)
{
    bool committed;

    sessions_stop_failed_attempts(turn->parts.sessions);
    if (leases && schedule(turn, err) < 0)
        return -1;
    if (confirmations_turn(turn->parts.confirmations, err) < 0)
        return -1;
    send_progress(turn);
    if (commit_if_due(turn, stops, &committed, err) < 0)
        return -1;
    if (committed)
        after_commit(turn, stops);
    return 0;
}
