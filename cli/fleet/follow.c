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
    IDLE_MS = 3000,           /* without a running task; then asks for the reason */
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

static void stop_with_error(struct follower *it)
{
    it->failed = true;
    reactor_stop(it->reactor);
}

static void request_progress(struct follower *it)
{
    struct msg_watch watch = {.job_id = it->options->job_id};
    struct err ignored; /* without a connection on_second() repeats the request */

    link_send(client_link(it->client), NULL, MSG_WATCH, &watch, &ignored);
}

static void request_cancel(struct follower *it)
{
    struct msg_cancel cancel = {.job_id = it->options->job_id, .now = it->stops_now};
    struct err ignored;

    link_send(client_link(it->client), NULL, MSG_CANCEL, &cancel, &ignored);
}

static void request_reason(struct follower *it)
{
    const struct msg_explain explain = {.job_id = it->options->job_id, .any = true};
    struct err ignored;

    it->reason_requested =
        link_send(client_link(it->client), NULL, MSG_EXPLAIN, &explain, &ignored) == 0;
}

/* Prints the reason. After a cancel request MSG_OK is the reply to that request. */
static void print_reason(struct follower *it, const char *text)
{
    uint64_t now_ms = clock_mono_ms();

    if (!it->reason_requested || it->interrupts)
        return;
    it->reason_requested = false;
    if (strncmp(text, it->reason, sizeof(it->reason) - 1) == 0 ||
        (it->reason_ms && now_ms - it->reason_ms < REASON_REPEAT_MS))
        return;
    snprintf(it->reason, sizeof(it->reason), "%s", text);
    it->reason_ms = now_ms;
    progress_print(it->options->progress, "%s: no task runs: %s", it->result->job_key,
                   text);
}

/* Requests the reason when no task runs for some time. */
static void check_activity(struct follower *it, const struct msg_job_progress *now)
{
    uint64_t now_ms = clock_mono_ms();

    if (now->running + now->parsing || !now->waiting || now->final) {
        it->active_ms = now_ms;
        it->reason[0] = '\0';
        it->reason_ms = 0;
    } else if (now_ms - it->active_ms >= IDLE_MS && !it->interrupts &&
               !progress_is_quiet(it->options->progress)) {
        request_reason(it);
    }
}

static void handle_progress(struct follower *it, const struct msg_job_progress *now)
{
    struct follow_result *result = it->result;

    progress_show(it->options->progress, now);
    check_activity(it, now);
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
    struct follower *it = arg;
    struct incoming in;

    for (int most = 100; most && !it->result->final; most--) {
        if (link_receive(client_link(it->client), &in, it->err) < 0) {
            stop_with_error(it);
            return;
        }
        if (!in.kind)
            return;
        it->message_ms = clock_mono_ms();
        if (in.kind->type == MSG_JOB_PROGRESS)
            handle_progress(it, &in.message.job_progress);
        if (in.kind->type == MSG_OK)
            print_reason(it, in.message.ok.text);
        if (in.kind->type == MSG_REFUSED) {
            err_set(it->err, refusal_code(in.message.refused.code), "%s",
                    in.message.refused.text);
            stop_with_error(it);
            return;
        }
    }
    reactor_again(it->reactor);
}

static void on_second(void *arg)
{
    struct follower *it = arg;
    uint64_t silent_ms = clock_mono_ms() - it->message_ms;

    if (silent_ms > AWAY_MS) {
        err_set(it->err, ERR_UNREACHABLE,
                "the coordinator sent nothing for 60s; check that it runs");
        stop_with_error(it);
        return;
    }
    if (silent_ms < REQUEST_MS)
        return;
    request_progress(it);
    if (it->interrupts && it->options->cancels)
        request_cancel(it); /* a restarted coordinator lost the first request */
}

static void on_timeout(void *arg)
{
    struct follower *it = arg;

    reactor_stop(it->reactor);
}

static void stop_running_tasks(struct follower *it, const char *cause)
{
    if (it->stops_now)
        return;
    it->stops_now = true;
    progress_print(it->options->progress,
                   "%s: stopping running tasks; their captured data is parsed", cause);
}

static void on_grace_over(void *arg)
{
    struct follower *it = arg;

    stop_running_tasks(it, "grace time is over");
    request_cancel(it);
}

static void on_interrupt(void *arg)
{
    struct follower *it = arg;

    it->result->interrupted = true;
    if (!it->options->cancels) {
        reactor_stop(it->reactor);
        return;
    }
    if (++it->interrupts == 1) {
        reactor_once(it->reactor, it->options->grace_ms, on_grace_over, it);
        progress_print(
            it->options->progress,
            "interrupted: no more tasks start; running tasks have %.0f s to end; "
            "press Ctrl-C again to stop them now",
            (double)it->options->grace_ms / 1000);
    } else {
        stop_running_tasks(it, "interrupted again");
    }
    request_cancel(it);
}

static void on_terminate(void *arg)
{
    struct follower *it = arg;

    it->interrupts++; /* acts like the second Ctrl-C: the sender waits for the end */
    on_interrupt(it);
}

static void on_child(void *arg)
{
    struct follower *it = arg;
    const char *name;

    if (private_fleet_reap(it->options->fleet, it->err) < 0) {
        stop_with_error(it);
        return;
    }
    size_t restarts = private_fleet_restarts(it->options->fleet, &name);
    if (restarts > it->restarts)
        progress_print(it->options->progress, "%s ended and was restarted", name);
    it->restarts = restarts;
}

static int watch_signals(struct follower *it, struct err *err)
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
    struct follower it = {.options = options,
                          .result = result,
                          .client = client,
                          .reactor = reactor_create(),
                          .err = err,
                          .message_ms = clock_mono_ms(),
                          .active_ms = clock_mono_ms()};

    *result = (struct follow_result){0};
    int outcome = watch_signals(&it, err);
    if (outcome == 0) {
        reactor_on_socket(it.reactor, link_socket(client_link(client)), on_message,
                          &it);
        reactor_every(it.reactor, REQUEST_MS, on_second, &it);
        if (options->timeout_ms != UINT64_MAX)
            reactor_once(it.reactor, options->timeout_ms, on_timeout, &it);
        if (options->fleet)
            on_child(&it); /* a child may have ended before */
        request_progress(&it);
        outcome = it.failed ? -1 : reactor_run(it.reactor, err);
    }
    reactor_destroy(it.reactor);
    return it.failed ? -1 : outcome;
}
