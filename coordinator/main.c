/* muster-coordinator - expands jobs into tasks, leases them to workers, keeps what they
 * measure
 *
 * Each turn of the loop changes state and queues answers; before the loop sleeps, all
 * changes of the turn are committed at once, and only then the answers leave. Changes
 * of which nobody waits to hear go with the next commit, some milliseconds later. When
 * a commit fails the program ends with 7: started again, it goes on from what is true.
 */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/notify.h"
#include "base/options.h"
#include "base/reactor.h"
#include "base/text.h"
#include "coordinator/allocator.h"
#include "coordinator/clients.h"
#include "coordinator/control.h"
#include "coordinator/dispatch.h"
#include "coordinator/gather.h"
#include "coordinator/ledger.h"
#include "coordinator/metrics.h"
#include "coordinator/outbox.h"
#include "coordinator/parse_queue.h"
#include "coordinator/relay.h"
#include "coordinator/rights.h"
#include "coordinator/scrape.h"
#include "coordinator/settings.h"
#include "store/store.h"
#include "wire/endpoint.h"
#include "wire/keys.h"
#include "wire/link.h"
#include "wire/refusals.h"

enum {
    EXIT_USAGE = 2,
    EXIT_NOT_ALLOWED = 3,
    EXIT_INTERNAL = 7,
    MESSAGES_A_TURN = 256,
    GROUPS_A_TURN = 32,  /* of up to 1 MiB, until the next commit */
    FLUSH_AGAIN_MS = 20, /* when a peer did not read */
    TELL_EVERY_MS = 50,  /* progress */
    BARRIERS_MS = 50,    /* their deadlines */
    ALLOCATIONS_MS = 100,
    COMMIT_WITHIN_MS = 20,
    COME_BACK_MS = 16000, /* beside the silence; a link tries again every 5 s */
};

struct coordinator {
    struct settings settings;
    struct reactor *reactor;
    struct store *store;
    struct ledger *ledger;
    struct drains *drains;
    struct keys *keys;
    struct link_hub *hub;
    struct link *control_link, *data_link;
    struct outbox *outbox;
    struct parse_queue *parses;
    struct control control;
    struct clients clients;
    struct scrape *scrape;
    uint64_t commits;
    struct allocator *allocator;
    uint64_t told_ms;
    uint64_t committed_ms;
    bool awake_soon; /* a timer will give us a turn */
    bool stopping;
    int exit_code;
};

static void fatal(struct coordinator *coordinator, const struct err *err)
{
    if (coordinator->exit_code == 0)
        log_error("stopping: %s", err->text);
    coordinator->exit_code = EXIT_INTERNAL;
    reactor_stop(coordinator->reactor);
}

static void stop(void *arg)
{
    struct coordinator *coordinator = arg;

    coordinator->stopping = true;
    reactor_again(coordinator->reactor);
}

/* SIGHUP. Who has lost his key is cut off with the next thing he says. */
static void on_reload(void *arg)
{
    struct coordinator *coordinator = arg;
    struct err err;

    if (!coordinator->keys)
        log_info("nothing to read again: there is no allow-list");
    else if (keys_reload(coordinator->keys, &err) < 0)
        log_error("the old allow-list stays: %s", err.text);
    else
        log_info("allow-list read again: %s", coordinator->settings.allow);
}

static void on_parent(void *arg)
{
    struct coordinator *coordinator = arg;
    char ignored[64];

    if (read((int)coordinator->settings.parent_fd, ignored, sizeof(ignored)) > 0)
        return;
    reactor_off_fd(coordinator->reactor, (int)coordinator->settings.parent_fd);
    log_info("the parent has ended");
    stop(coordinator);
}

/* What comes in */

/* Once of a kind and a caller; the end tells how often. */
static void on_refusal(enum refusal kind, const char *who, void *arg)
{
    struct coordinator *coordinator = arg;
    struct err err;

    log_warning("refused: why=%s who=%s", refusal_kind_word(kind), who);
    if (ledger_peer_refused(coordinator->ledger, refusal_kind_word(kind), who, &err) <
        0)
        fatal(coordinator, &err);
}

static void tell_refusals(const struct coordinator *coordinator)
{
    const struct refusals *refusals = link_hub_refusals(coordinator->hub);

    for (enum refusal kind = 0; kind < REFUSAL_KINDS; kind++)
        if (refusals_count(refusals, kind) > 0)
            log_info("refused in all: why=%s count=%llu", refusal_kind_word(kind),
                     (unsigned long long)refusals_count(refusals, kind));
}

static void answer_refused(struct coordinator *coordinator,
                           struct link *link,
                           const struct peer *peer,
                           const struct err *why)
{
    const struct msg_refused refused = {refusal_word(why->code), why->text};

    if (peer->size > 0)
        outbox_say(coordinator->outbox, link, peer, MSG_REFUSED, &refused);
}

enum received { NOTHING, TURNED_AWAY, MESSAGE };

static enum received
receive(struct coordinator *coordinator, struct link *link, struct incoming *in)
{
    struct err err;

    if (link_receive(link, in, &err) < 0) {
        answer_refused(coordinator, link, &in->peer, &err);
        return TURNED_AWAY;
    }
    if (!in->kind)
        return NOTHING;
    if (rights_allow(in->caller.roles, in->kind->type))
        return MESSAGE;
    refusals_add(link_hub_refusals(coordinator->hub), REFUSAL_ROLE, in->caller.name);
    err_set(&err, ERR_DENIED, "a key of role %s may not say %s",
            role_word(in->caller.roles), in->kind->name);
    answer_refused(coordinator, link, &in->peer, &err);
    return TURNED_AWAY;
}

static int hear_control(struct coordinator *coordinator,
                        const struct incoming *in,
                        struct err *err)
{
    bool mine;

    if (control_hear(&coordinator->control, in, &mine, err) < 0)
        return -1;
    return mine ? 0 : clients_hear(&coordinator->clients, in, err);
}

static void on_control(void *arg)
{
    struct coordinator *coordinator = arg;
    enum received received;
    struct incoming in;
    struct err err;

    for (int i = 0; i < MESSAGES_A_TURN && coordinator->exit_code == 0; i++) {
        received = receive(coordinator, coordinator->control_link, &in);
        if (received == NOTHING)
            return;
        if (received == MESSAGE && hear_control(coordinator, &in, &err) < 0)
            fatal(coordinator, &err);
    }
    reactor_again(coordinator->reactor);
}

static void on_data(void *arg)
{
    struct coordinator *coordinator = arg;
    struct link *link = coordinator->data_link;
    enum received received;
    struct incoming in;
    struct err err;

    for (int i = 0; i < GROUPS_A_TURN && coordinator->exit_code == 0; i++) {
        received = receive(coordinator, link, &in);
        if (received == NOTHING)
            return;
        if (received == MESSAGE &&
            gather_hear(coordinator->ledger, coordinator->outbox, link, &in, &err) < 0)
            fatal(coordinator, &err);
    }
    reactor_again(coordinator->reactor);
}

static void on_barriers(void *arg)
{
    struct coordinator *coordinator = arg;

    relay_tick(&coordinator->control);
}

static void on_allocations(void *arg)
{
    struct coordinator *coordinator = arg;
    struct err err;

    if (coordinator->exit_code == 0 && !coordinator->stopping &&
        allocator_tick(coordinator->allocator, &err) < 0)
        fatal(coordinator, &err);
}

static void on_tick(void *arg)
{
    struct coordinator *coordinator = arg;
    struct err err;

    if (control_tick(&coordinator->control, clock_mono_ms(), &err) < 0)
        fatal(coordinator, &err);
}

/* What the parsers say */

static void on_metric(const struct store_metric *metric, void *arg)
{
    struct coordinator *coordinator = arg;
    struct err err;

    if (ledger_metric(coordinator->ledger, metric, &err) < 0)
        fatal(coordinator, &err);
}

static void on_output(uint64_t run_id, uint32_t rank, const char *path, void *arg)
{
    struct coordinator *coordinator = arg;
    struct err err;

    if (ledger_output(coordinator->ledger, run_id, rank, path, &err) < 0)
        fatal(coordinator, &err);
}

static void
on_parsed(uint64_t run_id, uint32_t rank, bool good, const char *error, void *arg)
{
    struct coordinator *coordinator = arg;
    struct run *run = ledger_find_run(coordinator->ledger, run_id);
    struct part *part = run ? ledger_part(run, rank) : NULL;
    struct err err;

    if (!good)
        log_warning("result not parsed: run=%llu rank=%u: %s",
                    (unsigned long long)run_id, rank, error);
    if (part && ledger_parsed(coordinator->ledger, part, good, error, &err) < 0)
        fatal(coordinator, &err);
}

/* A timeline that could not be merged costs no figure: each rank has its own. */
static void on_merged(uint64_t run_id, bool good, const char *error, void *arg)
{
    (void)arg;
    if (!good)
        log_warning("ranks not merged: run=%llu: %s", (unsigned long long)run_id,
                    error);
}

static void on_reported(uint64_t job_id, bool good, const char *error, void *arg)
{
    struct coordinator *coordinator = arg;
    struct ledger_job *job = ledger_find_job(coordinator->ledger, job_id);
    struct err err;

    if (!good)
        log_warning("report not made: job=%llu: %s", (unsigned long long)job_id, error);
    if (job && ledger_reported(coordinator->ledger, job, good, error, &err) < 0)
        fatal(coordinator, &err);
}

/* The end of a turn */

static void on_awake(void *arg)
{
    struct coordinator *coordinator = arg;

    coordinator->awake_soon = false; /* the turn itself does the rest */
}

static void wake_in(struct coordinator *coordinator, uint64_t ms)
{
    if (!coordinator->awake_soon)
        reactor_once(coordinator->reactor, ms, on_awake, coordinator);
    coordinator->awake_soon = true;
}

static void tell_progress(struct coordinator *coordinator)
{
    uint64_t now = clock_mono_ms();
    bool changed = false, final = false;

    for (struct ledger_job *job = ledger_first_job(coordinator->ledger); job;
         job = job->next) {
        changed |= job->changed;
        final |= job_state_is_final(job->state);
    }
    if (!changed)
        return;
    if (!final && now - coordinator->told_ms < TELL_EVERY_MS) {
        wake_in(coordinator, TELL_EVERY_MS);
        return;
    }
    clients_tell(&coordinator->clients);
    coordinator->told_ms = now;
}

static void start_parsers(struct coordinator *coordinator)
{
    const struct ledger_job *job;
    const struct run *run;

    while ((run = ledger_take_parse(coordinator->ledger))) {
        const struct task *task = run->task;
        char *out = xasprintf("%s/p%llu/r%u", task->job->out,
                              (unsigned long long)task->point, task->repeat);

        if (run->part_count > 1)
            parse_queue_merge(coordinator->parses,
                              &(struct parse_task){.job_id = task->job->job_id,
                                                   .run_id = run->run_id,
                                                   .rank = run->part_count,
                                                   .out = out});
        for (uint32_t rank = 0; rank < run->part_count; rank++)
            if (run->parts[rank].parsed == PARSE_NONE)
                parse_queue_add(coordinator->parses,
                                &(struct parse_task){.job_id = task->job->job_id,
                                                     .run_id = run->run_id,
                                                     .rank = rank,
                                                     .out = out});
        free(out);
    }
    while ((job = ledger_take_report(coordinator->ledger)))
        parse_queue_report(coordinator->parses, job->job_id, job->out);
}

static bool must_commit(const struct coordinator *coordinator)
{
    return !outbox_is_empty(coordinator->outbox) ||
           ledger_wants_parsers(coordinator->ledger) || coordinator->stopping ||
           coordinator->clients.stop ||
           clock_mono_ms() - coordinator->committed_ms >= COMMIT_WITHIN_MS;
}

static void before_sleep(void *arg)
{
    struct coordinator *coordinator = arg;
    struct err err;

    if (coordinator->exit_code != 0)
        return;
    control_end_gangs(&coordinator->control);
    if (!coordinator->stopping && !coordinator->clients.stop &&
        dispatch(&coordinator->control, &err) < 0) {
        fatal(coordinator, &err);
        return;
    }
    tell_progress(coordinator);
    if (!must_commit(coordinator)) {
        if (store_has_changes(coordinator->store))
            wake_in(coordinator, COMMIT_WITHIN_MS);
        return;
    }
    coordinator->committed_ms = clock_mono_ms();
    if (ledger_commit(coordinator->ledger, &err) < 0) {
        fatal(coordinator, &err);
        return;
    }
    coordinator->commits++;
    if (outbox_flush(coordinator->outbox))
        wake_in(coordinator, FLUSH_AGAIN_MS);
    ledger_sweep(coordinator->ledger);
    if (coordinator->stopping || coordinator->clients.stop)
        reactor_stop(coordinator->reactor);
    else
        start_parsers(coordinator);
}

/* Start and end */

static int open_links(struct coordinator *coordinator, struct err *err)
{
    const struct settings *settings = &coordinator->settings;
    struct link_options options = {.endpoint = settings->control,
                                   .kind = LINK_CONTROL,
                                   .insecure = settings->insecure};

    coordinator->hub = link_hub_create();
    link_hub_watch(coordinator->hub, coordinator->reactor);
    refusals_tell(link_hub_refusals(coordinator->hub), on_refusal, coordinator);
    if (settings->key) {
        if (keys_open_server(&coordinator->keys, settings->key, settings->allow, err) <
                0 ||
            link_hub_guard(coordinator->hub, coordinator->keys, coordinator->reactor,
                           err) < 0)
            return -1;
        options.keys = coordinator->keys;
    }
    if (link_server_open(&coordinator->control_link, coordinator->hub, &options, err) <
        0)
        return -1;
    options.endpoint = settings->data;
    options.kind = LINK_DATA;
    return link_server_open(&coordinator->data_link, coordinator->hub, &options, err);
}

static int open_store(struct coordinator *coordinator, struct err *err)
{
    const struct settings *settings = &coordinator->settings;
    uint64_t await_until_ms =
        clock_mono_ms() + LINK_SILENCE_HEARTBEATS * LINK_HEARTBEAT_MS + COME_BACK_MS;

    if (folder_claim(settings->out, err) < 0 ||
        folder_claim(settings->store, err) < 0 ||
        store_open(&coordinator->store, settings->store, STORE_WRITE, err) < 0 ||
        drains_open(&coordinator->drains, coordinator->store, err) < 0)
        return -1;
    return ledger_open(&coordinator->ledger, coordinator->store, settings->store,
                       settings->out, await_until_ms, err);
}

static int watch_signals(struct coordinator *coordinator, struct err *err)
{
    signal(SIGPIPE, SIG_IGN);
    if (reactor_on_signal(coordinator->reactor, SIGHUP, on_reload, coordinator, err) <
            0 ||
        reactor_on_signal(coordinator->reactor, SIGTERM, stop, coordinator, err) < 0 ||
        reactor_on_signal(coordinator->reactor, SIGINT, stop, coordinator, err) < 0)
        return -1;
    if (coordinator->settings.parent_fd >= 0) {
        int fd = (int)coordinator->settings.parent_fd;

        if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
            return err_errno(err, "--parent-fd %d", fd);
        reactor_on_fd(coordinator->reactor, fd, on_parent, coordinator);
    }
    return 0;
}

static void start_parts(struct coordinator *coordinator)
{
    static const struct parse_events events = {.metric = on_metric,
                                               .output = on_output,
                                               .ended = on_parsed,
                                               .merged = on_merged,
                                               .reported = on_reported};
    const struct settings *settings = &coordinator->settings;
    const struct parse_options parse = {.program = settings->parser,
                                        .store = settings->store,
                                        .parallel = settings->parsers,
                                        .time_limit_ms = settings->parser_limit_ms,
                                        .memory_bytes = settings->parser_memory};

    coordinator->outbox = outbox_create();
    coordinator->parses =
        parse_queue_create(coordinator->reactor, &parse, &events, coordinator);
    coordinator->control = (struct control){.ledger = coordinator->ledger,
                                            .outbox = coordinator->outbox,
                                            .link = coordinator->control_link,
                                            .store_id = store_id(coordinator->store)};
    coordinator->control.drains = coordinator->drains;
    coordinator->control.barriers =
        barriers_create(relay_release, &coordinator->control);
    coordinator->clients = (struct clients){.ledger = coordinator->ledger,
                                            .store = coordinator->store,
                                            .outbox = coordinator->outbox,
                                            .link = coordinator->control_link,
                                            .control = &coordinator->control,
                                            .out = settings->out};
    coordinator->clients.allocator = coordinator->allocator;
    reactor_every(coordinator->reactor, ALLOCATIONS_MS, on_allocations, coordinator);
    reactor_on_socket(coordinator->reactor, link_socket(coordinator->control_link),
                      on_control, coordinator);
    reactor_on_socket(coordinator->reactor, link_socket(coordinator->data_link),
                      on_data, coordinator);
    reactor_every(coordinator->reactor, LINK_HEARTBEAT_MS, on_tick, coordinator);
    reactor_every(coordinator->reactor, BARRIERS_MS, on_barriers, coordinator);
    reactor_before_sleep(coordinator->reactor, before_sleep, coordinator);
}

static void write_metrics(struct text *out, void *arg)
{
    const struct coordinator *coordinator = arg;

    metrics_write(&(struct metrics){.control = &coordinator->control,
                                    .parses = coordinator->parses,
                                    .commits = coordinator->commits},
                  out);
}

static int open_metrics(struct coordinator *coordinator, struct err *err)
{
    const char *endpoint = coordinator->settings.metrics;

    if (!endpoint)
        return 0;
    if (scrape_open(&coordinator->scrape, coordinator->reactor, endpoint, write_metrics,
                    coordinator, err) < 0)
        return -1;
    log_info("metrics: endpoint=%s", scrape_endpoint(coordinator->scrape));
    return 0;
}

static void end_all(struct coordinator *coordinator)
{
    scrape_close(coordinator->scrape);
    if (coordinator->parses)
        parse_queue_destroy(coordinator->parses);
    clients_clear(&coordinator->clients);
    allocator_close(coordinator->allocator);
    ledger_close(coordinator->ledger);
    workers_clear(&coordinator->control.workers);
    barriers_destroy(coordinator->control.barriers);
    faults_clear(&coordinator->control.faults);
    drains_close(coordinator->drains);
    store_close(coordinator->store);
    outbox_destroy(coordinator->outbox);
    link_close(coordinator->control_link);
    link_close(coordinator->data_link);
    link_hub_destroy(coordinator->hub);
    keys_close(coordinator->keys);
    reactor_destroy(coordinator->reactor);
}

static void allow_many_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) { /* two connections a worker */
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* tcp://0.0.0.0:7701 as another host would write it. */
static char *as_reached(const char *endpoint, const char *host)
{
    const char *port = strrchr(endpoint, ':');
    char name[256] = "";

    if (!text_has_prefix(endpoint, "tcp://"))
        return xstrdup(endpoint);
    if (!host && !text_has_prefix(endpoint, "tcp://0.0.0.0:"))
        return xstrdup(endpoint);
    if (!host && gethostname(name, sizeof(name) - 1) < 0)
        return xstrdup(endpoint);
    return xasprintf("tcp://%s%s", host ? host : name, port);
}

/* For whoever started us and left the ports open. */
static int
announce(const struct coordinator *coordinator, const char *path, struct err *err)
{
    char *text = xasprintf("%s\n%s\n", link_endpoint(coordinator->control_link),
                           link_endpoint(coordinator->data_link));
    int result = file_write(path, text, strlen(text), err);

    free(text);
    return result;
}

static int open_allocator(struct coordinator *coordinator, struct err *err)
{
    const struct settings *settings = &coordinator->settings;
    char program[PATH_MAX], *logs = xasprintf("%s/log", settings->store);
    char *control =
        as_reached(link_endpoint(coordinator->control_link), settings->reached_at);
    char *data =
        as_reached(link_endpoint(coordinator->data_link), settings->reached_at);
    const struct allocator_options options = {.program = program,
                                              .logs = logs,
                                              .control = control,
                                              .data = data,
                                              .poll_ms = settings->alloc_poll_ms};

    int result = file_beside_us(program, sizeof(program), "muster", err);
    if (result == 0)
        result = folder_create(logs, err);
    if (result == 0)
        result = allocator_open(&coordinator->allocator, coordinator->reactor, &options,
                                coordinator->store, coordinator->keys,
                                coordinator->ledger, &coordinator->control, err);
    free(control);
    free(data);
    free(logs);
    return result;
}

/* A private fleet's sockets go with the fleet, and their folder when it is empty then:
 * ZeroMQ leaves the files, and a parent that was killed had no time to see to it. */
static void leave_no_socket(const char *endpoint)
{
    static const char scheme[] = "ipc://";

    if (!text_has_prefix(endpoint, scheme))
        return;
    char *path = xstrdup(endpoint + strlen(scheme));
    unlink(path);
    char *slash = strrchr(path, '/');
    if (slash && slash != path) {
        *slash = '\0';
        rmdir(path);
    }
    free(path);
}

/* Told where nobody who looks at the start can miss it. */
static void tell_insecure(const struct coordinator *coordinator)
{
    const struct link *const links[] = {coordinator->control_link,
                                        coordinator->data_link};

    for (size_t i = 0; i < COUNT(links) && coordinator->settings.insecure; i++)
        if (!endpoint_is_private(link_endpoint(links[i])) && !coordinator->keys)
            log_warning("INSECURE: everybody who reaches %s may do everything, and "
                        "reads all; keys are made by muster keygen",
                        link_endpoint(links[i]));
}

static int serve(struct coordinator *coordinator)
{
    struct err err;
    bool served = false; /* then the sockets are ours */

    allow_many_files();
    coordinator->reactor = reactor_create();
    if (watch_signals(coordinator, &err) < 0 || open_store(coordinator, &err) < 0 ||
        open_links(coordinator, &err) < 0 || open_metrics(coordinator, &err) < 0 ||
        open_allocator(coordinator, &err) < 0 ||
        (coordinator->settings.announce &&
         announce(coordinator, coordinator->settings.announce, &err) < 0)) {
        log_error("starting: %s", err.text);
        coordinator->exit_code = err.code == ERR_INPUT || err.code == ERR_LIMIT
                                     ? EXIT_USAGE
                                 : err.code == ERR_DENIED ? EXIT_NOT_ALLOWED
                                                          : EXIT_INTERNAL;
    } else {
        served = true;
        start_parts(coordinator);
        tell_insecure(coordinator);
        log_info("serving: control=%s data=%s store=%s",
                 link_endpoint(coordinator->control_link),
                 link_endpoint(coordinator->data_link), coordinator->settings.store);
        notify_watchdog(coordinator->reactor);
        notify("READY=1\nSTATUS=serving");
        if (reactor_run(coordinator->reactor, &err) < 0)
            fatal(coordinator, &err);
        notify("STOPPING=1");
        tell_refusals(coordinator);
        log_info("ended: exit_code=%d", coordinator->exit_code);
    }
    end_all(coordinator);
    if (served && coordinator->settings.parent_fd >= 0) {
        leave_no_socket(coordinator->settings.control);
        leave_no_socket(coordinator->settings.data);
    }
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
    struct settings *settings = &coordinator.settings;
    char **args;
    struct err err;

    fd_open_standard();
    mem_keep_freed();
    settings_init(settings);
    if (options_parse(settings->rows, argc, argv, &args, &err) < 0)
        return usage(err.text);
    if (settings->help) {
        printf("usage: muster-coordinator %s\n", settings_usage);
        options_print(settings->rows, stdout);
        return 0;
    }
    if (settings->version) {
        printf("muster-coordinator %s\n", MUSTER_VERSION);
        return 0;
    }
    if (*args)
        return usage("no arguments are expected");
    if (settings_check(settings, &err) < 0)
        return usage(err.text);
    log_open("muster-coordinator", (enum log_level)settings->log_level);
    log_as((enum log_format)settings->log_format);
    return serve(&coordinator);
}
