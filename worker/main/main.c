/* main.c - muster-worker: serves one card, or starts one worker per card of the host
 *
 * A worker runs the ranks that the coordinator leases to it, with the inject library,
 * and sends groups and results to the coordinator. */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/options.h"
#include "lib/base/reactor.h"
#include "lib/daemon/rank_outputs.h"
#include "lib/daemon/systemd_notify.h"
#include "lib/daemon/worker_settings.h"
#include "lib/wire/join_ticket.h"
#include "lib/wire/keys.h"
#include "worker/card/card.h"
#include "worker/card/card_health.h"
#include "worker/host/host_address.h"
#include "worker/host/host_workers.h"
#include "worker/link/coordinator_link.h"
#include "worker/process/environment.h"
#include "worker/process/isolation.h"
#include "worker/process/run_as_user.h"
#include "worker/run/run.h"
#include "worker/spool/result_store.h"
#include "worker/spool/spool.h"

enum {
    EXIT_GOOD = 0,
    EXIT_USAGE = 2,
    EXIT_NOT_ALLOWED = 3,
    EXIT_INTERNAL = 7,
    IDLE_CHECK_MS = 250,
};

static struct worker_settings options;

struct worker {
    struct reactor *reactor;
    struct coordinator_link *link;
    struct spool *spool;
    struct result_store *results;
    struct run *run;
    struct card *card;
    struct card_health *health;
    struct isolation *isolation; /* of operators */
    struct keys *keys;
    char host[128], address[128], card_address[64];
    struct join_ticket ticket;
    uint64_t busy_ms; /* monotonic time at which the worker was last busy */
};

static uint64_t running(void *arg)
{
    const struct worker *worker = arg;

    return card_run_id(worker->card);
}

static size_t held_runs(void *arg, uint64_t *run_ids, size_t room)
{
    struct worker *worker = arg;

    return card_held_runs(worker->card, run_ids, room);
}

static void on_welcome(void *arg)
{
    struct worker *worker = arg;

    run_send(worker->run, true);
}

static void on_lease(void *arg, const struct msg_lease *lease)
{
    struct worker *worker = arg;

    card_on_lease(worker->card, lease);
}

static void on_stop_rank(void *arg, const struct msg_stop_rank *stop)
{
    struct worker *worker = arg;

    card_on_stop(worker->card, stop);
}

static void on_result_ack(void *arg, const struct msg_result_ack *ack)
{
    struct worker *worker = arg;

    result_store_ack(worker->results, ack->run_id, ack->rank);
    if (card_is_done(worker->card))
        reactor_stop(worker->reactor);
}

static void before_sleep(void *arg)
{
    struct worker *worker = arg;

    card_start_waiting(worker->card);
}

/* Sends the last reports and a goodbye, so that the coordinator need not wait for the
 * heartbeat timeout, and stops the loop. */
static void leave(struct worker *worker, const char *reason)
{
    card_send_reports_now(worker->card);
    if (card_is_free(worker->card))
        coordinator_link_send(worker->link, MSG_WORKER_BYE,
                              &(struct msg_worker_bye){reason});
    reactor_stop(worker->reactor);
}

/* Stops the worker when the card was free and all results were acknowledged for
 * --idle. */
static void on_idle_check(void *arg)
{
    struct worker *worker = arg;
    bool busy = !card_is_free(worker->card) || result_store_count(worker->results) > 0;

    if (busy)
        worker->busy_ms = clock_mono_ms();
    if (clock_mono_ms() - worker->busy_ms < options.idle_ms)
        return;
    log_info("worker stopped: reason=idle idle_ms=%llu",
             (unsigned long long)options.idle_ms);
    leave(worker, "no lease for the time of --idle");
}

static void on_group_ack(void *arg, const struct msg_group_ack *ack)
{
    struct worker *worker = arg;

    run_on_group_ack(worker->run, ack);
}

static void on_group_refused(void *arg, const struct msg_group_refused *refused)
{
    struct worker *worker = arg;

    run_on_group_refused(worker->run, refused);
}

static void on_go_away(void *arg, const char *reason)
{
    struct worker *worker = arg;

    log_info("worker stopped: reason=coordinator_request text=%s", reason);
    reactor_stop(worker->reactor);
}

static bool send_group(void *arg, const struct msg_group *group)
{
    struct worker *worker = arg;

    return worker->link && coordinator_link_send_group(worker->link, group);
}

static void send_results(void *arg, bool resend)
{
    const struct worker *worker = arg;

    if (worker->card)
        card_send_results(worker->card, resend);
}

static bool has_fault(void *arg, bool refresh, char *text, size_t size)
{
    const struct worker *worker = arg;

    return worker->card && card_has_fault(worker->card, refresh, text, size);
}

static bool send_message(void *arg, enum message_type type, const void *message)
{
    struct worker *worker = arg;

    return worker->link && coordinator_link_send(worker->link, type, message);
}

static void on_barrier_release(void *arg, const struct msg_barrier_release *release)
{
    struct worker *worker = arg;

    run_on_barrier_release(worker->run, release);
}

static void on_clock_pong(void *arg, const struct msg_clock_pong *pong)
{
    struct worker *worker = arg;

    run_on_clock_pong(worker->run, pong);
}

static void on_read_output(void *arg, const struct msg_read_output *question)
{
    struct worker *worker = arg;
    char bytes[RANK_OUTPUTS_PIECE];
    struct msg_output output = {.ticket = question->ticket, .from = question->from};

    output.data.data = bytes;
    output.data.size =
        rank_outputs_read(bytes, sizeof(bytes), &output.there, options.spool,
                          question->run_id, question->rank, question->from);
    send_message(worker, MSG_OUTPUT, &output);
}

static void on_child(void *arg)
{
    struct worker *worker = arg;

    run_reap(worker->run);
}

static void on_stop_signal(void *arg)
{
    struct worker *worker = arg;

    log_info("worker stopped: reason=signal");
    leave(worker, "the worker was stopped by a signal");
}

static void on_parent(void *arg)
{
    struct worker *worker = arg;
    char bytes[64];

    if (read((int)options.parent_fd, bytes, sizeof(bytes)) <= 0)
        reactor_stop(worker->reactor);
}

static int open_keys(struct worker *worker, struct err *err)
{
    if (options.ticket)
        return keys_open_ticket(&worker->keys, worker->ticket.server,
                                worker->ticket.secret, err);
    if (!options.key && !options.server_key)
        return 0;
    if (!options.key || !options.server_key)
        return err_set(err, ERR_INPUT,
                       "--key and --server-key need each other; pass both or none");
    return keys_open_client(&worker->keys, options.key, options.server_key, err);
}

static int open_link(struct worker *worker, struct err *err)
{
    const struct coordinator_link_options link_options = {
        .control = options.control,
        .data = options.data,
        .keys = worker->keys,
        .insecure = options.insecure,
        .hello =
            {
                .protocol = MSG_PROTOCOL,
                .host = worker->host,
                .version = MUSTER_VERSION,
                .pid = (uint64_t)getpid(),
                .card = (uint64_t)options.card,
                .model = options.model,
                .serial = options.serial,
                .simulated = options.simulated,
                .address = worker->address,
                .allocation = getenv("MUSTER_ALLOCATION"),
                .card_address = worker->card_address,
                .net_switch = options.net_switch,
            },
    };
    const struct coordinator_link_handlers handlers = {
        .held_runs = held_runs,
        .running = running,
        .welcome = on_welcome,
        .lease = on_lease,
        .stop_rank = on_stop_rank,
        .result_ack = on_result_ack,
        .group_ack = on_group_ack,
        .group_refused = on_group_refused,
        .go_away = on_go_away,
        .barrier_release = on_barrier_release,
        .clock_pong = on_clock_pong,
        .read_output = on_read_output,
        .arg = worker,
    };

    return coordinator_link_open(&worker->link, worker->reactor, &link_options,
                                 &handlers, err);
}

/* Opens the management library, for a simulated card that of the simulator. */
static void open_health(struct worker *worker)
{
    char parts[PATH_MAX], library[PATH_MAX + 32];
    struct err ignored;
    bool known =
        options.simulated && file_parts_folder(parts, sizeof(parts), &ignored) == 0;

    if (known)
        snprintf(library, sizeof(library), "%s/sim/lib64/libdcmi.so", parts);
    worker->health = card_health_create(known ? library : NULL, (uint32_t)options.card);
}

/* Creates the isolation of operators. A requested limit that cannot be set ends the
 * worker; for the value `auto` a missing group or processor list is only a warning. */
static int open_isolation(struct worker *worker, struct err *err)
{
    char cgroup[PATH_MAX], cpus[256];
    struct isolation_options isolation = {.limits = options.limits,
                                          .cpus = options.cpus,
                                          .cgroup = options.cgroup,
                                          .card = (uint64_t)options.card};

    if (options.env_allow)
        environment_restrict(options.env_allow);
    if (strcmp(isolation.cpus, "auto") == 0) {
        isolation.cpus = cpus;
        if (!card_health_near_cpus(worker->health, "/sys", cpus, sizeof(cpus)))
            log_warning(
                "processors near the card unknown: card=%lld; operators use all",
                (long long)options.card);
    }
    if (strcmp(isolation.cgroup, "auto") == 0) {
        isolation.cgroup = cgroup;
        isolation_own_cgroup(cgroup, sizeof(cgroup));
        if (!cgroup[0])
            log_warning("control group not writable: operators run without one");
    }
    return isolation_open(&worker->isolation, &isolation, err);
}

static int serve(struct worker *worker, struct err *err)
{
    struct run_options run = {
        .host = worker->host,
        .model = options.model,
        .serial = options.serial,
        .card = (uint64_t)options.card,
        .simulated = options.simulated,
        .restore_off = options.no_restore,
        .as_submitter = options.as_submitter,
        .spool_folder = options.spool,
        .send_group = send_group,
        .send_results = send_results,
        .card_has_fault = has_fault,
        .send_message = send_message,
        .arg = worker,
    };

    worker->reactor = reactor_create();
    open_health(worker);
    if (open_keys(worker, err) < 0 || open_isolation(worker, err) < 0 ||
        spool_open(&worker->spool, options.spool, err) < 0 ||
        result_store_open(&worker->results, options.spool, err) < 0 ||
        reactor_on_signal(worker->reactor, SIGCHLD, on_child, worker, err) < 0 ||
        reactor_on_signal(worker->reactor, SIGTERM, on_stop_signal, worker, err) < 0 ||
        reactor_on_signal(worker->reactor, SIGINT, on_stop_signal, worker, err) < 0)
        return -1;
    if (options.as_submitter && run_as_user_allow_passage(options.spool, err) < 0)
        return -1;
    spool_set_limit(worker->spool, options.spool_limit);
    if (options.parent_fd >= 0)
        reactor_on_fd(worker->reactor, (int)options.parent_fd, on_parent, worker);
    if (options.idle_ms) {
        worker->busy_ms = clock_mono_ms();
        reactor_every(worker->reactor, IDLE_CHECK_MS, on_idle_check, worker);
    }
    run.isolation = worker->isolation;
    worker->run = run_create(worker->reactor, worker->spool, worker->results, &run);
    worker->card = card_create(&(struct card_options){.reactor = worker->reactor,
                                                      .run = worker->run,
                                                      .results = worker->results,
                                                      .health = worker->health,
                                                      .once = options.once,
                                                      .send_message = send_message,
                                                      .arg = worker});
    reactor_before_sleep(worker->reactor, before_sleep, worker);
    if (open_link(worker, err) < 0)
        return -1;
    log_info("worker started: host=%s card=%lld", worker->host,
             (long long)options.card);
    systemd_notify_watchdog(worker->reactor);
    systemd_notify("READY=1"); /* also without a coordinator: the link connects later */
    int result = reactor_run(worker->reactor, err);
    systemd_notify("STOPPING=1");
    return result;
}

/* Returns true when --remove-spool is set and the spool holds nothing. */
static bool spool_is_removable(const struct worker *worker)
{
    return options.remove_spool && worker->run && run_is_idle(worker->run) &&
           result_store_count(worker->results) == 0;
}

static void end(struct worker *worker)
{
    bool removable = spool_is_removable(worker);
    struct err err;

    run_destroy(worker->run); /* kills the operator */
    isolation_close(worker->isolation);
    coordinator_link_close(worker->link);
    card_destroy(worker->card);
    card_health_destroy(worker->health);
    result_store_close(worker->results);
    spool_close(worker->spool);
    if (removable && folder_remove(options.spool, &err) < 0)
        log_warning("spool not removed: path=%s reason=%s", options.spool, err.text);
    keys_close(worker->keys);
    reactor_destroy(worker->reactor);
}

static int take_ticket(struct worker *worker, struct err *err)
{
    if (!options.ticket)
        return 0;
    if (options.control || options.data || options.key || options.server_key)
        return err_set(
            err, ERR_INPUT,
            "--ticket replaces --control, --data, --key and --server-key; pass "
            "either the ticket or these options");
    if (join_ticket_take(&worker->ticket, err) < 0)
        return -1;
    options.control = worker->ticket.control;
    options.data = worker->ticket.data;
    return 0;
}

static int exit_code_of(const struct err *err)
{
    return err->code == ERR_INPUT || err->code == ERR_NOT_FOUND ||
                   err->code == ERR_LIMIT
               ? EXIT_USAGE
           : err->code == ERR_DENIED ? EXIT_NOT_ALLOWED
                                     : EXIT_INTERNAL;
}

/* Parses and checks the options, and reads the ticket. */
static int parse_options(struct worker *worker, int argc, char **argv, struct err *err)
{
    char **args;

    worker_settings_init(&options);
    if (options_parse(options.rows, argc, argv, &args, err) < 0)
        return -1;
    if (options.help || options.version)
        return 0;
    if (take_ticket(worker, err) < 0 || worker_settings_check(&options, args, err) < 0)
        return -1;
    log_open("muster-worker", (enum log_level)options.log_level);
    log_as((enum log_format)options.log_format);
    return 0;
}

static void print_help(void)
{
    if (!options.help) {
        puts("muster-worker " MUSTER_VERSION);
        return;
    }
    printf("usage: muster-worker %s\n", worker_settings_usage);
    options_print(options.rows, stdout);
}

static void find_addresses(struct worker *worker)
{
    if (options.host[0])
        snprintf(worker->host, sizeof(worker->host), "%s", options.host);
    else if (gethostname(worker->host, sizeof(worker->host) - 1) < 0)
        strcpy(worker->host, "localhost");
    if (!options.simulated)
        host_address_of_card(worker->card_address, sizeof(worker->card_address),
                             "/etc/hccn.conf", (uint64_t)options.card);
    if (options.address[0])
        snprintf(worker->address, sizeof(worker->address), "%s", options.address);
    else
        host_address_find(worker->address, sizeof(worker->address), options.control);
}

static int serve_card(struct worker *worker, struct err *err)
{
    int result;

    find_addresses(worker);
    result = serve(worker, err);
    if (result < 0)
        log_error("worker failed: %s", err->text);
    end(worker);
    return result < 0 ? exit_code_of(err) : EXIT_GOOD;
}

static int serve_host(struct worker *worker, char **argv, struct err *err)
{
    int result = host_workers_serve(&options, &worker->ticket, argv, err);

    if (result < 0)
        log_error("worker failed: %s", err->text);
    return result < 0 ? exit_code_of(err) : result;
}

/* `original_argv` is argv before options_parse() reordered it. */
static int run_worker(int argc, char **argv, char **original_argv)
{
    struct worker worker = {0};
    struct err err = {0};

    log_open("muster-worker", LOG_WARNING);
    if (parse_options(&worker, argc, argv, &err) < 0) {
        fprintf(stderr, "muster-worker: %s\n", err.text);
        return EXIT_USAGE;
    }
    if (options.help || options.version) {
        print_help();
        return EXIT_GOOD;
    }
    return options.card >= 0 ? serve_card(&worker, &err)
                             : serve_host(&worker, original_argv, &err);
}

int main(int argc, char **argv)
{
    char **original_argv = xmemdup(argv, ((size_t)argc + 1) * sizeof(*argv));
    int result;

    fd_open_standard();
    mem_disable_trim();
    result = run_worker(argc, argv, original_argv);

    free(original_argv);
    return result;
}
