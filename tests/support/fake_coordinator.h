/* fake_coordinator.h - starts a real worker; the test is its coordinator */
#ifndef TESTS_SUPPORT_FAKE_COORDINATOR_H
#define TESTS_SUPPORT_FAKE_COORDINATOR_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/capture/capture_reader.h"
#include "lib/capture/format/records.h"
#include "lib/wire/link.h"
#include "tests/support/unit.h"

enum { TIMEOUT_MS = 20000, ACKED_MAX = 64 };

extern char **environ;

static const char *worker_path,
    *operator_path; /* paths of the programs, set by main() */
static char folder[64], control_name[128], data_name[128];
static struct link_hub *hub;
static struct link *control, *data;
static struct peer worker_peer;
static pid_t worker;
static int parent_pipe[2];
static uint64_t heartbeat_ms;
static bool has_hello; /* to the coordinator that is open now */

/* Counts of the groups that were received for the rank. */
static struct {
    unsigned groups, launches, ranks, first_is_rank;
    uint64_t bytes;
    bool acknowledges;
    bool ignores_data;   /* do not read data messages */
    const char *program; /* expected in run.rank */
    unsigned char seen[ACKED_MAX];
} received;

static inline void open_coordinator(void)
{
    struct link_options options = {.endpoint = control_name, .kind = LINK_CONTROL};
    struct err err;

    has_hello = false;
    assert_int_equal(link_server_open(&control, hub, &options, &err), 0);
    options.endpoint = data_name;
    options.kind = LINK_DATA;
    assert_int_equal(link_server_open(&data, hub, &options, &err), 0);
}

static inline void close_coordinator(void)
{
    link_close(control);
    link_close(data);
    control = data = NULL;
}

static const char *spool_limit = "0";
static bool remove_spool;

static inline void start_worker(void)
{
    char spool[128], fd[16];
    const char *const argv[] = {
        worker_path,
        "--control",
        control_name,
        "--data",
        data_name,
        "--card",
        "0",
        "--model",
        "Ascend910B1",
        "--spool",
        spool,
        "--parent-fd",
        fd,
        "--simulated",
        "--spool-limit",
        spool_limit,
        remove_spool ? "--remove-spool" : NULL,
        NULL,
    };

    snprintf(spool, sizeof(spool), "%s/spool", folder);
    snprintf(fd, sizeof(fd), "%d", parent_pipe[0]);
    assert_int_equal(
        posix_spawn(&worker, worker_path, NULL, NULL, (char *const *)argv, environ), 0);
}

static inline void kill_worker(int signal)
{
    int status;

    if (worker <= 0)
        return;
    kill(worker, signal);
    while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
        continue;
    worker = 0;
}

static inline int set_up(void **ctx)
{
    (void)ctx;
    strcpy(folder, "/tmp/muster-worker-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(control_name, sizeof(control_name), "ipc://%s/control", folder);
    snprintf(data_name, sizeof(data_name), "ipc://%s/data", folder);
    memset(&received, 0, sizeof(received));
    received.acknowledges = true;
    received.program = "fake_operator";
    heartbeat_ms = 50;
    assert_int_equal(pipe(parent_pipe), 0);
    fcntl(parent_pipe[1], F_SETFD, FD_CLOEXEC);
    hub = link_hub_create();
    open_coordinator();
    start_worker();
    return 0;
}

static inline int tear_down(void **ctx)
{
    struct err err;

    (void)ctx;
    kill_worker(SIGKILL);
    close_coordinator();
    link_hub_destroy(hub);
    close(parent_pipe[0]);
    if (parent_pipe[1] >= 0)
        close(parent_pipe[1]);
    return folder_remove(folder, &err);
}

static inline void check_group(const void *bytes, size_t size)
{
    struct capture_reader *reader = capture_reader_create(bytes, size);
    struct capture_block block;

    for (size_t i = 0; capture_reader_next(reader, &block); i++) {
        assert_true(block.verified);
        if (strcmp(block.type, "run.rank") == 0) {
            struct record_run_rank rank;

            memcpy(&rank, block.payload, sizeof(rank));
            assert_string_equal(rank.job, "test job");
            assert_non_null(strstr(rank.program, received.program));
            assert_string_equal(rank.card_model, "Ascend910B1");
            received.ranks += block.records;
            received.first_is_rank = received.groups == 0 && i == 0;
        }
        if (strcmp(block.type, "launch") == 0)
            received.launches += block.records;
    }
    capture_reader_destroy(reader);
}

static inline void store_group(const struct msg_group *group)
{
    size_t size = group->data.size;
    void *raw;

    if (group->number < ACKED_MAX && received.seen[group->number]++)
        return; /* sent again before the acknowledgement arrived */
    raw = xmalloc(group->raw_bytes);
    if (group->zstd)
        size = ZSTD_decompress(raw, group->raw_bytes, group->data.data, size);
    else
        memcpy(raw, group->data.data, size);
    assert_int_equal(size, group->raw_bytes);
    check_group(raw, size);
    received.bytes += size;
    received.groups++;
    free(raw);
}

static inline void receive_groups(void)
{
    struct incoming in;
    struct err err;

    while (data && !received.ignores_data && link_receive(data, &in, &err) == 0 &&
           in.kind) {
        const struct msg_group *group = &in.message.group;
        struct msg_group_ack ack = {group->run_id, group->shard, group->number};

        if (!received.acknowledges || in.kind->type != MSG_GROUP)
            continue;
        store_group(group);
        link_send(data, &in.peer, MSG_GROUP_ACK, &ack, &err);
    }
}

/* Receives the next message of this type; hellos and heartbeats are answered, others
 * are dropped. */
static inline void receive(enum message_type type, struct incoming *in)
{
    uint64_t deadline = clock_mono_ms() + TIMEOUT_MS;
    struct msg_welcome welcome = {
        .protocol = MSG_PROTOCOL, .heartbeat_ms = heartbeat_ms, .store_id = "test"};
    struct err err;

    while (clock_mono_ms() < deadline) {
        receive_groups();
        if (link_wait_receive(control, in, 10, &err) < 0 || !in->kind)
            continue;
        if (in->kind->type == MSG_HEARTBEAT && has_hello)
            link_send(control, &in->peer, MSG_HEARTBEAT_REPLY,
                      &(struct msg_heartbeat_reply){in->message.heartbeat.run_id},
                      &err);
        if (in->kind->type == MSG_WORKER_HELLO) {
            worker_peer = in->peer;
            has_hello = true;
            link_send(control, &in->peer, MSG_WELCOME, &welcome, &err);
        }
        if (in->kind->type == type)
            return;
    }
    fail_msg("no message of type %d arrived", type);
}

/* Receives the hello of the running worker and skips those of killed workers. */
static inline void receive_hello(struct incoming *in)
{
    do
        receive(MSG_WORKER_HELLO, in);
    while (in->message.worker_hello.pid != (uint64_t)worker);
    assert_int_equal(in->message.worker_hello.card, 0);
    assert_string_equal(in->message.worker_hello.model, "Ascend910B1");
}

static bool unmeasured; /* the next leases have no metrics */

static inline void
send_lease_with(uint64_t run_id, uint64_t limit_ms, const char *const *command)
{
    static const char *const metrics[] = {"Default"};
    struct msg_lease lease = {
        .metrics = {.items = metrics, .count = !unmeasured},
        .run_id = run_id,
        .job_id = 1,
        .job_name = "test job",
        .attempt = 1,
        .world_size = 1,
        .time_limit_ms = limit_ms,
        .cwd = folder,
        .kernel = "",
        .point_text = "m=1",
        .command = {.items = command},
    };
    struct err err;

    while (command[lease.command.count])
        lease.command.count++;
    assert_int_equal(link_send(control, &worker_peer, MSG_LEASE, &lease, &err), 0);
}

static inline void send_lease(uint64_t run_id, const char *launches, const char *end)
{
    send_lease_with(run_id, 0,
                    (const char *const[]){operator_path, launches, end, NULL});
}

static inline void
receive_result(struct incoming *in, uint64_t run_id, const char *status)
{
    struct msg_result_ack ack = {.run_id = run_id};
    struct err err;

    do
        receive(MSG_RANK_RESULT, in);
    while (in->message.rank_result.run_id != run_id);
    assert_string_equal(in->message.rank_result.status, status);
    assert_int_equal(link_send(control, &worker_peer, MSG_RESULT_ACK, &ack, &err), 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

#endif
