#include "worker/link/rejected_log.h"

#include "tests/support/unit.h"

static void the_first_message_and_one_per_interval_are_logged(void **ctx)
{
    struct rejected_log rejected = {0};
    unsigned lines = 0;

    (void)ctx;
    assert_true(rejected_log_add(&rejected, 5));
    for (unsigned i = 0; i < 100000; i++)
        lines += rejected_log_add(&rejected, 5 + REJECTED_LOG_MS - 1);
    assert_int_equal(lines, 0);
    assert_true(rejected_log_add(&rejected, 5 + REJECTED_LOG_MS));
    assert_int_equal(rejected.messages, 100002);
    assert_false(rejected_log_add(&rejected, 5 + REJECTED_LOG_MS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_message_and_one_per_interval_are_logged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
