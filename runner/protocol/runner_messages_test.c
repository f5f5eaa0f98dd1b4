#include "runner/protocol/runner_messages.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

struct line {
    struct runner_messages *worker, *runner;
    int raw; /* the worker's end once more */
};

static int open_line(void **ctx)
{
    static struct line line;
    struct err err;
    int ends[2];

    assert_int_equal(runner_messages_pair(ends, &err), 0);
    line.raw = dup(ends[0]);
    line.worker = runner_messages_open(ends[0]);
    line.runner = runner_messages_open(ends[1]);
    *ctx = &line;
    return 0;
}

static int close_line(void **ctx)
{
    struct line *line = *ctx;

    runner_messages_close(line->worker);
    runner_messages_close(line->runner);
    close(line->raw);
    return 0;
}

static void a_point_arrives_as_it_was_said(void **ctx)
{
    struct line *line = *ctx;
    const char *words[] = {"muster-runner", "kernel", "/k/add.o", "", "8",
                           "in fp32 4",     "",       NULL};
    int theirs = open("/dev/null", O_RDONLY);
    struct runner_messages_point said = {42, "/tmp", words, COUNT(words) - 1, theirs},
                                 heard;
    struct stat is;
    struct err err;

    assert_int_equal(runner_messages_say_point(line->worker, &said, &err), 0);
    assert_true(runner_messages_hear_point(line->runner, &heard));
    assert_int_equal(heard.number, 42);
    assert_string_equal(heard.cwd, "/tmp");
    assert_int_equal(heard.count, said.count);
    for (size_t i = 0; i < said.count; i++)
        assert_string_equal(heard.words[i], words[i]);
    assert_null(heard.words[heard.count]);
    assert_int_equal(fstat(heard.their_end, &is), 0);
    assert_true(S_ISCHR(is.st_mode));
    assert_int_not_equal(fcntl(heard.their_end, F_GETFD) & FD_CLOEXEC, 0);
    close(heard.their_end);
    close(theirs);

    said.their_end = -1;
    assert_int_equal(runner_messages_say_point(line->worker, &said, &err), 0);
    assert_true(runner_messages_hear_point(line->runner, &heard));
    assert_int_equal(heard.their_end, -1);
}

static void the_end_of_a_point_is_heard_without_waiting(void **ctx)
{
    struct line *line = *ctx;
    const struct runner_messages_over said = {7, -3, 4096, true, 5, 9};
    struct runner_messages_over heard;
    struct err err;

    assert_int_equal(runner_messages_hear_over(line->worker, &heard), 0);
    assert_int_equal(runner_messages_say_over(line->runner, &said, &err), 0);
    assert_int_equal(runner_messages_hear_over(line->worker, &heard), 1);
    assert_true(heard.number == 7 && heard.exit_code == -3 &&
                heard.left_bytes == 4096 && heard.spoilt && heard.began_wall_ns == 5 &&
                heard.ended_wall_ns == 9);
    runner_messages_close(line->runner);
    line->runner = NULL;
    assert_int_equal(runner_messages_hear_over(line->worker, &heard), -1);
}

static void too_many_words_are_refused_and_all_that_fit_arrive(void **ctx)
{
    struct line *line = *ctx;
    size_t size = RUNNER_MESSAGES_BYTES_MAX - 128;
    char *word = xmalloc(size + 256);
    const char *words[2] = {word, NULL};
    struct runner_messages_point point = {1, "", words, 1, -1}, heard;
    struct err err;

    memset(word, 'x', size + 256);
    word[size] = '\0';
    assert_int_equal(runner_messages_say_point(line->worker, &point, &err), 0);
    assert_true(runner_messages_hear_point(line->runner, &heard));
    assert_int_equal(strlen(heard.words[0]), size);
    word[size] = 'x';
    word[size + 255] = '\0';
    assert_int_equal(runner_messages_say_point(line->worker, &point, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    free(word);
}

/* Every prefix of a message, and every byte of it changed. */
static void what_is_no_message_is_not_believed(void **ctx)
{
    struct line *line = *ctx;
    const char *words[] = {"a", "b", NULL};
    struct runner_messages_point point = {1, "/", words, 2, -1}, heard;
    char bytes[256], bent[256];
    struct err err;

    assert_int_equal(runner_messages_say_point(line->worker, &point, &err), 0);
    ssize_t size = recv(runner_messages_fd(line->runner), bytes, sizeof(bytes), 0);
    assert_true(size > 0);
    for (ssize_t cut = 1; cut < size; cut++) {
        assert_int_equal(send(line->raw, bytes, (size_t)cut, 0), cut);
        assert_false(runner_messages_hear_point(line->runner, &heard));
    }
    for (ssize_t at = 0; at < size; at++) {
        memcpy(bent, bytes, (size_t)size);
        bent[at] ^= 0x5a;
        assert_int_equal(send(line->raw, bent, (size_t)size, 0), size);
        if (runner_messages_hear_point(line->runner, &heard))
            for (size_t i = 0; i < heard.count; i++)
                assert_true(strlen(heard.words[i]) < sizeof(bytes));
    }
}

/* Who takes one out first has it, and the one that must stay keeps those behind it. */
static void what_was_not_begun_is_taken_back(void **ctx)
{
    struct line *line = *ctx;
    const char *words[] = {"a", NULL};
    int theirs = dup(runner_messages_fd(line->runner));
    struct runner_messages_point point = {0, "/", words, 1, -1}, heard;
    struct err err;

    assert_int_equal(runner_messages_take_back(theirs, 0), 0);
    for (point.number = 1; point.number <= 4; point.number++)
        assert_int_equal(runner_messages_try_point(line->worker, &point, &err), 1);
    assert_int_equal(runner_messages_take_back(theirs, 1), 0);
    assert_true(runner_messages_hear_point(line->runner, &heard));
    assert_int_equal(heard.number, 1);
    assert_int_equal(runner_messages_take_back(theirs, 1), 2);
    assert_int_equal(runner_messages_take_back(theirs, 4), 3);
    assert_int_equal(runner_messages_take_back(theirs, 4), 0);
    assert_true(runner_messages_hear_point(line->runner, &heard));
    assert_int_equal(heard.number, 4);
    while (runner_messages_try_point(line->worker, &point, &err) == 1)
        continue; /* until there is no room, and nobody waits */
    assert_int_equal(runner_messages_take_back(theirs, 0), 5);
    assert_int_equal(runner_messages_try_point(line->worker, &point, &err), 1);
    close(theirs);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_line, close_line)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_point_arrives_as_it_was_said),
        CASE(the_end_of_a_point_is_heard_without_waiting),
        CASE(too_many_words_are_refused_and_all_that_fit_arrive),
        CASE(what_is_no_message_is_not_believed),
        CASE(what_was_not_begun_is_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
