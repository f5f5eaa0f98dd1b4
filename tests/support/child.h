/* child.h - runs checks of a test in a child process, which reports by its exit code */
#ifndef TESTS_SUPPORT_CHILD_H
#define TESTS_SUPPORT_CHILD_H

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/unit.h"

static inline void assert_child_ended_well(void)
{
    int status = -1;

    assert_true(wait(&status) > 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#endif
