#include "cli/confirm/confirmation.h"

#include "lib/base/mem.h"
#include "lib/verdict/cause/ab_cause.h"
#include "tests/support/unit.h"

static void each_cause_has_an_outcome(void **ctx)
{
    static const struct {
        enum cause cause;
        enum confirmation_outcome outcome;
    } rows[] = {
        {CAUSE_NONE, CONFIRMATION_UNKNOWN},
        {CAUSE_UNKNOWN, CONFIRMATION_UNKNOWN},
        {CAUSE_NOT_REPRODUCED, CONFIRMATION_NOT_REPRODUCED},
        {CAUSE_CONTRADICTORY, CONFIRMATION_UNKNOWN},
        {CAUSE_BASE_GONE, CONFIRMATION_BASE_GONE},
        {CAUSE_CODE, CONFIRMATION_CONFIRMED},
        {CAUSE_CODE_HERE, CONFIRMATION_CONFIRMED},
        {CAUSE_CARD, CONFIRMATION_CONFIRMED},
        {CAUSE_HOST, CONFIRMATION_CONFIRMED},
        {CAUSE_LINK, CONFIRMATION_CONFIRMED},
        {CAUSE_ENVIRONMENT, CONFIRMATION_CONFIRMED},
    };

    (void)ctx;
    assert_int_equal(COUNT(rows), CAUSE_COUNT);
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(confirmation_outcome_of(cause_name(rows[i].cause)),
                         rows[i].outcome);
}

static void three_suspects_of_a_kernel_are_enough(void **ctx)
{
    struct confirmation_suspect suspects[4] = {
        {.kernel = "a"}, {.kernel = "b"}, {.kernel = "a"}, {.kernel = "a"}};
    struct confirmation_request request = {.suspects = suspects, .count = 3};

    (void)ctx;
    assert_true(confirmation_has_room(&request, "a"));
    request.count = 4;
    assert_false(confirmation_has_room(&request, "a"));
    assert_true(confirmation_has_room(&request, "b"));
    assert_true(confirmation_has_room(&request, "ab"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_cause_has_an_outcome),
        cmocka_unit_test(three_suspects_of_a_kernel_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
