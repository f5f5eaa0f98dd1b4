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

/* Takes the lock, has a child that has the descriptor as well, tells which, and waits.
 */
static pid_t start_holder(pid_t *child)
{
    pid_t holder;
    int told[2];

    assert_int_equal(pipe(told), 0);
    holder = fork();
    assert_true(holder >= 0);
    if (holder == 0) {
        if (lock_file(path, &err) < 0)
            _exit(1);
        *child = fork();
        if (*child > 0 && write(told[1], child, sizeof(*child)) != sizeof(*child))
            _exit(1);
        for (;;)
            pause();
    }
    close(told[1]);
    assert_int_equal(read(told[0], child, sizeof(*child)), sizeof(*child));
    close(told[0]);
    return holder;
}

static void end_holder(pid_t holder)
{
    kill(holder, SIGKILL);
    assert_int_equal(waitpid(holder, NULL, 0), holder);
}

static void the_second_process_is_told_who_has_it(void **ctx)
{
    pid_t child, holder = start_holder(&child);
    char text[64];

    (void)ctx;
    snprintf(text, sizeof(text), "process %ld has it; only one may", (long)holder);
    assert_int_equal(lock_file(path, &err), -1);
    assert_int_equal(err.code, ERR_CONFLICT);
    assert_string_equal(err.text, text);
    assert_true(lock_file_is_held(path));
    end_holder(holder);
    assert_false(lock_file_is_held(path));
    kill(child, SIGKILL);
}

static void who_was_killed_leaves_it_at_once_even_with_a_child(void **ctx)
{
    pid_t child, holder = start_holder(&child);
    int fd;

    (void)ctx;
    end_holder(holder);
    fd = lock_file(path, &err);
    kill(child, SIGKILL); /* until now it had the descriptor */
    assert_true(fd >= 0);
    close(fd);
}

static void what_cannot_be_opened_is_named(void **ctx)
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
        cmocka_unit_test(the_second_process_is_told_who_has_it),
        cmocka_unit_test(who_was_killed_leaves_it_at_once_even_with_a_child),
        cmocka_unit_test(what_cannot_be_opened_is_named),
    };

    return cmocka_run_group_tests(tests, make, drop);
}
