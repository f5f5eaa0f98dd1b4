#include "coordinator/allocation/child_command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/reactor.h"
#include "tests/support/unit.h"

enum { LIMIT_MS = 10000, SHORT_LIMIT_MS = 2000 };

struct outcome {
    struct reactor *reactor;
    int calls; /* of the callback */
    bool good;
    char output[256], problem[256];
    size_t output_length;
};

static void on_end(void *arg, const struct child_command_result *result)
{
    struct outcome *outcome = arg;

    outcome->calls++;
    outcome->good = result->good;
    outcome->output_length = strlen(result->output);
    snprintf(outcome->output, sizeof(outcome->output), "%s", result->output);
    snprintf(outcome->problem, sizeof(outcome->problem), "%s", result->problem);
    reactor_stop(outcome->reactor);
}

static struct outcome
run_shell(const char *script, const char *input, uint64_t limit_ms)
{
    char *const argv[] = {"sh", "-c", (char *)script, NULL};
    const char *const env[] = {"SECRET=word", NULL};
    struct outcome outcome = {.reactor = reactor_create()};
    struct child_command *command;
    struct err err;

    assert_int_equal(child_command_start(&command, outcome.reactor, argv, input, env,
                                         limit_ms, on_end, &outcome, &err),
                     0);
    assert_int_equal(reactor_run(outcome.reactor, &err), 0);
    assert_int_equal(outcome.calls, 1);
    reactor_destroy(outcome.reactor);
    return outcome;
}

static void a_command_gets_input_and_environment_and_returns_its_output(void **ctx)
{
    struct outcome outcome = run_shell("cat; echo \"$SECRET\"", "hello\n", LIMIT_MS);

    (void)ctx;
    assert_true(outcome.good);
    assert_string_equal(outcome.output, "hello\nword\n");
    assert_string_equal(outcome.problem, "");
}

static void the_problem_is_the_last_error_line_or_the_kind_of_exit(void **ctx)
{
    struct outcome outcome =
        run_shell("echo one >&2; echo two >&2; exit 3", "", LIMIT_MS);

    (void)ctx;
    assert_false(outcome.good);
    assert_string_equal(outcome.problem, "two");
    outcome = run_shell("exit 3", "", LIMIT_MS);
    assert_string_equal(outcome.problem, "sh ended with exit code 3");
    outcome = run_shell("kill -9 $$", "", LIMIT_MS);
    assert_string_equal(outcome.problem, "sh was killed by signal 9");
}

static void the_time_limit_ends_a_command_and_its_children(void **ctx)
{
    struct outcome outcome;
    int status;

    (void)ctx;
    /* the child of an ended shell becomes a child of this process */
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    outcome = run_shell("sleep 600 & echo $!; wait", "", SHORT_LIMIT_MS);
    assert_false(outcome.good);
    assert_string_equal(outcome.problem, "sh was stopped at its time limit");
    pid_t child = (pid_t)atoi(outcome.output);
    assert_true(child > 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0), 0);
}

static void output_beyond_the_limit_is_cut(void **ctx)
{
    struct outcome outcome =
        run_shell("head -c 2000000 /dev/zero | tr '\\0' x", "", LIMIT_MS);

    (void)ctx;
    assert_true(outcome.good);
    assert_int_equal(outcome.output_length, CHILD_COMMAND_OUTPUT_MAX);
}

static void a_missing_program_is_an_error_that_names_it(void **ctx)
{
    char *const argv[] = {"/nowhere/sbatch", NULL};
    struct reactor *reactor = reactor_create();
    struct child_command *command = NULL;
    struct err err;

    (void)ctx;
    assert_int_equal(
        child_command_start(&command, reactor, argv, "", NULL, 0, on_end, NULL, &err),
        -1);
    assert_non_null(strstr(err.text, "/nowhere/sbatch"));
    child_command_destroy(command); /* NULL */
    reactor_destroy(reactor);
}

static void a_destroyed_command_makes_no_callback(void **ctx)
{
    char *const argv[] = {"sleep", "600", NULL};
    struct outcome outcome = {.reactor = reactor_create()};
    struct child_command *command;
    struct err err;

    (void)ctx;
    assert_int_equal(child_command_start(&command, outcome.reactor, argv, "", NULL, 0,
                                         on_end, &outcome, &err),
                     0);
    child_command_destroy(command);
    assert_int_equal(outcome.calls, 0);
    reactor_destroy(outcome.reactor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_gets_input_and_environment_and_returns_its_output),
        cmocka_unit_test(the_problem_is_the_last_error_line_or_the_kind_of_exit),
        cmocka_unit_test(the_time_limit_ends_a_command_and_its_children),
        cmocka_unit_test(output_beyond_the_limit_is_cut),
        cmocka_unit_test(a_missing_program_is_an_error_that_names_it),
        cmocka_unit_test(a_destroyed_command_makes_no_callback),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
