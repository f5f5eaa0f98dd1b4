/* muster-coordinator - expands jobs into tasks, leases the tasks to workers, and stores
 * the results
 *
 * Each turn of the loop changes state and queues replies; turn.c ends it. When a commit
 * fails the program exits with 7; restarted, it continues from the last committed
 * state. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coordinator/allocation/allocator.h"
#include "coordinator/clients/client_requests.h"
#include "coordinator/confirmation/confirmations.h"
#include "coordinator/fleet/fleet.h"
#include "coordinator/ledger/ledger.h"
#include "coordinator/main/turn.h"
#include "coordinator/monitor/metrics.h"
#include "coordinator/monitor/metrics_http.h"
#include "coordinator/monitor/metrics_token.h"
#include "coordinator/net/listener.h"
#include "coordinator/net/outbox.h"
#include "coordinator/net/public_endpoint.h"
#include "coordinator/net/receiver.h"
#include "coordinator/parse/parse_feed.h"
#include "coordinator/parse/parse_queue.h"
#include "coordinator/sessions/worker_sessions.h"
#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/options.h"
#include "lib/base/reactor.h"
#include "lib/base/text.h"
#include "lib/daemon/coordinator_settings.h"
#include "lib/daemon/systemd_notify.h"
#include "lib/store/store.h"
#include "lib/wire/link.h"

enum {
    EXIT_USAGE = 2,
    EXIT_NOT_ALLOWED = 3,
    EXIT_INTERNAL = 7,
    BARRIERS_MS = 50, /* between two checks of their deadlines */
    ALLOCATIONS_MS = 100,
    PARSE_AGAIN_MS = 1000, /* before the first repetition of a parse */
    RELEASE_MS = 15000,    /* a cluster has this time to take its nodes back */
    RECONNECT_MS =
        16000, /* after a restart, beside the silence; links retry every 5 s */
};

struct coordinator {
    struct coordinator_settings settings;
    struct reactor *reactor;
    struct store *store;
    struct ledger *ledger;
    struct fleet fleet;
    struct listener *listener;
    struct link *control_link, *data_link; /* of the listener */
    struct receiver *receiver;
    struct outbox *outbox;
    struct parse_feed *parse_feed;
    struct confirmations *confirmations;
    struct sessions *sessions;
    struct client_requests *clients;
    struct metrics_http *metrics_http;
    struct allocator *allocator;
    struct turn *turn;
    bool stopping;
    uint64_t parent_ended_ms; /* 0: the parent runs, or there is none */
    int exit_code;
};

static void fatal(struct coordinator *coordinator, const struct err *err)
{
    if (coordinator->exit_code == 0)
        log_error("coordinator failed: reason=\"%s\"", err->text);
    coordinator->exit_code = EXIT_INTERNAL;
    reactor_stop(coordinator->reactor);
}

static void on_failed(const struct err *err, void *arg)
{
    fatal(arg, err);
}

static void stop(void *arg)
{
    struct coordinator *coordinator = arg;

    coordinator->stopping = true;
    reactor_again(coordinator->reactor);
}

/* Stores the refusal of a peer as an event. */
static void on_peer_refused(const char *kind, const char *peer, void *arg)
{
    struct coordinator *coordinator = arg;
    struct err err;

    if (ledger_peer_refused(coordinator->ledger, kind, peer, &err) < 0)
        fatal(coordinator, &err);
}

/* Handles SIGHUP. A peer whose key was removed is refused at its next message. */
static void on_reload(void *arg)
{
    struct coordinator *coordinator = arg;

    listener_reload(coordinator->listener);
}

/* Stops when all allocations are cancelled, or after RELEASE_MS. Otherwise their nodes
 * would stay allocated until the time limit of the cluster. */
static void stop_when_released(struct coordinator *coordinator)
{
    if (allocator_is_empty(coordinator->allocator) ||
        clock_mono_ms() - coordinator->parent_ended_ms >= RELEASE_MS)
        stop(coordinator);
}

static void on_parent(void *arg)
{
    struct coordinator *coordinator = arg;
    char ignored[64];
    struct err err;

    if (read((int)coordinator->settings.parent_fd, ignored, sizeof(ignored)) > 0)
        return;
    reactor_off_fd(coordinator->reactor, (int)coordinator->settings.parent_fd);
    log_info("parent process ended: fd=%lld",
             (long long)coordinator->settings.parent_fd);
    coordinator->parent_ended_ms = clock_mono_ms();
    if (allocator_release_nodes(coordinator->allocator, &err) < 0)
        fatal(coordinator, &err);
    else
        stop_when_released(coordinator);
}

/* Messages and timers */

static int handle_control(const struct incoming *in, void *arg, struct err *err)
{
    struct coordinator *coordinator = arg;
    bool handled;

    if (sessions_handle_message(coordinator->sessions, in, &handled, err) < 0)
        return -1;
    return handled ? 0 : client_requests_handle(coordinator->clients, in, err);
}

static int
handle_group(const struct incoming *in, struct link *link, void *arg, struct err *err)
{
    struct coordinator *coordinator = arg;

    return sessions_handle_group(coordinator->sessions, link, in, err);
}

static void on_barriers(void *arg)
{
    struct coordinator *coordinator = arg;

    sessions_tick_barriers(coordinator->sessions);
}

static void on_allocations(void *arg)
{
    struct coordinator *coordinator = arg;
    struct err err;

    if (coordinator->exit_code == 0 && !coordinator->stopping &&
        allocator_tick(coordinator->allocator, &err) < 0)
        fatal(coordinator, &err);
    else if (coordinator->parent_ended_ms)
        stop_when_released(coordinator);
}

static void on_tick(void *arg)
{
    struct coordinator *coordinator = arg;
    struct err err;

    if (store_check_place(coordinator->store, &err) < 0 ||
        sessions_tick(coordinator->sessions, clock_mono_ms(), &err) < 0)
        fatal(coordinator, &err);
}

static bool is_shutting_down(const struct coordinator *coordinator)
{
    return coordinator->stopping || client_requests_shut_down(coordinator->clients);
}

static void before_sleep(void *arg)
{
    struct coordinator *coordinator = arg;
    bool stops = is_shutting_down(coordinator);
    struct err err;

    if (coordinator->exit_code == 0 &&
        turn_end(coordinator->turn, !stops && !coordinator->parent_ended_ms, stops,
                 &err) < 0)
        fatal(coordinator, &err);
}

/* Start and end */

static int open_links(struct coordinator *coordinator, struct err *err)
{
    const struct coordinator_settings *settings = &coordinator->settings;
    const struct listener_options options = {.control = settings->control,
                                             .data = settings->data,
                                             .key = settings->key,
                                             .allow = settings->allow,
                                             .insecure = settings->insecure};

    if (listener_open(&coordinator->listener, coordinator->reactor, &options,
                      on_peer_refused, coordinator, err) < 0)
        return -1;
    coordinator->control_link = listener_control(coordinator->listener);
    coordinator->data_link = listener_data(coordinator->listener);
    return 0;
}

static int open_store(struct coordinator *coordinator, struct err *err)
{
    const struct coordinator_settings *settings = &coordinator->settings;
    uint64_t await_until_ms =
        clock_mono_ms() + LINK_SILENCE_HEARTBEATS * LINK_HEARTBEAT_MS + RECONNECT_MS;

    if (folder_lock(settings->out, err) < 0 || folder_lock(settings->store, err) < 0 ||
        store_open(&coordinator->store, settings->store, STORE_WRITE, err) < 0 ||
        fleet_init(&coordinator->fleet, coordinator->store, err) < 0)
        return -1;
    return ledger_open(&coordinator->ledger, coordinator->store, settings->store,
                       settings->out, await_until_ms, err);
}

static int watch_signals(struct coordinator *coordinator, struct err *err)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a write beyond `ulimit -f` then fails with a reason */
    if (reactor_on_signal(coordinator->reactor, SIGHUP, on_reload, coordinator, err) <
            0 ||
        reactor_on_signal(coordinator->reactor, SIGTERM, stop, coordinator, err) < 0 ||
        reactor_on_signal(coordinator->reactor, SIGINT, stop, coordinator, err) < 0)
        return -1;
    if (coordinator->settings.parent_fd >= 0) {
        int fd = (int)coordinator->settings.parent_fd;

        if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
            return err_errno(err, "using --parent-fd %d", fd);
        reactor_on_fd(coordinator->reactor, fd, on_parent, coordinator);
    }
    return 0;
}

static void start_parts(struct coordinator *coordinator)
{
    const struct coordinator_settings *settings = &coordinator->settings;
    const struct parse_options parse = {.program = settings->parser,
                                        .store = settings->store,
                                        .parallel = settings->parsers,
                                        .time_limit_ms = settings->parser_limit_ms,
                                        .repeat_ms = PARSE_AGAIN_MS,
                                        .memory_bytes = settings->parser_memory};

    coordinator->outbox = outbox_create();
    coordinator->parse_feed = parse_feed_create(
        coordinator->reactor, &parse, coordinator->ledger, on_failed, coordinator);
    coordinator->sessions =
        sessions_create(coordinator->ledger, &coordinator->fleet, coordinator->outbox,
                        coordinator->control_link, store_id(coordinator->store));
    coordinator->clients = client_requests_create(
        &(struct client_requests_parts){.ledger = coordinator->ledger,
                                        .store = coordinator->store,
                                        .fleet = &coordinator->fleet,
                                        .outbox = coordinator->outbox,
                                        .link = coordinator->control_link,
                                        .sessions = coordinator->sessions,
                                        .allocator = coordinator->allocator,
                                        .confirmations = coordinator->confirmations,
                                        .out = settings->out});
    coordinator->turn =
        turn_create(&(struct turn_parts){.reactor = coordinator->reactor,
                                         .ledger = coordinator->ledger,
                                         .fleet = &coordinator->fleet,
                                         .outbox = coordinator->outbox,
                                         .sessions = coordinator->sessions,
                                         .clients = coordinator->clients,
                                         .confirmations = coordinator->confirmations,
                                         .parse_feed = coordinator->parse_feed});
    reactor_every(coordinator->reactor, ALLOCATIONS_MS, on_allocations, coordinator);
    coordinator->receiver =
        receiver_create(&(struct receiver_options){.reactor = coordinator->reactor,
                                                   .listener = coordinator->listener,
                                                   .outbox = coordinator->outbox,
                                                   .handle_control = handle_control,
                                                   .handle_group = handle_group,
                                                   .failed = on_failed,
                                                   .arg = coordinator});
    reactor_every(coordinator->reactor, LINK_HEARTBEAT_MS, on_tick, coordinator);
    reactor_every(coordinator->reactor, BARRIERS_MS, on_barriers, coordinator);
    reactor_before_sleep(coordinator->reactor, before_sleep, coordinator);
}

static void write_metrics(struct text *out, void *arg)
{
    const struct coordinator *coordinator = arg;

    metrics_write(&(struct metrics){.ledger = coordinator->ledger,
                                    .workers = &coordinator->fleet.workers,
                                    .parses = parse_feed_queue(coordinator->parse_feed),
                                    .commits = turn_commits(coordinator->turn)},
                  out);
}

static int open_metrics(struct coordinator *coordinator, struct err *err)
{
    const struct coordinator_settings *settings = &coordinator->settings;
    char *token = NULL;

    if (!settings->metrics)
        return 0;
    if (settings->metrics_token &&
        metrics_token_read(&token, settings->metrics_token, err) < 0)
        return err_wrap(err, "--metrics-token");
    int result =
        metrics_http_open(&coordinator->metrics_http, coordinator->reactor,
                          settings->metrics, token, write_metrics, coordinator, err);
    free(token);
    if (result < 0)
        return -1;
    log_info("metrics served: endpoint=%s",
             metrics_http_endpoint(coordinator->metrics_http));
    return 0;
}

static int open_confirmations(struct coordinator *coordinator, struct err *err)
{
    coordinator->confirmations = confirmations_create(
        coordinator->ledger, coordinator->store, &coordinator->fleet);
    return confirmations_load(coordinator->confirmations, err);
}

static void close_all(struct coordinator *coordinator)
{
    turn_destroy(coordinator->turn);
    receiver_destroy(coordinator->receiver);
    metrics_http_close(coordinator->metrics_http);
    parse_feed_destroy(coordinator->parse_feed);
    client_requests_destroy(coordinator->clients);
    confirmations_destroy(coordinator->confirmations);
    allocator_close(coordinator->allocator);
    sessions_destroy(coordinator->sessions);
    ledger_close(coordinator->ledger);
    fleet_clear(&coordinator->fleet); /* after the ledger, whose ranks name workers */
    store_close(coordinator->store);
    outbox_destroy(coordinator->outbox);
    listener_close(coordinator->listener);
    reactor_destroy(coordinator->reactor);
}

static int open_allocator(struct coordinator *coordinator, struct err *err)
{
    const struct coordinator_settings *settings = &coordinator->settings;
    char program[PATH_MAX], *logs = xasprintf("%s/log", settings->store);
    char *control = public_endpoint_of(link_endpoint(coordinator->control_link),
                                       settings->reached_at);
    char *data =
        public_endpoint_of(link_endpoint(coordinator->data_link), settings->reached_at);
    const struct allocator_options options = {.program = program,
                                              .logs = logs,
                                              .control = control,
                                              .data = data,
                                              .poll_ms = settings->alloc_poll_ms};

    int result = file_next_to_program(program, sizeof(program), "muster", err);
    if (result == 0)
        result = folder_create(logs, err);
    if (result == 0)
        result =
            allocator_open(&coordinator->allocator, coordinator->reactor, &options,
                           coordinator->store, listener_keys(coordinator->listener),
                           coordinator->ledger, &coordinator->fleet.workers, err);
    free(control);
    free(data);
    free(logs);
    return result;
}

static int serve(struct coordinator *coordinator)
{
    struct err err;

    fd_allow_many(); /* two connections per worker */
    coordinator->reactor = reactor_create();
    if (watch_signals(coordinator, &err) < 0 || open_store(coordinator, &err) < 0 ||
        open_links(coordinator, &err) < 0 || open_metrics(coordinator, &err) < 0 ||
        open_allocator(coordinator, &err) < 0 ||
        open_confirmations(coordinator, &err) < 0 ||
        (coordinator->settings.announce &&
         public_endpoint_announce(coordinator->settings.announce,
                                  coordinator->control_link, coordinator->data_link,
                                  &err) < 0)) {
        log_error("coordinator not started: reason=\"%s\"", err.text);
        coordinator->exit_code = err.code == ERR_INPUT || err.code == ERR_LIMIT
                                     ? EXIT_USAGE
                                 : err.code == ERR_DENIED ? EXIT_NOT_ALLOWED
                                                          : EXIT_INTERNAL;
    } else {
        start_parts(coordinator);
        listener_log_insecure(coordinator->listener);
        log_info("coordinator started: control=%s data=%s store=%s",
                 link_endpoint(coordinator->control_link),
                 link_endpoint(coordinator->data_link), coordinator->settings.store);
        systemd_notify_watchdog(coordinator->reactor);
        systemd_notify("READY=1\nSTATUS=serving");
        if (reactor_run(coordinator->reactor, &err) < 0)
            fatal(coordinator, &err);
        systemd_notify("STOPPING=1");
        listener_log_refusals(coordinator->listener);
        log_info("coordinator stopped: exit_code=%d", coordinator->exit_code);
    }
    close_all(coordinator);
    /* sockets and keys, which a killed parent could not remove */
    if (coordinator->parent_ended_ms && coordinator->settings.parent_folder &&
        folder_remove(coordinator->settings.parent_folder, &err) < 0)
        log_warning("folder of the parent not removed: reason=\"%s\"", err.text);
    return coordinator->exit_code;
}

/* The command line */

static int usage(const char *complaint)
{
    fprintf(stderr, "muster-coordinator: %s\n", complaint);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    static struct coordinator coordinator;
    struct coordinator_settings *settings = &coordinator.settings;
    char **args;
    struct err err;

    fd_open_standard();
    mem_disable_trim();
    coordinator_settings_init(settings);
    if (options_parse(settings->rows, argc, argv, &args, &err) < 0)
        return usage(err.text);
    if (settings->help) {
        printf("usage: muster-coordinator %s\n", coordinator_settings_usage);
        options_print(settings->rows, stdout);
        return 0;
    }
    if (settings->version) {
        printf("muster-coordinator %s\n", MUSTER_VERSION);
        return 0;
    }
    if (*args)
        return usage("unexpected argument; muster-coordinator takes options only");
    if (coordinator_settings_check(settings, &err) < 0)
        return usage(err.text);
    log_open("muster-coordinator", (enum log_level)settings->log_level);
    log_as((enum log_format)settings->log_format);
    return serve(&coordinator);
}
