/* service_test.c - the whole program, as workers and clients see it over its sockets
 *
 * Here is a worker and a client in one; the parser is a script. Every wait is for a
 * message, and bounded. */
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

enum { PATIENCE_MS = 20000 };

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

struct scene {
    char folder[64];
    char *control, *data, *parser;
    pid_t pid;
    uint64_t worker_pid, card; /* says the worker */
    struct link_hub *hub;
    struct link *worker, *data_link, *client;
    struct incoming in;
    uint64_t leases[8]; /* that came while we waited for something else */
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

static void start(struct scene *scene)
{
    char *path = program(), *store = xasprintf("%s/out/store", scene->folder);
    char *out = xasprintf("%s/out", scene->folder);
    char *argv[] = {path,          "--store",      store,    "--out",     out,
                    "--control",   scene->control, "--data", scene->data, "--parser",
                    scene->parser, "--log-level",  "error",  NULL};

    assert_int_equal(posix_spawn(&scene->pid, path, NULL, NULL, argv, environ), 0);
    free(out);
    free(store);
    free(path);
}

static struct link *call(struct scene *scene, const char *endpoint, enum link_kind kind)
{
    const struct link_options options = {.endpoint = endpoint, .kind = kind};
    struct link *link;
    struct err err;

    assert_int_equal(link_client_open(&link, scene->hub, &options, &err), 0);
    assert_int_equal(link_wait_connected(link, PATIENCE_MS, &err), 0);
    return link;
}

static void call_all(struct scene *scene)
{
    scene->worker = call(scene, scene->control, LINK_CONTROL);
    scene->data_link = call(scene, scene->data, LINK_DATA);
    scene->client = call(scene, scene->control, LINK_CONTROL);
}

static void hang_up(struct scene *scene)
{
    link_close(scene->worker);
    link_close(scene->data_link);
    link_close(scene->client);
    scene->lease_count = 0;
}

static void say(struct link *link, enum message_type type, const void *message)
{
    struct err err;

    if (link_send(link, NULL, type, message, &err) < 0)
        fail_msg("%s", err.text);
}

/* The next message of this type; what else comes is passed over. */
static const union any_message *
hear(struct scene *scene, struct link *link, enum message_type type)
{
    struct err err;

    do {
        if (link_wait_receive(link, &scene->in, PATIENCE_MS, &err) < 0)
            fail_msg("waiting for message %d: %s", type, err.text);
        if (scene->in.kind->type == MSG_REFUSED && type != MSG_REFUSED)
            fail_msg("refused: %s", scene->in.message.refused.text);
        if (scene->in.kind->type == MSG_LEASE && type != MSG_LEASE)
            scene->leases[scene->lease_count++] = scene->in.message.lease.run_id;
    } while (scene->in.kind->type != type);
    return &scene->in.message;
}

static void hello(struct scene *scene, uint64_t held)
{
    const struct msg_worker_hello hello = {.protocol = MSG_PROTOCOL,
                                           .host = "here",
                                           .version = "0",
                                           .pid = scene->worker_pid,
                                           .card = scene->card,
                                           .model = "Ascend910B2",
                                           .serial = "S1",
                                           .simulated = true,
                                           .held_runs = {&held, held != 0}};

    say(scene->worker, MSG_WORKER_HELLO, &hello);
    hear(scene, scene->worker, MSG_WELCOME);
}

static uint64_t submit(struct scene *scene)
{
    const struct msg_submit submit = {job_yaml, "job.yaml", scene->folder, "me", ""};

    say(scene->client, MSG_SUBMIT, &submit);
    return hear(scene, scene->client, MSG_SUBMITTED)->submitted.job_id;
}

static uint64_t next_lease(struct scene *scene)
{
    uint64_t run_id = scene->leases[0];

    if (scene->lease_count == 0)
        return hear(scene, scene->worker, MSG_LEASE)->lease.run_id;
    memmove(scene->leases, scene->leases + 1,
            --scene->lease_count * sizeof(scene->leases[0]));
    return run_id;
}

static uint64_t take(struct scene *scene)
{
    uint64_t run_id = next_lease(scene);

    say(scene->worker, MSG_LEASE_TAKEN, &(struct msg_lease_taken){run_id, 0});
    return run_id;
}

/* It only waits here: given back when asked. What has begun may be asked for as well,
 * by one who had not heard so. */
static void give_back(struct scene *scene, uint64_t run_id)
{
    const struct msg_stop_rank *stop;

    do {
        stop = &hear(scene, scene->worker, MSG_STOP_RANK)->stop_rank;
        assert_true(stop->only_waiting);
    } while (stop->run_id != run_id);
    say(scene->worker, MSG_LEASE_REFUSED,
        &(struct msg_lease_refused){run_id, 0, "back", false});
}

/* A group of one record; what is sent twice is acked twice. */
static void send_group(struct scene *scene, uint64_t run_id, bool damaged)
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
    const struct msg_group group = {
        .run_id = run_id, .raw_bytes = size, .data = {bytes, size}};
    say(scene->data_link, MSG_GROUP, &group);
}

static void send_result(struct scene *scene, uint64_t run_id, const char *status)
{
    const struct msg_rank_result result = {.run_id = run_id,
                                           .status = status,
                                           .launches = 1,
                                           .groups = !strcmp(status, "done"),
                                           .blocks = 1,
                                           .injected = true};

    say(scene->worker, MSG_RANK_RESULT, &result);
    assert_int_equal(hear(scene, scene->worker, MSG_RESULT_ACK)->result_ack.run_id,
                     run_id);
}

static void do_task(struct scene *scene, uint64_t run_id)
{
    send_group(scene, run_id, false);
    hear(scene, scene->data_link, MSG_GROUP_ACK);
    send_result(scene, run_id, "done");
}

static const struct msg_job_progress *until_final(struct scene *scene, uint64_t job_id)
{
    const struct msg_job_progress *progress;

    say(scene->client, MSG_WATCH, &(struct msg_watch){job_id});
    do
        progress = &hear(scene, scene->client, MSG_JOB_PROGRESS)->job_progress;
    while (!progress->final);
    return progress;
}

static size_t
count_rows(struct scene *scene, enum message_type question, uint64_t job_id)
{
    say(scene->client, question, &(struct msg_list_results){job_id});
    return hear(scene, scene->client, MSG_END)->end.count;
}

static void kill_and_start(struct scene *scene)
{
    kill(scene->pid, SIGKILL);
    assert_int_equal(waitpid(scene->pid, NULL, 0), scene->pid);
    hang_up(scene);
    start(scene);
    call_all(scene);
}

/* The cases */

static void a_job_goes_its_way(void **ctx)
{
    struct scene *scene = *ctx;
    uint64_t job_id;

    hello(scene, 0);
    job_id = submit(scene);
    const struct msg_lease *lease = &hear(scene, scene->worker, MSG_LEASE)->lease;
    assert_int_equal(lease->attempt, 1);
    assert_int_equal(lease->command.count, 2);
    assert_string_equal(lease->command.items[1], "1");
    do_task(scene, lease->run_id);
    do_task(scene, take(scene));

    const struct msg_job_progress *progress = until_final(scene, job_id);
    assert_string_equal(progress->state, "done");
    assert_int_equal(progress->exit_code, 0);
    assert_int_equal(progress->done, 2);
    assert_int_equal(count_rows(scene, MSG_LIST_RESULTS, job_id), 2);
    assert_int_equal(count_rows(scene, MSG_LIST_TASKS, job_id), 2);
    assert_int_equal(until_final(scene, job_id)->done, 2); /* also long after */
}

static void kill_9_loses_and_repeats_nothing(void **ctx)
{
    struct scene *scene = *ctx;
    uint64_t job_id, first, second;

    hello(scene, 0);
    job_id = submit(scene);
    first = take(scene);
    do_task(scene, first);
    second = take(scene);
    send_group(scene, second, false);
    hear(scene, scene->data_link, MSG_GROUP_ACK);

    kill_and_start(scene);
    hello(scene, second);
    send_group(scene, second, false); /* the ack was not heard, say */
    hear(scene, scene->data_link, MSG_GROUP_ACK);
    send_result(scene, second, "done");
    send_result(scene, first, "done"); /* nor that of the first result */
    assert_int_equal(until_final(scene, job_id)->done, 2);
    assert_int_equal(count_rows(scene, MSG_LIST_RESULTS, job_id), 2);
}

static void a_result_said_twice_counts_once(void **ctx)
{
    struct scene *scene = *ctx;
    uint64_t job_id, first, second;

    hello(scene, 0);
    job_id = submit(scene);
    first = take(scene);
    do_task(scene, first);
    second = take(scene);
    send_result(scene, first, "done");
    send_result(scene, first, "failed");
    do_task(scene, second);
    assert_int_equal(until_final(scene, job_id)->done, 2);
}

static void an_old_attempt_is_refused(void **ctx)
{
    struct scene *scene = *ctx;
    uint64_t old, now;

    hello(scene, 0);
    submit(scene);
    old = take(scene);
    hang_up(scene);
    call_all(scene);
    hello(scene,
          0); /* the same card, without the run; what waits there is said again */
    const struct msg_lease *lease = &hear(scene, scene->worker, MSG_LEASE)->lease;
    assert_int_equal(lease->attempt, 1);
    assert_int_equal(lease->point, 1);
    lease = &hear(scene, scene->worker, MSG_LEASE)->lease;
    assert_int_equal(lease->attempt, 2);
    assert_int_equal(lease->point, 0);
    now = lease->run_id;
    assert_int_not_equal(now, old);
    send_group(scene, old, false);
    assert_int_equal(
        hear(scene, scene->data_link, MSG_GROUP_REFUSED)->group_refused.run_id, old);
    send_result(scene, old, "done"); /* acked so that it is forgotten */
    do_task(scene, now);
}

static void a_damaged_group_is_refused_with_its_block(void **ctx)
{
    struct scene *scene = *ctx;
    uint64_t run_id;

    hello(scene, 0);
    submit(scene);
    run_id = take(scene);
    send_group(scene, run_id, true);
    const struct msg_group_refused *refused =
        &hear(scene, scene->data_link, MSG_GROUP_REFUSED)->group_refused;
    assert_int_equal(refused->number, 0);
    assert_non_null(strstr(refused->reason, "block"));
}

static void what_fails_is_told(void **ctx)
{
    struct scene *scene = *ctx;
    uint64_t job_id;

    hello(scene, 0);
    job_id = submit(scene);
    send_result(scene, take(scene), "failed");
    do_task(scene, take(scene));
    const struct msg_job_progress *progress = until_final(scene, job_id);
    assert_string_equal(progress->state, "failed");
    assert_int_equal(progress->failed, 1);
    assert_int_equal(progress->exit_code, 1);
}

static void cancel_lets_what_runs_end_and_takes_back_what_waits(void **ctx)
{
    struct scene *scene = *ctx;
    uint64_t job_id, run_id, waits;

    hello(scene, 0);
    job_id = submit(scene);
    run_id = take(scene);
    waits = next_lease(scene);
    say(scene->client, MSG_CANCEL, &(struct msg_cancel){job_id, false});
    hear(scene, scene->client, MSG_OK);
    give_back(scene, waits);
    do_task(scene, run_id);
    const struct msg_job_progress *progress = until_final(scene, job_id);
    assert_string_equal(progress->state, "cancelled");
    assert_int_equal(progress->done, 1);
    assert_int_equal(progress->cancelled, 1);
    assert_int_equal(progress->exit_code, 5);
}

static void cancel_now_stops_what_runs(void **ctx)
{
    struct scene *scene = *ctx;
    uint64_t job_id, run_id, waits;

    hello(scene, 0);
    job_id = submit(scene);
    run_id = take(scene);
    waits = next_lease(scene);
    say(scene->client, MSG_CANCEL, &(struct msg_cancel){job_id, true});
    assert_int_equal(hear(scene, scene->worker, MSG_STOP_RANK)->stop_rank.run_id,
                     run_id);
    assert_int_equal(hear(scene, scene->worker, MSG_STOP_RANK)->stop_rank.run_id,
                     waits);
    say(scene->worker, MSG_LEASE_REFUSED,
        &(struct msg_lease_refused){waits, 0, "back", false});
    send_result(scene, run_id, "cancelled");
    assert_int_equal(until_final(scene, job_id)->cancelled, 2);
}

static void what_waits_behind_another_goes_to_a_card_that_is_free(void **ctx)
{
    struct scene *scene = *ctx;
    struct link *busy = scene->worker;
    uint64_t waits;

    hello(scene, 0);
    submit(scene);
    take(scene);
    waits = next_lease(scene);
    scene->worker = call(scene, scene->control, LINK_CONTROL);
    scene->card = 1;
    hello(scene, 0);
    struct link *idle = scene->worker;
    scene->worker = busy;
    give_back(scene, waits);
    scene->worker = idle;
    const struct msg_lease *lease = &hear(scene, scene->worker, MSG_LEASE)->lease;
    assert_int_equal(lease->point, 1);
    assert_int_equal(lease->attempt, 2);
    link_close(busy);
}

static void what_waited_at_a_worker_that_died_has_spent_nothing(void **ctx)
{
    struct scene *scene = *ctx;
    uint64_t job_id, waits;

    hello(scene, 0);
    job_id = submit(scene);
    for (unsigned death = 1; death <= 2; death++) { /* the job has one retry */
        take(scene);
        waits = next_lease(scene);
        hang_up(scene);
        call_all(scene);
        scene->worker_pid++;
        hello(scene, 0);
    }
    const struct msg_lease *lease = &hear(scene, scene->worker, MSG_LEASE)->lease;
    assert_int_equal(lease->point, 1);
    assert_int_equal(lease->attempt, 3);
    assert_int_not_equal(lease->run_id, waits);
    do_task(scene, lease->run_id);
    const struct msg_job_progress *progress = until_final(scene, job_id);
    assert_int_equal(progress->failed, 1);
    assert_int_equal(progress->done, 1);
}

static void a_heartbeat_without_a_hello_is_refused(void **ctx)
{
    struct scene *scene = *ctx;

    say(scene->worker, MSG_HEARTBEAT, &(struct msg_heartbeat){0});
    assert_string_equal(hear(scene, scene->worker, MSG_REFUSED)->refused.code,
                        "not-found");
    hello(scene, 0);
    say(scene->worker, MSG_HEARTBEAT, &(struct msg_heartbeat){7});
    assert_int_equal(
        hear(scene, scene->worker, MSG_HEARTBEAT_REPLY)->heartbeat_reply.run_id, 7);
}

static void a_bad_job_file_is_refused_with_its_place(void **ctx)
{
    struct scene *scene = *ctx;
    const struct msg_submit submit = {"version: 1\nnmae: x\n", "job.yaml", "/", "me",
                                      ""};

    say(scene->client, MSG_SUBMIT, &submit);
    const struct msg_refused *refused =
        &hear(scene, scene->client, MSG_REFUSED)->refused;
    assert_string_equal(refused->code, "input");
    assert_non_null(strstr(refused->text, "job.yaml:2:1"));
    say(scene->client, MSG_WATCH, &(struct msg_watch){99});
    assert_string_equal(hear(scene, scene->client, MSG_REFUSED)->refused.code,
                        "not-found");
}

static const struct msg_submitted *
submit_once(struct scene *scene, const char *yaml, const char *user)
{
    const struct msg_submit submit = {yaml, "job.yaml", scene->folder, user, "tonight"};

    say(scene->client, MSG_SUBMIT, &submit);
    return &hear(scene, scene->client, MSG_SUBMITTED)->submitted;
}

static void what_is_submitted_again_with_the_same_words_is_the_same_job(void **ctx)
{
    struct scene *scene = *ctx;
    const struct msg_submit other = {"version: 1\n", "other.yaml", "/", "me",
                                     "tonight"};
    const struct msg_submitted *submitted = submit_once(scene, job_yaml, "me");
    uint64_t job_id = submitted->job_id, points = submitted->points,
             tasks = submitted->tasks;
    char *out = xstrdup(submitted->out), *key = xstrdup(submitted->job_key);

    for (int i = 0; i < 2; i++) {
        submitted = submit_once(scene, job_yaml, "me");
        assert_int_equal(submitted->job_id, job_id);
        assert_int_equal(submitted->points, points);
        assert_int_equal(submitted->tasks, tasks);
        assert_string_equal(submitted->job_key, key);
        assert_string_equal(submitted->out, out);
        kill_and_start(scene); /* the next one knows it, too */
    }
    say(scene->client, MSG_SUBMIT, &other);
    const struct msg_refused *refused =
        &hear(scene, scene->client, MSG_REFUSED)->refused;
    assert_string_equal(refused->code, "input");
    assert_non_null(strstr(refused->text, key));
    assert_int_not_equal(submit_once(scene, job_yaml, "you")->job_id, job_id);
    assert_int_not_equal(submit(scene), submit(scene)); /* without words, two */
    free(out);
    free(key);
}

static int up(void **ctx)
{
    struct scene *scene = xcalloc(1, sizeof(*scene));
    struct err err;

    strcpy(scene->folder, "/tmp/muster-serve-XXXXXX");
    if (!mkdtemp(scene->folder))
        return -1;
    scene->control = xasprintf("ipc://%s/control", scene->folder);
    scene->data = xasprintf("ipc://%s/data", scene->folder);
    scene->parser = xasprintf("%s/parser", scene->folder);
    if (file_write(scene->parser, parser_script, sizeof(parser_script) - 1, &err) < 0 ||
        chmod(scene->parser, 0700) < 0)
        return -1;
    scene->hub = link_hub_create();
    start(scene);
    call_all(scene);
    *ctx = scene;
    return 0;
}

static int down(void **ctx)
{
    struct scene *scene = *ctx;
    struct err err;
    int status = -1;

    /* its word for it may be lost with the connection, its end may not */
    say(scene->client, MSG_SHUTDOWN, &(struct msg_shutdown){false});
    waitpid(scene->pid, &status, 0);
    hang_up(scene);
    link_hub_destroy(scene->hub);
    folder_remove(scene->folder, &err);
    free(scene->control);
    free(scene->data);
    free(scene->parser);
    free(scene);
    return status;
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, up, down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_job_goes_its_way),
        CASE(kill_9_loses_and_repeats_nothing),
        CASE(a_result_said_twice_counts_once),
        CASE(an_old_attempt_is_refused),
        CASE(a_damaged_group_is_refused_with_its_block),
        CASE(what_fails_is_told),
        CASE(cancel_lets_what_runs_end_and_takes_back_what_waits),
        CASE(cancel_now_stops_what_runs),
        CASE(what_waits_behind_another_goes_to_a_card_that_is_free),
        CASE(what_waited_at_a_worker_that_died_has_spent_nothing),
        CASE(a_heartbeat_without_a_hello_is_refused),
        CASE(a_bad_job_file_is_refused_with_its_place),
        CASE(what_is_submitted_again_with_the_same_words_is_the_same_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
