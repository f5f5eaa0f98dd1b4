/* child_command_test.c - programs beside the loop: what they say, how they fail, how
 * they end
 */
#include "coordinator/allocation/child_command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/reactor.h"
#include "tests/support/unit.h"

struct heard {
    struct reactor *reactor;
    int count, wanted;
    bool good;
    char said[256], problem[256];
    size_t length;
};

static void on_end(void *arg, const struct child_command_end *end)
{
    struct heard *heard = arg;

    heard->good = end->good;
    heard->length = strlen(end->said);
    snprintf(heard->said, sizeof(heard->said), "%s", end->said);
    snprintf(heard->problem, sizeof(heard->problem), "%s", end->problem);
    if (++heard->count == heard->wanted)
        reactor_stop(heard->reactor);
}

static struct heard run_shell(const char *script, const char *input, uint64_t limit_ms)
{
    char *const argv[] = {"sh", "-c", (char *)script, NULL};
    const char *const env[] = {"SECRET=word", NULL};
    struct heard heard = {.reactor = reactor_create(), .wanted = 1};
    struct child_command_run *run;
    struct err err;

    assert_int_equal(child_command_start(&run, heard.reactor, argv, input, env,
                                         limit_ms, on_end, &heard, &err),
                     0);
    assert_int_equal(reactor_run(heard.reactor, &err), 0);
    reactor_destroy(heard.reactor);
    return heard;
}

static void input_and_environment_go_in_and_words_come_out(void **ctx)
{
    struct heard heard = run_shell("cat; echo \"$SECRET\"", "hello\n", 10000);

    (void)ctx;
    assert_true(heard.good);
    assert_string_equal(heard.said, "hello\nword\n");
    assert_string_equal(heard.problem, "");
}

static void the_last_complaint_is_the_problem(void **ctx)
{
    struct heard heard = run_shell("echo one >&2; echo two >&2; exit 3", "", 10000);

    (void)ctx;
    assert_false(heard.good);
    assert_string_equal(heard.problem, "two");
    heard = run_shell("exit 3", "", 10000);
    assert_string_equal(heard.problem, "sh: exit code 3");
    heard = run_shell("kill -9 $$", "", 10000);
    assert_string_equal(heard.problem, "sh: signal 9");
}

static void who_hangs_is_ended_with_its_children(void **ctx)
{
    struct heard heard = run_shell("sleep 600 & echo $!; wait", "", 50);

    (void)ctx;
    assert_false(heard.good);
    assert_string_equal(heard.problem, "sh did not end in time");
    pid_t child = (pid_t)atoi(heard.said);
    assert_true(child > 1);
    for (int i = 0; i < 500 && kill(child, 0) == 0; i++)
        usleep(10000); /* whoever inherits it has to collect it */
    assert_int_equal(kill(child, 0), -1);
}

static void who_says_too_much_is_cut(void **ctx)
{
    struct heard heard = run_shell("head -c 2000000 /dev/zero | tr '\\0' x", "", 10000);

    (void)ctx;
    assert_true(heard.good);
    assert_int_equal(heard.length, CHILD_COMMAND_OUTPUT_MAX);
}

static void what_is_not_there_is_not_started(void **ctx)
{
    char *const argv[] = {"/nowhere/sbatch", NULL};
    struct reactor *reactor = reactor_create();
    struct child_command_run *run = NULL;
    struct err err;

    (void)ctx;
    assert_int_equal(
        child_command_start(&run, reactor, argv, "", NULL, 0, on_end, NULL, &err), -1);
    assert_non_null(strstr(err.text, "/nowhere/sbatch"));
    child_command_destroy(run); /* NULL is welcome */
    reactor_destroy(reactor);
}

/* No callback, and nothing left behind. */
static void one_that_is_destroyed_says_nothing_more(void **ctx)
{
    char *const argv[] = {"sleep", "600", NULL};
    struct heard heard = {.reactor = reactor_create(), .wanted = 1};
    struct child_command_run *run;
    struct err err;

    (void)ctx;
    assert_int_equal(child_command_start(&run, heard.reactor, argv, "", NULL, 0, on_end,
                                         &heard, &err),
                     0);
    child_command_destroy(run);
    assert_int_equal(heard.count, 0);
    reactor_destroy(heard.reactor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_and_environment_go_in_and_words_come_out),
        cmocka_unit_test(the_last_complaint_is_the_problem),
        cmocka_unit_test(who_hangs_is_ended_with_its_children),
        cmocka_unit_test(who_says_too_much_is_cut),
        cmocka_unit_test(what_is_not_there_is_not_started),
        cmocka_unit_test(one_that_is_destroyed_says_nothing_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
