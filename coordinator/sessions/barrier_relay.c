/* barrier_relay.c - connects the barriers of a gang with the workers of its hosts
 *
 * These messages are sent at once and not through the outbox: they need not be durable,
 * and the duration of a commit would delay every barrier. */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "coordinator/sessions/sessions_internal.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"

static struct barrier_clock barrier_now(void)
{
    return (struct barrier_clock){clock_mono_ms(), clock_mono_ns()};
}

#ifdef MUSTER_TEST_SWITCHES
/* For tests: kills this process after the first host of a barrier was released, at the
 * step that MUSTER_TEST_KILL_STEP names. ZeroMQ sends in its own thread, so the kill
 * waits for 200 ms. */
static void test_kill_at_step(const struct msg_barrier_release *release)
{
    const char *step = getenv("MUSTER_TEST_KILL_STEP");
    struct timespec delay = {.tv_nsec = 200 * 1000000};

    if (!step || !release->go || (release->epoch & 0xffff) != strtoul(step, NULL, 10))
        return;
    nanosleep(&delay, NULL);
    raise(SIGKILL);
}
#else
static void test_kill_at_step(const struct msg_barrier_release *release)
{
    (void)release;
}
#endif

void barrier_relay_release(const struct barrier_host *to,
                           const struct msg_barrier_release *release,
                           void *arg)
{
    struct sessions *sessions = arg;
    const struct worker *worker =
        workers_find_card(&sessions->fleet->workers, to->host, to->card);
    struct err
        ignored; /* a worker that gets no release ends its wait at its deadline */

    if (worker)
        link_send(sessions->link, &worker->peer, MSG_BARRIER_RELEASE, release,
                  &ignored);
    test_kill_at_step(release);
    if (!release->go && release->group != 0)
        log_info("barrier aborted: run_id=%" PRIu64 " communicator=%" PRIx64
                 " epoch=%" PRIx64 " host=%s vote=%" PRIu64 " rank=%" PRId64
                 " reason=\"%s\"",
                 release->run_id, release->group, release->epoch, to->host,
                 release->vote, (int64_t)release->rank, release->reason);
}

/* Returns the attempt when it still runs and this worker has a rank of it. */
static const struct attempt *find_open_attempt(const struct sessions *sessions,
                                               const struct worker *worker,
                                               uint64_t run_id)
{
    const struct attempt *attempt = ledger_find_attempt(sessions->ledger, run_id);
    bool goes_on = attempt && (attempt->state == ATTEMPT_LEASED ||
                               attempt->state == ATTEMPT_RUNNING);

    return goes_on && ledger_find_rank_on_card(attempt, worker->host, worker->card)
               ? attempt
               : NULL;
}

/* Returns true when all these ranks are on the worker's host. */
static bool are_ranks_of_host(const struct attempt *attempt,
                              const struct worker *worker,
                              const struct u64_list *ranks)
{
    for (size_t i = 0; i < ranks->count; i++) {
        const struct attempt_rank *rank = ledger_find_rank(attempt, ranks->items[i]);

        if (!rank || strcmp(rank->host, worker->host) != 0)
            return false;
    }
    return true;
}

static void on_arrive(struct sessions *sessions,
                      const struct worker *worker,
                      const struct msg_barrier_arrive *arrive)
{
    const struct attempt *attempt = find_open_attempt(sessions, worker, arrive->run_id);
    const struct barrier_host from = {worker->host, worker->card};
    const struct msg_barrier_release ended = {.run_id = arrive->run_id,
                                              .group = arrive->group,
                                              .epoch = arrive->epoch,
                                              .vote = BARRIER_VOTE_ENDED,
                                              .rank = BARRIER_NO_RANK,
                                              .reason = "this attempt has ended"};

    if (attempt && are_ranks_of_host(attempt, worker, &arrive->ranks))
        barriers_arrive(sessions->barriers, &from, attempt->rank_count, arrive,
                        barrier_now());
    else
        barrier_relay_release(&from, &ended, sessions);
}

static void on_abort(struct sessions *sessions,
                     const struct worker *worker,
                     const struct msg_barrier_abort *abort)
{
    const struct attempt *attempt = find_open_attempt(sessions, worker, abort->run_id);
    const struct barrier_host from = {worker->host, worker->card};

    if (attempt)
        barriers_abort(sessions->barriers, &from, attempt->rank_count, abort,
                       barrier_now());
}

static void on_ping(struct sessions *sessions,
                    const struct incoming *in,
                    const struct msg_clock_ping *ping)
{
    const struct msg_clock_pong pong = {ping->sent_ns, clock_mono_ns()};
    struct err ignored;

    link_send(sessions->link, &in->peer, MSG_CLOCK_PONG, &pong, &ignored);
}

static bool attempt_exists(uint64_t run_id, void *arg)
{
    const struct sessions *sessions = arg;

    return ledger_find_attempt(sessions->ledger, run_id) != NULL;
}

void sessions_tick_barriers(struct sessions *sessions)
{
    if (!barriers_are_empty(sessions->barriers))
        barriers_tick(sessions->barriers, barrier_now(), attempt_exists, sessions);
}

void barrier_relay_handle(struct sessions *sessions,
                          const struct worker *worker,
                          const struct incoming *in)
{
    if (in->kind->type == MSG_BARRIER_ARRIVE)
        on_arrive(sessions, worker, &in->message.barrier_arrive);
    else if (in->kind->type == MSG_BARRIER_ABORT)
        on_abort(sessions, worker, &in->message.barrier_abort);
    else if (in->kind->type == MSG_CLOCK_PING)
        on_ping(sessions, in, &in->message.clock_ping);
}
