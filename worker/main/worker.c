#include "worker/main/worker.h"

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
#include "lib/base/reactor.h"
#include "lib/daemon/rank_outputs.h"
#include "lib/daemon/systemd_notify.h"
#include "lib/daemon/worker_settings.h"
#include "lib/wire/join_ticket.h"
#include "lib/wire/keys.h"
#include "worker/card/card.h"
#include "worker/card/card_health.h"
#include "worker/host/card_model.h"
#include "worker/host/card_serial.h"
#include "worker/host/host_address.h"
#include "worker/link/coordinator_link.h"
#include "worker/process/environment.h"
#include "worker/process/isolation.h"
#include "worker/process/run_as_user.h"
#include "worker/run/run.h"
#include "worker/spool/result_store.h"
#include "worker/spool/spool.h"

enum { IDLE_CHECK_MS = 250 };

struct worker {
    const struct worker_settings *settings;
    const struct join_ticket *ticket;
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
    char model[CARD_MODEL_BYTES], found_serial[CARD_SERIAL_BYTES];
    const char *serial; /* the setting, or what the driver reports */
    uint64_t busy_ms;   /* monotonic time at which the worker was last busy */
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
    if (clock_mono_ms() - worker->busy_ms < worker->settings->idle_ms)
        return;
    log_info("worker stopped: reason=idle idle_ms=%llu",
             (unsigned long long)worker->settings->idle_ms);
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
        rank_outputs_read(bytes, sizeof(bytes), &output.there, worker->settings->spool,
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

    if (read((int)worker->settings->parent_fd, bytes, sizeof(bytes)) <= 0)
        reactor_stop(worker->reactor);
}

static int open_keys(struct worker *worker, struct err *err)
{
    const struct worker_settings *settings = worker->settings;

    if (settings->ticket)
        return keys_open_ticket(&worker->keys, worker->ticket->server,
                                worker->ticket->secret, err);
    if (!settings->key && !settings->server_key)
        return 0;
    if (!settings->key || !settings->server_key)
        return err_set(err, ERR_INPUT,
                       "--key and --server-key need each other; pass both or none");
    return keys_open_client(&worker->keys, settings->key, settings->server_key, err);
}

static int open_link(struct worker *worker, struct err *err)
{
    const struct worker_settings *settings = worker->settings;
    const struct coordinator_link_options link_options = {
        .control = settings->control,
        .data = settings->data,
        .keys = worker->keys,
        .insecure = settings->insecure,
        .hello =
            {
                .protocol = MSG_PROTOCOL,
                .host = worker->host,
                .version = MUSTER_VERSION,
                .pid = (uint64_t)getpid(),
                .card = (uint64_t)settings->card,
                .model = worker->model,
                .serial = worker->serial,
                .simulated = settings->simulated,
                .address = worker->address,
                .allocation = getenv("MUSTER_ALLOCATION"),
                .card_address = worker->card_address,
                .net_switch = settings->net_switch,
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
    const struct worker_settings *settings = worker->settings;
    char parts[PATH_MAX], library[PATH_MAX + 32];
    struct err ignored;
    bool known =
        settings->simulated && file_parts_folder(parts, sizeof(parts), &ignored) == 0;

    if (known)
        snprintf(library, sizeof(library), "%s/sim/lib64/libdcmi.so", parts);
    worker->health =
        card_health_create(known ? library : NULL, (uint32_t)settings->card);
}

/* Creates the isolation of operators. A requested limit that cannot be set ends the
 * worker; for the value `auto` a missing group or processor list is only a warning. */
static int open_isolation(struct worker *worker, struct err *err)
{
    const struct worker_settings *settings = worker->settings;
    char cgroup[PATH_MAX], cpus[256];
    struct isolation_options isolation = {.limits = settings->limits,
                                          .cpus = settings->cpus,
                                          .cgroup = settings->cgroup,
                                          .card = (uint64_t)settings->card};

    if (settings->env_allow)
        environment_restrict(settings->env_allow);
    if (strcmp(isolation.cpus, "auto") == 0) {
        isolation.cpus = cpus;
        if (!card_health_near_cpus(worker->health, "/sys", cpus, sizeof(cpus)))
            log_warning("processors near the card unknown: card=%lld action=use_all",
                        (long long)settings->card);
    }
    if (strcmp(isolation.cgroup, "auto") == 0) {
        isolation.cgroup = cgroup;
        isolation_own_cgroup(cgroup, sizeof(cgroup));
        if (!cgroup[0])
            log_warning("control group not writable: action=run_without");
    }
    return isolation_open(&worker->isolation, &isolation, err);
}

/* Opens what the worker needs before it can run operators. */
static int open_parts(struct worker *worker, struct err *err)
{
    const struct worker_settings *settings = worker->settings;

    open_health(worker);
    if (open_keys(worker, err) < 0 || open_isolation(worker, err) < 0 ||
        spool_open(&worker->spool, settings->spool, err) < 0 ||
        result_store_open(&worker->results, settings->spool, err) < 0)
        return -1;
    spool_set_limit(worker->spool, settings->spool_limit);
    return settings->as_submitter ? run_as_user_allow_passage(settings->spool, err) : 0;
}

static int watch_events(struct worker *worker, struct err *err)
{
    const struct worker_settings *settings = worker->settings;

    if (reactor_on_signal(worker->reactor, SIGCHLD, on_child, worker, err) < 0 ||
        reactor_on_signal(worker->reactor, SIGTERM, on_stop_signal, worker, err) < 0 ||
        reactor_on_signal(worker->reactor, SIGINT, on_stop_signal, worker, err) < 0)
        return -1;
    if (settings->parent_fd >= 0)
        reactor_on_fd(worker->reactor, (int)settings->parent_fd, on_parent, worker);
    if (settings->idle_ms) {
        worker->busy_ms = clock_mono_ms();
        reactor_every(worker->reactor, IDLE_CHECK_MS, on_idle_check, worker);
    }
    reactor_before_sleep(worker->reactor, before_sleep, worker);
    return 0;
}

static void create_card(struct worker *worker)
{
    const struct worker_settings *settings = worker->settings;
    const struct run_options run = {
        .host = worker->host,
        .model = worker->model,
        .serial = worker->serial,
        .card = (uint64_t)settings->card,
        .simulated = settings->simulated,
        .restore_off = settings->no_restore,
        .as_submitter = settings->as_submitter,
        .spool_folder = settings->spool,
        .isolation = worker->isolation,
        .send_group = send_group,
        .send_results = send_results,
        .card_has_fault = has_fault,
        .send_message = send_message,
        .arg = worker,
    };

    worker->run = run_create(worker->reactor, worker->spool, worker->results, &run);
    worker->card = card_create(&(struct card_options){.reactor = worker->reactor,
                                                      .run = worker->run,
                                                      .results = worker->results,
                                                      .health = worker->health,
                                                      .once = settings->once,
                                                      .send_message = send_message,
                                                      .arg = worker});
}

static int serve(struct worker *worker, struct err *err)
{
    int result;

    if (open_parts(worker, err) < 0 || watch_events(worker, err) < 0)
        return -1;
    create_card(worker);
    if (open_link(worker, err) < 0)
        return -1;
    log_info("worker started: host=%s card=%lld", worker->host,
             (long long)worker->settings->card);
    systemd_notify_watchdog(worker->reactor);
    systemd_notify("READY=1"); /* also without a coordinator: the link connects later */
    result = reactor_run(worker->reactor, err);
    systemd_notify("STOPPING=1");
    return result;
}

/* Returns true when --remove-spool is set and the spool holds nothing. */
static bool spool_is_removable(const struct worker *worker)
{
    return worker->settings->remove_spool && worker->run && run_is_idle(worker->run) &&
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
    if (removable && folder_remove(worker->settings->spool, &err) < 0)
        log_warning("spool not removed: path=%s reason=%s", worker->settings->spool,
                    err.text);
    keys_close(worker->keys);
    reactor_destroy(worker->reactor);
}

static void find_addresses(struct worker *worker)
{
    if (worker->settings->host[0])
        snprintf(worker->host, sizeof(worker->host), "%s", worker->settings->host);
    else if (gethostname(worker->host, sizeof(worker->host) - 1) < 0)
        strcpy(worker->host, "localhost");
    if (!worker->settings->simulated)
        host_address_of_card(worker->card_address, sizeof(worker->card_address),
                             "/etc/hccn.conf", (uint64_t)worker->settings->card);
    if (worker->settings->address[0])
        snprintf(worker->address, sizeof(worker->address), "%s",
                 worker->settings->address);
    else
        host_address_find(worker->address, sizeof(worker->address),
                          worker->settings->control);
}

/* The coordinator compares the model with cards.soc of a job. */
static void find_model(struct worker *worker, const char *folder)
{
    const struct worker_settings *settings = worker->settings;
    struct err err;

    if (settings->model[0])
        snprintf(worker->model, sizeof(worker->model), "%s", settings->model);
    else if (card_model_find(worker->model, folder, (uint32_t)settings->card, &err) < 0)
        log_warning("model of the card not found: card=%lld reason=\"%s\"",
                    (long long)settings->card, err.text);
}

/* Comparisons recognise a card by its serial number after it moved to another slot. */
static void find_serial(struct worker *worker, const char *folder)
{
    const struct worker_settings *settings = worker->settings;

    worker->serial = settings->serial;
    if (!worker->serial[0] &&
        card_serial_find(worker->found_serial, folder, (uint32_t)settings->card))
        worker->serial = worker->found_serial;
}

static void find_card(struct worker *worker)
{
    char parts[PATH_MAX], *folder = NULL;
    struct err err;

    if (worker->settings->simulated) {
        bool found = file_parts_folder(parts, sizeof(parts), &err) == 0;

        folder = xasprintf("%s/sim/lib64", found ? parts : "");
    }
    find_model(worker, folder);
    find_serial(worker, folder);
    free(folder);
}

int worker_serve(const struct worker_settings *settings,
                 const struct join_ticket *ticket,
                 struct err *err)
{
    struct worker worker = {
        .settings = settings, .ticket = ticket, .reactor = reactor_create()};
    int result;

    find_addresses(&worker);
    find_card(&worker);
    result = serve(&worker, err);
    end(&worker);
    return result;
}
