/* scheduler_placed.c - tasks of jobs whose points name their cards (cards.at)
 *
 * The tasks of such a job start in their order on each host. A task whose cards are
 * busy holds back later tasks on the same hosts, but none on other hosts. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/fleet/fleet.h"
#include "coordinator/ledger/ledger.h"
#include "coordinator/placement/scheduler_internal.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

enum {
    HOST_ROOM = 256,
    TRIED_MAX = 256, /* tasks of a job that one plan looks at */
};

static struct planned_card *
find_card(const struct plan *plan, const char *host, uint32_t card)
{
    for (size_t i = 0; i < plan->card_count; i++) {
        const struct worker *worker = plan->cards[i].worker;

        if (worker->card == (int32_t)card && strcmp(worker->host, host) == 0)
            return &plan->cards[i];
    }
    return NULL;
}

enum fit { FITS, WAITS, ABSENT };

/* Finds the cards of a point. ABSENT: a card is not in the fleet, is drained, or has
 * another model than the job permits. */
static enum fit find_cards(const struct plan *plan,
                           const struct ledger_job *job,
                           const struct job_list *places,
                           struct planned_card **cards)
{
    bool needs_host = job_settings(job->job)->exclusive == JOB_EXCLUSIVE_HOST;
    enum fit fit = FITS;

    for (size_t i = 0; i < places->count; i++) {
        char host[HOST_ROOM];
        uint32_t number;

        if (!job_place_parse(places->items[i], host, sizeof(host), &number) ||
            !(cards[i] = find_card(plan, host, number)) ||
            card_is_drained(cards[i]->worker->state) ||
            !gang_fit_card_matches(host, cards[i]->worker->model,
                                   job_settings(job->job)))
            return ABSENT;
        if (!cards[i]->is_idle || cards[i]->reserved_for_gang ||
            host_load_is_exclusive(plan->load, host) ||
            (needs_host && !host_load_is_idle(plan->load, host)))
            fit = WAITS;
    }
    return fit;
}

/* Returns true when an earlier task of the job waits for one of the hosts. Adds the
 * hosts when the task itself has to wait. */
static bool is_held_back(struct map *hosts, const struct job_list *places, bool add)
{
    bool held = false;

    for (size_t i = 0; i < places->count; i++) {
        char host[HOST_ROOM];
        uint32_t card;

        if (!job_place_parse(places->items[i], host, sizeof(host), &card))
            continue;
        held |= map_get(hosts, host) != NULL;
        if (add)
            map_put(hosts, host, hosts);
    }
    return held;
}

void scheduler_lease_placed(struct plan *plan, struct planned_job *job)
{
    const struct job_settings *settings = job_settings(job->job->job);
    struct planned_card **cards =
        xcalloc(settings->ranks, sizeof(struct planned_card *));
    struct map *busy_hosts = map_create();
    struct waiting *waiting = task_queue_cursor_first(job->tasks, -1);

    for (int tried = 0; waiting && tried < TRIED_MAX; tried++) {
        struct waiting *next = waiting->next;
        const struct task *task = (const struct task *)waiting; /* its first member */
        struct job_point point;

        job_points_at(job->job->points, task->point, &point);
        bool held = is_held_back(busy_hosts, &point.places, false);
        enum fit fit = find_cards(plan, job->job, &point.places, cards);
        if (fit == FITS && !held) {
            scheduler_plan_lease(plan, job, waiting, cards, point.places.count);
        } else {
            if (fit == WAITS && !held && !plan->gang_reserved)
                scheduler_plan_reserve(plan, cards, settings);
            task_queue_cursor_skip(job->tasks, waiting);
        }
        if (fit == WAITS || (held && fit != ABSENT))
            is_held_back(busy_hosts, &point.places, true);
        waiting = next;
    }
    map_destroy(busy_hosts);
    free(cards);
}

static const char *
state_of_card(const struct scheduler_view *view, const char *host, uint32_t card)
{
    for (const struct worker *worker = view->fleet->workers.first; worker;
         worker = worker->next)
        if (worker->card == (int32_t)card && strcmp(worker->host, host) == 0)
            return worker_state_word(worker);
    return "not connected";
}

void scheduler_explain_places(const struct scheduler_view *view,
                              const struct task *task,
                              struct text *out)
{
    struct job_point point;

    job_points_at(task->job->points, task->point, &point);
    text_add(out, "needs");
    for (size_t i = 0; i < point.places.count; i++) {
        char host[HOST_ROOM];
        uint32_t card;

        if (job_place_parse(point.places.items[i], host, sizeof(host), &card))
            text_printf(out, "%s %s (%s)", i ? "," : "", point.places.items[i],
                        state_of_card(view, host, card));
    }
    if (job_settings(task->job->job)->exclusive == JOB_EXCLUSIVE_HOST)
        text_add(out, " on hosts without other tasks");
}
