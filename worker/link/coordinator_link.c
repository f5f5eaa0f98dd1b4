#include "worker/link/coordinator_link.h"

#include <stdlib.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/wire/link.h"

enum { HELLO_MS = 100, MESSAGES_A_TURN = 64, HELD_MAX = 256 };

struct coordinator_link {
    struct reactor *reactor;
    struct coordinator_link_options options;
    struct coordinator_link_handlers ears;
    struct link_hub *hub;
    struct link *control, *data;
    struct reactor_timer *beat;
    uint64_t beat_ms;
    uint64_t heard_ms;   /* monotonic */
    unsigned unanswered; /* heartbeats */
    bool welcome;
};

static void say_hello(struct coordinator_link *home)
{
    struct msg_worker_hello hello = home->options.hello;
    uint64_t run_ids[HELD_MAX];
    struct err ignored;

    hello.held_runs.items = run_ids;
    hello.held_runs.count =
        home->ears.held_runs(home->ears.arg, run_ids, COUNT(run_ids));
    link_send(home->control, NULL, MSG_WORKER_HELLO, &hello, &ignored);
}

static void beat_every(struct coordinator_link *home, uint64_t ms);

static void on_beat(void *arg)
{
    struct coordinator_link *home = arg;
    uint64_t silence = clock_mono_ms() - home->heard_ms;
    struct msg_heartbeat beat = {.run_id = home->ears.running(home->ears.arg)};
    struct err ignored;

    if (home->welcome && silence > LINK_SILENCE_HEARTBEATS * home->beat_ms) {
        log_warning("coordinator silent: silent_ms=%llu", (unsigned long long)silence);
        home->welcome = false;
    }
    if (!home->welcome) {
        say_hello(home);
        return;
    }
    /* the link may be new, and who is at its other end too: he will tell */
    if (home->unanswered++ == 1)
        beat_every(home, home->beat_ms < HELLO_MS ? home->beat_ms : HELLO_MS);
    link_send(home->control, NULL, MSG_HEARTBEAT, &beat, &ignored);
}

static void beat_every(struct coordinator_link *home, uint64_t ms)
{
    if (home->beat)
        reactor_cancel(home->reactor, home->beat);
    home->beat = reactor_every(home->reactor, ms, on_beat, home);
}

static void on_heartbeat_reply(struct coordinator_link *home)
{
    if (home->unanswered > 1)
        beat_every(home, home->beat_ms);
    home->unanswered = 0;
}

static void on_refused(struct coordinator_link *home, const struct msg_refused *refused)
{
    if (refusal_code(refused->code) != ERR_NOT_FOUND) {
        log_warning("coordinator refused: code=%s text=%s", refused->code,
                    refused->text);
        return;
    }
    if (!home->welcome)
        return; /* to an older heartbeat */
    log_info("the coordinator does not know us: hello again");
    home->welcome = false;
    say_hello(home);
    beat_every(home, HELLO_MS);
}

static void on_welcome(struct coordinator_link *home, const struct msg_welcome *welcome)
{
    if (welcome->protocol != MSG_PROTOCOL) {
        home->ears.go_away(home->ears.arg, "the coordinator speaks another protocol");
        return;
    }
    home->beat_ms = welcome->heartbeat_ms >= 10 && welcome->heartbeat_ms <= 600000
                        ? welcome->heartbeat_ms
                        : LINK_HEARTBEAT_MS;
    beat_every(home, home->beat_ms);
    log_info("welcome: store=%s", welcome->store_id);
    home->welcome = true;
    home->unanswered = 0;
    home->ears.welcome(home->ears.arg);
}

static void hear(struct coordinator_link *home, const struct incoming *in)
{
    const struct coordinator_link_handlers *ears = &home->ears;

    switch (in->kind->type) {
    case MSG_WELCOME:
        on_welcome(home, &in->message.welcome);
        return;
    case MSG_LEASE:
        ears->lease(ears->arg, &in->message.lease);
        return;
    case MSG_STOP_RANK:
        ears->stop_rank(ears->arg, &in->message.stop_rank);
        return;
    case MSG_RESULT_ACK:
        ears->result_ack(ears->arg, &in->message.result_ack);
        return;
    case MSG_GROUP_ACK:
        ears->group_ack(ears->arg, &in->message.group_ack);
        return;
    case MSG_GROUP_REFUSED:
        ears->group_refused(ears->arg, &in->message.group_refused);
        return;
    case MSG_GO_AWAY:
        ears->go_away(ears->arg, in->message.go_away.reason);
        return;
    case MSG_BARRIER_RELEASE:
        ears->barrier_release(ears->arg, &in->message.barrier_release);
        return;
    case MSG_CLOCK_PONG:
        ears->clock_pong(ears->arg, &in->message.clock_pong);
        return;
    case MSG_READ_OUTPUT:
        ears->read_output(ears->arg, &in->message.read_output);
        return;
    case MSG_HEARTBEAT_REPLY:
        on_heartbeat_reply(home);
        return;
    case MSG_REFUSED:
        on_refused(home, &in->message.refused);
        return;
    default:
        return;
    }
}

static void drain(struct coordinator_link *home, struct link *link)
{
    struct incoming in;
    struct err err;

    for (int i = 0; i < MESSAGES_A_TURN; i++) {
        if (link_receive(link, &in, &err) < 0) {
            log_warning("message not understood: %s", err.text);
            continue;
        }
        if (!in.kind)
            return;
        if (link == home->control) /* on the other one it need not know us */
            home->heard_ms = clock_mono_ms();
        hear(home, &in);
    }
    reactor_again(home->reactor);
}

static void on_control(void *arg)
{
    struct coordinator_link *home = arg;

    drain(home, home->control);
}

static void on_data(void *arg)
{
    struct coordinator_link *home = arg;

    drain(home, home->data);
}

/* An edge of ZeroMQ's may be used up by a send: look before each sleep. */
static void look_again(void *arg)
{
    on_control(arg);
    on_data(arg);
}

int coordinator_link_open(struct coordinator_link **out,
                          struct reactor *reactor,
                          const struct coordinator_link_options *options,
                          const struct coordinator_link_handlers *ears,
                          struct err *err)
{
    struct coordinator_link *home = xcalloc(1, sizeof(*home));
    struct link_options link = {
        .endpoint = options->control,
        .kind = LINK_CONTROL,
        .keys = options->keys,
        .insecure = options->insecure,
    };

    home->reactor = reactor;
    home->options = *options;
    home->ears = *ears;
    home->hub = link_hub_create();
    if (link_client_open(&home->control, home->hub, &link, err) < 0)
        goto fail;
    link.endpoint = options->data;
    link.kind = LINK_DATA;
    if (link_client_open(&home->data, home->hub, &link, err) < 0)
        goto fail;
    reactor_on_socket(reactor, link_socket(home->control), on_control, home);
    reactor_on_socket(reactor, link_socket(home->data), on_data, home);
    reactor_before_sleep(reactor, look_again, home);
    beat_every(home, HELLO_MS);
    reactor_once(reactor, 1, on_beat, home);
    *out = home;
    return 0;

fail:
    coordinator_link_close(home);
    return err_wrap(err, "reaching the coordinator");
}

void coordinator_link_close(struct coordinator_link *home)
{
    if (!home)
        return;
    if (home->beat)
        reactor_cancel(home->reactor, home->beat);
    if (home->control && home->data) {
        reactor_off_socket(home->reactor, link_socket(home->control));
        reactor_off_socket(home->reactor, link_socket(home->data));
    }
    link_close(home->control);
    link_close(home->data);
    link_hub_destroy(home->hub);
    free(home);
}

bool coordinator_link_is_welcome(const struct coordinator_link *home)
{
    return home->welcome;
}

bool coordinator_link_send(struct coordinator_link *home,
                           enum message_type type,
                           const void *message)
{
    struct err ignored;

    return home->welcome &&
           link_send(home->control, NULL, type, message, &ignored) == 0;
}

bool coordinator_link_send_group(struct coordinator_link *home,
                                 const struct msg_group *group)
{
    struct err ignored;

    return home->welcome &&
           link_send(home->data, NULL, MSG_GROUP, group, &ignored) == 0;
}
