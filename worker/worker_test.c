/* worker_test.c - a whole worker, and a coordinator that only the test is */
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

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "capture/reader.h"
#include "capture/records.h"
#include "tests/support/unit.h"
#include "wire/link.h"
#include "worker/lease_line.h"

enum { PATIENCE_MS = 20000, ACKED_MAX = 64 };

extern char **environ;

static char folder[64], control_name[128], data_name[128];
static struct link_hub *hub;
static struct link *control, *data;
static struct peer worker_peer;
static pid_t worker;
static int parent_pipe[2];
static uint64_t heartbeat_ms;
static bool said_hello; /* to the coordinator that is open; it knows nobody else */

/* What was gathered of the groups of the run. */
static struct {
    unsigned groups, launches, ranks, first_is_rank;
    uint64_t bytes;
    bool acking;
    bool deaf;           /* to data */
    const char *program; /* whose records they are */
    unsigned char seen[ACKED_MAX];
} got;

static void open_coordinator(void)
{
    struct link_options options = {.endpoint = control_name, .kind = LINK_CONTROL};
    struct err err;

    said_hello = false;
    assert_int_equal(link_server_open(&control, hub, &options, &err), 0);
    options.endpoint = data_name;
    options.kind = LINK_DATA;
    assert_int_equal(link_server_open(&data, hub, &options, &err), 0);
}

static void close_coordinator(void)
{
    link_close(control);
    link_close(data);
    control = data = NULL;
}

static const char *spool_limit = "0";
static bool spool_goes;

static void start_worker(void)
{
    char spool[128], fd[16];
    const char *const argv[] = {
        WORKER,
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
        spool_goes ? "--spool-goes" : NULL,
        NULL,
    };

    snprintf(spool, sizeof(spool), "%s/spool", folder);
    snprintf(fd, sizeof(fd), "%d", parent_pipe[0]);
    assert_int_equal(
        posix_spawn(&worker, WORKER, NULL, NULL, (char *const *)argv, environ), 0);
}

static void kill_worker(int signal)
{
    int status;

    if (worker <= 0)
        return;
    kill(worker, signal);
    while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
        continue;
    worker = 0;
}

static int set_up(void **ctx)
{
    (void)ctx;
    strcpy(folder, "/tmp/muster-worker-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(control_name, sizeof(control_name), "ipc://%s/control", folder);
    snprintf(data_name, sizeof(data_name), "ipc://%s/data", folder);
    memset(&got, 0, sizeof(got));
    got.acking = true;
    got.program = "pretend";
    heartbeat_ms = 50;
    assert_int_equal(pipe(parent_pipe), 0);
    fcntl(parent_pipe[1], F_SETFD, FD_CLOEXEC);
    hub = link_hub_create();
    open_coordinator();
    start_worker();
    return 0;
}

static int tear_down(void **ctx)
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

static void look_into(const void *bytes, size_t size)
{
    struct capture_reader *reader = capture_reader_create(bytes, size);
    struct capture_block block;

    for (size_t i = 0; capture_reader_next(reader, &block); i++) {
        assert_true(block.verified);
        if (strcmp(block.type, "run.rank") == 0) {
            struct record_run_rank rank;

            memcpy(&rank, block.payload, sizeof(rank));
            assert_string_equal(rank.job, "test job");
            assert_non_null(strstr(rank.program, got.program));
            assert_string_equal(rank.card_model, "Ascend910B1");
            got.ranks += block.records;
            got.first_is_rank = got.groups == 0 && i == 0;
        }
        if (strcmp(block.type, "launch") == 0)
            got.launches += block.records;
    }
    capture_reader_destroy(reader);
}

static void take_group(const struct msg_group *group)
{
    size_t size = group->data.size;
    void *raw;

    if (group->number < ACKED_MAX && got.seen[group->number]++)
        return; /* sent again, since our ack crossed it */
    raw = xmalloc(group->raw_bytes);
    if (group->zstd)
        size = ZSTD_decompress(raw, group->raw_bytes, group->data.data, size);
    else
        memcpy(raw, group->data.data, size);
    assert_int_equal(size, group->raw_bytes);
    look_into(raw, size);
    got.bytes += size;
    got.groups++;
    free(raw);
}

static void take_data(void)
{
    struct incoming in;
    struct err err;

    while (data && !got.deaf && link_receive(data, &in, &err) == 0 && in.kind) {
        const struct msg_group *group = &in.message.group;
        struct msg_group_ack ack = {group->run_id, group->shard, group->number};

        if (!got.acking || in.kind->type != MSG_GROUP)
            continue;
        take_group(group);
        link_send(data, &in.peer, MSG_GROUP_ACK, &ack, &err);
    }
}

/* The next message of this type; others are answered or passed over. */
static void hear(enum message_type type, struct incoming *in)
{
    uint64_t deadline = clock_mono_ms() + PATIENCE_MS;
    struct msg_welcome welcome = {MSG_PROTOCOL, heartbeat_ms, "test"};
    struct err err;

    while (clock_mono_ms() < deadline) {
        take_data();
        if (link_wait_receive(control, in, 10, &err) < 0 || !in->kind)
            continue;
        if (in->kind->type == MSG_HEARTBEAT && said_hello)
            link_send(control, &in->peer, MSG_HEARTBEAT_REPLY,
                      &(struct msg_heartbeat_reply){in->message.heartbeat.run_id},
                      &err);
        if (in->kind->type == MSG_WORKER_HELLO) {
            worker_peer = in->peer;
            said_hello = true;
            link_send(control, &in->peer, MSG_WELCOME, &welcome, &err);
        }
        if (in->kind->type == type)
            return;
    }
    fail_msg("nothing of type %d came", type);
}

/* One that was killed may have said hello once more, and that is heard now. */
static void hear_hello(struct incoming *in)
{
    do
        hear(MSG_WORKER_HELLO, in);
    while (in->message.worker_hello.pid != (uint64_t)worker);
    assert_int_equal(in->message.worker_hello.card, 0);
    assert_string_equal(in->message.worker_hello.model, "Ascend910B1");
}

static bool unmeasured; /* the next lease has no metrics */

static void lease_with(uint64_t run_id, uint64_t limit_ms, const char *const *command)
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

static void lease(uint64_t run_id, const char *launches, const char *end)
{
    lease_with(run_id, 0, (const char *const[]){PRETEND, launches, end, NULL});
}

static void hear_result(struct incoming *in, uint64_t run_id, const char *status)
{
    struct msg_result_ack ack = {.run_id = run_id};
    struct err err;

    do
        hear(MSG_RANK_RESULT, in);
    while (in->message.rank_result.run_id != run_id);
    assert_string_equal(in->message.rank_result.status, status);
    assert_int_equal(link_send(control, &worker_peer, MSG_RESULT_ACK, &ack, &err), 0);
}

static void a_run_comes_home_whole_and_the_next_may_come(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    assert_int_equal(in.message.worker_hello.held_runs.count, 0);
    lease(7, "20", "");
    hear(MSG_LEASE_TAKEN, &in);
    assert_int_equal(in.message.lease_taken.run_id, 7);
    hear_result(&in, 7, "done");
    assert_true(in.message.rank_result.injected);
    assert_int_equal(in.message.rank_result.launches, 20);
    assert_int_equal(in.message.rank_result.groups, got.groups);
    assert_int_equal(got.launches, 20);
    assert_int_equal(got.ranks, 1);
    assert_true(got.first_is_rank);
    assert_true(got.groups > 1);

    lease(8, "1", "");
    hear_result(&in, 8, "done");
}

static void a_program_of_the_simulated_card_is_measured(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    got.program = "add_custom";
    lease_with(7, 0, (const char *const[]){"sim/bin/add_custom", NULL});
    hear_result(&in, 7, "done");
    assert_int_equal(in.message.rank_result.launches, 1);
    assert_int_equal(got.launches, 1);
}

static void a_program_without_an_npu_is_not_injected(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease_with(7, 0, (const char *const[]){"true", NULL});
    hear_result(&in, 7, "not-injected");
    assert_false(in.message.rank_result.injected);
}

static void a_lease_without_metrics_only_runs(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    unmeasured = true;
    lease_with(7, 0, (const char *const[]){"sim/bin/add_custom", NULL});
    hear_result(&in, 7, "done");
    assert_false(in.message.rank_result.injected);
    assert_int_equal(in.message.rank_result.launches, 0);
    unmeasured = false;
}

static void a_failure_is_told_with_the_last_words(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease(7, "1", "fail");
    hear_result(&in, 7, "failed");
    assert_int_equal(in.message.rank_result.exit_code, 5);
    assert_non_null(strstr(in.message.rank_result.reason, "these are the last words"));
    lease(8, "1", "crash");
    hear_result(&in, 8, "failed");
    assert_int_equal(in.message.rank_result.signal, SIGSEGV);
}

static void no_program_is_a_result_too(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease_with(7, 0, (const char *const[]){"./none", NULL});
    hear_result(&in, 7, "not-started");
    assert_non_null(strstr(in.message.rank_result.reason, "./none"));
}

static void the_time_limit_ends_it_and_keeps_what_it_made(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease_with(7, 300, (const char *const[]){PRETEND, "3", "hang", NULL});
    hear_result(&in, 7, "timeout");
    assert_int_equal(got.launches, 3);
}

static void tell_to_stop(uint64_t run_id, bool only_waiting)
{
    struct msg_stop_rank stop = {
        .run_id = run_id, .reason = "the user said so", .only_waiting = only_waiting};
    struct err err;

    assert_int_equal(link_send(control, &worker_peer, MSG_STOP_RANK, &stop, &err), 0);
}

static void leases_wait_in_line_and_one_too_many_is_refused(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease(7, "1", "hang");
    hear(MSG_LEASE_TAKEN, &in);
    lease(8, "1", "");
    for (uint64_t id = 100; id < 100 + LEASE_LINE_MAX; id++)
        lease(id, "1", "");
    hear(MSG_LEASE_REFUSED, &in);
    assert_int_equal(in.message.lease_refused.run_id, 99 + LEASE_LINE_MAX);
    assert_non_null(strstr(in.message.lease_refused.reason, "busy"));
    lease(8, "1", "");     /* said again: it waits already */
    lease(7, "1", "hang"); /* said again: it is taken already */
    hear(MSG_LEASE_TAKEN, &in);
    assert_int_equal(in.message.lease_taken.run_id, 7);
    for (uint64_t id = 99 + LEASE_LINE_MAX - 1; id > 100; id--) {
        tell_to_stop(id, true);
        hear(MSG_LEASE_REFUSED, &in);
        assert_int_equal(in.message.lease_refused.run_id, id);
    }
    tell_to_stop(7, false);
    hear_result(&in, 7, "cancelled");
    assert_string_equal(in.message.rank_result.reason, "the user said so");
    hear_result(&in, 8, "done");
    hear_result(&in, 100, "done");
}

static void what_waits_begins_before_the_last_result_is_acked(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease(7, "1", "");
    lease(8, "1", "");
    hear(MSG_LEASE_TAKEN, &in);
    assert_int_equal(in.message.lease_taken.run_id, 7);
    do
        hear(MSG_LEASE_TAKEN, &in);
    while (in.message.lease_taken.run_id != 8);
    hear_result(&in, 8, "done"); /* 7 is told again until it is acked, too */
    hear_result(&in, 7, "done");
}

static void what_only_waits_is_given_back_when_asked(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease(7, "1", "hang");
    lease(8, "1", "");
    hear(MSG_LEASE_TAKEN, &in);
    tell_to_stop(7, true); /* has begun: goes on */
    tell_to_stop(8, true);
    hear(MSG_LEASE_REFUSED, &in);
    assert_int_equal(in.message.lease_refused.run_id, 8);
    tell_to_stop(8, true); /* not here: nothing is said */
    tell_to_stop(7, false);
    hear_result(&in, 7, "cancelled");
}

static void a_coordinator_that_was_away_gets_everything(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    got.acking = false;
    lease(7, "20", "");
    hear(MSG_LEASE_TAKEN, &in);
    close_coordinator();
    open_coordinator();
    got.acking = true;
    hear_hello(&in);
    assert_int_equal(in.message.worker_hello.held_runs.count, 1);
    assert_int_equal(in.message.worker_hello.held_runs.items[0], 7);
    hear_result(&in, 7, "done");
    assert_int_equal(got.launches, 20);
}

static void a_full_spool_stops_the_program_and_drops_nothing(void **ctx)
{
    struct incoming in;

    (void)ctx;
    kill_worker(SIGKILL);
    spool_limit = "1";
    start_worker();
    spool_limit = "0";
    hear_hello(&in);
    got.acking = false;
    lease(7, "20", "hang"); /* it would never end by itself */
    hear(MSG_LEASE_TAKEN, &in);
    for (int i = 0; i < 3; i++)
        hear(MSG_HEARTBEAT, &in);
    got.acking = true;
    hear_result(&in, 7, "failed");
    assert_non_null(strstr(in.message.rank_result.reason, "the spool is full"));
    assert_int_equal(in.message.rank_result.groups, got.groups);
    assert_int_equal(in.message.rank_result.launches, got.launches);
    assert_true(got.launches > 0);
}

static void a_coordinator_deaf_to_data_hears_heartbeats(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    got.deaf = true; /* groups stay in its socket, and then in the worker's */
    lease(7, "200", "");
    for (int i = 0; i < 10; i++) {
        hear(MSG_HEARTBEAT, &in);
        assert_true(in.message.heartbeat.run_id == 7 ||
                    in.message.heartbeat.run_id == 0);
    }
    assert_int_equal(got.groups, 0);
    got.deaf = false;
    hear_result(&in, 7, "done");
    assert_int_equal(in.message.rank_result.groups, got.groups);
    assert_int_equal(got.launches, 200);
}

static void who_is_not_known_says_hello_at_once(void **ctx)
{
    const struct msg_refused who = {refusal_word(ERR_NOT_FOUND), "say hello first"};
    struct incoming in;
    struct err err;

    (void)ctx;
    heartbeat_ms = 600000; /* so that it is not for silence */
    hear_hello(&in);
    lease(7, "1", "hang");
    hear(MSG_LEASE_TAKEN, &in);
    assert_int_equal(link_send(control, &worker_peer, MSG_REFUSED, &who, &err), 0);
    do
        hear_hello(&in);
    while (in.message.worker_hello.held_runs.count == 0);
    assert_int_equal(in.message.worker_hello.held_runs.items[0], 7);
}

static void wait_for_group_on_disk(void)
{
    char path[200];

    snprintf(path, sizeof(path), "%s/spool/results/7-0", folder);
    for (uint64_t end = clock_mono_ms() + PATIENCE_MS; clock_mono_ms() < end;) {
        take_data();
        if (file_exists(path))
            return;
        usleep(1000);
    }
    fail_msg("no result was spooled");
}

static void a_worker_that_was_killed_goes_on_from_its_spool(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    got.acking = false;
    lease(7, "20", "");
    hear(MSG_LEASE_TAKEN, &in);
    wait_for_group_on_disk();
    kill_worker(SIGKILL);
    got.acking = true;
    start_worker();
    do
        hear_hello(&in);
    while (in.message.worker_hello.held_runs.count == 0);
    assert_int_equal(in.message.worker_hello.held_runs.items[0], 7);
    hear_result(&in, 7, "done");
    assert_int_equal(got.launches, 20);
    lease(8, "1", "");
    hear_result(&in, 8, "done");
}

static void a_run_whose_worker_was_killed_is_not_held(void **ctx)
{
    struct incoming in;

    (void)ctx;
    hear_hello(&in);
    lease(7, "1", "hang");
    hear(MSG_LEASE_TAKEN, &in);
    kill_worker(SIGKILL);
    start_worker();
    hear_hello(&in);
    if (in.message.worker_hello.held_runs.count == 0)
        return;
    /* it had made a group already: that comes, and that the rest is lost */
    assert_int_equal(in.message.worker_hello.held_runs.count, 1);
    assert_int_equal(in.message.worker_hello.held_runs.items[0], 7);
    hear_result(&in, 7, "lost");
}

static bool spool_is_there(void)
{
    char spool[128];

    snprintf(spool, sizeof(spool), "%s/spool", folder);
    return file_exists(spool);
}

static void a_spool_goes_only_when_all_is_home(void **ctx)
{
    const char *const command[] = {"true", NULL};
    const struct msg_stop_rank stop = {.run_id = 99, .reason = ""};
    struct incoming in;
    struct err err;

    (void)ctx;
    hear_hello(&in);
    kill_worker(SIGTERM);
    assert_true(spool_is_there()); /* nobody has asked for it */
    spool_goes = true;
    start_worker();
    hear_hello(&in);
    unmeasured = true;
    lease_with(7, 0, command);
    hear(MSG_RANK_RESULT, &in);
    kill_worker(SIGTERM); /* the result was not acked */
    assert_true(spool_is_there());
    start_worker();
    hear_hello(&in);
    assert_int_equal(in.message.worker_hello.held_runs.count, 1);
    hear_result(&in, 7, "done");
    link_send(control, &worker_peer, MSG_STOP_RANK, &stop, &err);
    hear(MSG_LEASE_REFUSED, &in); /* so it has heard the ack before this */
    kill_worker(SIGTERM);
    assert_false(spool_is_there());
    unmeasured = spool_goes = false;
}

/* The shell tells its number in a file; it has to be gone when the worker is. */
static pid_t start_shell(void)
{
    char script[600], path[128], *bytes;
    const char *const command[] = {"/bin/sh", "-c", script, NULL};
    struct incoming in;
    struct err err;
    size_t size;
    pid_t pid;

    snprintf(path, sizeof(path), "%s/pid", folder);
    snprintf(script, sizeof(script), "echo $$ >%s.tmp; mv %s.tmp %s; sleep 1000", path,
             path, path);
    hear_hello(&in);
    lease_with(7, 0, command);
    hear(MSG_LEASE_TAKEN, &in);
    for (uint64_t end = clock_mono_ms() + PATIENCE_MS; !file_exists(path);) {
        assert_true(clock_mono_ms() < end);
        usleep(1000);
    }
    assert_int_equal(file_read(&bytes, &size, path, 64, &err), 0);
    pid = atoi(bytes);
    free(bytes);
    assert_int_equal(kill(pid, 0), 0);
    return pid;
}

static void it_ends_with_its_parent_and_the_program_with_it(void **ctx)
{
    pid_t shell = start_shell();
    int status;

    (void)ctx;
    close(parent_pipe[1]);
    parent_pipe[1] = -1;
    assert_int_equal(waitpid(worker, &status, 0), worker);
    worker = 0;
    assert_int_equal(status, 0);
    assert_int_equal(kill(shell, 0), -1);
}

static void it_ends_cleanly_when_asked(void **ctx)
{
    pid_t shell = start_shell();
    int status;

    (void)ctx;
    kill(worker, SIGTERM);
    assert_int_equal(waitpid(worker, &status, 0), worker);
    worker = 0;
    assert_int_equal(status, 0);
    assert_int_equal(kill(shell, 0), -1);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_run_comes_home_whole_and_the_next_may_come),
        CASE(a_program_of_the_simulated_card_is_measured),
        CASE(a_program_without_an_npu_is_not_injected),
        CASE(a_lease_without_metrics_only_runs),
        CASE(a_failure_is_told_with_the_last_words),
        CASE(no_program_is_a_result_too),
        CASE(the_time_limit_ends_it_and_keeps_what_it_made),
        CASE(leases_wait_in_line_and_one_too_many_is_refused),
        CASE(what_waits_begins_before_the_last_result_is_acked),
        CASE(what_only_waits_is_given_back_when_asked),
        CASE(a_coordinator_that_was_away_gets_everything),
        CASE(a_full_spool_stops_the_program_and_drops_nothing),
        CASE(a_coordinator_deaf_to_data_hears_heartbeats),
        CASE(who_is_not_known_says_hello_at_once),
        CASE(a_worker_that_was_killed_goes_on_from_its_spool),
        CASE(a_run_whose_worker_was_killed_is_not_held),
        CASE(it_ends_with_its_parent_and_the_program_with_it),
        CASE(it_ends_cleanly_when_asked),
        CASE(a_spool_goes_only_when_all_is_home),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
