/* service_test.c - the whole program through its sockets
 *
 * The test is a worker and a client; the parser is a script. Every wait is for a
 * message and has a time limit. */
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/capture/format/writer.h"
#include "lib/wire/link.h"
#include "tests/support/unit.h"

enum { WAIT_MS = 20000 };

extern char **environ;

static const char parser_script[] =
    "#!/bin/sh\n"
    "case $1 in\n"
    "rank) echo "
    "'{\"launch\":1,\"kernel\":\"k\",\"device\":0,\"metric\":\"duration_us\","
    "\"value\":12.5,\"unit\":\"us\"}';;\n"
    "report) exit 0;;\n"
    "esac\n";

static const char job_yaml[] = "version: 1\n"
                               "name: service\n"
                               "operator: {command: [bin/true, \"${n}\"]}\n"
                               "sweep: {matrix: {n: [1, 2]}}\n"
                               "profile: {metrics: [PipeUtilization]}\n"
                               "limits: {retries: 1, on: [worker-lost]}\n";

struct test {
    uint64_t session; /* of the worker */
    char folder[64];
    char *control, *data, *parser;
    pid_t pid;
    uint64_t worker_pid, card; /* in the hello of the worker */
    struct link_hub *hub;
    struct link *worker, *data_link, *client;
    struct incoming in;
    uint64_t leases[8]; /* that arrived while the test waited for another message */
    size_t lease_count;
};

static char *program(void)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

    assert_true(length > 0);
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    *strrchr(self, '/') = '\0';
    return xasprintf("%s/bin/muster-coordinator", self);
}

static void start(struct test *test)
{
    char *path = program(), *store = xasprintf("%s/out/store", test->folder);
    char *out = xasprintf("%s/out", test->folder);
    char *argv[] = {path,         "--store",     store,    "--out",    out,
                    "--control",  test->control, "--data", test->data, "--parser",
                    test->parser, "--log-level", "error",  NULL};

    assert_int_equal(posix_spawn(&test->pid, path, NULL, NULL, argv, environ), 0);
    free(out);
    free(store);
    free(path);
}

static struct link *
connect_to(struct test *test, const char *endpoint, enum link_kind kind)
{
    const struct link_options options = {.endpoint = endpoint, .kind = kind};
    struct link *link;
    struct err err;

    assert_int_equal(link_client_open(&link, test->hub, &options, &err), 0);
    assert_int_equal(link_wait_connected(link, WAIT_MS, &err), 0);
    return link;
}

static void connect_all(struct test *test)
{
    test->worker = connect_to(test, test->control, LINK_CONTROL);
    test->data_link = connect_to(test, test->data, LINK_DATA);
    test->client = connect_to(test, test->control, LINK_CONTROL);
}

static void disconnect_all(struct test *test)
{
    link_close(test->worker);
    link_close(test->data_link);
    link_close(test->client);
    test->lease_count = 0;
}

static void send_message(struct link *link, enum message_type type, const void *message)
{
    struct err err;

    if (link_send(link, NULL, type, message, &err) < 0)
        fail_msg("%s", err.text);
}

/* Returns the next message of this type, and skips others. */
static const union any_message *
receive(struct test *test, struct link *link, enum message_type type)
{
    struct err err;

    do {
        if (link_wait_receive(link, &test->in, WAIT_MS, &err) < 0)
            fail_msg("waiting for message %d: %s", type, err.text);
        if (test->in.kind->type == MSG_REFUSED && type != MSG_REFUSED)
            fail_msg("refused: %s", test->in.message.refused.text);
        if (test->in.kind->type == MSG_LEASE && type != MSG_LEASE)
            test->leases[test->lease_count++] = test->in.message.lease.run_id;
    } while (test->in.kind->type != type);
    return &test->in.message;
}

static void send_hello(struct test *test, uint64_t held)
{
    const struct msg_worker_hello hello = {.protocol = MSG_PROTOCOL,
                                           .host = "here",
                                           .version = "0",
                                           .pid = test->worker_pid,
                                           .card = test->card,
                                           .model = "Ascend910B2",
                                           .serial = "S1",
                                           .simulated = true,
                                           .held_runs = {&held, held != 0}};

    send_message(test->worker, MSG_WORKER_HELLO, &hello);
    test->session = receive(test, test->worker, MSG_WELCOME)->welcome.session;
}

static uint64_t submit(struct test *test)
{
    const struct msg_submit submit = {job_yaml, "job.yaml", test->folder, "me", ""};

    send_message(test->client, MSG_SUBMIT, &submit);
    return receive(test, test->client, MSG_SUBMITTED)->submitted.job_id;
}

static uint64_t next_lease(struct test *test)
{
    uint64_t run_id = test->leases[0];

    if (test->lease_count == 0)
        return receive(test, test->worker, MSG_LEASE)->lease.run_id;
    memmove(test->leases, test->leases + 1,
            --test->lease_count * sizeof(test->leases[0]));
    return run_id;
}

static uint64_t take_lease(struct test *test)
{
    uint64_t run_id = next_lease(test);

    send_message(test->worker, MSG_LEASE_TAKEN, &(struct msg_lease_taken){run_id, 0});
    return run_id;
}

/* Returns a waiting lease when it is recalled. A started lease may be recalled as well,
 * when the coordinator has not received its start yet. */
static void give_back(struct test *test, uint64_t run_id)
{
    const struct msg_stop_rank *stop;

    do {
        stop = &receive(test, test->worker, MSG_STOP_RANK)->stop_rank;
        assert_true(stop->only_waiting);
    } while (stop->run_id != run_id);
    send_message(test->worker, MSG_LEASE_REFUSED,
                 &(struct msg_lease_refused){run_id, 0, "back", false});
}

/* Sends a group of one record. A repeated group is acknowledged again. */
static void send_group(struct test *test, uint64_t run_id, bool damaged)
{
    static uint8_t buffer[64 * 1024];
    struct capture_writer writer;
    const void *bytes;
    size_t size;

    capture_writer_init(&writer, buffer, sizeof(buffer), run_id, 0, 0, 0);
    assert_int_equal(capture_put_typed(&writer, "test", "", 8, "12345678", 8, 0),
                     CAPTURE_PUT_DONE);
    assert_true(capture_writer_finish(&writer, &bytes, &size));
    if (damaged)
        *(uint8_t *)memmem(bytes, size, "12345678", 8) ^= 1;
    const struct msg_group group = {.run_id = run_id,
                                    .raw_bytes = size,
                                    .session = test->session,
                                    .data = {bytes, size}};
    send_message(test->data_link, MSG_GROUP, &group);
}

static void send_result(struct test *test, uint64_t run_id, const char *status)
{
    const struct msg_rank_result result = {.run_id = run_id,
                                           .status = status,
                                           .launches = 1,
                                           .groups = !strcmp(status, "done"),
                                           .blocks = 1,
                                           .injected = true};

    send_message(test->worker, MSG_RANK_RESULT, &result);
    assert_int_equal(receive(test, test->worker, MSG_RESULT_ACK)->result_ack.run_id,
                     run_id);
}

static void do_task(struct test *test, uint64_t run_id)
{
    send_group(test, run_id, false);
    receive(test, test->data_link, MSG_GROUP_ACK);
    send_result(test, run_id, "done");
}

static const struct msg_job_progress *until_final(struct test *test, uint64_t job_id)
{
    const struct msg_job_progress *progress;

    send_message(test->client, MSG_WATCH, &(struct msg_watch){job_id});
    do
        progress = &receive(test, test->client, MSG_JOB_PROGRESS)->job_progress;
    while (!progress->final);
    return progress;
}

static size_t count_rows(struct test *test, enum message_type question, uint64_t job_id)
{
    send_message(test->client, question, &(struct msg_list_results){.job_id = job_id});
    return receive(test, test->client, MSG_END)->end.count;
}

static void kill_and_start(struct test *test)
{
    kill(test->pid, SIGKILL);
    assert_int_equal(waitpid(test->pid, NULL, 0), test->pid);
    disconnect_all(test);
    start(test);
    connect_all(test);
}

/* The cases */

static void a_job_runs_from_submit_to_report(void **ctx)
{
    struct test *test = *ctx;
    uint64_t job_id;

    send_hello(test, 0);
    job_id = submit(test);
    const struct msg_lease *lease = &receive(test, test->worker, MSG_LEASE)->lease;
    assert_int_equal(lease->attempt, 1);
    assert_int_equal(lease->command.count, 2);
    assert_string_equal(lease->command.items[1], "1");
    do_task(test, lease->run_id);
    do_task(test, take_lease(test));

    const struct msg_job_progress *progress = until_final(test, job_id);
    assert_string_equal(progress->state, "done");
    assert_int_equal(progress->exit_code, 0);
    assert_int_equal(progress->done, 2);
    assert_int_equal(count_rows(test, MSG_LIST_RESULTS, job_id), 2);
    assert_int_equal(count_rows(test, MSG_LIST_TASKS, job_id), 2);
    assert_int_equal(until_final(test, job_id)->done,
                     2); /* also after the end of the job */
}

static void a_killed_coordinator_loses_and_repeats_nothing(void **ctx)
{
    struct test *test = *ctx;
    uint64_t job_id, first, second;

    send_hello(test, 0);
    job_id = submit(test);
    first = take_lease(test);
    do_task(test, first);
    second = take_lease(test);
    send_group(test, second, false);
    receive(test, test->data_link, MSG_GROUP_ACK);

    kill_and_start(test);
    send_hello(test, second);
    send_group(test, second, false); /* as if the acknowledgement was lost */
    receive(test, test->data_link, MSG_GROUP_ACK);
    send_result(test, second, "done");
    send_result(test, first, "done"); /* as is the one of the first result */
    assert_int_equal(until_final(test, job_id)->done, 2);
    assert_int_equal(count_rows(test, MSG_LIST_RESULTS, job_id), 2);
}

static void a_repeated_result_counts_once(void **ctx)
{
    struct test *test = *ctx;
    uint64_t job_id, first, second;

    send_hello(test, 0);
    job_id = submit(test);
    first = take_lease(test);
    do_task(test, first);
    second = take_lease(test);
    send_result(test, first, "done");
    send_result(test, first, "failed");
    do_task(test, second);
    assert_int_equal(until_final(test, job_id)->done, 2);
}

static void messages_of_an_old_attempt_are_refused(void **ctx)
{
    struct test *test = *ctx;
    uint64_t old, now;

    send_hello(test, 0);
    submit(test);
    old = take_lease(test);
    disconnect_all(test);
    connect_all(test);
    send_hello(test, 0); /* the same card without the running task; its waiting lease is
                            sent again */
    const struct msg_lease *lease = &receive(test, test->worker, MSG_LEASE)->lease;
    assert_int_equal(lease->attempt, 1);
    assert_int_equal(lease->point, 1);
    lease = &receive(test, test->worker, MSG_LEASE)->lease;
    assert_int_equal(lease->attempt, 2);
    assert_int_equal(lease->point, 0);
    now = lease->run_id;
    assert_int_not_equal(now, old);
    send_group(test, old, false);
    assert_int_equal(
        receive(test, test->data_link, MSG_GROUP_REFUSED)->group_refused.run_id, old);
    send_result(test, old, "done"); /* acknowledged, so that the worker deletes it */
    do_task(test, now);
}

static void a_damaged_group_is_refused_with_its_block(void **ctx)
{
    struct test *test = *ctx;
    uint64_t run_id;

    send_hello(test, 0);
    submit(test);
    run_id = take_lease(test);
    send_group(test, run_id, true);
    const struct msg_group_refused *refused =
        &receive(test, test->data_link, MSG_GROUP_REFUSED)->group_refused;
    assert_int_equal(refused->number, 0);
    assert_non_null(strstr(refused->reason, "block"));
}

/* A second worker, on a card of its own, sends groups of the first worker's attempt. */
static void only_the_worker_of_a_rank_may_send_its_groups(void **ctx)
{
    struct test *test = *ctx;
    struct link *first = test->worker, *second;
    uint64_t run_id, session;

    send_hello(test, 0);
    submit(test);
    run_id = take_lease(test);
    session = test->session;
    test->session = session + 1; /* of no worker: ignored */
    send_group(test, run_id, true);

    second = test->worker = connect_to(test, test->control, LINK_CONTROL);
    test->card++;
    send_hello(test, 0);
    test->worker = first;
    assert_int_not_equal(test->session, session);
    send_group(test, run_id, false);
    const struct msg_group_refused *refused =
        &receive(test, test->data_link, MSG_GROUP_REFUSED)->group_refused;
    assert_string_equal(refused->reason,
                        "the worker does not run this rank of the attempt");

    test->session = session;
    send_group(test, run_id, false);
    receive(test, test->data_link, MSG_GROUP_ACK);
    test->card--;
    link_close(second);
}

static void a_connection_serves_one_card(void **ctx)
{
    struct test *test = *ctx;
    struct msg_worker_hello hello = {.protocol = MSG_PROTOCOL,
                                     .host = "here",
                                     .version = "0",
                                     .pid = test->worker_pid,
                                     .card = test->card + 1,
                                     .model = "Ascend910B2",
                                     .serial = "S1"};
    struct link *first = test->worker, *second;

    send_hello(test, 0);
    second = test->worker = connect_to(test, test->control, LINK_CONTROL);
    test->card++;
    send_hello(test, 0);
    test->card--;
    test->worker = first;
    send_message(first, MSG_WORKER_HELLO, &hello); /* the card of the second worker */
    assert_non_null(strstr(receive(test, first, MSG_GO_AWAY)->go_away.reason,
                           "start one worker for each card"));
    hello.card = test->card + 7; /* a card without a worker */
    send_message(first, MSG_WORKER_HELLO, &hello);
    receive(test, first, MSG_GO_AWAY);
    assert_int_equal(count_rows(test, MSG_LIST_WORKERS, 0), 2);
    link_close(second);
}

static void a_hello_needs_a_host_name_that_a_folder_can_have(void **ctx)
{
    static const char *const bad[] = {
        "",    "../up",
        "a b", "-rf",
        "a=b", "a234567890123456789012345678901234567890123456789012345678901234x"};
    struct test *test = *ctx;

    for (size_t i = 0; i < COUNT(bad); i++) {
        const struct msg_worker_hello hello = {.protocol = MSG_PROTOCOL,
                                               .host = bad[i],
                                               .version = "0",
                                               .model = "Ascend910B2",
                                               .serial = "S1"};

        send_message(test->worker, MSG_WORKER_HELLO, &hello);
        assert_non_null(strstr(receive(test, test->worker, MSG_GO_AWAY)->go_away.reason,
                               "is not a host name"));
    }
    assert_int_equal(count_rows(test, MSG_LIST_WORKERS, 0), 0);
}

/* Each held attempt can cause a reply, so their number is limited. */
static void a_worker_with_too_many_held_attempts_is_sent_away(void **ctx)
{
    struct test *test = *ctx;
    uint64_t run_ids[MSG_HELD_RUNS_MAX + 1] = {0};
    struct msg_worker_hello hello = {.protocol = MSG_PROTOCOL,
                                     .host = "node",
                                     .version = "0",
                                     .model = "Ascend910B2",
                                     .serial = "S1",
                                     .held_runs = {run_ids, MSG_HELD_RUNS_MAX + 1}};

    send_message(test->worker, MSG_WORKER_HELLO, &hello);
    assert_string_equal(receive(test, test->worker, MSG_GO_AWAY)->go_away.reason,
                        "the worker names 257 attempts that it holds; it may hold 256");
    assert_int_equal(count_rows(test, MSG_LIST_WORKERS, 0), 0);
    hello.held_runs.count = MSG_HELD_RUNS_MAX;
    send_message(test->worker, MSG_WORKER_HELLO, &hello);
    receive(test, test->worker, MSG_WELCOME);
}

static void a_failed_task_fails_the_job_with_its_reason(void **ctx)
{
    struct test *test = *ctx;
    uint64_t job_id;

    send_hello(test, 0);
    job_id = submit(test);
    send_result(test, take_lease(test), "failed");
    do_task(test, take_lease(test));
    const struct msg_job_progress *progress = until_final(test, job_id);
    assert_string_equal(progress->state, "failed");
    assert_int_equal(progress->failed, 1);
    assert_int_equal(progress->exit_code, 1);
}

static void cancel_recalls_waiting_leases_and_lets_running_tasks_finish(void **ctx)
{
    struct test *test = *ctx;
    uint64_t job_id, run_id, waits;

    send_hello(test, 0);
    job_id = submit(test);
    run_id = take_lease(test);
    waits = next_lease(test);
    send_message(test->client, MSG_CANCEL, &(struct msg_cancel){job_id, false});
    receive(test, test->client, MSG_OK);
    give_back(test, waits);
    do_task(test, run_id);
    const struct msg_job_progress *progress = until_final(test, job_id);
    assert_string_equal(progress->state, "cancelled");
    assert_int_equal(progress->done, 1);
    assert_int_equal(progress->cancelled, 1);
    assert_int_equal(progress->exit_code, 5);
}

static void cancel_now_stops_running_tasks(void **ctx)
{
    struct test *test = *ctx;
    uint64_t job_id, run_id, waits;

    send_hello(test, 0);
    job_id = submit(test);
    run_id = take_lease(test);
    waits = next_lease(test);
    send_message(test->client, MSG_CANCEL, &(struct msg_cancel){job_id, true});
    assert_int_equal(receive(test, test->worker, MSG_STOP_RANK)->stop_rank.run_id,
                     run_id);
    assert_int_equal(receive(test, test->worker, MSG_STOP_RANK)->stop_rank.run_id,
                     waits);
    send_message(test->worker, MSG_LEASE_REFUSED,
                 &(struct msg_lease_refused){waits, 0, "back", false});
    send_result(test, run_id, "cancelled");
    assert_int_equal(until_final(test, job_id)->cancelled, 2);
}

static void a_waiting_lease_moves_to_a_card_that_becomes_free(void **ctx)
{
    struct test *test = *ctx;
    struct link *busy = test->worker;
    uint64_t waits;

    send_hello(test, 0);
    submit(test);
    take_lease(test);
    waits = next_lease(test);
    test->worker = connect_to(test, test->control, LINK_CONTROL);
    test->card = 1;
    send_hello(test, 0);
    struct link *idle = test->worker;
    test->worker = busy;
    give_back(test, waits);
    test->worker = idle;
    const struct msg_lease *lease = &receive(test, test->worker, MSG_LEASE)->lease;
    assert_int_equal(lease->point, 1);
    assert_int_equal(lease->attempt, 2);
    link_close(busy);
}

static void leases_that_waited_at_a_lost_worker_count_as_no_retry(void **ctx)
{
    struct test *test = *ctx;
    uint64_t job_id, waits;

    send_hello(test, 0);
    job_id = submit(test);
    for (unsigned death = 1; death <= 2; death++) { /* the job has one retry */
        take_lease(test);
        waits = next_lease(test);
        disconnect_all(test);
        connect_all(test);
        test->worker_pid++;
        send_hello(test, 0);
    }
    const struct msg_lease *lease = &receive(test, test->worker, MSG_LEASE)->lease;
    assert_int_equal(lease->point, 1);
    assert_int_equal(lease->attempt, 3);
    assert_int_not_equal(lease->run_id, waits);
    do_task(test, lease->run_id);
    const struct msg_job_progress *progress = until_final(test, job_id);
    assert_int_equal(progress->failed, 1);
    assert_int_equal(progress->done, 1);
}

static void a_heartbeat_without_a_hello_is_refused(void **ctx)
{
    struct test *test = *ctx;

    send_message(test->worker, MSG_HEARTBEAT, &(struct msg_heartbeat){0});
    assert_string_equal(receive(test, test->worker, MSG_REFUSED)->refused.code,
                        "not-found");
    send_hello(test, 0);
    send_message(test->worker, MSG_HEARTBEAT, &(struct msg_heartbeat){7});
    assert_int_equal(
        receive(test, test->worker, MSG_HEARTBEAT_REPLY)->heartbeat_reply.run_id, 7);
}

static void a_bad_job_file_is_refused_with_its_line(void **ctx)
{
    struct test *test = *ctx;
    const struct msg_submit submit = {"version: 1\nnmae: x\n", "job.yaml", "/", "me",
                                      ""};

    send_message(test->client, MSG_SUBMIT, &submit);
    const struct msg_refused *refused =
        &receive(test, test->client, MSG_REFUSED)->refused;
    assert_string_equal(refused->code, "input");
    assert_non_null(strstr(refused->text, "job.yaml:2:1"));
    send_message(test->client, MSG_WATCH, &(struct msg_watch){99});
    assert_string_equal(receive(test, test->client, MSG_REFUSED)->refused.code,
                        "not-found");
}

static void a_retry_of_job_0_is_refused(void **ctx)
{
    struct test *test = *ctx;
    uint64_t job_id = submit(test);

    send_message(test->client, MSG_RETRY, &(struct msg_retry){.job_id = 0});
    assert_string_equal(receive(test, test->client, MSG_REFUSED)->refused.code,
                        "not-found");
    assert_int_equal(submit(test), job_id + 1);
}

static void the_output_of_an_attempt_is_read_only_with_the_number_of_its_job(void **ctx)
{
    struct test *test = *ctx;
    struct msg_read_log request = {0};

    send_hello(test, 0);
    submit(test);
    request.run_id = take_lease(test);
    send_message(test->client, MSG_READ_LOG, &request); /* the attempt runs */
    assert_string_equal(receive(test, test->client, MSG_LOG_PIECE)->log_piece.note,
                        "this attempt has no rank 0");
    do_task(test, request.run_id);
    send_message(test->client, MSG_READ_LOG, &request); /* the attempt has ended */
    assert_string_equal(receive(test, test->client, MSG_LOG_PIECE)->log_piece.note,
                        "this attempt has no rank 0");
}

static const struct msg_submitted *
submit_once(struct test *test, const char *yaml, const char *user)
{
    const struct msg_submit submit = {yaml, "job.yaml", test->folder, user, "tonight"};

    send_message(test->client, MSG_SUBMIT, &submit);
    return &receive(test, test->client, MSG_SUBMITTED)->submitted;
}

static void a_submit_with_a_used_token_returns_the_same_job(void **ctx)
{
    struct test *test = *ctx;
    const struct msg_submit other = {"version: 1\n", "other.yaml", "/", "me",
                                     "tonight"};
    const struct msg_submitted *submitted = submit_once(test, job_yaml, "me");
    uint64_t job_id = submitted->job_id, points = submitted->points,
             tasks = submitted->tasks;
    char *out = xstrdup(submitted->out), *key = xstrdup(submitted->job_key);

    for (int i = 0; i < 2; i++) {
        submitted = submit_once(test, job_yaml, "me");
        assert_int_equal(submitted->job_id, job_id);
        assert_int_equal(submitted->points, points);
        assert_int_equal(submitted->tasks, tasks);
        assert_string_equal(submitted->job_key, key);
        assert_string_equal(submitted->out, out);
        kill_and_start(test); /* the token is stored */
    }
    send_message(test->client, MSG_SUBMIT, &other);
    const struct msg_refused *refused =
        &receive(test, test->client, MSG_REFUSED)->refused;
    assert_string_equal(refused->code, "input");
    assert_non_null(strstr(refused->text, key));
    assert_int_not_equal(submit_once(test, job_yaml, "you")->job_id, job_id);
    assert_int_not_equal(submit(test), submit(test)); /* without a token: two jobs */
    free(out);
    free(key);
}

static int set_up(void **ctx)
{
    struct test *test = xcalloc(1, sizeof(*test));
    struct err err;

    strcpy(test->folder, "/tmp/muster-serve-XXXXXX");
    if (!mkdtemp(test->folder))
        return -1;
    test->control = xasprintf("ipc://%s/control", test->folder);
    test->data = xasprintf("ipc://%s/data", test->folder);
    test->parser = xasprintf("%s/parser", test->folder);
    if (file_write(test->parser, parser_script, sizeof(parser_script) - 1, &err) < 0 ||
        chmod(test->parser, 0700) < 0)
        return -1;
    test->hub = link_hub_create();
    start(test);
    connect_all(test);
    *ctx = test;
    return 0;
}

static int tear_down(void **ctx)
{
    struct test *test = *ctx;
    struct err err;
    int status = -1;

    /* the reply may be lost with the connection; the exit is checked */
    send_message(test->client, MSG_SHUTDOWN, &(struct msg_shutdown){false});
    waitpid(test->pid, &status, 0);
    disconnect_all(test);
    link_hub_destroy(test->hub);
    folder_remove(test->folder, &err);
    free(test->control);
    free(test->data);
    free(test->parser);
    free(test);
    return status;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_job_runs_from_submit_to_report),
        CASE(a_killed_coordinator_loses_and_repeats_nothing),
        CASE(a_repeated_result_counts_once),
        CASE(messages_of_an_old_attempt_are_refused),
        CASE(a_damaged_group_is_refused_with_its_block),
        CASE(only_the_worker_of_a_rank_may_send_its_groups),
        CASE(a_connection_serves_one_card),
        CASE(a_hello_needs_a_host_name_that_a_folder_can_have),
        CASE(a_worker_with_too_many_held_attempts_is_sent_away),
        CASE(a_failed_task_fails_the_job_with_its_reason),
        CASE(cancel_recalls_waiting_leases_and_lets_running_tasks_finish),
        CASE(cancel_now_stops_running_tasks),
        CASE(a_waiting_lease_moves_to_a_card_that_becomes_free),
        CASE(leases_that_waited_at_a_lost_worker_count_as_no_retry),
        CASE(a_heartbeat_without_a_hello_is_refused),
        CASE(a_bad_job_file_is_refused_with_its_line),
        CASE(a_retry_of_job_0_is_refused),
        CASE(the_output_of_an_attempt_is_read_only_with_the_number_of_its_job),
        CASE(a_submit_with_a_used_token_returns_the_same_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
