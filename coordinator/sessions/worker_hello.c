/* worker_hello.c - hello of a new worker, or of a worker that reconnects with its ranks
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "coordinator/sessions/sessions_internal.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/text.h"

enum { HOST_BYTES_MAX = 64 };

static bool holds(const struct msg_worker_hello *hello, uint64_t run_id)
{
    for (size_t i = 0; i < hello->held_runs.count; i++)
        if (hello->held_runs.items[i] == run_id)
            return true;
    return false;
}

/* Marks as lost the awaited ranks of this card that the worker does not hold. */
static int lose_awaited(struct sessions *sessions,
                        const struct worker *worker,
                        const struct msg_worker_hello *hello,
                        struct err *err)
{
    struct attempt *attempt;

    for (size_t cursor = 0;
         (attempt = ledger_next_attempt(sessions->ledger, &cursor));) {
        struct attempt_rank *rank =
            ledger_find_rank_on_card(attempt, worker->host, worker->card);

        if (!rank || rank->worker || !rank->await_until_ms ||
            holds(hello, attempt->run_id))
            continue;
        if (sessions_mark_rank_lost(sessions, rank, "its worker returned without it",
                                    err) < 0)
            return -1;
        cursor = 0; /* the loss may have changed the table of attempts */
    }
    return 0;
}

static int resume_held_attempt(struct sessions *sessions,
                               struct worker *worker,
                               uint64_t run_id,
                               struct err *err)
{
    struct attempt *attempt = ledger_find_attempt(sessions->ledger, run_id);
    struct attempt_rank *rank =
        attempt ? ledger_find_rank_on_card(attempt, worker->host, worker->card) : NULL;
    bool goes_on = false;

    if (rank && ledger_resume_rank(sessions->ledger, rank, worker, &goes_on, err) < 0)
        return -1;
    if (!goes_on)
        sessions_send_stop(sessions, worker, run_id, rank ? rank->number : 0,
                           "this attempt has ended");
    return 0;
}

static int resume_held_attempts(struct sessions *sessions,
                                struct worker *worker,
                                const struct msg_worker_hello *hello,
                                struct err *err)
{
    for (size_t i = 0; i < hello->held_runs.count; i++)
        if (resume_held_attempt(sessions, worker, hello->held_runs.items[i], err) < 0)
            return -1;
    return 0;
}

/* Moves the leases of the old connection. The same process gets its unstarted leases
 * again, since the first messages may be lost; all other ranks are lost. */
static int move_leases(struct sessions *sessions,
                       struct worker *old,
                       struct worker *worker,
                       struct err *err)
{
    bool same_process = old->pid == worker->pid;

    while (old->ranks) {
        struct attempt_rank *rank = old->ranks;

        if (rank->state == RANK_STATE_LEASED && same_process &&
            rank->attempt->state != ATTEMPT_ENDING) {
            ledger_assign_worker(rank, worker);
            sessions_send_lease(sessions, rank);
        } else if (sessions_mark_rank_lost(sessions, rank,
                                           "its worker returned without it", err) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Folders get this name, so two hosts must not share the name of a folder. */
static bool is_host_name(const char *name)
{
    return text_is_path_part(name) && strlen(name) <= HOST_BYTES_MAX &&
           strpbrk(name, "=,+") == NULL;
}

static void refuse_hello(struct sessions *sessions, const struct incoming *in)
{
    const struct msg_worker_hello *hello = &in->message.worker_hello;
    char reason[240];
    const struct msg_go_away away = {reason};

    if (hello->protocol != MSG_PROTOCOL)
        snprintf(reason, sizeof(reason),
                 "the worker uses protocol %" PRIu64 ", this coordinator uses protocol "
                 "%d; install the same version of muster on both",
                 hello->protocol, MSG_PROTOCOL);
    else if (hello->held_runs.count > MSG_HELD_RUNS_MAX)
        snprintf(reason, sizeof(reason),
                 "the worker names %zu attempts that it holds; it may hold %d",
                 hello->held_runs.count, MSG_HELD_RUNS_MAX);
    else
        snprintf(reason, sizeof(reason),
                 "card %" PRIu64
                 " is out of range, or '%.40s' is not a host name of at "
                 "most 64 letters, digits and . _ -",
                 hello->card, hello->host);
    outbox_send(sessions->outbox, sessions->link, &in->peer, MSG_GO_AWAY, &away);
}

/* A worker serves one card for as long as it is connected. */
static void refuse_second_card(struct sessions *sessions,
                               const struct incoming *in,
                               const struct worker *served)
{
    const struct msg_worker_hello *hello = &in->message.worker_hello;
    char reason[300];
    const struct msg_go_away away = {reason};

    snprintf(reason, sizeof(reason),
             "this connection serves card %d of %.60s, not card %" PRIu64
             " of %.60s; start one worker for each card",
             served->card, served->host, hello->card, hello->host);
    log_warning("hello refused: reason=\"%s\"", reason);
    outbox_send(sessions->outbox, sessions->link, &in->peer, MSG_GO_AWAY, &away);
}

static uint64_t draw_session(void)
{
    uint64_t session = 0;

    while (session == 0)
        if (getrandom(&session, sizeof(session), 0) != sizeof(session))
            session = 0;
    return session;
}

int worker_hello_handle(struct sessions *sessions,
                        const struct incoming *in,
                        struct err *err)
{
    const struct msg_worker_hello *hello = &in->message.worker_hello;
    const struct msg_welcome welcome = {.protocol = MSG_PROTOCOL,
                                        .heartbeat_ms = LINK_HEARTBEAT_MS,
                                        .store_id = sessions->store_id,
                                        .session = draw_session()};
    struct workers *workers = &sessions->fleet->workers;
    struct worker *old, *served, *worker;

    if (hello->protocol != MSG_PROTOCOL || hello->card > INT32_MAX ||
        !is_host_name(hello->host) || hello->held_runs.count > MSG_HELD_RUNS_MAX) {
        refuse_hello(sessions, in);
        return 0;
    }
    old = workers_find_card(workers, hello->host, (int32_t)hello->card);
    served = workers_find(workers, &in->peer);
    if (served && served != old) {
        refuse_second_card(sessions, in, served);
        return 0;
    }
    if (old && old->pid != hello->pid) {
        const struct msg_go_away away = {"another worker now serves this card"};

        sessions_send(sessions, old, MSG_GO_AWAY, &away);
    }
    worker = workers_add(workers, &in->peer, hello);
    if ((!old || old->pid != hello->pid) &&
        ledger_worker_came(sessions->ledger, worker, err) < 0)
        return -1;
    if (!old)
        log_info("worker connected: host=%s card=%" PRIu64 " model=%s version=%s",
                 hello->host, hello->card, hello->model, hello->version);
    worker->received_ms = clock_mono_ms();
    worker->session = welcome.session;
    sessions_send(sessions, worker, MSG_WELCOME, &welcome);
    if (resume_held_attempts(sessions, worker, hello, err) < 0 ||
        (old && move_leases(sessions, old, worker, err) < 0))
        return -1;
    if (old)
        sessions_remove_worker(sessions, old); /* the host keeps the new worker */
    return lose_awaited(sessions, worker, hello, err);
}
