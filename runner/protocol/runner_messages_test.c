#include "runner/protocol/runner_messages.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

struct pair {
    struct runner_messages *worker, *runner;
    int raw; /* copy of the worker's descriptor, for invalid messages */
};

static int open_pair(void **ctx)
{
    static struct pair pair;
    struct err err;
    int ends[2];

    assert_int_equal(runner_messages_pair(ends, &err), 0);
    pair.raw = dup(ends[0]);
    pair.worker = runner_messages_open(ends[0]);
    pair.runner = runner_messages_open(ends[1]);
    *ctx = &pair;
    return 0;
}

static int close_pair(void **ctx)
{
    struct pair *pair = *ctx;

    runner_messages_close(pair->worker);
    runner_messages_close(pair->runner);
    close(pair->raw);
    return 0;
}

static void a_point_arrives_unchanged(void **ctx)
{
    struct pair *pair = *ctx;
    const char *words[] = {"muster-runner", "kernel", "/k/add.o", "", "8",
                           "in fp32 4",     "",       NULL};
    int runner_fd = open("/dev/null", O_RDONLY);
    struct runner_messages_point sent = {42, "/tmp", words, COUNT(words) - 1,
                                         runner_fd},
                                 received;
    struct stat is;
    struct err err;

    assert_int_equal(runner_messages_send_point(pair->worker, &sent, &err), 0);
    assert_true(runner_messages_receive_point(pair->runner, &received));
    assert_int_equal(received.number, 42);
    assert_string_equal(received.cwd, "/tmp");
    assert_int_equal(received.count, sent.count);
    for (size_t i = 0; i < sent.count; i++)
        assert_string_equal(received.words[i], words[i]);
    assert_null(received.words[received.count]);
    assert_int_equal(fstat(received.inject_fd, &is), 0);
    assert_true(S_ISCHR(is.st_mode));
    assert_int_not_equal(fcntl(received.inject_fd, F_GETFD) & FD_CLOEXEC, 0);
    close(received.inject_fd);
    close(runner_fd);

    sent.inject_fd = -1;
    assert_int_equal(runner_messages_send_point(pair->worker, &sent, &err), 0);
    assert_true(runner_messages_receive_point(pair->runner, &received));
    assert_int_equal(received.inject_fd, -1);
}

static void the_end_of_a_point_is_received_without_waiting(void **ctx)
{
    struct pair *pair = *ctx;
    const struct runner_messages_end sent = {7, -3, 4096, true, 5, 9};
    struct runner_messages_end received;
    struct err err;

    assert_int_equal(runner_messages_receive_end(pair->worker, &received), 0);
    assert_int_equal(runner_messages_send_end(pair->runner, &sent, &err), 0);
    assert_int_equal(runner_messages_receive_end(pair->worker, &received), 1);
    assert_true(received.number == 7 && received.exit_code == -3 &&
                received.left_bytes == 4096 && received.damaged &&
                received.began_wall_ns == 5 && received.ended_wall_ns == 9);
    runner_messages_close(pair->runner);
    pair->runner = NULL;
    assert_int_equal(runner_messages_receive_end(pair->worker, &received), -1);
}

static void words_up_to_the_limit_arrive_and_longer_ones_are_refused(void **ctx)
{
    struct pair *pair = *ctx;
    size_t size = RUNNER_MESSAGES_BYTES_MAX - 128;
    char *word = xmalloc(size + 256);
    const char *words[2] = {word, NULL};
    struct runner_messages_point point = {1, "", words, 1, -1}, received;
    struct err err;

    memset(word, 'x', size + 256);
    word[size] = '\0';
    assert_int_equal(runner_messages_send_point(pair->worker, &point, &err), 0);
    assert_true(runner_messages_receive_point(pair->runner, &received));
    assert_int_equal(strlen(received.words[0]), size);
    word[size] = 'x';
    word[size + 255] = '\0';
    assert_int_equal(runner_messages_send_point(pair->worker, &point, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    free(word);
}

/* Sends each prefix of a message, and the message with each byte changed. */
static void damaged_messages_are_rejected(void **ctx)
{
    struct pair *pair = *ctx;
    const char *words[] = {"a", "b", NULL};
    struct runner_messages_point point = {1, "/", words, 2, -1}, received;
    char bytes[256], bent[256];
    struct err err;

    assert_int_equal(runner_messages_send_point(pair->worker, &point, &err), 0);
    ssize_t size = recv(runner_messages_fd(pair->runner), bytes, sizeof(bytes), 0);
    assert_true(size > 0);
    for (ssize_t cut = 1; cut < size; cut++) {
        assert_int_equal(send(pair->raw, bytes, (size_t)cut, 0), cut);
        assert_false(runner_messages_receive_point(pair->runner, &received));
    }
    for (ssize_t at = 0; at < size; at++) {
        memcpy(bent, bytes, (size_t)size);
        bent[at] ^= 0x5a;
        assert_int_equal(send(pair->raw, bent, (size_t)size, 0), size);
        if (runner_messages_receive_point(pair->runner, &received))
            for (size_t i = 0; i < received.count; i++)
                assert_true(strlen(received.words[i]) < sizeof(bytes));
    }
}

/* The worker recalls points that the runner has not read; `keep` stays with its
 * followers. */
static void points_that_were_not_read_are_recalled(void **ctx)
{
    struct pair *pair = *ctx;
    const char *words[] = {"a", NULL};
    int runner_fd = dup(runner_messages_fd(pair->runner));
    struct runner_messages_point point = {0, "/", words, 1, -1}, received;
    struct err err;

    assert_int_equal(runner_messages_recall(runner_fd, 0), 0);
    for (point.number = 1; point.number <= 4; point.number++)
        assert_int_equal(runner_messages_try_send_point(pair->worker, &point, &err), 1);
    assert_int_equal(runner_messages_recall(runner_fd, 1), 0);
    assert_true(runner_messages_receive_point(pair->runner, &received));
    assert_int_equal(received.number, 1);
    assert_int_equal(runner_messages_recall(runner_fd, 1), 2);
    assert_int_equal(runner_messages_recall(runner_fd, 4), 3);
    assert_int_equal(runner_messages_recall(runner_fd, 4), 0);
    assert_true(runner_messages_receive_point(pair->runner, &received));
    assert_int_equal(received.number, 4);
    while (runner_messages_try_send_point(pair->worker, &point, &err) == 1)
        continue; /* until the socket is full */
    assert_int_equal(runner_messages_recall(runner_fd, 0), 5);
    assert_int_equal(runner_messages_try_send_point(pair->worker, &point, &err), 1);
    close(runner_fd);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_pair, close_pair)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_point_arrives_unchanged),
        CASE(the_end_of_a_point_is_received_without_waiting),
        CASE(words_up_to_the_limit_arrive_and_longer_ones_are_refused),
        CASE(damaged_messages_are_rejected),
        CASE(points_that_were_not_read_are_recalled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
