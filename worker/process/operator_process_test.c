#include "worker/process/operator_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/reactor.h"
#include "tests/support/unit.h"
#include "worker/process/output_capture.h"

struct fixture {
    struct reactor *reactor;
    struct operator_process *program;
    char folder[64], output[96];
    int status;
};

static struct fixture fixture;

static void on_end(void *arg, int status)
{
    (void)arg;
    fixture.status = status;
    reactor_stop(fixture.reactor);
}

static void on_child(void *arg)
{
    (void)arg;
    if (fixture.program)
        operator_process_reap(fixture.program);
}

static int set_up(void **ctx)
{
    struct err err;

    (void)ctx;
    memset(&fixture, 0, sizeof(fixture));
    strcpy(fixture.folder, "/tmp/muster-program-XXXXXX");
    assert_non_null(mkdtemp(fixture.folder));
    snprintf(fixture.output, sizeof(fixture.output), "%s/output", fixture.folder);
    fixture.reactor = reactor_create();
    return reactor_on_signal(fixture.reactor, SIGCHLD, on_child, NULL, &err);
}

static int tear_down(void **ctx)
{
    struct err err;

    (void)ctx;
    operator_process_destroy(fixture.program);
    reactor_destroy(fixture.reactor);
    return folder_remove(fixture.folder, &err);
}

static int start(const char *const *argv, struct err *err)
{
    static const char *const env[] = {"WORD=hello", NULL};
    struct operator_process_options options = {
        .argv = argv,
        .env = env,
        .cwd = fixture.folder,
        .output = fixture.output,
        .keep_fd = -1,
    };

    return operator_process_start(&fixture.program, fixture.reactor, &options, on_end,
                                  NULL, err);
}

static void run(const char *script)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct err err;

    assert_int_equal(start(argv, &err), 0);
    assert_int_equal(reactor_run(fixture.reactor, &err), 0);
}

static void the_exit_code_and_the_last_line_are_kept(void **ctx)
{
    char line[64], *bytes;
    struct err err;
    size_t size;

    (void)ctx;
    run("echo first; echo $WORD >&2; pwd -P >where; exit 3");
    assert_true(WIFEXITED(fixture.status));
    assert_int_equal(WEXITSTATUS(fixture.status), 3);
    output_capture_last_line(operator_process_output(fixture.program), line,
                             sizeof(line));
    assert_string_equal(line, "hello");
    assert_int_equal(file_read(&bytes, &size, fixture.output, 1000, &err), 0);
    assert_string_equal(bytes, "first\nhello\n");
    free(bytes);
}

/* The worker's own starter may have left descriptors open in it. */
static void descriptors_that_the_worker_inherited_are_closed(void **ctx)
{
    char *bytes;
    struct err err;
    size_t size;
    int low = open("/dev/null", O_RDONLY), high;

    (void)ctx;
    assert_true(low >= 0);
    high = fcntl(low, F_DUPFD, 100);
    assert_true(high >= 100);
    assert_true(high < 120);
    run("fd=3; while [ $fd -lt 120 ]; do [ -e /proc/$$/fd/$fd ] && echo $fd; "
        "fd=$((fd + 1)); done; echo end");
    close(low);
    close(high);
    assert_int_equal(file_read(&bytes, &size, fixture.output, 1000, &err), 0);
    assert_string_equal(bytes, "end\n");
    free(bytes);
}

static void a_process_that_ignores_sigterm_is_killed_with_its_children(void **ctx)
{
    const char *const argv[] = {
        "/bin/sh",
        "-c",
        "trap '' TERM; sleep 1000 & echo $! >child.tmp; mv child.tmp child; "
        "while :; do wait; done",
        NULL,
    };
    char path[128], *bytes = NULL;
    struct err err;
    size_t size;
    pid_t child;

    (void)ctx;
    snprintf(path, sizeof(path), "%s/child", fixture.folder);
    assert_int_equal(start(argv, &err), 0);
    for (int i = 0; !file_exists(path); i++) {
        assert_true(i < 4999);
        usleep(1000);
    }
    assert_int_equal(file_read(&bytes, &size, path, 100, &err), 0);
    child = atoi(bytes);
    free(bytes);
    operator_process_stop(fixture.program, 10);
    assert_int_equal(reactor_run(fixture.reactor, &err), 0);
    assert_true(WIFSIGNALED(fixture.status));
    assert_int_equal(WTERMSIG(fixture.status), SIGKILL);
    for (int i = 0; i < 5000 && kill(child, 0) == 0; i++) {
        snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
        char state = 'Z', line[256];
        FILE *stat = fopen(path, "r");

        if (stat && fgets(line, sizeof(line), stat))
            state = strrchr(line, ')')[2];
        if (stat)
            fclose(stat);
        if (state == 'Z') /* dead; its new parent has not reaped it yet */
            break;
        usleep(1000);
        assert_true(i < 4999);
    }
}

static void processes_left_in_its_group_are_killed(void **ctx)
{
    (void)ctx;
    /* otherwise the sleeper keeps the output pipe open, and the loop never ends */
    run("sleep 1000 & exit 0");
    assert_true(WIFEXITED(fixture.status));
}

static void processes_that_left_its_session_are_killed(void **ctx)
{
    char path[128], *bytes = NULL;
    struct err err;
    size_t size;

    (void)ctx;
    run("setsid sh -c 'echo $$ >pid.new; mv pid.new pid; exec sleep 1000' & "
        "until [ -e pid ]; do sleep 0.01; done");
    snprintf(path, sizeof(path), "%s/pid", fixture.folder);
    assert_int_equal(file_read(&bytes, &size, path, 100, &err), 0);
    assert_int_equal(kill(atoi(bytes), 0), -1);
    free(bytes);
}

static void the_last_line_is_printable(void **ctx)
{
    char line[64];

    (void)ctx;
    run("printf 'first\\n\\0\\0\\0\\033[1mb\\303\\266se\\377\\n'");
    output_capture_last_line(operator_process_output(fixture.program), line,
                             sizeof(line));
    assert_string_equal(line, "?[1mb\xc3\xb6se?");
}

static void a_missing_program_is_an_error_with_its_name(void **ctx)
{
    const char *const none[] = {"no-such-program", NULL};
    const char *const folder[] = {"/tmp", NULL};
    struct err err;

    (void)ctx;
    assert_int_equal(start(none, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "no-such-program"));
    assert_int_equal(start(folder, &err), -1);
}

static void a_file_that_cannot_be_executed_is_an_error(void **ctx)
{
    char path[128];
    const char *const argv[] = {path, NULL};
    struct err err;

    (void)ctx;
    /* Its posix_spawn() does not return the error of the child. */
    SKIP_UNDER_THREAD_SANITIZER();
    snprintf(path, sizeof(path), "%s/broken", fixture.folder);
    assert_int_equal(file_write(path,
                                "\x7f"
                                "ELFbroken",
                                10, &err),
                     0);
    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(start(argv, &err), -1);
    assert_int_equal(err.code, ERR_SYSTEM);
}

static void the_later_value_of_a_key_wins(void **ctx)
{
    char *const base[] = {"A=1", "PATH=/bin", "AB=2", NULL};
    const char *const more[] = {"A=3", "C=4", "A=5"};
    const char **all = operator_process_environment(base, more, 3);

    (void)ctx;
    assert_string_equal(all[0], "PATH=/bin");
    assert_string_equal(all[1], "AB=2");
    assert_string_equal(all[2], "C=4");
    assert_string_equal(all[3], "A=5");
    assert_null(all[4]);
    free(all);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_exit_code_and_the_last_line_are_kept),
        CASE(descriptors_that_the_worker_inherited_are_closed),
        CASE(a_process_that_ignores_sigterm_is_killed_with_its_children),
        CASE(processes_left_in_its_group_are_killed),
        CASE(processes_that_left_its_session_are_killed),
        CASE(the_last_line_is_printable),
        CASE(a_missing_program_is_an_error_with_its_name),
        CASE(a_file_that_cannot_be_executed_is_an_error),
        cmocka_unit_test(the_later_value_of_a_key_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
