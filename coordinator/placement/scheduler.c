#include "coordinator/placement/scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "coordinator/fleet/fleet.h"
#include "coordinator/ledger/ledger.h"
#include "coordinator/placement/scheduler_internal.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"

enum {
    LEASES_MIN = 2,          /* per worker: one runs, the next one waits for its end */
    LEASES_MAX = 16,         /* of tasks that start a process each */
    RUNNER_LEASES_MAX = 128, /* of points that one runner process executes in turn */
    AHEAD_NS = 100000000,    /* a worker gets leases for this time at most */
    AGE_MS = 10000, /* the priority rises by 1 after this time without a card */
};

/* Order of jobs */

static uint64_t current_priority(const struct ledger_job *job, uint64_t now_ms)
{
    uint64_t age_ms = now_ms > job->served_ms ? now_ms - job->served_ms : 0;

    return job_settings(job->job)->priority + age_ms / AGE_MS;
}

static bool waits_for_cards(const struct ledger_job *job)
{
    return job->counts[TASK_WAITING] > 0 && !job->cancelled && job->after_count == 0;
}

/* Inserts a job behind all jobs of the same or a higher priority. There are few jobs,
 * and mostly they are in order already. */
static void insert_job_by_priority(struct ledger_job **jobs,
                                   size_t count,
                                   struct ledger_job *job,
                                   uint64_t now_ms)
{
    uint64_t priority = current_priority(job, now_ms);
    size_t at = count;

    for (; at > 0 && current_priority(jobs[at - 1], now_ms) < priority; at--)
        jobs[at] = jobs[at - 1];
    jobs[at] = job;
}

struct ledger_job **scheduler_order_jobs(const struct scheduler_view *view,
                                         size_t *count)
{
    struct ledger_job **jobs = NULL;
    size_t room = 0;

    *count = 0;
    for (struct ledger_job *job = ledger_first_job(view->ledger); job;
         job = job->next) {
        if (!waits_for_cards(job))
            continue;
        if (*count == room) {
            room = room ? 2 * room : 16;
            jobs = xreallocarray(jobs, room, sizeof(struct ledger_job *));
        }
        insert_job_by_priority(jobs, (*count)++, job, view->now_ms);
    }
    return jobs;
}

/* A job that needs a host for itself is planned like a gang: cards are reserved for it.
 */
static bool is_gang(const struct ledger_job *job)
{
    const struct job_settings *settings = job_settings(job->job);

    return settings->ranks > 1 || settings->exclusive == JOB_EXCLUSIVE_HOST ||
           settings->placed;
}

/* Returns how many leases a worker may hold before it gets one more of this job. */
static size_t lease_limit_of_job(const struct ledger_job *job)
{
    const struct job_settings *settings = job_settings(job->job);

    if (is_gang(job))
        return 1;
    bool keeps_runner = settings->runner && settings->renew > 0;
    size_t most = keeps_runner ? RUNNER_LEASES_MAX : LEASES_MAX;
    uint64_t limit = AHEAD_NS / (job->rank_ns ? job->rank_ns : AHEAD_NS);
    return limit < LEASES_MIN ? LEASES_MIN : limit > most ? most : (size_t)limit;
}

/* Tasks of one card */

static bool card_accepts_lease(const struct plan *plan,
                               const struct planned_card *card,
                               size_t limit)
{
    const struct worker *worker = card->worker;

    return (worker->state == CARD_IDLE || worker->state == CARD_LEASED) &&
           card->rank_count < limit && !card->reserved_for_gang &&
           !card->reserved_for_job && !host_load_is_exclusive(plan->load, worker->host);
}

static bool card_matches_job(const struct worker *worker, const struct ledger_job *job)
{
    return gang_fit_card_matches(worker->host, worker->model, job_settings(job->job));
}

static bool reaches_host_cap(const struct plan *plan,
                             const struct worker *worker,
                             const struct ledger_job *job)
{
    uint64_t cap = job_settings(job->job)->host_cap;

    return cap > 0 && host_load_count(plan->load, worker->host, job) >= cap;
}

/* Leases tasks of the job to cards with fewer than `limit` leases. A card that has more
 * leases than this job permits is reserved for the job; otherwise jobs of lower
 * priority refill it for ever. As many cards are reserved as the job has tasks: those
 * with the fewest leases, since the limit rises from round to round. */
static void lease_singles(struct plan *plan, struct planned_job *job, size_t limit)
{
    for (size_t i = 0; i < plan->card_count && job->waiting > 0; i++) {
        struct planned_card *card = &plan->cards[i];

        if (!card_accepts_lease(plan, card, limit) ||
            !card_matches_job(card->worker, job->job) ||
            reaches_host_cap(plan, card->worker, job->job))
            continue;
        struct waiting *waiting =
            task_queue_cursor_first(job->tasks, card->worker->card);
        if (!waiting)
            continue;
        if (limit > job->lease_limit)
            card->reserved_for_job = job->reserved_cards++ < job->waiting;
        else
            scheduler_plan_lease(plan, job, waiting, &card, 1);
    }
}

/* Returns the smallest number of leases that any worker with at least `limit` holds. */
static size_t next_limit(const struct plan *plan, size_t limit)
{
    size_t least = SIZE_MAX - 1;

    for (size_t i = 0; i < plan->card_count; i++)
        if (plan->cards[i].rank_count >= limit && plan->cards[i].rank_count < least)
            least = plan->cards[i].rank_count;
    return least;
}

/* Leases tasks that wait at a worker for the end of others. The limit rises round by
 * round, so that all workers get the same number. A round without a lease cannot help
 * the cards that took part in it, so the limit rises to the next card's number. */
static void lease_ahead(struct plan *plan)
{
    size_t most = 0;

    for (size_t i = 0; i < plan->job_count; i++)
        if (plan->jobs[i].lease_limit > most)
            most = plan->jobs[i].lease_limit;
    for (size_t limit = 2; limit <= most;) {
        size_t before = plan->lease_count;

        for (size_t i = 0; i < plan->job_count; i++)
            if (!plan->jobs[i].is_gang)
                lease_singles(plan, &plan->jobs[i], limit);
        limit = 1 + (plan->lease_count > before ? limit : next_limit(plan, limit));
    }
}

/* Gangs */

struct gang_fit_card scheduler_fit_card(const struct worker *worker,
                                        bool is_idle,
                                        const struct host_load *load,
                                        const struct ledger_job *job)
{
    return (struct gang_fit_card){
        .host = worker->host,
        .net_switch = worker->net_switch,
        .card = worker->card,
        .model = worker->model,
        .free = is_idle && !host_load_is_exclusive(load, worker->host),
        .busy = !host_load_is_idle(load, worker->host),
        .mine = host_load_count(load, worker->host, job),
    };
}

/* Lists the cards in service that are not reserved, as this job sees them. */
static size_t list_candidates(struct plan *plan, const struct ledger_job *job)
{
    size_t count = 0;

    if (!plan->fit_cards) {
        plan->fit_cards = xcalloc(plan->card_count + 1, sizeof(*plan->fit_cards));
        plan->candidates = xcalloc(plan->card_count + 1, sizeof(struct planned_card *));
    }
    for (size_t i = 0; i < plan->card_count; i++) {
        struct planned_card *card = &plan->cards[i];

        if (card->reserved_for_gang || card_is_drained(card->worker->state))
            continue;
        plan->candidates[count] = card;
        plan->fit_cards[count++] =
            scheduler_fit_card(card->worker, card->is_idle, plan->load, job);
    }
    return count;
}

struct job_settings scheduler_settings_of(const struct task *task)
{
    struct job_settings settings = *job_settings(task->job->job);

    settings.ranks = job_point_ranks(task->job->job, task->point);
    return settings;
}

static void lease_gangs(struct plan *plan, struct planned_job *job)
{
    uint64_t most = job_settings(job->job->job)->ranks;
    size_t *chosen = xcalloc(most, sizeof(*chosen));
    struct planned_card **cards = xcalloc(most, sizeof(struct planned_card *));
    enum gang_fit fit = GANG_FIT_FITS;
    struct waiting *waiting;

    while (fit == GANG_FIT_FITS &&
           (waiting = task_queue_cursor_first(job->tasks, -1))) {
        const struct task *task = (const struct task *)waiting; /* its first member */
        const struct job_settings settings = scheduler_settings_of(task);
        size_t count = list_candidates(plan, job->job);

        fit = gang_fit_place(plan->fit_cards, count, &settings, chosen);
        size_t shift = job_point_shift(job->job->job, task->point);
        for (size_t i = 0; fit != GANG_FIT_NEVER && i < settings.ranks; i++)
            cards[i] = plan->candidates[chosen[(i + shift) % settings.ranks]];
        if (fit == GANG_FIT_FITS)
            scheduler_plan_lease(plan, job, waiting, cards, settings.ranks);
        else if (fit == GANG_FIT_LATER && !plan->gang_reserved)
            scheduler_plan_reserve(plan, cards, &settings);
    }
    free(cards);
    free(chosen);
}

/* Recalls for idle cards */

/* Returns true when this idle card can run the rank instead of the rank's worker. */
static bool card_can_take_over(const struct worker *idle,
                               const struct attempt_rank *rank)
{
    const struct task *task = rank->attempt->task;

    return rank->attempt->rank_count == 1 &&
           (task->waiting.card < 0 || task->waiting.card == idle->card) &&
           !task->job->cancelled && card_matches_job(idle, task->job);
}

/* Recalls one rank that waits at another worker and that this idle card can run. The
 * first rank of a worker may have started already, so it is never recalled. */
static void plan_recall_for_idle_card(struct plan *plan, const struct worker *idle)
{
    for (size_t i = 0; i < plan->card_count; i++) {
        struct planned_card *card = &plan->cards[i];
        struct attempt_rank *rank = card->worker->ranks;

        if (!rank)
            continue;
        rank = rank->next_of_worker;
        for (size_t position = 1; rank; rank = rank->next_of_worker, position++)
            if (scheduler_can_recall(card, rank, position) &&
                card_can_take_over(idle, rank)) {
                scheduler_plan_recall(plan, card, rank, position,
                                      "another card is free");
                return;
            }
    }
}

static size_t count_open_recalls(const struct plan *plan)
{
    size_t count = 0;

    for (size_t i = 0; i < plan->card_count; i++)
        for (const struct attempt_rank *rank = plan->cards[i].worker->ranks; rank;
             rank = rank->next_of_worker)
            count += rank->recalled && rank->state == RANK_STATE_LEASED;
    return count;
}

/* Moves tasks that would wait behind a long task to cards that are idle. Each recalled
 * rank is counted as the future work of one idle card. */
static void recall_for_idle_cards(struct plan *plan)
{
    size_t coming = 0;
    bool counted = false;

    for (size_t i = 0; i < plan->card_count; i++) {
        if (!card_accepts_lease(plan, &plan->cards[i], 1))
            continue;
        if (!counted)
            coming = count_open_recalls(plan) + plan->recall_count;
        counted = true;
        if (coming > 0)
            coming--;
        else
            plan_recall_for_idle_card(plan, plan->cards[i].worker);
    }
}

/* The plan */

static void init_cards(struct plan *plan)
{
    const struct workers *workers = &plan->view->fleet->workers;

    plan->cards = xcalloc(workers->count + 1, sizeof(*plan->cards));
    for (struct worker *worker = workers->first; worker; worker = worker->next)
        plan->cards[plan->card_count++] =
            (struct planned_card){.worker = worker,
                                  .rank_count = worker->rank_count,
                                  .is_idle = worker->state == CARD_IDLE};
}

static void init_jobs(struct plan *plan)
{
    struct ledger_job **jobs = scheduler_order_jobs(plan->view, &plan->job_count);

    plan->jobs = xcalloc(plan->job_count + 1, sizeof(*plan->jobs));
    for (size_t i = 0; i < plan->job_count; i++)
        plan->jobs[i] =
            (struct planned_job){.job = jobs[i],
                                 .tasks = task_queue_cursor_create(jobs[i]->queue),
                                 .waiting = jobs[i]->counts[TASK_WAITING],
                                 .is_gang = is_gang(jobs[i]),
                                 .lease_limit = lease_limit_of_job(jobs[i])};
    free(jobs);
}

static void clear_plan(struct plan *plan)
{
    for (size_t i = 0; i < plan->card_count; i++)
        free(plan->cards[i].recalled);
    for (size_t i = 0; i < plan->job_count; i++)
        task_queue_cursor_destroy(plan->jobs[i].tasks);
    free(plan->cards);
    free(plan->jobs);
    free(plan->fit_cards);
    free(plan->candidates);
    host_load_destroy(plan->load);
}

void scheduler_plan(const struct scheduler_view *view,
                    struct scheduler_actions *actions)
{
    struct plan plan = {
        .view = view, .actions = actions, .load = host_load_create(view->ledger)};

    init_cards(&plan);
    init_jobs(&plan);
    for (size_t i = 0; i < plan.job_count; i++)
        if (job_settings(plan.jobs[i].job->job)->placed)
            scheduler_lease_placed(&plan, &plan.jobs[i]);
        else if (plan.jobs[i].is_gang)
            lease_gangs(&plan, &plan.jobs[i]);
        else
            lease_singles(&plan, &plan.jobs[i], 1);
    lease_ahead(&plan);
    recall_for_idle_cards(&plan);
    clear_plan(&plan);
}
