/* worker_away_test.c - the coordinator is away or hears nothing, or the worker was
 * killed: what it made comes home all the same */
#include "tests/support/played_coordinator.h"

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

static void the_spool_is_removed_only_when_everything_is_acknowledged(void **ctx)
{
    const char *const command[] = {"true", NULL};
    const struct msg_stop_rank stop = {.run_id = 99, .reason = ""};
    struct incoming in;
    struct err err;

    (void)ctx;
    hear_hello(&in);
    kill_worker(SIGTERM);
    assert_true(spool_is_there()); /* nobody has asked for it */
    remove_spool = true;
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
    unmeasured = remove_spool = false;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_coordinator_that_was_away_gets_everything),
        CASE(a_full_spool_stops_the_program_and_drops_nothing),
        CASE(a_coordinator_deaf_to_data_hears_heartbeats),
        CASE(who_is_not_known_says_hello_at_once),
        CASE(a_worker_that_was_killed_goes_on_from_its_spool),
        CASE(a_run_whose_worker_was_killed_is_not_held),
        CASE(it_ends_with_its_parent_and_the_program_with_it),
        CASE(it_ends_cleanly_when_asked),
        CASE(the_spool_is_removed_only_when_everything_is_acknowledged),
    };
    worker_path = WORKER;
    operator_path = FAKE_OPERATOR;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
