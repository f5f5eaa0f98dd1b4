#include "coordinator/baselines/gate_findings.h"

#include <inttypes.h>
#include <stdlib.h>

#include "coordinator/baselines/baseline_checks.h"
#include "coordinator/baselines/baselines.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/compare/baseline.h"
#include "lib/store/store_baseline.h"
#include "lib/wire/messages.h"

enum finding { FINDING_IMPROVED, FINDING_NOT_REPRODUCED, FINDING_NOISY, FINDING_COUNT };

/* A rule: when enough of the last nights have the finding, the baseline changes. */
static const struct rule {
    const char *name;
    uint64_t least, nights;
    const char *action, *reason;
} rules[FINDING_COUNT] = {
    [FINDING_IMPROVED] = {"improved", 2, 2, "split", "improved in two nights running"},
    [FINDING_NOT_REPRODUCED] = {"not-reproduced", 3, 20, "quarantine",
                                "fresh runs did not reproduce its suspects in 3 of 20 "
                                "nights"},
    [FINDING_NOISY] = {"noisy", 10, 10, "quarantine",
                       "its nights differ by more than the tolerance"},
};

struct night {
    struct ledger *ledger;
    struct store *store;
    const struct msg_gate_verdict *verdict;
    uint64_t baseline_id;
};

/* Changes the baseline as a user would; ERR_INPUT and similar errors are logged. */
static int change(const struct night *night,
                  const struct rule *rule,
                  const char *point,
                  uint64_t first_job_id,
                  struct err *err)
{
    const struct msg_baseline request = {
        .what = rule->action,
        .name = night->verdict->baseline,
        .user = "gate",
        .points = point,
        .reason = rule->reason,
        .nights = BASELINE_QUARANTINE_NIGHTS,
        .jobs = {&first_job_id, 1},
    };
    char reply[BASELINE_REPLY_SIZE];

    if (baselines_handle_request(night->ledger, night->store, &request, reply, err) ==
        0)
        return 0;
    if (err->code != ERR_INPUT && err->code != ERR_NOT_FOUND &&
        err->code != ERR_CONFLICT)
        return -1;
    log_warning("baseline not changed: baseline=%s action=%s reason=\"%s\"",
                night->verdict->baseline, rule->action, err->text);
    return 0;
}

static int add_finding(const struct night *night,
                       const struct rule *rule,
                       const char *point,
                       struct err *err)
{
    const struct store_gate_finding finding = {
        .baseline_id = night->baseline_id,
        .job_id = night->verdict->job_id,
        .finding = rule->name,
        .point = point,
    };
    uint64_t count, first_job_id;

    if (store_gate_finding_put(night->store, &finding, err) < 0 ||
        store_gate_finding_count(night->store, &finding, rule->nights, &count,
                                 &first_job_id, err) < 0)
        return -1;
    if (count < rule->least)
        return 0;
    /* the findings have had their effect */
    return change(night, rule, point, first_job_id, err) < 0 ||
                   store_gate_finding_forget(night->store, &finding, err) < 0
               ? -1
               : 0;
}

int gate_findings_apply(struct ledger *ledger,
                        struct store *store,
                        const struct msg_gate_verdict *verdict,
                        struct err *err)
{
    const struct text_list *const lists[FINDING_COUNT] = {
        [FINDING_IMPROVED] = &verdict->improved,
        [FINDING_NOT_REPRODUCED] = &verdict->not_reproduced,
        [FINDING_NOISY] = &verdict->noisy,
    };
    struct night night = {.ledger = ledger, .store = store, .verdict = verdict};
    struct found_baseline found;

    if (baseline_find(&found, store, verdict->baseline, 0, err) < 0)
        return -1;
    night.baseline_id = found.baseline_id;
    if (store_gate_findings_delete(store, found.baseline_id, verdict->job_id, err) < 0)
        return -1;
    for (int f = 0; f < FINDING_COUNT; f++)
        for (size_t i = 0; i < lists[f]->count; i++)
            if (add_finding(&night, &rules[f], lists[f]->items[i], err) < 0)
                return -1;
    return 0;
}
