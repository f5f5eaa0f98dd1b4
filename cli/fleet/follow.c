#include "cli/fleet/follow.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/fleet/private_fleet.h"
#include "cli/query/client.h"
#include "cli/view/progress.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/wire/link.h"

enum {
    ASK_AGAIN_MS = 1000, /* a coordinator that came back does not know that we watch */
    AWAY_MS = 60000,     /* longer than any restart takes */
    STILL_MS = 3000,     /* nothing runs: why? */
    SAY_AGAIN_MS = 60000,
};

struct following {
    const struct follow_options *options;
    struct follow_result *result;
    struct client *client;
    struct reactor *reactor;
    struct err *err;
    uint64_t heard_ms; /* when the last word of the coordinator came */
    uint64_t moved_ms; /* when something ran last */
    uint64_t why_ms;   /* when it was told why nothing does */
    bool asked_why;
    char why[300];
    unsigned interrupts;
    bool ends_at_once;
    size_t restarts;
    bool failed;
};

static void give_up(struct following *it)
{
    it->failed = true;
    reactor_stop(it->reactor);
}

static void ask(struct following *it)
{
    struct msg_watch watch = {.job_id = it->options->job_id};
    struct err later; /* not connected right now: asked again in a second */

    link_send(client_link(it->client), NULL, MSG_WATCH, &watch, &later);
}

static void ask_to_cancel(struct following *it)
{
    struct msg_cancel cancel = {.job_id = it->options->job_id, .now = it->ends_at_once};
    struct err later;

    link_send(client_link(it->client), NULL, MSG_CANCEL, &cancel, &later);
}

static void ask_why(struct following *it)
{
    const struct msg_explain explain = {.job_id = it->options->job_id, .any = true};
    struct err later;

    it->asked_why =
        link_send(client_link(it->client), NULL, MSG_EXPLAIN, &explain, &later) == 0;
}

/* The only answer that is waited for, unless a cancel was asked for. */
static void take_why(struct following *it, const char *words)
{
    uint64_t now_ms = clock_mono_ms();

    if (!it->asked_why || it->interrupts)
        return;
    it->asked_why = false;
    if (strncmp(words, it->why, sizeof(it->why) - 1) == 0 ||
        (it->why_ms && now_ms - it->why_ms < SAY_AGAIN_MS))
        return;
    snprintf(it->why, sizeof(it->why), "%s", words);
    it->why_ms = now_ms;
    progress_say(it->options->progress, "%s: nothing runs: %s", it->result->job_key,
                 words);
}

/* Who watches is told when nothing goes on, and why. */
static void look_whether_it_moves(struct following *it,
                                  const struct msg_job_progress *now)
{
    uint64_t now_ms = clock_mono_ms();

    if (now->running + now->parsing || !now->waiting || now->final) {
        it->moved_ms = now_ms;
        it->why[0] = '\0';
        it->why_ms = 0;
    } else if (now_ms - it->moved_ms >= STILL_MS && !it->interrupts &&
               !progress_is_quiet(it->options->progress)) {
        ask_why(it);
    }
}

static void take_progress(struct following *it, const struct msg_job_progress *now)
{
    struct follow_result *result = it->result;

    progress_show(it->options->progress, now);
    look_whether_it_moves(it, now);
    snprintf(result->state, sizeof(result->state), "%s", now->state);
    snprintf(result->job_key, sizeof(result->job_key), "%s", now->job_key);
    snprintf(result->out, sizeof(result->out), "%s", now->out);
    if (now->final) {
        result->exit_code = now->exit_code;
        result->final = true;
        reactor_stop(it->reactor);
    }
}

static void on_message(void *arg)
{
    struct following *it = arg;
    struct incoming in;

    for (int most = 100; most && !it->result->final; most--) {
        if (link_receive(client_link(it->client), &in, it->err) < 0) {
            give_up(it);
            return;
        }
        if (!in.kind)
            return;
        it->heard_ms = clock_mono_ms();
        if (in.kind->type == MSG_JOB_PROGRESS)
            take_progress(it, &in.message.job_progress);
        if (in.kind->type == MSG_OK)
            take_why(it, in.message.ok.text);
        if (in.kind->type == MSG_REFUSED) {
            err_set(it->err, refusal_code(in.message.refused.code), "%s",
                    in.message.refused.text);
            give_up(it);
            return;
        }
    }
    reactor_again(it->reactor);
}

static void on_second(void *arg)
{
    struct following *it = arg;
    uint64_t silent_ms = clock_mono_ms() - it->heard_ms;

    if (silent_ms > AWAY_MS) {
        err_set(it->err, ERR_UNREACHABLE,
                "the coordinator has been silent for a minute");
        give_up(it);
        return;
    }
    if (silent_ms < ASK_AGAIN_MS)
        return;
    ask(it);
    if (it->interrupts && it->options->cancels)
        ask_to_cancel(it); /* it may not have heard the first time */
}

static void on_timeout(void *arg)
{
    struct following *it = arg;

    reactor_stop(it->reactor);
}

static void end_at_once(struct following *it, const char *why)
{
    if (it->ends_at_once)
        return;
    it->ends_at_once = true;
    progress_say(it->options->progress,
                 "%s: ending what runs; what it has measured is parsed", why);
}

static void on_grace_over(void *arg)
{
    struct following *it = arg;

    end_at_once(it, "it did not end in time");
    ask_to_cancel(it);
}

static void on_interrupt(void *arg)
{
    struct following *it = arg;

    it->result->interrupted = true;
    if (!it->options->cancels) {
        reactor_stop(it->reactor);
        return;
    }
    if (++it->interrupts == 1) {
        reactor_once(it->reactor, it->options->grace_ms, on_grace_over, it);
        progress_say(it->options->progress,
                     "interrupted: nothing more starts; what runs has %.0f s to end, "
                     "again to end it at once",
                     (double)it->options->grace_ms / 1000);
    } else {
        end_at_once(it, "interrupted again");
    }
    ask_to_cancel(it);
}

static void on_terminate(void *arg)
{
    struct following *it = arg;

    it->interrupts++; /* counts as the second Ctrl-C: who sends it waits for us */
    on_interrupt(it);
}

static void on_child(void *arg)
{
    struct following *it = arg;
    const char *who;

    if (private_fleet_reap(it->options->fleet, it->err) < 0) {
        give_up(it);
        return;
    }
    size_t restarts = private_fleet_restarts(it->options->fleet, &who);
    if (restarts > it->restarts)
        progress_say(it->options->progress, "%s ended, and is started again", who);
    it->restarts = restarts;
}

static int watch_signals(struct following *it, struct err *err)
{
    if (reactor_on_signal(it->reactor, SIGINT, on_interrupt, it, err) < 0 ||
        reactor_on_signal(it->reactor, SIGTERM, on_terminate, it, err) < 0 ||
        reactor_on_signal(it->reactor, SIGHUP, on_terminate, it, err) < 0)
        return -1;
    if (it->options->fleet)
        return reactor_on_signal(it->reactor, SIGCHLD, on_child, it, err);
    return 0;
}

int follow(struct client *client,
           const struct follow_options *options,
           struct follow_result *result,
           struct err *err)
{
    struct following it = {.options = options,
                           .result = result,
                           .client = client,
                           .reactor = reactor_create(),
                           .err = err,
                           .heard_ms = clock_mono_ms(),
                           .moved_ms = clock_mono_ms()};

    *result = (struct follow_result){0};
    int outcome = watch_signals(&it, err);
    if (outcome == 0) {
        reactor_on_socket(it.reactor, link_socket(client_link(client)), on_message,
                          &it);
        reactor_every(it.reactor, ASK_AGAIN_MS, on_second, &it);
        if (options->timeout_ms != UINT64_MAX)
            reactor_once(it.reactor, options->timeout_ms, on_timeout, &it);
        if (options->fleet)
            on_child(&it); /* one may have ended before we watched */
        ask(&it);
        outcome = it.failed ? -1 : reactor_run(it.reactor, err);
    }
    reactor_destroy(it.reactor);
    return it.failed ? -1 : outcome;
}
