/* scheduler_internal.h - the plan under construction, for the files scheduler*.c */
#ifndef COORDINATOR_PLACEMENT_SCHEDULER_INTERNAL_H
#define COORDINATOR_PLACEMENT_SCHEDULER_INTERNAL_H

#include <stdbool.h>

#include "coordinator/placement/gang_fit.h"
#include "coordinator/placement/host_load.h"
#include "coordinator/placement/scheduler.h"
#include "lib/job/job.h"

struct ledger_job;
struct task;
struct task_queue_cursor;
struct waiting;

/* A card as it will be when the actions so far have been executed. */
struct planned_card {
    struct worker *worker;
    size_t rank_count;
    bool is_idle;
    bool reserved_for_gang;
    bool reserved_for_job; /* a better job waits until the card has fewer leases */
    bool *recalled;        /* of each rank of the worker: by this plan; NULL: none */
};

/* A job as it will be when the actions so far have been executed. */
struct planned_job {
    struct ledger_job *job;
    struct task_queue_cursor *tasks;
    uint64_t waiting;
    uint64_t reserved_cards; /* number of cards with reserved_for_job */
    bool is_gang;
    size_t lease_limit;
};

struct plan {
    const struct scheduler_view *view;
    struct scheduler_actions *actions;
    struct planned_card *cards; /* in the order of view->fleet->workers */
    size_t card_count;
    struct planned_job *jobs; /* in the order in which they are served */
    size_t job_count;
    struct host_load *load;           /* NULL: no job limits its use of hosts */
    struct gang_fit_card *fit_cards;  /* input of gang_fit_place() */
    struct planned_card **candidates; /* the cards of fit_cards */
    size_t lease_count;
    size_t recall_count; /* of this plan */
    bool gang_reserved;  /* a gang has reserved cards in this plan */
};

/* Returns the jobs that wait for cards, in the order in which they are served. free()
 * the array. */
struct ledger_job **scheduler_order_jobs(const struct scheduler_view *view,
                                         size_t *count);
/* Returns the card of this worker as gang_fit sees it for one job. `is_idle`: no rank
 * is leased to it. */
struct gang_fit_card scheduler_fit_card(const struct worker *worker,
                                        bool is_idle,
                                        const struct host_load *load,
                                        const struct ledger_job *job);

/* Returns the settings of the job with the number of ranks of this task. */
struct job_settings scheduler_settings_of(const struct task *task);

/* The next functions are in scheduler_actions.c. */

/* Leases the task to these cards, one for each rank. */
void scheduler_plan_lease(struct plan *plan,
                          struct planned_job *job,
                          struct waiting *waiting,
                          struct planned_card *const *cards,
                          size_t count);
/* Recalls the rank at this position in the worker's list. */
void scheduler_plan_recall(struct plan *plan,
                           struct planned_card *card,
                           struct attempt_rank *rank,
                           size_t position,
                           const char *reason);
bool scheduler_can_recall(const struct planned_card *card,
                          const struct attempt_rank *rank,
                          size_t position);
/* Reserves the cards of a task, or their hosts when it needs them alone. */
void scheduler_plan_reserve(struct plan *plan,
                            struct planned_card *const *cards,
                            const struct job_settings *settings);

/* scheduler_placed.c: leases tasks of a job whose points name their cards. */
void scheduler_lease_placed(struct plan *plan, struct planned_job *job);
/* scheduler_placed.c: writes which cards the task needs and what they do, for users. */
void scheduler_explain_places(const struct scheduler_view *view,
                              const struct task *task,
                              struct text *out);

#endif
