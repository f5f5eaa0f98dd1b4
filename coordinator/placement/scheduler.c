#include "coordinator/placement/scheduler.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/placement/gang_fit.h"
#include "coordinator/placement/host_load.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"

enum {
    CREDIT = 2,           /* leases of a worker: one runs, one waits for it to end */
    SHORT_CREDIT = 16,    /* the most of tasks that take a process each, */
    RUNNER_CREDIT = 128,  /* and of points that a runner takes one by one, */
    AHEAD_NS = 100000000, /* if they take no longer: others wait until they are over */
    AGE_MS = 10000,       /* without a card: a step up in priority */
};

/* A turn of the loop, in which nobody comes or goes. */
struct turn {
    struct sessions *control;
    uint64_t now_ms;
    struct ledger_job **line; /* jobs that wait, the best first */
    size_t line_length;
    struct gang_fit_card *cards; /* made for gangs only */
    struct worker **workers;     /* of the cards */
    bool kept;                   /* some gang has its cards kept */
    size_t given;                /* leases */
    struct host_load *hosts;     /* NULL when nobody cares */
};

/* The line */

static uint64_t rank_of(const struct ledger_job *job, uint64_t now_ms)
{
    uint64_t age = now_ms > job->served_ms ? now_ms - job->served_ms : 0;

    return job_settings(job->job)->priority + age / AGE_MS;
}

/* Jobs are few, and mostly in order: each goes behind those that are not worse. */
static void insert_job_by_priority(struct turn *turn, struct ledger_job *job)
{
    uint64_t number = rank_of(job, turn->now_ms);
    size_t at = turn->line_length++;

    job->awaiting = 0;
    turn->line =
        xreallocarray(turn->line, turn->line_length, sizeof(struct ledger_job *));
    for (; at > 0 && rank_of(turn->line[at - 1], turn->now_ms) < number; at--)
        turn->line[at] = turn->line[at - 1];
    turn->line[at] = job;
}

static void make_line(struct turn *turn)
{
    for (struct ledger_job *job = ledger_first_job(turn->control->ledger); job;
         job = job->next)
        if (job->counts[TASK_WAITING] > 0 && !job->cancelled && job->after_count == 0)
            insert_job_by_priority(turn, job);
}

/* One that wants its host to itself is treated so, too: cards are kept for it. */
static bool is_gang(const struct ledger_job *job)
{
    const struct job_settings *settings = job_settings(job->job);

    return settings->ranks > 1 || settings->exclusive == JOB_EXCLUSIVE_HOST;
}

/* Tasks of one card */

static bool
card_accepts_lease(const struct turn *turn, const struct worker *worker, size_t credit)
{
    return (worker->state == CARD_IDLE || worker->state == CARD_LEASED) &&
           worker->rank_count < credit && !worker->reserved_for_gang &&
           !worker->reserved_for_job &&
           !host_load_is_exclusive(turn->hosts, worker->host);
}

static bool card_matches_job(const struct worker *worker, const struct ledger_job *job)
{
    return gang_fit_card_suits(worker->host, worker->model, job_settings(job->job));
}

static int lease(struct turn *turn,
                 struct task *task,
                 struct worker *const *workers,
                 uint32_t count,
                 struct err *err)
{
    struct attempt *attempt;

    if (ledger_lease(&attempt, turn->control->ledger, task, workers, count, err) < 0)
        return -1;
    turn->given++;
    for (uint32_t i = 0; i < count; i++) {
        sessions_send_lease(turn->control, &attempt->ranks[i]);
        host_load_add(turn->hosts, workers[i]->host, task->job);
    }
    return 0;
}

/* How many tasks of the job a worker may hold. */
static size_t lease_limit_of_job(const struct ledger_job *job)
{
    const struct job_settings *settings = job_settings(job->job);

    if (is_gang(job))
        return 1;
    bool stays = settings->runner && settings->renew > 0;
    size_t most = stays ? RUNNER_CREDIT : SHORT_CREDIT;
    uint64_t credit = AHEAD_NS / (job->rank_ns ? job->rank_ns : AHEAD_NS);
    return credit < CREDIT ? CREDIT : credit > most ? most : (size_t)credit;
}

/* A task that may not come because the card has enough in hand is waited for: what is
 * worse does not go there meanwhile, or it would never come. That is so of as many
 * cards as there are tasks, of those that have the least in hand. */
static int
lease_singles(struct turn *turn, struct ledger_job *job, size_t credit, struct err *err)
{
    uint64_t cap = job_settings(job->job)->host_cap;
    size_t most = lease_limit_of_job(job);

    for (struct worker *worker = turn->control->workers.first;
         worker && job->counts[TASK_WAITING] > 0; worker = worker->next) {
        struct waiting *waiting;

        if (!card_accepts_lease(turn, worker, credit) ||
            !card_matches_job(worker, job) ||
            (cap > 0 && host_load_count(turn->hosts, worker->host, job) >= cap))
            continue;
        waiting = task_queue_first(job->queue, worker->card);
        if (waiting && credit > most)
            worker->reserved_for_job = job->awaiting++ < job->counts[TASK_WAITING];
        else if (waiting && lease(turn, (struct task *)waiting, &worker, 1, err) < 0)
            return -1;
    }
    return 0;
}

/* Gangs */

/* All of them, or those that are kept for nobody, as this job sees them. */
static size_t list_cards(struct turn *turn, const struct ledger_job *job, bool all)
{
    const struct sessions *control = turn->control;
    size_t count = 0;

    if (!turn->cards) {
        turn->cards = xcalloc(control->workers.count + 1, sizeof(*turn->cards));
        turn->workers = xcalloc(control->workers.count + 1, sizeof(struct worker *));
    }
    for (struct worker *worker = control->workers.first; worker;
         worker = worker->next) {
        if ((worker->reserved_for_gang && !all) || card_is_drained(worker->state))
            continue;
        turn->workers[count] = worker;
        turn->cards[count++] = (struct gang_fit_card){
            .host = worker->host,
            .net_switch = worker->net_switch,
            .card = worker->card,
            .model = worker->model,
            .free = worker->state == CARD_IDLE &&
                    !host_load_is_exclusive(turn->hosts, worker->host),
            .busy = !host_load_is_idle(turn->hosts, worker->host),
            .mine = host_load_count(turn->hosts, worker->host, job),
        };
    }
    return count;
}

/* What only waits there goes elsewhere. */
static void keep_worker(struct turn *turn, struct worker *worker)
{
    struct attempt_rank *rank = worker->ranks ? worker->ranks->next_of_worker : NULL;

    worker->reserved_for_gang = true;
    for (; rank; rank = rank->next_of_worker)
        if (rank->state == RANK_STATE_LEASED && !rank->recalled)
            sessions_recall_rank(turn->control, rank, "a gang waits for this card");
}

static void keep_host(struct turn *turn, const char *host)
{
    for (struct worker *worker = turn->control->workers.first; worker;
         worker = worker->next)
        if (!worker->reserved_for_gang && strcmp(worker->host, host) == 0)
            keep_worker(turn, worker);
}

static void
keep(struct turn *turn, const size_t *chosen, const struct job_settings *settings)
{
    for (size_t i = 0; i < settings->ranks; i++)
        if (settings->exclusive == JOB_EXCLUSIVE_HOST)
            keep_host(turn, turn->workers[chosen[i]]->host);
        else
            keep_worker(turn, turn->workers[chosen[i]]);
    turn->kept = true;
}

static int lease_gang(struct turn *turn,
                      struct task *task,
                      const size_t *chosen,
                      size_t count,
                      struct err *err)
{
    struct worker **workers = xcalloc(count, sizeof(struct worker *));

    for (size_t i = 0; i < count; i++)
        workers[i] = turn->workers[chosen[i]];
    int result = lease(turn, task, workers, (uint32_t)count, err);
    free(workers);
    return result;
}

static int lease_gangs(struct turn *turn, const struct ledger_job *job, struct err *err)
{
    const struct job_settings *settings = job_settings(job->job);
    size_t *chosen = xcalloc(settings->ranks, sizeof(*chosen));
    struct waiting *waiting;
    enum gang_fit fit = GANG_FIT_FITS;
    int result = 0;

    while (result == 0 && fit == GANG_FIT_FITS &&
           (waiting = task_queue_first(job->queue, -1))) {
        size_t count = list_cards(turn, job, false);

        fit = gang_fit_place(turn->cards, count, settings, chosen);
        if (fit == GANG_FIT_FITS)
            result =
                lease_gang(turn, (struct task *)waiting, chosen, settings->ranks, err);
        else if (fit == GANG_FIT_LATER && !turn->kept)
            keep(turn, chosen, settings);
    }
    free(chosen);
    return result;
}

/* What waits behind another */

/* A worker's first part may have begun; those behind it only wait. */
static struct attempt_rank *find_elsewhere(const struct sessions *control,
                                           const struct worker *idle)
{
    for (const struct worker *worker = control->workers.first; worker;
         worker = worker->next) {
        struct attempt_rank *rank =
            worker->ranks ? worker->ranks->next_of_worker : NULL;

        for (; rank; rank = rank->next_of_worker)
            if (rank->state == RANK_STATE_LEASED && !rank->recalled &&
                rank->attempt->rank_count == 1 &&
                (rank->attempt->task->waiting.card < 0 ||
                 rank->attempt->task->waiting.card == idle->card) &&
                !rank->attempt->task->job->cancelled &&
                card_matches_job(idle, rank->attempt->task->job))
                return rank;
    }
    return NULL;
}

static size_t count_recalled(const struct sessions *control)
{
    size_t count = 0;

    for (const struct worker *worker = control->workers.first; worker;
         worker = worker->next)
        for (const struct attempt_rank *rank = worker->ranks; rank;
             rank = rank->next_of_worker)
            count += rank->recalled && rank->state == RANK_STATE_LEASED;
    return count;
}

/* A task that would wait behind a long one while a card stands idle goes there. */
static void plan_recall_for_idle_card(struct turn *turn)
{
    size_t coming = 0;
    bool counted = false;

    for (const struct worker *worker = turn->control->workers.first; worker;
         worker = worker->next) {
        struct attempt_rank *rank;

        if (!card_accepts_lease(turn, worker, 1))
            continue;
        if (!counted)
            coming = count_recalled(turn->control);
        counted = true;
        if (coming > 0)
            coming--; /* one is on its way already */
        else if ((rank = find_elsewhere(turn->control, worker)))
            sessions_recall_rank(turn->control, rank, "another card is free");
    }
}

/* The least that any worker holds who holds so many. */
static size_t next_level(const struct turn *turn, size_t credit)
{
    size_t least = SIZE_MAX - 1;

    for (const struct worker *worker = turn->control->workers.first; worker;
         worker = worker->next)
        if (worker->rank_count >= credit && worker->rank_count < least)
            least = worker->rank_count;
    return least;
}

/* Round by round, so that all have as many. Where a round gave nothing, who took part
 * in it can have no more, and the next one of use is that of somebody else. */
static int give_ahead(struct turn *turn, struct err *err)
{
    size_t most = 0;

    for (size_t i = 0; i < turn->line_length; i++)
        if (lease_limit_of_job(turn->line[i]) > most)
            most = lease_limit_of_job(turn->line[i]);
    for (size_t credit = 2; credit <= most;) {
        size_t before = turn->given;

        for (size_t i = 0; i < turn->line_length; i++)
            if (!is_gang(turn->line[i]) &&
                lease_singles(turn, turn->line[i], credit, err) < 0)
                return -1;
        credit = 1 + (turn->given > before ? credit : next_level(turn, credit));
    }
    return 0;
}

static int give(struct turn *turn, struct err *err)
{
    for (size_t i = 0; i < turn->line_length; i++)
        if ((is_gang(turn->line[i]) ? lease_gangs(turn, turn->line[i], err)
                                    : lease_singles(turn, turn->line[i], 1, err)) < 0)
            return -1;
    return give_ahead(turn, err);
}

int scheduler_run(struct sessions *control, struct err *err)
{
    struct turn turn = {.control = control,
                        .now_ms = clock_mono_ms(),
                        .hosts = host_load_create(control->ledger)};

    workers_update_states(&control->workers, control->drains, turn.now_ms);
    for (struct worker *worker = control->workers.first; worker; worker = worker->next)
        worker->reserved_for_gang = worker->reserved_for_job = false;
    make_line(&turn);
    int result = give(&turn, err);
    if (result == 0)
        plan_recall_for_idle_card(&turn);
    free(turn.line);
    free(turn.cards);
    free(turn.workers);
    host_load_destroy(turn.hosts);
    return result;
}

/* In words */

static void explain_attempt(const struct attempt *attempt, struct text *out)
{
    text_printf(out, "runs as attempt %u:", attempt->task->attempts);
    for (uint32_t i = 0; i < attempt->rank_count; i++) {
        static const char *const words[] = {
            [RANK_STATE_LEASED] = "is being started",
            [RANK_STATE_RUNNING] = "runs",
            [RANK_STATE_LOST] = "is lost",
            [RANK_STATE_REFUSED] = "was refused",
            [RANK_STATE_ENDED] = "has ended",
        };
        const struct attempt_rank *rank = &attempt->ranks[i];

        text_printf(out, "%s rank %u %s on %s:%d", i ? "," : "", i, words[rank->state],
                    rank->host, rank->card);
    }
    if (attempt->state == ATTEMPT_ENDING)
        text_printf(out, "; it is being ended: rank %u: %s", attempt->failure.rank,
                    attempt->failure.reason);
}

/* Those of its job that stand before it, and the jobs before its own. */
static void
explain_line(const struct turn *turn, const struct task *task, struct text *out)
{
    uint64_t before = 0;

    for (uint64_t i = 0; i < task->job->task_count; i++) {
        const struct task *other = &task->job->tasks[i];

        before +=
            other->state == TASK_WAITING && other->waiting.place < task->waiting.place;
    }
    if (before > 0)
        text_printf(out, "; %" PRIu64 " of its job %s before it", before,
                    before == 1 ? "goes" : "go");
    for (size_t i = 0; i < turn->line_length && turn->line[i] != task->job; i++)
        text_printf(out, "%s%s", i == 0 ? "; jobs before its own: " : ", ",
                    turn->line[i]->key);
}

static void explain_drains(const struct turn *turn, struct text *out)
{
    bool any = false;

    for (const struct worker *worker = turn->control->workers.first; worker;
         worker = worker->next) {
        const char *why =
            drains_find(turn->control->drains, worker->host, worker->card);

        if (why)
            text_printf(out, "%s %s:%d (%s)", any ? "," : "; drained:", worker->host,
                        worker->card, why);
        any |= why != NULL;
    }
}

static void
explain_after(const struct turn *turn, const struct ledger_job *job, struct text *out)
{
    for (size_t i = 0; i < job->after_count; i++) {
        const struct ledger_job *other =
            ledger_find_job(turn->control->ledger, job->after[i]);

        text_printf(out, "%s %s (%s)", i ? "," : "for the end of", other->key,
                    job_state_name(other->state));
    }
}

static void
explain_waiting(struct turn *turn, const struct task *task, struct text *out)
{
    const struct job_settings *settings = job_settings(task->job->job);
    size_t count = list_cards(turn, task->job, true);
    bool kept = false;

    text_add(out, "waits: ");
    if (task->job->after_count > 0) {
        explain_after(turn, task->job, out);
        return;
    }
    if (task->waiting.card >= 0)
        text_printf(out, "for card %d; ", task->waiting.card);
    gang_fit_explain(out, turn->cards, count, settings);
    for (const struct worker *worker = turn->control->workers.first; worker;
         worker = worker->next) {
        const struct attempt_rank *rank = worker->ranks;

        if (worker->reserved_for_gang && rank) {
            text_printf(out, "%s %s:%d (it runs %s point %" PRIu64 ")",
                        kept ? "," : "; cards are kept for a gang, still awaited:",
                        worker->host, worker->card, rank->attempt->task->job->key,
                        rank->attempt->task->point);
            kept = true;
        }
    }
    explain_drains(turn, out);
    make_line(turn);
    explain_line(turn, task, out);
    if (task->attempts > 0)
        text_printf(out, "; %u attempt%s before", task->attempts,
                    task->attempts == 1 ? "" : "s");
}

void scheduler_explain(struct sessions *control,
                       const struct task *task,
                       struct text *out)
{
    struct turn turn = {.control = control,
                        .now_ms = clock_mono_ms(),
                        .hosts = host_load_create(control->ledger)};

    if (task->state == TASK_LEASED && task->attempt)
        explain_attempt(task->attempt, out);
    else if (task->state == TASK_WAITING)
        explain_waiting(&turn, task, out);
    else
        text_printf(out, "is %s", task_state_name(task->state));
    free(turn.line);
    free(turn.cards);
    free(turn.workers);
    host_load_destroy(turn.hosts);
}
