#include "worker/link/coordinator_link.h"

#include <stdlib.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/wire/link.h"
#include "worker/link/rejected_log.h"

enum { HELLO_MS = 100, MESSAGES_PER_TURN = 64 };
/* Of the interval that a coordinator may set; others are replaced by the default. With
 * the longest one a worker notices a lost coordinator after two minutes. */
enum { HEARTBEAT_LEAST_MS = 10, HEARTBEAT_MOST_MS = 30000 };

struct coordinator_link {
    struct reactor *reactor;
    struct coordinator_link_options options;
    struct coordinator_link_handlers handlers;
    struct link_hub *hub;
    struct link *control, *data;
    struct reactor_timer *heartbeat_timer;
    uint64_t heartbeat_ms;
    uint64_t received_ms; /* monotonic time of the last control message */
    unsigned unanswered;  /* heartbeats since the last reply */
    struct rejected_log rejected;
    bool has_session; /* the coordinator has accepted hello */
    uint64_t session; /* its number, from the welcome */
};

static void send_hello(struct coordinator_link *coordinator)
{
    struct msg_worker_hello hello = coordinator->options.hello;
    uint64_t run_ids[MSG_HELD_RUNS_MAX];
    struct err ignored;

    hello.held_runs.items = run_ids;
    hello.held_runs.count = coordinator->handlers.held_runs(coordinator->handlers.arg,
                                                            run_ids, COUNT(run_ids));
    link_send(coordinator->control, NULL, MSG_WORKER_HELLO, &hello, &ignored);
}

static void set_heartbeat_interval(struct coordinator_link *coordinator, uint64_t ms);

static void on_heartbeat_timer(void *arg)
{
    struct coordinator_link *coordinator = arg;
    uint64_t silence = clock_mono_ms() - coordinator->received_ms;
    struct msg_heartbeat heartbeat = {
        .run_id = coordinator->handlers.running(coordinator->handlers.arg)};
    struct err ignored;

    link_revive(coordinator->control, clock_mono_ms());
    link_revive(coordinator->data, clock_mono_ms());
    if (coordinator->has_session &&
        silence > LINK_SILENCE_HEARTBEATS * coordinator->heartbeat_ms) {
        log_warning("coordinator silent: silent_ms=%llu", (unsigned long long)silence);
        coordinator->has_session = false;
    }
    if (!coordinator->has_session) {
        send_hello(coordinator);
        return;
    }
    /* A new connection may lead to a restarted coordinator, which has no session of
     * this worker. Heartbeats without a reply are therefore repeated at the interval of
     * hello; such a coordinator refuses them. */
    if (coordinator->unanswered++ == 1)
        set_heartbeat_interval(coordinator, coordinator->heartbeat_ms < HELLO_MS
                                                ? coordinator->heartbeat_ms
                                                : HELLO_MS);
    link_send(coordinator->control, NULL, MSG_HEARTBEAT, &heartbeat, &ignored);
}

static void set_heartbeat_interval(struct coordinator_link *coordinator, uint64_t ms)
{
    if (coordinator->heartbeat_timer)
        reactor_cancel(coordinator->reactor, coordinator->heartbeat_timer);
    coordinator->heartbeat_timer =
        reactor_every(coordinator->reactor, ms, on_heartbeat_timer, coordinator);
}

static void on_heartbeat_reply(struct coordinator_link *coordinator)
{
    if (coordinator->unanswered > 1)
        set_heartbeat_interval(coordinator, coordinator->heartbeat_ms);
    coordinator->unanswered = 0;
}

static void on_refused(struct coordinator_link *coordinator,
                       const struct msg_refused *refused)
{
    if (refusal_code(refused->code) != ERR_NOT_FOUND) {
        log_warning("request refused by coordinator: code=%s text=%s", refused->code,
                    refused->text);
        return;
    }
    if (!coordinator->has_session)
        return; /* refusal of a heartbeat sent before this hello */
    log_info("session rejected: action=hello_sent");
    coordinator->has_session = false;
    send_hello(coordinator);
    set_heartbeat_interval(coordinator, HELLO_MS);
}

static void on_welcome(struct coordinator_link *coordinator,
                       const struct msg_welcome *welcome)
{
    if (welcome->protocol != MSG_PROTOCOL) {
        coordinator->handlers.go_away(
            coordinator->handlers.arg,
            "the coordinator has another protocol version; install the same release");
        return;
    }
    coordinator->heartbeat_ms = welcome->heartbeat_ms >= HEARTBEAT_LEAST_MS &&
                                        welcome->heartbeat_ms <= HEARTBEAT_MOST_MS
                                    ? welcome->heartbeat_ms
                                    : LINK_HEARTBEAT_MS;
    set_heartbeat_interval(coordinator, coordinator->heartbeat_ms);
    log_info("session accepted: store=%s", welcome->store_id);
    coordinator->has_session = true;
    coordinator->session = welcome->session;
    coordinator->unanswered = 0;
    coordinator->handlers.welcome(coordinator->handlers.arg);
}

static void dispatch(struct coordinator_link *coordinator, const struct incoming *in)
{
    const struct coordinator_link_handlers *handlers = &coordinator->handlers;

    switch (in->kind->type) {
    case MSG_WELCOME:
        on_welcome(coordinator, &in->message.welcome);
        return;
    case MSG_LEASE:
        handlers->lease(handlers->arg, &in->message.lease);
        return;
    case MSG_STOP_RANK:
        handlers->stop_rank(handlers->arg, &in->message.stop_rank);
        return;
    case MSG_RESULT_ACK:
        handlers->result_ack(handlers->arg, &in->message.result_ack);
        return;
    case MSG_GROUP_ACK:
        handlers->group_ack(handlers->arg, &in->message.group_ack);
        return;
    case MSG_GROUP_REFUSED:
        handlers->group_refused(handlers->arg, &in->message.group_refused);
        return;
    case MSG_GO_AWAY:
        handlers->go_away(handlers->arg, in->message.go_away.reason);
        return;
    case MSG_BARRIER_RELEASE:
        handlers->barrier_release(handlers->arg, &in->message.barrier_release);
        return;
    case MSG_CLOCK_PONG:
        handlers->clock_pong(handlers->arg, &in->message.clock_pong);
        return;
    case MSG_READ_OUTPUT:
        handlers->read_output(handlers->arg, &in->message.read_output);
        return;
    case MSG_HEARTBEAT_REPLY:
        on_heartbeat_reply(coordinator);
        return;
    case MSG_REFUSED:
        on_refused(coordinator, &in->message.refused);
        return;
    default:
        return;
    }
}

static void receive_from(struct coordinator_link *coordinator, struct link *link)
{
    struct incoming in;
    struct err err;

    for (int i = 0; i < MESSAGES_PER_TURN; i++) {
        if (link_receive(link, &in, &err) < 0) {
            if (rejected_log_add(&coordinator->rejected, clock_mono_ms()))
                log_warning("message rejected: messages=%llu reason=\"%s\"",
                            (unsigned long long)coordinator->rejected.messages,
                            err.text);
            continue;
        }
        if (!in.kind)
            return;
        /* The coordinator answers on the data endpoint without a session, so only the
         * control endpoint proves that the session is alive. */
        if (link == coordinator->control)
            coordinator->received_ms = clock_mono_ms();
        dispatch(coordinator, &in);
    }
    reactor_again(coordinator->reactor);
}

static void on_control(void *arg)
{
    struct coordinator_link *coordinator = arg;

    receive_from(coordinator, coordinator->control);
}

static void on_data(void *arg)
{
    struct coordinator_link *coordinator = arg;

    receive_from(coordinator, coordinator->data);
}

int coordinator_link_open(struct coordinator_link **out,
                          struct reactor *reactor,
                          const struct coordinator_link_options *options,
                          const struct coordinator_link_handlers *handlers,
                          struct err *err)
{
    struct coordinator_link *coordinator = xcalloc(1, sizeof(*coordinator));
    struct link_options link = {
        .endpoint = options->control,
        .kind = LINK_CONTROL,
        .keys = options->keys,
        .insecure = options->insecure,
    };

    coordinator->reactor = reactor;
    coordinator->options = *options;
    coordinator->handlers = *handlers;
    coordinator->hub = link_hub_create();
    if (link_client_open(&coordinator->control, coordinator->hub, &link, err) < 0)
        goto fail;
    link.endpoint = options->data;
    link.kind = LINK_DATA;
    if (link_client_open(&coordinator->data, coordinator->hub, &link, err) < 0)
        goto fail;
    reactor_on_socket(reactor, link_socket(coordinator->control), on_control,
                      coordinator);
    reactor_on_socket(reactor, link_socket(coordinator->data), on_data, coordinator);
    set_heartbeat_interval(coordinator, HELLO_MS);
    reactor_once(reactor, 1, on_heartbeat_timer, coordinator);
    *out = coordinator;
    return 0;

fail:
    coordinator_link_close(coordinator);
    return err_wrap(err, "connecting to the coordinator");
}

void coordinator_link_close(struct coordinator_link *coordinator)
{
    if (!coordinator)
        return;
    if (coordinator->heartbeat_timer)
        reactor_cancel(coordinator->reactor, coordinator->heartbeat_timer);
    if (coordinator->control && coordinator->data) {
        reactor_off_socket(coordinator->reactor, link_socket(coordinator->control));
        reactor_off_socket(coordinator->reactor, link_socket(coordinator->data));
    }
    link_close(coordinator->control);
    link_close(coordinator->data);
    link_hub_destroy(coordinator->hub);
    free(coordinator);
}

bool coordinator_link_has_session(const struct coordinator_link *coordinator)
{
    return coordinator->has_session;
}

bool coordinator_link_send(struct coordinator_link *coordinator,
                           enum message_type type,
                           const void *message)
{
    struct err ignored;

    return coordinator->has_session &&
           link_send(coordinator->control, NULL, type, message, &ignored) == 0;
}

bool coordinator_link_send_group(struct coordinator_link *coordinator,
                                 const struct msg_group *group)
{
    struct msg_group message = *group;
    struct err ignored;

    message.session = coordinator->session;
    return coordinator->has_session &&
           link_send(coordinator->data, NULL, MSG_GROUP, &message, &ignored) == 0;
}
