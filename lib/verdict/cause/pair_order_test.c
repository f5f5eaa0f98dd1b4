#include "lib/verdict/cause/pair_order.h"

#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void eight_pairs_in_two_sessions_are_balanced(void **ctx)
{
    char text[64] = "";

    (void)ctx;
    for (size_t session = 0; session < 2; session++) {
        strcat(text, session ? "| " : "");
        assert_int_equal(pair_order_count(8, 2, session), 4);
        for (size_t pair = 0; pair < 4; pair++)
            strcat(text, pair_order_base_first(session, pair) ? "AB " : "BA ");
    }
    assert_string_equal(text, "AB BA BA AB | BA AB AB BA ");
}

static void the_pairs_are_divided_among_the_sessions(void **ctx)
{
    (void)ctx;
    assert_int_equal(pair_order_count(7, 2, 0), 4);
    assert_int_equal(pair_order_count(7, 2, 1), 3);
    assert_int_equal(pair_order_count(7, 2, 2), 0);
    assert_int_equal(pair_order_count(0, 3, 0), 0);
}

/* With a drift of one unit per run, the differences B - A of a session add up to 0. */
static void linear_drift_cancels_in_a_session(void **ctx)
{
    (void)ctx;
    for (size_t session = 0; session < 3; session++) {
        int sum = 0;

        for (size_t pair = 0; pair < 4; pair++)
            sum += pair_order_base_first(session, pair) ? 1 : -1;
        assert_int_equal(sum, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_pairs_in_two_sessions_are_balanced),
        cmocka_unit_test(the_pairs_are_divided_among_the_sessions),
        cmocka_unit_test(linear_drift_cancels_in_a_session),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
