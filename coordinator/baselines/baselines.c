#include "coordinator/baselines/baselines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/baselines/baseline_checks.h"
#include "coordinator/ledger/ledger.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/compare/baseline.h"
#include "lib/store/store.h"
#include "lib/store/store_baseline.h"
#include "lib/wire/messages.h"

struct change {
    struct ledger *ledger;
    struct store *store;
    const struct msg_baseline *request;
    char *reply;
    uint64_t now_ms;
};

/* Adds an event whose text begins with the name of the baseline. Takes the text. */
static int add_event(struct ledger *ledger,
                     const char *kind,
                     uint64_t job_id,
                     const char *name,
                     char *details,
                     struct err *err)
{
    char *text = xasprintf("baseline=%s%s%s", name, *details ? " " : "", details);
    int result = ledger_verdict_event(ledger, kind, job_id, text, err);

    free(details);
    free(text);
    return result;
}

static int put_night(struct store *store,
                     const struct store_baseline_night *night,
                     struct err *err)
{
    struct store_baseline_night now = *night;

    now.added_wall_ms = clock_wall_ns() / 1000000;
    return store_baseline_night_put(store, &now, err);
}

static int set(const struct change *change, struct err *err)
{
    const struct msg_baseline *request = change->request;
    struct store_baseline row = {
        .name = request->name,
        .frozen = request->frozen,
        .keep = request->keep,
        .user = request->user,
        .set_wall_ms = change->now_ms,
    };
    const struct u64_list *jobs = &request->jobs;

    if (baseline_check_set(change->store, request, err) < 0)
        return -1;
    if (store_baseline_put(change->store, &row, err) < 0 ||
        store_baseline_nights_delete(change->store, row.baseline_id, err) < 0)
        return -1;
    for (size_t i = 0; i < jobs->count; i++)
        if (put_night(change->store,
                      &(struct store_baseline_night){.baseline_id = row.baseline_id,
                                                     .job_id = jobs->items[i],
                                                     .passed = true,
                                                     .reason = "",
                                                     .user = request->user},
                      err) < 0)
            return -1;
    snprintf(change->reply, BASELINE_REPLY_SIZE, "%s baseline of %zu night%s%s",
             row.frozen ? "frozen" : "rolling", jobs->count,
             jobs->count == 1 ? "" : "s",
             jobs->count < BASELINE_KEEP_LEAST
                 ? "; with fewer than 5 the noise between nights is unknown"
                 : "");
    return add_event(change->ledger, "baseline.set", 0, row.name,
                     xasprintf("rule=%s keep=%" PRIu64 " jobs=%zu user=%s",
                               row.frozen ? "frozen" : "rolling", row.keep, jobs->count,
                               row.user),
                     err);
}

static int drop(const struct change *change, struct err *err)
{
    const struct msg_baseline *request = change->request;
    struct found_baseline found;

    if (baseline_find(&found, change->store, request->name, 0, err) < 0 ||
        store_baseline_delete(change->store, found.baseline_id, err) < 0)
        return -1;
    snprintf(change->reply, BASELINE_REPLY_SIZE, "dropped; its jobs stay");
    return add_event(change->ledger, "baseline.dropped", 0, request->name,
                     xasprintf("user=%s", request->user), err);
}

static int need_one_job(const struct msg_baseline *request, struct err *err)
{
    return request->jobs.count == 1
               ? 0
               : err_set(err, ERR_INPUT, "%s needs one job, found %zu", request->what,
                         request->jobs.count);
}

static int check_split(const struct change *change,
                       struct found_baseline *found,
                       struct found_job *job,
                       struct err *err)
{
    const struct msg_baseline *request = change->request;
    struct store *store = change->store;

    if (need_one_job(request, err) < 0)
        return -1;
    uint64_t job_id = request->jobs.items[0];
    return baseline_find(found, store, request->name, job_id, err) < 0 ||
                   baseline_check_rolling(found, request->name, err) < 0 ||
                   baseline_check_texts(request, err) < 0 ||
                   baseline_check_done(store, job_id, err) < 0 ||
                   baseline_find_job(job, store, job_id, err) < 0 ||
                   baseline_check_points(store, job_id, request->points, err) < 0
               ? -1
               : 0;
}

/* The job of a split counts for its points, so that it becomes a night. */
static int split(const struct change *change, struct err *err)
{
    const struct msg_baseline *request = change->request;
    struct found_baseline found;
    struct found_job job;

    if (check_split(change, &found, &job, err) < 0)
        return -1;
    const struct store_baseline_split row = {
        .baseline_id = found.baseline_id,
        .job_id = request->jobs.items[0],
        .points = request->points,
        .reason = request->reason,
        .user = request->user,
        .added_wall_ms = change->now_ms,
    };
    if (store_baseline_split_put(change->store, &row, err) < 0 ||
        (!found.has_job && put_night(change->store,
                                     &(struct store_baseline_night){
                                         .baseline_id = found.baseline_id,
                                         .job_id = row.job_id,
                                         .reason = "first night of a known change",
                                         .user = request->user},
                                     err) < 0))
        return -1;
    snprintf(change->reply, BASELINE_REPLY_SIZE,
             "split: nights before %s no longer count for points '%.80s'", job.key,
             row.points);
    return add_event(change->ledger, "baseline.split", row.job_id, request->name,
                     xasprintf("at=%s points=\"%s\" user=%s reason=\"%s\"", job.key,
                               row.points, row.user, row.reason),
                     err);
}

static int end_quarantine(const struct change *change,
                          const struct found_baseline *found,
                          struct err *err)
{
    const struct msg_baseline *request = change->request;

    if (store_quarantine_delete(change->store, found->baseline_id, request->points,
                                err) < 0)
        return -1;
    snprintf(change->reply, BASELINE_REPLY_SIZE, "the quarantine of '%.80s' has ended",
             request->points);
    return 0;
}

static int begin_quarantine(const struct change *change,
                            const struct found_baseline *found,
                            struct err *err)
{
    const struct msg_baseline *request = change->request;
    const struct store_quarantine row = {
        .baseline_id = found->baseline_id,
        .points = request->points,
        .reason = request->reason,
        .user = request->user,
        .nights = request->nights,
        .added_wall_ms = change->now_ms,
    };

    if (request->nights > BASELINE_KEEP_MOST)
        return err_set(err, ERR_INPUT,
                       "a quarantine of %" PRIu64 " nights: expected 0 to %d",
                       request->nights, BASELINE_KEEP_MOST);
    if (baseline_check_points(change->store, found->newest_job_id, request->points,
                              err) < 0 ||
        store_quarantine_put(change->store, &row, err) < 0)
        return -1;
    snprintf(change->reply, BASELINE_REPLY_SIZE,
             "quarantine: '%.80s' is shown and fails nothing for the next %" PRIu64
             " nights",
             row.points, row.nights);
    return 0;
}

static int quarantine(const struct change *change, struct err *err)
{
    const struct msg_baseline *request = change->request;
    struct found_baseline found;

    if (baseline_find(&found, change->store, request->name, 0, err) < 0 ||
        baseline_check_texts(request, err) < 0 ||
        (request->nights ? begin_quarantine(change, &found, err)
                         : end_quarantine(change, &found, err)) < 0)
        return -1;
    return add_event(change->ledger, "baseline.quarantine", 0, request->name,
                     xasprintf("points=\"%s\" nights=%" PRIu64 " user=%s reason=\"%s\"",
                               request->points, request->nights, request->user,
                               request->reason),
                     err);
}

static int add_night(struct ledger *ledger,
                     struct store *store,
                     const char *name,
                     struct store_baseline_night *night,
                     struct err *err)
{
    struct found_baseline found;

    if (baseline_find(&found, store, name, 0, err) < 0)
        return -1;
    night->baseline_id = found.baseline_id;
    if (baseline_check_rolling(&found, name, err) < 0 ||
        baseline_check_done(store, night->job_id, err) < 0 ||
        put_night(store, night, err) < 0)
        return -1;
    return add_event(ledger, "baseline.night", night->job_id, name,
                     xasprintf("passed=%d%s%s%s", night->passed,
                               *night->reason ? " reason=\"" : "", night->reason,
                               *night->reason ? "\"" : ""),
                     err);
}

int baselines_add_night(struct ledger *ledger,
                        struct store *store,
                        const struct msg_gate_verdict *verdict,
                        struct err *err)
{
    bool passed = verdict->code == 0;
    struct store_baseline_night night = {
        .job_id = verdict->job_id,
        .passed = passed,
        .reason = passed ? "" : verdict->sentence,
        .user = "",
        .gated = true,
        .equal_cells = verdict->equal_cells,
        .false_alarms = verdict->false_alarms,
    };

    return add_night(ledger, store, verdict->baseline, &night, err);
}

static int add(const struct change *change, struct err *err)
{
    const struct msg_baseline *request = change->request;

    if (need_one_job(request, err) < 0)
        return -1;
    struct store_baseline_night night = {
        .job_id = request->jobs.items[0],
        .passed = request->passed,
        .reason = request->reason,
        .user = request->user,
    };
    if (add_night(change->ledger, change->store, request->name, &night, err) < 0)
        return -1;
    snprintf(change->reply, BASELINE_REPLY_SIZE, "%s",
             request->passed ? "the night counts" : "the night does not count");
    return 0;
}

static const struct action {
    const char *name;
    int (*run)(const struct change *change, struct err *err);
} actions[] = {
    {"set", set},
    {"add", add},
    {"drop", drop},
    {"split", split},
    {"quarantine", quarantine},
};

int baselines_handle_request(struct ledger *ledger,
                             struct store *store,
                             const struct msg_baseline *request,
                             char reply[BASELINE_REPLY_SIZE],
                             struct err *err)
{
    const struct change change = {
        .ledger = ledger,
        .store = store,
        .request = request,
        .reply = reply,
        .now_ms = clock_wall_ns() / 1000000,
    };

    for (size_t i = 0; i < COUNT(actions); i++)
        if (strcmp(actions[i].name, request->what) == 0)
            return actions[i].run(&change, err);
    return err_set(err, ERR_INPUT,
                   "unknown action '%.64s'; use set, add, drop, split or quarantine",
                   request->what);
}
