#include "inject/base/thread.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/unit.h"

enum { READINGS = 300 * 1000, OFF_NS = 10 * 1000 };

/* Each quick reading lies between two readings of the clock. */
static void the_quick_clock_agrees_with_the_clock(void **ctx)
{
    uint64_t before = thread_now_ns(), last = 0;

    (void)ctx;
    for (int i = 0; i < READINGS; i++) {
        uint64_t quick = thread_quick_ns(), after = thread_now_ns();

        assert_true(quick + OFF_NS >= before && quick <= after + OFF_NS);
        assert_true(quick >= last);
        before = after;
        last = quick;
    }
}

static void a_child_has_its_own_number(void **ctx)
{
    uint32_t parent = thread_number();
    int status;
    pid_t pid;

    (void)ctx;
    assert_int_equal(parent, getpid());
    pid = fork();
    if (pid == 0) {
        thread_reset();
        _exit(thread_number() == (uint32_t)getpid() && thread_number() != parent ? 0
                                                                                 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_quick_clock_agrees_with_the_clock),
        cmocka_unit_test(a_child_has_its_own_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
