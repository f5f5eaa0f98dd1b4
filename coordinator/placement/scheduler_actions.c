/* scheduler_actions.c - adds actions to the plan, and keeps its cards up to date */
#include <stdlib.h>
#include <string.h>

#include "coordinator/fleet/fleet.h"
#include "coordinator/ledger/ledger.h"
#include "coordinator/placement/scheduler_internal.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"

static struct scheduler_action *add_action(struct scheduler_actions *actions,
                                           enum scheduler_action_kind kind)
{
    if (actions->count == actions->room) {
        actions->room = actions->room ? 2 * actions->room : 64;
        actions->items =
            xreallocarray(actions->items, actions->room, sizeof(*actions->items));
    }
    struct scheduler_action *action = &actions->items[actions->count++];
    *action =
        (struct scheduler_action){.kind = kind, .first_worker = actions->worker_count};
    return action;
}

/* Adds a worker to the latest action. */
static void add_worker(struct scheduler_actions *actions, struct worker *worker)
{
    if (actions->worker_count == actions->worker_room) {
        actions->worker_room = actions->worker_room ? 2 * actions->worker_room : 64;
        actions->workers = xreallocarray(actions->workers, actions->worker_room,
                                         sizeof(struct worker *));
    }
    actions->workers[actions->worker_count++] = worker;
    actions->items[actions->count - 1].worker_count++;
}

void scheduler_plan_lease(struct plan *plan,
                          struct planned_job *job,
                          struct waiting *waiting,
                          struct planned_card *const *cards,
                          size_t count)
{
    struct scheduler_action *action = add_action(plan->actions, SCHEDULER_LEASE);

    action->task = (struct task *)waiting; /* its first member */
    task_queue_cursor_skip(job->tasks, waiting);
    job->waiting--;
    plan->lease_count++;
    for (size_t i = 0; i < count; i++) {
        add_worker(plan->actions, cards[i]->worker);
        cards[i]->rank_count++;
        cards[i]->is_idle = false;
        host_load_add(plan->load, cards[i]->worker->host, job->job);
    }
}

void scheduler_plan_recall(struct plan *plan,
                           struct planned_card *card,
                           struct attempt_rank *rank,
                           size_t position,
                           const char *reason)
{
    struct scheduler_action *action = add_action(plan->actions, SCHEDULER_RECALL);

    action->rank = rank;
    action->reason = reason;
    if (!card->recalled)
        card->recalled = xcalloc(card->worker->rank_count, sizeof(*card->recalled));
    card->recalled[position] = true;
    plan->recall_count++;
}

bool scheduler_can_recall(const struct planned_card *card,
                          const struct attempt_rank *rank,
                          size_t position)
{
    return rank->state == RANK_STATE_LEASED && !rank->recalled &&
           !(card->recalled && card->recalled[position]);
}

/* Reserves a card, and recalls the ranks that wait there behind another. */
static void reserve_card(struct plan *plan, struct planned_card *card)
{
    struct attempt_rank *rank = card->worker->ranks;

    card->reserved_for_gang = true;
    add_action(plan->actions, SCHEDULER_RESERVE);
    add_worker(plan->actions, card->worker);
    if (!rank)
        return;
    rank = rank->next_of_worker;
    for (size_t position = 1; rank; rank = rank->next_of_worker, position++)
        if (scheduler_can_recall(card, rank, position))
            scheduler_plan_recall(plan, card, rank, position,
                                  "a gang waits for this card");
}

static void reserve_host(struct plan *plan, const char *host)
{
    for (size_t i = 0; i < plan->card_count; i++)
        if (!plan->cards[i].reserved_for_gang &&
            strcmp(plan->cards[i].worker->host, host) == 0)
            reserve_card(plan, &plan->cards[i]);
}

void scheduler_plan_reserve(struct plan *plan,
                            struct planned_card *const *cards,
                            const struct job_settings *settings)
{
    for (size_t i = 0; i < settings->ranks; i++)
        if (settings->exclusive == JOB_EXCLUSIVE_HOST)
            reserve_host(plan, cards[i]->worker->host);
        else
            reserve_card(plan, cards[i]);
    plan->gang_reserved = true;
}

void scheduler_actions_clear(struct scheduler_actions *actions)
{
    free(actions->items);
    free(actions->workers);
    *actions = (struct scheduler_actions){0};
}
