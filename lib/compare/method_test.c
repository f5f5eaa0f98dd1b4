#include "lib/compare/method.h"

#include <stdlib.h>

#include "tests/support/unit.h"

static void different_values_are_named(void **ctx)
{
    char *difference = method_difference("replay=kernel warmup=0 measurement=2.1",
                                         "replay=application warmup=0 measurement=2.3");

    (void)ctx;
    assert_string_equal(difference, "replay kernel became application, "
                                    "measurement 2.1 became 2.3");
    free(difference);
    assert_true(method_differs("warmup=1", "warmup=10"));
    assert_true(method_differs("warmup=10", "warmup=1"));
}

static void equal_and_unknown_values_do_not_differ(void **ctx)
{
    (void)ctx;
    assert_false(method_differs("replay=kernel warmup=5", "warmup=5 replay=kernel"));
    assert_false(method_differs("replay=kernel measurement=2.1", "replay=kernel"));
    assert_false(method_differs("", "replay=kernel"));
    assert_false(method_differs("warmup=5", ""));
    assert_false(method_differs("warm=1", "warmup=2"));
    assert_null(method_difference("", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_values_are_named),
        cmocka_unit_test(equal_and_unknown_values_do_not_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
