#include "worker/capture/inject_server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/capture/format/records.h"
#include "lib/shm/control_channel.h"
#include "lib/shm/rank_barrier.h"
#include "worker/capture/launch_decision.h"

enum {
    PROCESSES_MAX = 256, /* of one rank; shard numbers have 16 bits for them */
    MESSAGES_PER_TURN = 64,
    FLUSH_MS = 200,
    GONE_MS = 3000, /* longest wait for the end of a killed process */
};

struct process {
    struct inject_server *server;
    int channel; /* -1: the process has ended */
    int bell;
    uint32_t pid; /* from its HELLO */
    struct group_builder *builder;
};

struct inject_server {
    struct reactor *reactor;
    struct inject_server_options options;
    struct rank_barrier barrier;
    int listen_fd, operator_fd;
    struct process *processes[PROCESSES_MAX];
    uint32_t count;
    uint32_t started;     /* processes of this program start */
    uint32_t starts_left; /* program starts that follow */
    struct reactor_timer *flush, *deadline;
    bool finishing, finished;
    char plan_error[240];
};

static void close_fds(int fds[CONTROL_FDS_MAX])
{
    for (int i = 0; i < CONTROL_FDS_MAX; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static void disconnect(struct process *process)
{
    if (process->channel >= 0) {
        barrier_mark_process_ended(&process->server->barrier, process->pid);
        reactor_off_fd(process->server->reactor, process->channel);
        close(process->channel);
        process->channel = -1;
    }
    if (process->bell >= 0) {
        reactor_off_fd(process->server->reactor, process->bell);
        close(process->bell);
        process->bell = -1;
    }
}

static void finish_rings(void *arg)
{
    struct inject_server *server = arg;

    if (server->finished)
        return;
    server->finished = true;
    if (server->deadline)
        reactor_cancel(server->reactor, server->deadline);
    server->deadline = NULL;
    for (uint32_t i = 0; i < server->count; i++)
        if (server->starts_left > 0)
            group_builder_end_start(server->processes[i]->builder);
        else
            group_builder_end(server->processes[i]->builder);
    server->options.on_finished(server->options.arg);
}

static bool all_gone(const struct inject_server *server)
{
    for (uint32_t i = 0; i < server->count; i++)
        if (server->processes[i]->channel >= 0)
            return false;
    return true;
}

static void on_deadline(void *arg)
{
    struct inject_server *server = arg;

    server->deadline = NULL;
    finish_rings(server);
}

static void check_launches_wanted(struct inject_server *server)
{
    uint64_t launches = 0;

    if (server->options.launches_wanted == 0)
        return;
    for (uint32_t i = 0; i < server->count; i++)
        launches += group_builder_totals(server->processes[i]->builder)->launches;
    if (launches < server->options.launches_wanted)
        return;
    server->options.launches_wanted = 0;
    server->options.on_launches_measured(server->options.arg);
}

/* Reads the ring. Rings the bell itself when more records wait, so that the loop calls
 * this function again. */
static void serve_ring(void *arg)
{
    struct process *process = arg;
    uint64_t rung;

    if (process->bell >= 0 && read(process->bell, &rung, sizeof(rung)) < 0 &&
        errno != EAGAIN)
        return;
    for (int i = 0; i < 8; i++)
        if (!group_builder_drain(process->builder) &&
            group_builder_sleep(process->builder)) {
            check_launches_wanted(process->server);
            return;
        }
    if (process->bell >= 0) {
        rung = 1;
        if (write(process->bell, &rung, sizeof(rung)) < 0)
            return;
    }
}

static void answer_prepare(struct process *process,
                           const struct control_prepare *request,
                           int answer_to)
{
    struct inject_server *server = process->server;
    union control_message answer;
    struct err err;

    if (launch_decision_answer(server->options.decision, request, &answer, &err) < 0 &&
        !server->plan_error[0])
        snprintf(server->plan_error, sizeof(server->plan_error), "%s", err.text);
    control_send(answer_to, &answer, NULL,
                 0); /* a failure means that the process has ended */
}

static void on_channel(void *arg)
{
    struct process *process = arg;
    struct inject_server *server = process->server;
    union control_message message;
    int fds[CONTROL_FDS_MAX];

    for (int i = 0; i < MESSAGES_PER_TURN; i++) {
        ssize_t size = control_receive(process->channel, &message, fds);

        if (size < 0 && errno == EAGAIN)
            return;
        if (size <= 0) { /* the process has ended, but its ring still has records */
            serve_ring(process);
            disconnect(process);
            if (server->finishing && all_gone(server))
                finish_rings(server);
            return;
        }
        if (control_message_fits(&message, (size_t)size, CONTROL_PREPARE) &&
            fds[0] >= 0)
            answer_prepare(process, &message.prepare, fds[0]);
        close_fds(fds);
    }
}

static int make_ring(struct process *process,
                     const struct control_hello *hello,
                     uint32_t shard,
                     int *memory)
{
    const struct inject_server_options *options = &process->server->options;
    struct record_run_rank rank = *options->rank;
    struct ring ring;

    *memory = ring_memory(RING_BYTES, options->ring_lanes);
    process->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (*memory < 0 || process->bell < 0 ||
        ring_map(&ring, *memory, RING_BYTES, options->ring_lanes) < 0)
        return -1;
    if (process->builder) {
        group_builder_next_start(process->builder, &ring);
        return 0;
    }
    rank.pid = hello->pid;
    snprintf(rank.program, sizeof(rank.program), "%s", hello->program);
    process->builder = options->card_count > 0
                           ? group_builder_create_for_cards(
                                 &ring, &rank, shard, options->cards,
                                 options->card_count, options->on_group, options->arg)
                           : group_builder_create(&ring, &rank, shard,
                                                  options->on_group, options->arg);
    if (options->start_count > 0)
        group_builder_expect_starts(process->builder, options->start_count);
    return 0;
}

static bool send_config(struct process *process, int memory)
{
    const struct inject_server_options *options = &process->server->options;
    union control_message config;
    int fds[CONTROL_FDS_MAX] = {
        [CONFIG_RING] = memory,
        [CONFIG_RING_WAKE] = process->bell,
        [CONFIG_BARRIER] = options->barrier,
        [CONFIG_BARRIER_WAKE] = options->barrier_bell,
    };
    size_t count = options->barrier < 0 ? 2 : options->barrier_bell < 0 ? 3 : 4;

    control_message_init(&config, CONTROL_CONFIG);
    config.config.ring_bytes = RING_BYTES;
    config.config.ring_lanes = options->ring_lanes;
    config.config.rank = options->rank->rank;
    config.config.world = options->rank->world_size;
    config.config.start = options->start;
    if (options->ranges)
        config.config.flags |= CONTROL_RANGES;
    if (options->restore_off)
        config.config.flags |= CONTROL_RESTORE_OFF;
    return control_send(process->channel, &config, fds, count) == 0;
}

/* Returns the entry for a new process. The n-th process of a later start continues the
 * entry of the n-th process of the first start. */
static struct process *next_process(struct inject_server *server)
{
    struct process *process;

    if (server->started < server->count)
        return server->processes[server->started++];
    if (server->count >= PROCESSES_MAX)
        return NULL;
    process = xcalloc(1, sizeof(*process));
    process->server = server;
    process->channel = process->bell = -1;
    server->processes[server->count++] = process;
    server->started++;
    return process;
}

/* Accepts a process and takes ownership of the channel. */
static void accept_process(struct inject_server *server,
                           const struct control_hello *hello,
                           int channel)
{
    struct process *process = server->finished ? NULL : next_process(server);
    uint32_t shard =
        server->options.rank->rank << 16 | (server->started ? server->started - 1 : 0);
    int memory = -1;

    if (!process) {
        close(channel);
        return;
    }
    process->channel = channel;
    process->pid = hello->pid;
    if (make_ring(process, hello, shard, &memory) < 0 ||
        !send_config(process, memory)) {
        close(process->channel);
        process->channel = -1;
        if (process->bell >= 0)
            close(process->bell);
        process->bell = -1;
        if (!process->builder) { /* as if it had not sent HELLO */
            server->count--;
            server->started--;
            free(process);
        }
    } else {
        group_builder_sleep(process->builder);
        reactor_on_fd(server->reactor, process->channel, on_channel, process);
        reactor_on_fd(server->reactor, process->bell, serve_ring, process);
    }
    if (memory >= 0)
        close(memory);
}

static void on_listen(void *arg)
{
    struct inject_server *server = arg;
    union control_message message;
    int fds[CONTROL_FDS_MAX];

    for (int i = 0; i < MESSAGES_PER_TURN; i++) {
        ssize_t size = control_receive(server->listen_fd, &message, fds);

        if (size < 0 && errno == EAGAIN)
            return;
        if (size <= 0) { /* all copies of the other end are closed */
            reactor_off_fd(server->reactor, server->listen_fd);
            return;
        }
        if (control_message_fits(&message, (size_t)size, CONTROL_HELLO) &&
            fds[0] >= 0) {
            accept_process(server, &message.hello, fds[0]);
            fds[0] = -1;
        }
        close_fds(fds);
    }
}

static void flush_all(void *arg)
{
    struct inject_server *server = arg;

    for (uint32_t i = 0; i < server->count && !server->finished; i++) {
        serve_ring(server->processes[i]);
        group_builder_flush(server->processes[i]->builder);
    }
}

int inject_server_open(struct inject_server **out,
                       struct reactor *reactor,
                       const struct inject_server_options *options,
                       struct err *err)
{
    struct inject_server *server;
    int ends[2];

    if (control_pair(ends) < 0)
        return err_errno(err, "creating a socket for the operator");
    server = xcalloc(1, sizeof(*server));
    server->barrier.wake_fd = -1;
    if (options->barrier >= 0 &&
        barrier_map(&server->barrier, options->barrier, options->barrier_bell) < 0) {
        err_errno(err, "mapping the memory of the barrier");
        close(ends[0]);
        close(ends[1]);
        free(server);
        return -1;
    }
    server->reactor = reactor;
    server->options = *options;
    server->starts_left = options->start_count > 0 ? options->start_count - 1 : 0;
    server->listen_fd = ends[0];
    server->operator_fd = ends[1];
    server->flush = reactor_every(reactor, FLUSH_MS, flush_all, server);
    reactor_on_fd(reactor, server->listen_fd, on_listen, server);
    *out = server;
    return 0;
}

void inject_server_close(struct inject_server *server)
{
    if (!server)
        return;
    for (uint32_t i = 0; i < server->count; i++) {
        disconnect(server->processes[i]);
        group_builder_destroy(server->processes[i]->builder);
        free(server->processes[i]);
    }
    reactor_cancel(server->reactor, server->flush);
    if (server->deadline)
        reactor_cancel(server->reactor, server->deadline);
    reactor_off_fd(server->reactor, server->listen_fd);
    close(server->listen_fd);
    if (server->operator_fd >= 0)
        close(server->operator_fd);
    barrier_unmap(&server->barrier);
    free(server);
}

int inject_server_next_start(struct inject_server *server,
                             uint64_t start,
                             struct err *err)
{
    int ends[2];

    if (control_pair(ends) < 0)
        return err_errno(err, "creating a socket for the operator");
    for (uint32_t i = 0; i < server->count; i++)
        disconnect(server->processes[i]);
    reactor_off_fd(server->reactor, server->listen_fd);
    close(server->listen_fd);
    server->listen_fd = ends[0];
    server->operator_fd = ends[1];
    server->started = 0;
    server->finishing = server->finished = false;
    server->options.start = start;
    if (server->starts_left > 0)
        server->starts_left--;
    reactor_on_fd(server->reactor, server->listen_fd, on_listen, server);
    return 0;
}

int inject_server_operator_fd(const struct inject_server *server)
{
    return server->operator_fd;
}

void inject_server_variable(const struct inject_server *server, char out[64])
{
    struct stat is = {0};

    fstat(server->operator_fd, &is);
    snprintf(out, 64, CONTROL_ENV "=%d:%llu", server->operator_fd,
             (unsigned long long)is.st_ino);
}

void inject_server_close_operator_fd(struct inject_server *server)
{
    close(server->operator_fd);
    server->operator_fd = -1;
}

void inject_server_finish(struct inject_server *server)
{
    if (server->finishing)
        return;
    server->finishing = true;
    on_listen(server); /* reads a HELLO that was sent just before the end */
    if (all_gone(server))
        finish_rings(server);
    else
        server->deadline = reactor_once(server->reactor, GONE_MS, on_deadline, server);
}

static void add_totals(struct group_builder_totals *all,
                       const struct group_builder_totals *one)
{
    if (all->incomplete == 0 && one->incomplete > 0)
        snprintf(all->reason, sizeof(all->reason), "%.127s", one->reason);
    all->groups += one->groups;
    all->blocks += one->blocks;
    all->launches += one->launches;
    all->incomplete += one->incomplete;
    all->dropped += one->dropped;
    all->events += one->events;
    all->broken |= one->broken;
}

void inject_server_get_totals(const struct inject_server *server,
                              struct inject_server_totals *totals)
{
    memset(totals, 0, sizeof(*totals));
    totals->processes = server->count;
    for (uint32_t i = 0; i < server->count; i++)
        add_totals(&totals->all, group_builder_totals(server->processes[i]->builder));
    snprintf(totals->plan_error, sizeof(totals->plan_error), "%.239s",
             server->plan_error);
}
