/* ledger_event.c - adds events to the store; the ledger never reads them */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "coordinator/fleet/workers.h"
#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"

static int add(struct ledger *ledger, struct store_event *event, struct err *err)
{
    event->wall_ms = clock_wall_ns() / 1000000;
    event_counts_add(&ledger->totals.events, event->kind);
    return store_event_add(ledger->store, event, err);
}

int ledger_job_event(struct ledger *ledger,
                     const struct ledger_job *job,
                     const char *kind,
                     const char *text,
                     struct err *err)
{
    struct store_event event = {.kind = kind, .job_id = job->job_id, .text = text};

    return add(ledger, &event, err);
}

int ledger_task_event(struct ledger *ledger,
                      const struct task *task,
                      uint64_t run_id,
                      const char *kind,
                      const char *text,
                      struct err *err)
{
    struct store_event event = {.kind = kind,
                                .job_id = task->job->job_id,
                                .task_id = task->task_id,
                                .run_id = run_id,
                                .text = text};

    return add(ledger, &event, err);
}

static int worker_event(struct ledger *ledger,
                        const struct worker *worker,
                        const char *kind,
                        const char *why,
                        struct err *err)
{
    char text[512];
    struct store_event event = {.kind = kind, .text = text};

    snprintf(text, sizeof(text), "host=%s card=%d%s%s", worker->host, worker->card,
             *why ? ": " : "", why);
    return add(ledger, &event, err);
}

int ledger_worker_came(struct ledger *ledger,
                       const struct worker *worker,
                       struct err *err)
{
    return worker_event(ledger, worker, "worker.came", worker->model, err);
}

int ledger_worker_left(struct ledger *ledger,
                       const struct worker *worker,
                       const char *reason,
                       struct err *err)
{
    return worker_event(ledger, worker, "worker.left", reason, err);
}

int ledger_worker_lost(struct ledger *ledger,
                       const struct worker *worker,
                       const char *reason,
                       struct err *err)
{
    return worker_event(ledger, worker, "worker.lost", reason, err);
}

int ledger_card_fault(struct ledger *ledger,
                      const struct worker *worker,
                      const char *what,
                      struct err *err)
{
    return worker_event(ledger, worker, "card.fault", what, err);
}

int ledger_card_drained(struct ledger *ledger,
                        const char *host,
                        int32_t card,
                        const char *reason,
                        struct err *err)
{
    char text[512];
    struct store_event event = {.kind = reason ? "card.drained" : "card.undrained",
                                .text = text};

    if (card < 0)
        snprintf(text, sizeof(text), "host=%s%s%s", host, reason ? ": " : "",
                 reason ? reason : "");
    else
        snprintf(text, sizeof(text), "host=%s card=%d%s%s", host, card,
                 reason ? ": " : "", reason ? reason : "");
    return add(ledger, &event, err);
}

int ledger_verdict_event(struct ledger *ledger,
                         const char *kind,
                         uint64_t job_id,
                         const char *text,
                         struct err *err)
{
    struct store_event event = {.kind = kind, .job_id = job_id, .text = text};

    return add(ledger, &event, err);
}

int ledger_gate_verdict(struct ledger *ledger,
                        const struct msg_gate_verdict *verdict,
                        struct err *err)
{
    char *text = xasprintf("code=%" PRIu64 " against=%s: %s", verdict->code,
                           verdict->against, verdict->sentence);
    struct store_event event = {
        .kind = "gate.verdict", .job_id = verdict->job_id, .text = text};
    int result = add(ledger, &event, err);

    for (size_t i = 0; result == 0 && i < verdict->suspects.count; i++) {
        event.kind = "gate.suspect";
        event.text = verdict->suspects.items[i];
        result = add(ledger, &event, err);
    }
    free(text);
    return result;
}

int ledger_peer_refused(struct ledger *ledger,
                        const char *kind,
                        const char *peer,
                        struct err *err)
{
    char text[256];
    struct store_event event = {.kind = "peer.refused", .text = text};

    snprintf(text, sizeof(text), "reason=%s peer=%s", kind, peer);
    return add(ledger, &event, err);
}
