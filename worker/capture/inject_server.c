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
    PROCESSES_MAX = 256, /* shards have 16 bits; this is what anybody starts */
    MESSAGES_A_TURN = 64,
    FLUSH_MS = 200,
    GONE_MS = 3000, /* what a killed process may need to be gone */
};

struct process {
    struct inject_server *rendezvous;
    int channel; /* -1: gone */
    int bell;
    uint32_t pid; /* as it says */
    struct group_builder *gather;
};

struct inject_server {
    struct reactor *reactor;
    struct inject_server_options options;
    struct rank_barrier meeting;
    int ours, theirs;
    struct process *processes[PROCESSES_MAX];
    uint32_t count;
    uint32_t seen; /* processes of this start */
    uint32_t left; /* starts to come */
    struct reactor_timer *flush, *deadline;
    bool finishing, finished;
    char refused[240];
};

static void close_fds(int fds[CONTROL_FDS_MAX])
{
    for (int i = 0; i < CONTROL_FDS_MAX; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static void process_hang_up(struct process *process)
{
    if (process->channel >= 0) {
        barrier_mark_process_ended(&process->rendezvous->meeting, process->pid);
        reactor_off_fd(process->rendezvous->reactor, process->channel);
        close(process->channel);
        process->channel = -1;
    }
    if (process->bell >= 0) {
        reactor_off_fd(process->rendezvous->reactor, process->bell);
        close(process->bell);
        process->bell = -1;
    }
}

static void gather_rest(void *arg)
{
    struct inject_server *rendezvous = arg;

    if (rendezvous->finished)
        return;
    rendezvous->finished = true;
    if (rendezvous->deadline)
        reactor_cancel(rendezvous->reactor, rendezvous->deadline);
    rendezvous->deadline = NULL;
    for (uint32_t i = 0; i < rendezvous->count; i++)
        if (rendezvous->left > 0)
            group_builder_pause(rendezvous->processes[i]->gather);
        else
            group_builder_end(rendezvous->processes[i]->gather);
    rendezvous->options.on_finished(rendezvous->options.arg);
}

static bool all_gone(const struct inject_server *rendezvous)
{
    for (uint32_t i = 0; i < rendezvous->count; i++)
        if (rendezvous->processes[i]->channel >= 0)
            return false;
    return true;
}

static void on_deadline(void *arg)
{
    struct inject_server *rendezvous = arg;

    rendezvous->deadline = NULL;
    gather_rest(rendezvous);
}

static void look_for_enough(struct inject_server *rendezvous)
{
    uint64_t launches = 0;

    if (rendezvous->options.enough == 0)
        return;
    for (uint32_t i = 0; i < rendezvous->count; i++)
        launches += group_builder_sums(rendezvous->processes[i]->gather)->launches;
    if (launches < rendezvous->options.enough)
        return;
    rendezvous->options.enough = 0;
    rendezvous->options.on_enough(rendezvous->options.arg);
}

/* Drains; keeps the loop awake while there is more. */
static void serve_ring(void *arg)
{
    struct process *process = arg;
    uint64_t rung;

    if (process->bell >= 0 && read(process->bell, &rung, sizeof(rung)) < 0 &&
        errno != EAGAIN)
        return;
    for (int i = 0; i < 8; i++)
        if (!group_builder_drain(process->gather) &&
            group_builder_sleep(process->gather)) {
            look_for_enough(process->rendezvous);
            return;
        }
    if (process->bell >= 0) { /* more is there: ring for ourselves */
        rung = 1;
        if (write(process->bell, &rung, sizeof(rung)) < 0)
            return;
    }
}

static void answer_prepare(struct process *process,
                           const struct control_prepare *asked,
                           int answer_to)
{
    struct inject_server *rendezvous = process->rendezvous;
    union control_message answer;
    struct err err;

    if (launch_decision_answer(rendezvous->options.decision, asked, &answer, &err) <
            0 &&
        !rendezvous->refused[0])
        snprintf(rendezvous->refused, sizeof(rendezvous->refused), "%s", err.text);
    control_send(answer_to, &answer, NULL, 0); /* who has gone needs no answer */
}

static void on_channel(void *arg)
{
    struct process *process = arg;
    struct inject_server *rendezvous = process->rendezvous;
    union control_message message;
    int fds[CONTROL_FDS_MAX];

    for (int i = 0; i < MESSAGES_A_TURN; i++) {
        ssize_t size = control_receive(process->channel, &message, fds);

        if (size < 0 && errno == EAGAIN)
            return;
        if (size <= 0) { /* it has gone; its ring has not */
            serve_ring(process);
            process_hang_up(process);
            if (rendezvous->finishing && all_gone(rendezvous))
                gather_rest(rendezvous);
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
    const struct inject_server_options *options = &process->rendezvous->options;
    struct record_run_rank rank = *options->rank;
    struct ring ring;

    *memory = ring_memory(RING_BYTES);
    process->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (*memory < 0 || process->bell < 0 || ring_map(&ring, *memory, RING_BYTES) < 0)
        return -1;
    if (process->gather) {
        group_builder_again(process->gather, &ring);
        return 0;
    }
    rank.pid = hello->pid;
    snprintf(rank.program, sizeof(rank.program), "%s", hello->program);
    process->gather = options->card_count > 0
                          ? group_builder_create_lanes(
                                &ring, &rank, shard, options->cards,
                                options->card_count, options->on_group, options->arg)
                          : group_builder_create(&ring, &rank, shard, options->on_group,
                                                 options->arg);
    if (options->starts > 0)
        group_builder_expect_starts(process->gather, options->starts);
    return 0;
}

static bool send_config(struct process *process, int memory)
{
    const struct inject_server_options *options = &process->rendezvous->options;
    union control_message config;
    int fds[CONTROL_FDS_MAX] = {
        [CONFIG_RING] = memory,
        [CONFIG_RING_WAKE] = process->bell,
        [CONFIG_BARRIER] = options->meeting,
        [CONFIG_BARRIER_WAKE] = options->meeting_bell,
    };
    size_t count = options->meeting < 0 ? 2 : options->meeting_bell < 0 ? 3 : 4;

    control_message_init(&config, CONTROL_CONFIG);
    config.config.ring_bytes = RING_BYTES;
    config.config.rank = options->rank->rank;
    config.config.world = options->rank->world_size;
    config.config.start = options->start;
    if (options->ranges)
        config.config.flags |= CONTROL_RANGES;
    if (options->restore_off)
        config.config.flags |= CONTROL_RESTORE_OFF;
    return control_send(process->channel, &config, fds, count) == 0;
}

/* The n-th process of a later start goes on as the n-th of the first one. */
static struct process *take_place(struct inject_server *rendezvous)
{
    struct process *process;

    if (rendezvous->seen < rendezvous->count)
        return rendezvous->processes[rendezvous->seen++];
    if (rendezvous->count >= PROCESSES_MAX)
        return NULL;
    process = xcalloc(1, sizeof(*process));
    process->rendezvous = rendezvous;
    process->channel = process->bell = -1;
    rendezvous->processes[rendezvous->count++] = process;
    rendezvous->seen++;
    return process;
}

/* Takes the channel. */
static void welcome(struct inject_server *rendezvous,
                    const struct control_hello *hello,
                    int channel)
{
    struct process *process = rendezvous->finished ? NULL : take_place(rendezvous);
    uint32_t shard = rendezvous->options.rank->rank << 16 |
                     (rendezvous->seen ? rendezvous->seen - 1 : 0);
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
        if (!process->gather) { /* as if it had never said anything */
            rendezvous->count--;
            rendezvous->seen--;
            free(process);
        }
    } else {
        group_builder_sleep(process->gather);
        reactor_on_fd(rendezvous->reactor, process->channel, on_channel, process);
        reactor_on_fd(rendezvous->reactor, process->bell, serve_ring, process);
    }
    if (memory >= 0)
        close(memory);
}

static void on_rendezvous(void *arg)
{
    struct inject_server *rendezvous = arg;
    union control_message message;
    int fds[CONTROL_FDS_MAX];

    for (int i = 0; i < MESSAGES_A_TURN; i++) {
        ssize_t size = control_receive(rendezvous->ours, &message, fds);

        if (size < 0 && errno == EAGAIN)
            return;
        if (size <= 0) { /* nobody has the other end any more */
            reactor_off_fd(rendezvous->reactor, rendezvous->ours);
            return;
        }
        if (control_message_fits(&message, (size_t)size, CONTROL_HELLO) &&
            fds[0] >= 0) {
            welcome(rendezvous, &message.hello, fds[0]);
            fds[0] = -1;
        }
        close_fds(fds);
    }
}

static void flush_all(void *arg)
{
    struct inject_server *rendezvous = arg;

    for (uint32_t i = 0; i < rendezvous->count && !rendezvous->finished; i++) {
        serve_ring(rendezvous->processes[i]);
        group_builder_flush(rendezvous->processes[i]->gather);
    }
}

int inject_server_open(struct inject_server **out,
                       struct reactor *reactor,
                       const struct inject_server_options *options,
                       struct err *err)
{
    struct inject_server *rendezvous;
    int ends[2];

    if (control_pair(ends) < 0)
        return err_errno(err, "a socket for the operator");
    rendezvous = xcalloc(1, sizeof(*rendezvous));
    rendezvous->meeting.wake_fd = -1;
    if (options->meeting >= 0 && barrier_map(&rendezvous->meeting, options->meeting,
                                             options->meeting_bell) < 0) {
        err_errno(err, "the page where ranks meet");
        close(ends[0]);
        close(ends[1]);
        free(rendezvous);
        return -1;
    }
    rendezvous->reactor = reactor;
    rendezvous->options = *options;
    rendezvous->left = options->starts > 0 ? options->starts - 1 : 0;
    rendezvous->ours = ends[0];
    rendezvous->theirs = ends[1];
    rendezvous->flush = reactor_every(reactor, FLUSH_MS, flush_all, rendezvous);
    reactor_on_fd(reactor, rendezvous->ours, on_rendezvous, rendezvous);
    *out = rendezvous;
    return 0;
}

void inject_server_close(struct inject_server *rendezvous)
{
    if (!rendezvous)
        return;
    for (uint32_t i = 0; i < rendezvous->count; i++) {
        process_hang_up(rendezvous->processes[i]);
        group_builder_destroy(rendezvous->processes[i]->gather);
        free(rendezvous->processes[i]);
    }
    reactor_cancel(rendezvous->reactor, rendezvous->flush);
    if (rendezvous->deadline)
        reactor_cancel(rendezvous->reactor, rendezvous->deadline);
    reactor_off_fd(rendezvous->reactor, rendezvous->ours);
    close(rendezvous->ours);
    if (rendezvous->theirs >= 0)
        close(rendezvous->theirs);
    barrier_unmap(&rendezvous->meeting);
    free(rendezvous);
}

int inject_server_again(struct inject_server *rendezvous,
                        uint64_t start,
                        struct err *err)
{
    int ends[2];

    if (control_pair(ends) < 0)
        return err_errno(err, "a socket for the operator");
    for (uint32_t i = 0; i < rendezvous->count; i++)
        process_hang_up(rendezvous->processes[i]);
    reactor_off_fd(rendezvous->reactor, rendezvous->ours);
    close(rendezvous->ours);
    rendezvous->ours = ends[0];
    rendezvous->theirs = ends[1];
    rendezvous->seen = 0;
    rendezvous->finishing = rendezvous->finished = false;
    rendezvous->options.start = start;
    if (rendezvous->left > 0)
        rendezvous->left--;
    reactor_on_fd(rendezvous->reactor, rendezvous->ours, on_rendezvous, rendezvous);
    return 0;
}

int inject_server_their_end(const struct inject_server *rendezvous)
{
    return rendezvous->theirs;
}

void inject_server_variable(const struct inject_server *rendezvous, char out[64])
{
    struct stat is = {0};

    fstat(rendezvous->theirs, &is);
    snprintf(out, 64, CONTROL_ENV "=%d:%llu", rendezvous->theirs,
             (unsigned long long)is.st_ino);
}

void inject_server_started(struct inject_server *rendezvous)
{
    close(rendezvous->theirs);
    rendezvous->theirs = -1;
}

void inject_server_finish(struct inject_server *rendezvous)
{
    if (rendezvous->finishing)
        return;
    rendezvous->finishing = true;
    on_rendezvous(rendezvous); /* who said HELLO just before its end */
    if (all_gone(rendezvous))
        gather_rest(rendezvous);
    else
        rendezvous->deadline =
            reactor_once(rendezvous->reactor, GONE_MS, on_deadline, rendezvous);
}

static void add_sums(struct group_builder_sums *all,
                     const struct group_builder_sums *one)
{
    if (all->incomplete == 0 && one->incomplete > 0)
        snprintf(all->reason, sizeof(all->reason), "%.127s", one->reason);
    all->groups += one->groups;
    all->blocks += one->blocks;
    all->launches += one->launches;
    all->incomplete += one->incomplete;
    all->dropped += one->dropped;
    all->broken |= one->broken;
}

void inject_server_sum(const struct inject_server *rendezvous,
                       struct inject_server_sums *sums)
{
    memset(sums, 0, sizeof(*sums));
    sums->processes = rendezvous->count;
    for (uint32_t i = 0; i < rendezvous->count; i++)
        add_sums(&sums->all, group_builder_sums(rendezvous->processes[i]->gather));
    snprintf(sums->refused, sizeof(sums->refused), "%.239s", rendezvous->refused);
}
