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
    REQUEST_MS = 1000,        /* repeats the request; a restarted coordinator lost it */
    AWAY_MS = 60000,          /* longer than any restart takes */
    IDLE_MS = 3000,           /* without a running task; then the reason is requested */
    REASON_REPEAT_MS = 60000, /* between two printed reasons */
};

struct follower {
    const struct follow_options *options;
    struct follow_result *result;
    struct client *client;
    struct reactor *reactor;
    struct err *err;
    uint64_t message_ms; /* time of the last message of the coordinator */
    uint64_t active_ms;  /* last time at which a task ran */
    uint64_t reason_ms;  /* time at which the reason was printed */
    bool reason_requested;
    char reason[300]; /* why no task runs */
    unsigned interrupts;
    bool stops_now;
    size_t restarts;
    bool failed;
};

static void stop_with_error(struct follower *follower)
{
    follower->failed = true;
    reactor_stop(follower->reactor);
}

static void request_progress(struct follower *follower)
{
    struct msg_watch watch = {.job_id = follower->options->job_id};
    struct err ignored; /* without a connection on_second() repeats the request */

    link_send(client_link(follower->client), NULL, MSG_WATCH, &watch, &ignored);
}

static void request_cancel(struct follower *follower)
{
    struct msg_cancel cancel = {.job_id = follower->options->job_id,
                                .now = follower->stops_now};
    struct err ignored;

    link_send(client_link(follower->client), NULL, MSG_CANCEL, &cancel, &ignored);
}

static void request_reason(struct follower *follower)
{
    const struct msg_explain explain = {.job_id = follower->options->job_id,
                                        .any = true};
    struct err ignored;

    follower->reason_requested = link_send(client_link(follower->client), NULL,
                                           MSG_EXPLAIN, &explain, &ignored) == 0;
}

/* Prints the reason. After a cancel request MSG_OK is the reply to that request. */
static void print_reason(struct follower *follower, const char *text)
{
    uint64_t now_ms = clock_mono_ms();

    if (!follower->reason_requested || follower->interrupts)
        return;
    follower->reason_requested = false;
    if (strncmp(text, follower->reason, sizeof(follower->reason) - 1) == 0 ||
        (follower->reason_ms && now_ms - follower->reason_ms < REASON_REPEAT_MS))
        return;
    snprintf(follower->reason, sizeof(follower->reason), "%s", text);
    follower->reason_ms = now_ms;
    progress_print(follower->options->progress, "%s: no task runs: %s",
                   follower->result->job_key, text);
}

/* Requests the reason when no task runs for some time. */
static void check_activity(struct follower *follower,
                           const struct msg_job_progress *now)
{
    uint64_t now_ms = clock_mono_ms();

    if (now->running + now->parsing || !now->waiting || now->final) {
        follower->active_ms = now_ms;
        follower->reason[0] = '\0';
        follower->reason_ms = 0;
    } else if (now_ms - follower->active_ms >= IDLE_MS && !follower->interrupts &&
               !progress_is_quiet(follower->options->progress)) {
        request_reason(follower);
    }
}

static void handle_progress(struct follower *follower,
                            const struct msg_job_progress *now)
{
    struct follow_result *result = follower->result;

    progress_show(follower->options->progress, now);
    check_activity(follower, now);
    snprintf(result->state, sizeof(result->state), "%s", now->state);
    snprintf(result->job_key, sizeof(result->job_key), "%s", now->job_key);
    snprintf(result->out, sizeof(result->out), "%s", now->out);
    if (now->final) {
        result->exit_code = now->exit_code;
        result->final = true;
        reactor_stop(follower->reactor);
    }
}

static void on_message(void *arg)
{
    struct follower *follower = arg;
    struct incoming in;

    for (int most = 100; most && !follower->result->final; most--) {
        if (link_receive(client_link(follower->client), &in, follower->err) < 0) {
            stop_with_error(follower);
            return;
        }
        if (!in.kind)
            return;
        follower->message_ms = clock_mono_ms();
        if (in.kind->type == MSG_JOB_PROGRESS)
            handle_progress(follower, &in.message.job_progress);
        if (in.kind->type == MSG_OK)
            print_reason(follower, in.message.ok.text);
        if (in.kind->type == MSG_REFUSED) {
            err_set(follower->err, refusal_code(in.message.refused.code), "%s",
                    in.message.refused.text);
            stop_with_error(follower);
            return;
        }
    }
    reactor_again(follower->reactor);
}

static void on_second(void *arg)
{
    struct follower *follower = arg;
    uint64_t silent_ms = clock_mono_ms() - follower->message_ms;

    if (silent_ms > AWAY_MS) {
        err_set(follower->err, ERR_UNREACHABLE,
                "the coordinator sent nothing for 60s; check that it runs");
        stop_with_error(follower);
        return;
    }
    if (silent_ms < REQUEST_MS)
        return;
    request_progress(follower);
    if (follower->interrupts && follower->options->cancels)
        request_cancel(follower); /* a restarted coordinator lost the first request */
}

static void on_timeout(void *arg)
{
    struct follower *follower = arg;

    reactor_stop(follower->reactor);
}

static void stop_running_tasks(struct follower *follower, const char *cause)
{
    if (follower->stops_now)
        return;
    follower->stops_now = true;
    progress_print(follower->options->progress,
                   "%s: stopping running tasks; their captured data is parsed", cause);
}

static void on_grace_over(void *arg)
{
    struct follower *follower = arg;

    stop_running_tasks(follower, "grace time is over");
    request_cancel(follower);
}

static void on_interrupt(void *arg)
{
    struct follower *follower = arg;

    follower->result->interrupted = true;
    if (!follower->options->cancels) {
        reactor_stop(follower->reactor);
        return;
    }
    if (++follower->interrupts == 1) {
        reactor_once(follower->reactor, follower->options->grace_ms, on_grace_over,
                     follower);
        progress_print(
            follower->options->progress,
            "interrupted: no more tasks start; running tasks have %.0f s to end; "
            "press Ctrl-C again to stop them now",
            (double)follower->options->grace_ms / 1000);
    } else {
        stop_running_tasks(follower, "interrupted again");
    }
    request_cancel(follower);
}

static void on_terminate(void *arg)
{
    struct follower *follower = arg;

    follower
        ->interrupts++; /* acts like the second Ctrl-C: the sender waits for the end */
    on_interrupt(follower);
}

static void on_child(void *arg)
{
    struct follower *follower = arg;
    const char *name;

    if (private_fleet_reap(follower->options->fleet, follower->err) < 0) {
        stop_with_error(follower);
        return;
    }
    size_t restarts = private_fleet_restarts(follower->options->fleet, &name);
    if (restarts > follower->restarts)
        progress_print(follower->options->progress, "%s ended and was restarted", name);
    follower->restarts = restarts;
}

static int watch_signals(struct follower *follower, struct err *err)
{
    if (reactor_on_signal(follower->reactor, SIGINT, on_interrupt, follower, err) < 0 ||
        reactor_on_signal(follower->reactor, SIGTERM, on_terminate, follower, err) <
            0 ||
        reactor_on_signal(follower->reactor, SIGHUP, on_terminate, follower, err) < 0)
        return -1;
    if (follower->options->fleet)
        return reactor_on_signal(follower->reactor, SIGCHLD, on_child, follower, err);
    return 0;
}

int follow(struct client *client,
           const struct follow_options *options,
           struct follow_result *result,
           struct err *err)
{
    struct follower follower = {.options = options,
                                .result = result,
                                .client = client,
                                .reactor = reactor_create(),
                                .err = err,
                                .message_ms = clock_mono_ms(),
                                .active_ms = clock_mono_ms()};

    *result = (struct follow_result){0};
    int outcome = watch_signals(&follower, err);
    if (outcome == 0) {
        reactor_on_socket(follower.reactor, link_socket(client_link(client)),
                          on_message, &follower);
        reactor_every(follower.reactor, REQUEST_MS, on_second, &follower);
        if (options->timeout_ms != UINT64_MAX)
            reactor_once(follower.reactor, options->timeout_ms, on_timeout, &follower);
        if (options->fleet)
            on_child(&follower); /* a child may have ended before */
        request_progress(&follower);
        outcome = follower.failed ? -1 : reactor_run(follower.reactor, err);
    }
    reactor_destroy(follower.reactor);
    return follower.failed ? -1 : outcome;
}
