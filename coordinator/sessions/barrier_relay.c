#include "coordinator/sessions/barrier_relay.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"

static struct barrier_clock barrier_now(void)
{
    return (struct barrier_clock){clock_mono_ms(), clock_mono_ns()};
}

#ifdef MUSTER_TEST_SWITCHES
/* A test ends us when one host has been let go on, and the others have not been yet:
 * MUSTER_TEST_KILL_STEP is the step of an operation. A word is on its way when it was
 * given to the socket, so it gets a moment. */
static void test_kill_at_step(const struct msg_barrier_release *release)
{
    const char *step = getenv("MUSTER_TEST_KILL_STEP");
    struct timespec moment = {.tv_nsec = 200 * 1000000};

    if (!step || !release->go || (release->epoch & 0xffff) != strtoul(step, NULL, 10))
        return;
    nanosleep(&moment, NULL);
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
    struct sessions *control = arg;
    const struct worker *worker =
        workers_find_card(&control->workers, to->host, to->card);
    struct err ignored; /* who cannot be told has a deadline of his own */

    if (worker)
        link_send(control->link, &worker->peer, MSG_BARRIER_RELEASE, release, &ignored);
    test_kill_at_step(release);
    if (!release->go && release->group != 0)
        log_info("barrier ended: run=%" PRIu64 " group=%" PRIx64 " epoch=%" PRIx64
                 " host=%s vote=%" PRIu64 " rank=%" PRId64 ": %s",
                 release->run_id, release->group, release->epoch, to->host,
                 release->vote, (int64_t)release->rank, release->reason);
}

/* The run, when it goes on and this worker has a part in it. */
static const struct attempt *
find_gang(const struct sessions *control, const struct worker *worker, uint64_t run_id)
{
    const struct attempt *attempt = ledger_find_attempt(control->ledger, run_id);
    bool goes_on = attempt && (attempt->state == ATTEMPT_LEASED ||
                               attempt->state == ATTEMPT_RUNNING);

    return goes_on && ledger_find_rank_on_card(attempt, worker->host, worker->card)
               ? attempt
               : NULL;
}

/* A host speaks for its own ranks only. */
static bool are_its_ranks(const struct attempt *attempt,
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

static void on_arrive(struct sessions *control,
                      const struct worker *worker,
                      const struct msg_barrier_arrive *arrive)
{
    const struct attempt *attempt = find_gang(control, worker, arrive->run_id);
    const struct barrier_host from = {worker->host, worker->card};
    const struct msg_barrier_release over = {.run_id = arrive->run_id,
                                             .group = arrive->group,
                                             .epoch = arrive->epoch,
                                             .vote = BARRIER_VOTE_ENDED,
                                             .rank = BARRIER_NO_RANK,
                                             .reason = "this attempt has ended"};

    if (attempt && are_its_ranks(attempt, worker, &arrive->ranks))
        barriers_arrive(control->barriers, &from, attempt->rank_count, arrive,
                        barrier_now());
    else
        barrier_relay_release(&from, &over, control);
}

static void on_abort(struct sessions *control,
                     const struct worker *worker,
                     const struct msg_barrier_abort *abort)
{
    const struct attempt *attempt = find_gang(control, worker, abort->run_id);
    const struct barrier_host from = {worker->host, worker->card};

    if (attempt)
        barriers_abort(control->barriers, &from, attempt->rank_count, abort,
                       barrier_now());
}

static void on_ping(struct sessions *control,
                    const struct incoming *in,
                    const struct msg_clock_ping *ping)
{
    const struct msg_clock_pong pong = {ping->sent_ns, clock_mono_ns()};
    struct err ignored;

    link_send(control->link, &in->peer, MSG_CLOCK_PONG, &pong, &ignored);
}

static bool goes_on(uint64_t run_id, void *arg)
{
    const struct sessions *control = arg;

    return ledger_find_attempt(control->ledger, run_id) != NULL;
}

void barrier_relay_tick(struct sessions *control)
{
    if (!barriers_are_empty(control->barriers))
        barriers_tick(control->barriers, barrier_now(), goes_on, control);
}

void barrier_relay_handle(struct sessions *control,
                          const struct worker *worker,
                          const struct incoming *in)
{
    if (in->kind->type == MSG_BARRIER_ARRIVE)
        on_arrive(control, worker, &in->message.barrier_arrive);
    else if (in->kind->type == MSG_BARRIER_ABORT)
        on_abort(control, worker, &in->message.barrier_abort);
    else if (in->kind->type == MSG_CLOCK_PING)
        on_ping(control, in, &in->message.clock_ping);
}
