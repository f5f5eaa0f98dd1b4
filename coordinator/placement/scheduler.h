/* scheduler.h - decides which waiting tasks get which cards
 *
 * Jobs are served by priority and then by age. The priority of a job rises while it
 * gets no card. A gang that finds too few free cards reserves cards until they are
 * free; otherwise smaller tasks would take them for ever. Only the first such gang
 * reserves.
 *
 * The scheduler is pure: it reads the view and returns actions. sessions_apply()
 * executes them. */
#ifndef COORDINATOR_PLACEMENT_SCHEDULER_H
#define COORDINATOR_PLACEMENT_SCHEDULER_H

#include <stddef.h>
#include <stdint.h>

struct attempt_rank;
struct fleet;
struct ledger;
struct task;
struct text;
struct worker;

struct scheduler_view {
    const struct ledger *ledger;
    const struct fleet
        *fleet;      /* with card states of this turn: workers_update_states() */
    uint64_t now_ms; /* monotonic */
};

enum scheduler_action_kind {
    SCHEDULER_LEASE,  /* give `task` to the workers, one for each rank */
    SCHEDULER_RECALL, /* ask the worker of `rank` to return it, if it has not started */
    SCHEDULER_RESERVE, /* keep the worker's card for a gang until the next plan */
};

struct scheduler_action {
    enum scheduler_action_kind kind;
    struct task *task;
    struct attempt_rank *rank;
    const char *reason;                /* of a recall */
    size_t first_worker, worker_count; /* in scheduler_actions.workers */
};

struct scheduler_actions { /* all zero: empty */
    struct scheduler_action *items;
    size_t count, room;
    struct worker **workers; /* of all actions */
    size_t worker_count, worker_room;
};

/* Fills empty `actions`. They are valid until the ledger or the fleet changes by
 * anything but these actions, in their order. */
void scheduler_plan(const struct scheduler_view *view,
                    struct scheduler_actions *actions);
void scheduler_actions_clear(struct scheduler_actions *actions);

/* Adds to `out` why the task waits or what it does, for users. */
void scheduler_explain(const struct scheduler_view *view,
                       const struct task *task,
                       struct text *out);

#endif
