#include "worker/lease/lease_reports.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "worker/lease/lease_queue.h"
#include "worker/spool/result_store.h"

enum {
    /* So many waiting leases keep the card busy until a report has arrived. */
    QUEUE_ENOUGH = 8,
    BATCH_MAX = 16, /* results per batch */
    DELAY_MS = 5,   /* longest delay of a report */
};

struct lease_reports {
    struct reactor *reactor;
    struct result_store *results;
    const struct lease_queue *queue;
    lease_reports_fn *send;
    void *arg;
    struct reactor_timer *delay;
    struct msg_lease_taken taken; /* not sent yet; run_id 0: none */
};

struct lease_reports *lease_reports_create(struct reactor *reactor,
                                           struct result_store *results,
                                           const struct lease_queue *queue,
                                           lease_reports_fn *send,
                                           void *arg)
{
    struct lease_reports *reports = xcalloc(1, sizeof(*reports));

    reports->reactor = reactor;
    reports->results = results;
    reports->queue = queue;
    reports->send = send;
    reports->arg = arg;
    return reports;
}

static void cancel_delay(struct lease_reports *reports)
{
    if (reports->delay)
        reactor_cancel(reports->reactor, reports->delay);
    reports->delay = NULL;
}

void lease_reports_destroy(struct lease_reports *reports)
{
    if (!reports)
        return;
    cancel_delay(reports);
    free(reports);
}

static bool send_result(void *arg, const struct msg_rank_result *result)
{
    struct lease_reports *reports = arg;

    return reports->send(reports->arg, MSG_RANK_RESULT, result);
}

void lease_reports_send_now(struct lease_reports *reports, bool resend)
{
    const struct msg_lease_taken taken = reports->taken;

    cancel_delay(reports);
    reports->taken.run_id = 0;
    if (taken.run_id != 0 &&
        !result_store_has(reports->results, taken.run_id, taken.rank))
        reports->send(reports->arg, MSG_LEASE_TAKEN, &taken);
    result_store_send(reports->results, resend, send_result, reports);
}

static void on_delay(void *arg)
{
    struct lease_reports *reports = arg;

    reports->delay = NULL;
    lease_reports_send_now(reports, false);
}

static bool can_delay(struct lease_reports *reports)
{
    if (lease_queue_count(reports->queue) < QUEUE_ENOUGH ||
        result_store_unsent(reports->results) >= BATCH_MAX)
        return false;
    if (!reports->delay)
        reports->delay = reactor_once(reports->reactor, DELAY_MS, on_delay, reports);
    return true;
}

void lease_reports_taken(struct lease_reports *reports, uint64_t run_id, uint64_t rank)
{
    reports->taken = (struct msg_lease_taken){.run_id = run_id, .rank = rank};
    if (!can_delay(reports))
        lease_reports_send_now(reports, false);
}

void lease_reports_results(struct lease_reports *reports)
{
    if (!can_delay(reports))
        lease_reports_send_now(reports, false);
}
