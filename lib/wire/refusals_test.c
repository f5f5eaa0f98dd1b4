#include "lib/wire/refusals.h"

#include <stdio.h>

#include "tests/support/unit.h"

struct told {
    int times;
    enum refusal last;
};

static void count_told(enum refusal kind, const char *who, void *arg)
{
    struct told *told = arg;

    assert_non_null(who);
    told->times++;
    told->last = kind;
}

static void each_is_counted_and_the_first_of_a_caller_is_told(void **ctx)
{
    struct refusals *refusals = refusals_create();
    struct told told = {0};

    (void)ctx;
    refusals_tell(refusals, count_told, &told);
    for (int i = 0; i < 1000; i++)
        refusals_add(refusals, REFUSAL_KEY, "10.0.0.1");
    assert_int_equal(told.times, 1);
    refusals_add(refusals, REFUSAL_KEY, "10.0.0.2");
    refusals_add(refusals, REFUSAL_ROLE, "10.0.0.1");
    assert_int_equal(told.times, 3);
    assert_int_equal(told.last, REFUSAL_ROLE);
    assert_int_equal(refusals_count(refusals, REFUSAL_KEY), 1001);
    assert_int_equal(refusals_count(refusals, REFUSAL_ROLE), 1);
    assert_int_equal(refusals_count(refusals, REFUSAL_WITHDRAWN), 0);
    refusals_destroy(refusals);
}

static void many_callers_are_counted_and_no_longer_told(void **ctx)
{
    struct refusals *refusals = refusals_create();
    struct told told = {0};
    char who[400];

    (void)ctx;
    refusals_tell(refusals, count_told, &told);
    for (int i = 0; i < 10 * REFUSALS_CALLERS; i++) {
        snprintf(who, sizeof(who), "%d%0300d", i, 0); /* longer than what is kept */
        refusals_add(refusals, REFUSAL_CUT_OFF, who);
    }
    assert_int_equal(told.times, REFUSALS_CALLERS);
    assert_int_equal(refusals_count(refusals, REFUSAL_CUT_OFF), 10 * REFUSALS_CALLERS);
    refusals_take_back(refusals, REFUSAL_CUT_OFF);
    refusals_take_back(refusals, REFUSAL_WITHDRAWN);
    assert_int_equal(refusals_count(refusals, REFUSAL_CUT_OFF),
                     10 * REFUSALS_CALLERS - 1);
    assert_int_equal(refusals_count(refusals, REFUSAL_WITHDRAWN), 0);
    refusals_destroy(refusals);
}

static void every_kind_has_a_word(void **ctx)
{
    (void)ctx;
    for (enum refusal kind = 0; kind < REFUSAL_KINDS; kind++)
        assert_non_null(refusal_kind_word(kind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_counted_and_the_first_of_a_caller_is_told),
        cmocka_unit_test(many_callers_are_counted_and_no_longer_told),
        cmocka_unit_test(every_kind_has_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
