/* worker_away_test.c - no capture is lost when the coordinator or the worker is away */
#include <poll.h>
#include <sys/inotify.h>

#include "tests/support/fake_coordinator.h"

static void a_restarted_coordinator_receives_all_groups(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    received.acknowledges = false;
    send_lease(107, "20", "");
    receive(MSG_LEASE_TAKEN, &in);
    close_coordinator();
    open_coordinator();
    received.acknowledges = true;
    receive_hello(&in);
    assert_int_equal(in.message.worker_hello.held_runs.count, 1);
    assert_int_equal(in.message.worker_hello.held_runs.items[0], 107);
    receive_result(&in, 107, "done");
    assert_int_equal(received.launches, 20);
}

static void a_full_spool_stops_the_operator_and_drops_nothing(void **ctx)
{
    struct incoming in;

    (void)ctx;
    kill_worker(SIGKILL);
    spool_limit = "1";
    start_worker();
    spool_limit = "0";
    receive_hello(&in);
    received.acknowledges = false;
    send_lease(107, "20", "hang"); /* the operator never ends by itself */
    receive(MSG_LEASE_TAKEN, &in);
    for (int i = 0; i < 3; i++)
        receive(MSG_HEARTBEAT, &in);
    received.acknowledges = true;
    receive_result(&in, 107, "failed");
    assert_non_null(strstr(in.message.rank_result.reason, "the spool is full"));
    assert_int_equal(in.message.rank_result.groups, received.groups);
    assert_int_equal(in.message.rank_result.launches, received.launches);
    assert_true(received.launches > 0);
}

static void heartbeats_arrive_while_groups_are_not_read(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    received.ignores_data = true; /* groups fill the sockets of both ends */
    send_lease(107, "200", "");
    for (int i = 0; i < 10; i++) {
        receive(MSG_HEARTBEAT, &in);
        assert_true(in.message.heartbeat.run_id == 107 ||
                    in.message.heartbeat.run_id == 0);
    }
    assert_int_equal(received.groups, 0);
    received.ignores_data = false;
    receive_result(&in, 107, "done");
    assert_int_equal(in.message.rank_result.groups, received.groups);
    assert_int_equal(received.launches, 200);
}

static void a_worker_without_a_session_sends_hello_at_once(void **ctx)
{
    const struct msg_refused refused = {refusal_word(ERR_NOT_FOUND), "say hello first"};
    struct incoming in;
    struct err err;

    (void)ctx;
    heartbeat_ms = 600000; /* so that no hello is sent because of silence */
    receive_hello(&in);
    send_lease(107, "1", "hang");
    receive(MSG_LEASE_TAKEN, &in);
    assert_int_equal(link_send(control, &worker_peer, MSG_REFUSED, &refused, &err), 0);
    do
        receive_hello(&in);
    while (in.message.worker_hello.held_runs.count == 0);
    assert_int_equal(in.message.worker_hello.held_runs.items[0], 107);
}

/* Waits until the file is created in, or moved into, its folder, which exists. */
static void wait_for_file(const char *path)
{
    char name[200], events[4096];
    int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    snprintf(name, sizeof(name), "%.*s", (int)(strrchr(path, '/') - path), path);
    assert_true(inotify_add_watch(fd, name, IN_CREATE | IN_MOVED_TO) >= 0);
    while (!file_exists(path)) {
        if (poll(&ready, 1, TIMEOUT_MS) != 1)
            fail_msg("%s did not appear", path);
        assert_true(read(fd, events, sizeof(events)) > 0);
    }
    close(fd);
}

static void wait_for_stored_result(void)
{
    char path[200];

    snprintf(path, sizeof(path), "%s/spool/results/107-0", folder);
    wait_for_file(path);
}

static void a_worker_continues_from_the_spool_of_a_killed_worker(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    received.acknowledges = false;
    send_lease(107, "20", "");
    receive(MSG_LEASE_TAKEN, &in);
    wait_for_stored_result();
    kill_worker(SIGKILL);
    received.acknowledges = true;
    start_worker();
    do
        receive_hello(&in);
    while (in.message.worker_hello.held_runs.count == 0);
    assert_int_equal(in.message.worker_hello.held_runs.items[0], 107);
    receive_result(&in, 107, "done");
    assert_int_equal(received.launches, 20);
    send_lease(108, "1", "");
    receive_result(&in, 108, "done");
}

static void a_rank_is_lost_when_its_worker_was_killed(void **ctx)
{
    struct incoming in;

    (void)ctx;
    receive_hello(&in);
    send_lease(107, "1", "hang");
    receive(MSG_LEASE_TAKEN, &in);
    kill_worker(SIGKILL);
    start_worker();
    receive_hello(&in);
    if (in.message.worker_hello.held_runs.count == 0)
        return;
    /* a group was spooled before the kill: it is sent, and the result is "lost" */
    assert_int_equal(in.message.worker_hello.held_runs.count, 1);
    assert_int_equal(in.message.worker_hello.held_runs.items[0], 107);
    receive_result(&in, 107, "lost");
}

static bool spool_exists(void)
{
    char spool[128];

    snprintf(spool, sizeof(spool), "%s/spool", folder);
    return file_exists(spool);
}

static void the_spool_is_removed_only_when_everything_is_acknowledged(void **ctx)
{
    const char *const command[] = {"true", NULL};
    const struct msg_stop_rank stop = {.run_id = 99, .reason = ""};
    struct incoming in;
    struct err err;

    (void)ctx;
    receive_hello(&in);
    kill_worker(SIGTERM);
    assert_true(spool_exists()); /* --remove-spool was not given */
    remove_spool = true;
    start_worker();
    receive_hello(&in);
    unmeasured = true;
    send_lease_with(107, 0, command);
    receive(MSG_RANK_RESULT, &in);
    kill_worker(SIGTERM); /* the result was not acknowledged */
    assert_true(spool_exists());
    start_worker();
    receive_hello(&in);
    assert_int_equal(in.message.worker_hello.held_runs.count, 1);
    receive_result(&in, 107, "done");
    link_send(control, &worker_peer, MSG_STOP_RANK, &stop, &err);
    receive(MSG_LEASE_REFUSED,
            &in); /* the worker has read the acknowledgement before this */
    kill_worker(SIGTERM);
    assert_false(spool_exists());
    unmeasured = remove_spool = false;
}

/* Starts a shell as operator and returns its process id, which it writes to a file. */
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
    receive_hello(&in);
    send_lease_with(107, 0, command);
    receive(MSG_LEASE_TAKEN, &in);
    wait_for_file(path);
    assert_int_equal(file_read(&bytes, &size, path, 64, &err), 0);
    pid = atoi(bytes);
    free(bytes);
    assert_int_equal(kill(pid, 0), 0);
    return pid;
}

static void the_worker_and_its_operator_end_with_the_parent(void **ctx)
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

static void the_workers_of_a_host_end_with_the_parent(void **ctx)
{
    char spool[128], fd[16];
    const char *const argv[] = {
        worker_path, "--control",    control_name,  "--data",
        data_name,   "--cards",      "0",           "--spool",
        spool,       "--model",      "Ascend910B1", "--simulated",
        "--host",    "host-workers", "--parent-fd", fd,
        NULL};
    struct incoming in;
    int status;

    (void)ctx;
    kill_worker(SIGKILL);
    snprintf(spool, sizeof(spool), "%s/host", folder);
    snprintf(fd, sizeof(fd), "%d", parent_pipe[0]);
    assert_int_equal(
        posix_spawn(&worker, worker_path, NULL, NULL, (char *const *)argv, environ), 0);
    do /* until the worker of card 0, a child of this worker, is connected */
        receive(MSG_WORKER_HELLO, &in);
    while (strcmp(in.message.worker_hello.host, "host-workers") != 0);
    close(parent_pipe[1]);
    parent_pipe[1] = -1;
    assert_int_equal(waitpid(worker, &status, 0), worker);
    worker = 0;
    assert_int_equal(status, 0);
}

static void sigterm_ends_the_worker_and_its_operator(void **ctx)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_restarted_coordinator_receives_all_groups),
        CASE(a_full_spool_stops_the_operator_and_drops_nothing),
        CASE(heartbeats_arrive_while_groups_are_not_read),
        CASE(a_worker_without_a_session_sends_hello_at_once),
        CASE(a_worker_continues_from_the_spool_of_a_killed_worker),
        CASE(a_rank_is_lost_when_its_worker_was_killed),
        CASE(the_worker_and_its_operator_end_with_the_parent),
        CASE(the_workers_of_a_host_end_with_the_parent),
        CASE(sigterm_ends_the_worker_and_its_operator),
        CASE(the_spool_is_removed_only_when_everything_is_acknowledged),
    };
    worker_path = WORKER;
    operator_path = FAKE_OPERATOR;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
