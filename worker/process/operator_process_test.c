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

struct scene {
    struct reactor *reactor;
    struct operator_process *program;
    char folder[64], output[96];
    int status;
};

static struct scene scene;

static void on_end(void *arg, int status)
{
    (void)arg;
    scene.status = status;
    reactor_stop(scene.reactor);
}

static void on_child(void *arg)
{
    (void)arg;
    if (scene.program)
        operator_process_reap(scene.program);
}

static int set_up(void **ctx)
{
    struct err err;

    (void)ctx;
    memset(&scene, 0, sizeof(scene));
    strcpy(scene.folder, "/tmp/muster-program-XXXXXX");
    assert_non_null(mkdtemp(scene.folder));
    snprintf(scene.output, sizeof(scene.output), "%s/output", scene.folder);
    scene.reactor = reactor_create();
    return reactor_on_signal(scene.reactor, SIGCHLD, on_child, NULL, &err);
}

static int tear_down(void **ctx)
{
    struct err err;

    (void)ctx;
    operator_process_destroy(scene.program);
    reactor_destroy(scene.reactor);
    return folder_remove(scene.folder, &err);
}

static int start(const char *const *argv, struct err *err)
{
    static const char *const env[] = {"WORD=hello", NULL};
    struct operator_process_options options = {
        .argv = argv,
        .env = env,
        .cwd = scene.folder,
        .output = scene.output,
        .keep_fd = -1,
    };

    return operator_process_start(&scene.program, scene.reactor, &options, on_end, NULL,
                                  err);
}

static void run(const char *script)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct err err;

    assert_int_equal(start(argv, &err), 0);
    assert_int_equal(reactor_run(scene.reactor, &err), 0);
}

static void it_ends_with_its_code_and_leaves_its_words(void **ctx)
{
    char words[64], *bytes;
    struct err err;
    size_t size;

    (void)ctx;
    run("echo first; echo $WORD >&2; pwd -P >where; exit 3");
    assert_true(WIFEXITED(scene.status));
    assert_int_equal(WEXITSTATUS(scene.status), 3);
    output_capture_last_words(operator_process_printed(scene.program), words,
                              sizeof(words));
    assert_string_equal(words, "hello");
    assert_int_equal(file_read(&bytes, &size, scene.output, 1000, &err), 0);
    assert_string_equal(bytes, "first\nhello\n");
    free(bytes);
}

static void a_stubborn_one_is_killed_with_its_children(void **ctx)
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
    snprintf(path, sizeof(path), "%s/child", scene.folder);
    assert_int_equal(start(argv, &err), 0);
    for (int i = 0; !file_exists(path); i++) {
        assert_true(i < 4999);
        usleep(1000);
    }
    assert_int_equal(file_read(&bytes, &size, path, 100, &err), 0);
    child = atoi(bytes);
    free(bytes);
    operator_process_stop(scene.program, 10);
    assert_int_equal(reactor_run(scene.reactor, &err), 0);
    assert_true(WIFSIGNALED(scene.status));
    assert_int_equal(WTERMSIG(scene.status), SIGKILL);
    for (int i = 0; i < 5000 && kill(child, 0) == 0; i++) {
        snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
        char state = 'Z', line[256];
        FILE *stat = fopen(path, "r");

        if (stat && fgets(line, sizeof(line), stat))
            state = strrchr(line, ')')[2];
        if (stat)
            fclose(stat);
        if (state == 'Z') /* dead; its new parent may be slow to notice */
            break;
        usleep(1000);
        assert_true(i < 4999);
    }
}

static void what_is_left_in_its_group_does_not_outlive_it(void **ctx)
{
    (void)ctx;
    /* the pipe of the output would keep a reader waiting for the sleeper */
    run("sleep 1000 & exit 0");
    assert_true(WIFEXITED(scene.status));
}

static void what_left_its_session_does_not_outlive_it(void **ctx)
{
    char path[128], *bytes = NULL;
    struct err err;
    size_t size;

    (void)ctx;
    run("setsid sh -c 'echo $$ >pid.new; mv pid.new pid; exec sleep 1000' & "
        "until [ -e pid ]; do sleep 0.01; done");
    snprintf(path, sizeof(path), "%s/pid", scene.folder);
    assert_int_equal(file_read(&bytes, &size, path, 100, &err), 0);
    assert_int_equal(kill(atoi(bytes), 0), -1);
    free(bytes);
}

static void last_words_can_be_read(void **ctx)
{
    char words[64];

    (void)ctx;
    run("printf 'first\\n\\0\\0\\0\\033[1mb\\303\\266se\\377\\n'");
    output_capture_last_words(operator_process_printed(scene.program), words,
                              sizeof(words));
    assert_string_equal(words, "?[1mb\xc3\xb6se?");
}

static void no_program_is_an_error_with_its_name(void **ctx)
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

static void what_cannot_be_executed_is_an_error(void **ctx)
{
    char path[128];
    const char *const argv[] = {path, NULL};
    struct err err;

    (void)ctx;
    snprintf(path, sizeof(path), "%s/broken", scene.folder);
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
        CASE(it_ends_with_its_code_and_leaves_its_words),
        CASE(a_stubborn_one_is_killed_with_its_children),
        CASE(what_is_left_in_its_group_does_not_outlive_it),
        CASE(what_left_its_session_does_not_outlive_it),
        CASE(last_words_can_be_read),
        CASE(no_program_is_an_error_with_its_name),
        CASE(what_cannot_be_executed_is_an_error),
        cmocka_unit_test(the_later_value_of_a_key_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
