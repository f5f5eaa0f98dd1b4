#include "coordinator/confirmation/confirmations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/confirmation/confirmation_cards.h"
#include "coordinator/confirmation/confirmation_judge.h"
#include "coordinator/confirmation/confirmation_text.h"
#include "coordinator/ledger/ledger.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "lib/store/store.h"
#include "lib/store/store_confirmation.h"
#include "lib/wire/messages.h"

enum {
    HOURS_MAX = 30 * 24,
};

struct confirmations {
    struct ledger *ledger;
    struct store *store;
    const struct fleet *fleet;
    struct store_confirmation *items; /* that are not judged */
    size_t count;
};

struct confirmations *confirmations_create(struct ledger *ledger,
                                           struct store *store,
                                           const struct fleet *fleet)
{
    struct confirmations *confirmations = xcalloc(1, sizeof(*confirmations));

    confirmations->ledger = ledger;
    confirmations->store = store;
    confirmations->fleet = fleet;
    return confirmations;
}

void confirmations_destroy(struct confirmations *confirmations)
{
    if (!confirmations)
        return;
    free(confirmations->items);
    free(confirmations);
}

static int keep(const struct store_confirmation *row, void *arg, struct err *err)
{
    struct confirmations *confirmations = arg;

    (void)err;
    confirmations->items = xreallocarray(confirmations->items, confirmations->count + 1,
                                         sizeof(*confirmations->items));
    confirmations->items[confirmations->count++] = *row;
    return 0;
}

int confirmations_load(struct confirmations *confirmations, struct err *err)
{
    return store_each_confirmation(confirmations->store, 0, keep, confirmations, err);
}

/* The two jobs of a request */

struct source_job {
    struct job *job;
    char *yaml, *folder, *file_name, *key;
    enum job_state state;
};

static int read_source(const struct store_job *row, void *arg, struct err *err)
{
    struct source_job *source = arg;
    struct problems problems = {0};
    int result = job_parse(&source->job, row->yaml, strlen(row->yaml), &problems);

    problems_clear(&problems);
    source->key = xstrdup(row->key);
    source->folder = xstrdup(row->folder);
    source->file_name = xstrdup(row->file_name);
    source->state = row->state;
    if (result < 0)
        return err_set(err, ERR_INPUT,
                       "this version of muster cannot read the job file of %s",
                       row->key);
    return job_state_is_final(row->state)
               ? 0
               : err_set(err, ERR_INPUT, "%s has not ended; wait for its end",
                         row->key);
}

static void clear_source(struct source_job *source)
{
    job_destroy(source->job);
    free(source->yaml);
    free(source->folder);
    free(source->file_name);
    free(source->key);
}

static int check_request(const struct msg_confirm_suspects *request, struct err *err)
{
    size_t count = request->points.count;

    if (count == 0 || count > CONFIRMATION_SUSPECTS_MAX)
        return err_set(err, ERR_INPUT, "a confirmation has 1 to %d suspects, not %zu",
                       CONFIRMATION_SUSPECTS_MAX, count);
    if (request->kernels.count != count || request->metrics.count != count ||
        request->cards.count != count || request->ranks.count != count)
        return err_set(err, ERR_INPUT,
                       "points, kernels, metrics, cards and ranks differ in length");
    if ((request->night_h_ppm.count && request->night_h_ppm.count != count) ||
        request->night_w_ppm.count != request->night_h_ppm.count ||
        request->nights.count != request->night_h_ppm.count)
        return err_set(err, ERR_INPUT,
                       "night_h_ppm, night_w_ppm and nights need one number for each "
                       "suspect, or none");
    if (request->pairs < JOB_CONFIRM_PAIRS_LEAST ||
        request->pairs > JOB_CONFIRM_PAIRS_MOST)
        return err_set(err, ERR_INPUT,
                       "pairs: expected %d to %d, found %" PRIu64
                       "; fewer cannot show a change",
                       JOB_CONFIRM_PAIRS_LEAST, JOB_CONFIRM_PAIRS_MOST, request->pairs);
    if (request->sessions < 1 || request->sessions > JOB_CONFIRM_SESSIONS_MOST)
        return err_set(err, ERR_INPUT, "sessions: expected 1 to %d, found %" PRIu64,
                       JOB_CONFIRM_SESSIONS_MOST, request->sessions);
    if (request->card_count < 1 || request->card_count > AB_PLACES)
        return err_set(err, ERR_INPUT, "card_count: expected 1 to %d, found %" PRIu64,
                       AB_PLACES, request->card_count);
    if (request->time_ms > HOURS_MAX * 3600000ull)
        return err_set(err, ERR_INPUT, "time: expected up to %d h", HOURS_MAX);
    if (!(request->tolerance >= 0 && request->tolerance <= 10))
        return err_set(err, ERR_INPUT, "tolerance: expected a share from 0 to 10");
    return 0;
}

/* Finds the point of the base. A pinned point of the same card is better than others.
 */
static int find_base_point(struct suspect *suspect,
                           struct store *store,
                           uint64_t base_job_id,
                           const struct job *base,
                           struct err *err)
{
    struct suspect_points points;

    if (suspect_points_find(&points, store, base_job_id, suspect->point, err) < 0)
        return -1;
    if (points.count == 0 && !*suspect->reason)
        snprintf(suspect->reason, sizeof(suspect->reason),
                 "the base does not have this point");
    for (size_t i = 0; i < points.count; i++)
        if (i == 0 || points.numbers[i] == suspect->fresh_point)
            suspect->base_point = points.numbers[i];
    if (suspect->base_point >= job_point_count(base))
        suspect->base_point = 0;
    suspect_points_clear(&points);
    return 0;
}

static int find_suspects(const struct confirmations *confirmations,
                         const struct msg_confirm_suspects *request,
                         struct confirmation_plan *plan,
                         struct err *err)
{
    plan->count = request->points.count;
    plan->suspects = xcalloc(plan->count, sizeof(*plan->suspects));
    for (size_t i = 0; i < plan->count; i++) {
        struct suspect *suspect = &plan->suspects[i];

        *suspect = (struct suspect){.point = request->points.items[i],
                                    .kernel = request->kernels.items[i],
                                    .metric = request->metrics.items[i],
                                    .card = request->cards.items[i],
                                    .rank = request->ranks.items[i]};
        if (confirmation_cards_find(
                suspect, confirmations->store, confirmations->fleet, request->job_id,
                job_settings(plan->fresh.job)->ranks, request->card_count, err) < 0 ||
            find_base_point(suspect, confirmations->store, request->base_job_id,
                            plan->base.job, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < plan->count; i++)
        if (!*plan->suspects[i].reason)
            return 0;
    return err_set(err, ERR_INPUT, "no suspect can be measured again: %s",
                   plan->suspects[0].reason);
}

static int store_suspects(const struct confirmations *confirmations,
                          const struct msg_confirm_suspects *request,
                          const struct confirmation_plan *plan,
                          uint64_t job_id,
                          struct err *err)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct suspect *suspect = &plan->suspects[i];
        struct store_suspect row = {
            .job_id = job_id,
            .number = (uint32_t)i + 1,
            .point = suspect->point,
            .kernel = suspect->kernel,
            .metric = suspect->metric,
            .rank = (uint32_t)suspect->rank,
            .card = *suspect->found_card ? suspect->found_card : suspect->card,
            .same_program = suspect->same_program,
            .cause = "",
            .also = "",
            .reason = suspect->reason,
            .slow_card = "",
            .slow_peer = "",
        };

        if (request->night_h_ppm.count > 0) {
            row.night_h = (double)request->night_h_ppm.items[i] / 1e6;
            row.night_w = (double)request->night_w_ppm.items[i] / 1e6;
            row.nights = request->nights.items[i];
        }
        for (int place = 0; place < AB_PLACES; place++) {
            row.places[place] = suspect->places[place] ? suspect->places[place] : "";
            row.code[place] = row.drift[place] = "";
            row.code_shift[place] = row.drift_shift[place] = __builtin_nan("");
        }
        if (store_suspect_put(confirmations->store, &row, err) < 0)
            return -1;
    }
    return 0;
}

/* Submits the job, and stores what it confirms. */
static int submit(struct confirmations *confirmations,
                  const struct msg_confirm_suspects *request,
                  const struct confirmation_plan *plan,
                  const struct source_job *fresh,
                  struct ledger_job **job,
                  struct err *err)
{
    char *yaml = confirmation_text(plan), *problems = NULL;
    const struct msg_submit submit = {.yaml = yaml,
                                      .file_name = fresh->file_name,
                                      .folder = fresh->folder,
                                      .user = request->user,
                                      .once = request->once};
    int result = ledger_submit(job, confirmations->ledger, &submit, &problems, err);

    if (result < 0 && problems)
        err_set(err, ERR_INPUT, "the job file of the confirmation: %.200s", problems);
    free(problems);
    free(yaml);
    if (result < 0)
        return -1;
    struct store_confirmation row = {
        .job_id = (*job)->job_id,
        .confirms_job_id = request->job_id,
        .base_job_id = request->base_job_id,
        .tolerance = request->tolerance,
        .until_wall_ms = clock_wall_ns() / 1000000 + request->time_ms,
    };
    if (store_confirmation_add(confirmations->store, &row, err) < 0 ||
        store_suspects(confirmations, request, plan, row.job_id, err) < 0)
        return -1;
    return keep(&row, confirmations, err);
}

int confirmations_start(struct confirmations *confirmations,
                        const struct msg_confirm_suspects *request,
                        struct ledger_job **job,
                        struct err *err)
{
    struct source_job base = {0}, fresh = {0};
    struct confirmation_plan plan = {.pairs = request->pairs,
                                     .sessions = request->sessions};
    struct store *store = confirmations->store;
    int result = check_request(request, err);

    if (result == 0)
        result = store_job_read(store, request->base_job_id, read_source, &base, err);
    if (result == 0)
        result = store_job_read(store, request->job_id, read_source, &fresh, err);
    if (result == 0)
        result = confirmation_check_jobs(base.job, fresh.job, err);
    if (result == 0) {
        plan.base = (struct confirmation_side){base.job, base.folder};
        plan.fresh = (struct confirmation_side){fresh.job, fresh.folder};
        result = find_suspects(confirmations, request, &plan, err);
    }
    if (result == 0)
        result = submit(confirmations, request, &plan, &fresh, job, err);
    suspects_clear(plan.suspects, plan.count);
    clear_source(&base);
    clear_source(&fresh);
    return result;
}

/* The turn */

static int judge(struct confirmations *confirmations, size_t index, struct err *err)
{
    const struct store_confirmation *item = &confirmations->items[index];
    struct text summary = {0};
    int result = confirmation_judge(confirmations->store, item, &summary, err);

    for (const char *line = text_get(&summary); result == 0 && *line;) {
        int length = (int)strcspn(line, "\n");
        char *text = xstrndup(line, (size_t)length);

        log_info("suspect judged: job_id=%" PRIu64 " %s", item->job_id, text);
        result = ledger_verdict_event(confirmations->ledger, "suspect.judged",
                                      item->confirms_job_id, text, err);
        free(text);
        line += length + (line[length] == '\n');
    }
    text_clear(&summary);
    confirmations->items[index] = confirmations->items[--confirmations->count];
    return result;
}

int confirmations_turn(struct confirmations *confirmations, struct err *err)
{
    uint64_t now_ms = confirmations->count > 0 ? clock_wall_ns() / 1000000 : 0;

    for (size_t i = confirmations->count; i-- > 0;) {
        struct store_confirmation *item = &confirmations->items[i];
        struct ledger_job *job = ledger_find_job(confirmations->ledger, item->job_id);

        if (!job || job_state_is_final(job->state)) {
            if (judge(confirmations, i, err) < 0)
                return -1;
        } else if (now_ms >= item->until_wall_ms && !job->cancelled) {
            log_info("confirmation ends, its time is over: job=%s", job->key);
            if (ledger_cancel(confirmations->ledger, job, err) < 0)
                return -1;
        }
    }
    return 0;
}
