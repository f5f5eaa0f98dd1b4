#include "worker/lease/lease_reports.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "worker/lease/lease_queue.h"
#include "worker/spool/result_store.h"

enum {
    ENOUGH = 8,    /* leases that wait: the card has work until news have travelled */
    TOGETHER = 16, /* results */
    SOON_MS = 5,
};

struct lease_reports {
    struct reactor *reactor;
    struct result_store *results;
    const struct lease_queue *line;
    lease_reports_fn *tell;
    void *arg;
    struct reactor_timer *soon;
    struct msg_lease_taken taken; /* and not told yet; run_id 0: none */
};

struct lease_reports *lease_reports_create(struct reactor *reactor,
                                           struct result_store *results,
                                           const struct lease_queue *line,
                                           lease_reports_fn *tell,
                                           void *arg)
{
    struct lease_reports *tidings = xcalloc(1, sizeof(*tidings));

    tidings->reactor = reactor;
    tidings->results = results;
    tidings->line = line;
    tidings->tell = tell;
    tidings->arg = arg;
    return tidings;
}

static void stop_waiting(struct lease_reports *tidings)
{
    if (tidings->soon)
        reactor_cancel(tidings->reactor, tidings->soon);
    tidings->soon = NULL;
}

void lease_reports_destroy(struct lease_reports *tidings)
{
    if (!tidings)
        return;
    stop_waiting(tidings);
    free(tidings);
}

static bool tell_result(void *arg, const struct msg_rank_result *result)
{
    struct lease_reports *tidings = arg;

    return tidings->tell(tidings->arg, MSG_RANK_RESULT, result);
}

void lease_reports_now(struct lease_reports *tidings, bool anew)
{
    const struct msg_lease_taken taken = tidings->taken;

    stop_waiting(tidings);
    tidings->taken.run_id = 0;
    if (taken.run_id != 0 &&
        !result_store_has(tidings->results, taken.run_id, taken.rank))
        tidings->tell(tidings->arg, MSG_LEASE_TAKEN, &taken);
    result_store_tell(tidings->results, anew, tell_result, tidings);
}

static void on_soon(void *arg)
{
    struct lease_reports *tidings = arg;

    tidings->soon = NULL;
    lease_reports_now(tidings, false);
}

static bool may_wait(struct lease_reports *tidings)
{
    if (lease_queue_count(tidings->line) < ENOUGH ||
        result_store_untold(tidings->results) >= TOGETHER)
        return false;
    if (!tidings->soon)
        tidings->soon = reactor_once(tidings->reactor, SOON_MS, on_soon, tidings);
    return true;
}

void lease_reports_taken(struct lease_reports *tidings, uint64_t run_id, uint64_t rank)
{
    tidings->taken = (struct msg_lease_taken){.run_id = run_id, .rank = rank};
    if (!may_wait(tidings))
        lease_reports_now(tidings, false);
}

void lease_reports_results(struct lease_reports *tidings)
{
    if (!may_wait(tidings))
        lease_reports_now(tidings, false);
}
