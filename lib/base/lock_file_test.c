#include "lib/base/lock_file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/unit.h"

static char path[] = "/tmp/muster-lock-XXXXXX";
static struct err err;

/* Takes the lock, starts a child that inherits the descriptor, sends its pid and waits.
 */
static pid_t start_holder(pid_t *child)
{
    pid_t holder;
    int notify[2];

    assert_int_equal(pipe(notify), 0);
    holder = fork();
    assert_true(holder >= 0);
    if (holder == 0) {
        if (lock_file(path, &err) < 0)
            _exit(1);
        *child = fork();
        if (*child > 0 && write(notify[1], child, sizeof(*child)) != sizeof(*child))
            _exit(1);
        for (;;)
            pause();
    }
    close(notify[1]);
    assert_int_equal(read(notify[0], child, sizeof(*child)), sizeof(*child));
    close(notify[0]);
    return holder;
}

static void end_holder(pid_t holder)
{
    kill(holder, SIGKILL);
    assert_int_equal(waitpid(holder, NULL, 0), holder);
}

static void the_error_names_the_process_that_holds_the_lock(void **ctx)
{
    pid_t child, holder = start_holder(&child);
    char text[64];

    (void)ctx;
    snprintf(text, sizeof(text), "process %ld holds the lock; only one may",
             (long)holder);
    assert_int_equal(lock_file(path, &err), -1);
    assert_int_equal(err.code, ERR_CONFLICT);
    assert_string_equal(err.text, text);
    assert_true(lock_file_is_held(path));
    end_holder(holder);
    assert_false(lock_file_is_held(path));
    kill(child, SIGKILL);
}

static void a_killed_process_loses_the_lock_although_its_child_lives(void **ctx)
{
    pid_t child, holder = start_holder(&child);
    int fd;

    (void)ctx;
    end_holder(holder);
    fd = lock_file(path, &err);
    kill(child, SIGKILL); /* the child held the descriptor until now */
    assert_true(fd >= 0);
    close(fd);
}

static void the_error_names_a_file_that_cannot_be_opened(void **ctx)
{
    (void)ctx;
    assert_int_equal(lock_file("/nowhere/lock", &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "/nowhere/lock"));
    assert_false(lock_file_is_held("/nowhere/lock"));
}

static int make(void **ctx)
{
    int fd = mkstemp(path);

    (void)ctx;
    return fd < 0 ? -1 : close(fd);
}

static int drop(void **ctx)
{
    (void)ctx;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_names_the_process_that_holds_the_lock),
        cmocka_unit_test(a_killed_process_loses_the_lock_although_its_child_lives),
        cmocka_unit_test(the_error_names_a_file_that_cannot_be_opened),
    };

    return cmocka_run_group_tests(tests, make, drop);
}
