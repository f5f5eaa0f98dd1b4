#include "lib/compare/environments.h"

#include <stdlib.h>

#include "tests/support/unit.h"

static struct environments *base, *fresh;

static int set_up(void **ctx)
{
    (void)ctx;
    base = environments_create();
    fresh = environments_create();
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    environments_destroy(base);
    environments_destroy(fresh);
    return 0;
}

static void set(struct environments *to, const char *card, const char *driver)
{
    environments_set(
        to, card,
        &(struct environment){
            .chip = "Ascend910B2", .driver = driver, .firmware = "7.1", .cann = "8.3"});
}

static void change_is(const char *expected)
{
    char *change = environments_change(base, fresh);

    if (expected)
        assert_string_equal(change, expected);
    else
        assert_null(change);
    free(change);
}

static void equal_environments_are_no_change(void **ctx)
{
    (void)ctx;
    change_is(NULL);
    set(base, "S1", "25.5.0");
    set(fresh, "S1", "25.5.0");
    change_is(NULL);
    assert_int_equal(environments_compare(base, fresh, "S1"), ENVIRONMENT_EQUAL);
    assert_int_equal(environments_compare(base, fresh, "S2"), ENVIRONMENT_UNKNOWN);
}

static void equal_changes_are_counted_by_card(void **ctx)
{
    (void)ctx;
    for (char card[] = "S1"; card[1] <= '6'; card[1]++) {
        set(base, card, card[1] == '6' ? "24.1" : "25.5.0");
        set(fresh, card, card[1] == '1' ? "25.5.0" : "26.0.1");
    }
    change_is("driver 25.5.0 became 26.0.1 on 4 cards, driver 24.1 became 26.0.1 on 1 "
              "card");
    assert_int_equal(environments_compare(base, fresh, "S1"), ENVIRONMENT_EQUAL);
    assert_int_equal(environments_compare(base, fresh, "S6"), ENVIRONMENT_CHANGED);
}

static void each_value_is_compared(void **ctx)
{
    static const struct environment before = {"A", "8.2", "25", "7", "5.10", "1", 1};
    static const struct environment now = {"B", "8.3", "26", "8", "6.1", "2", 2};

    (void)ctx;
    environments_set(base, "S1", &before);
    environments_set(fresh, "S1", &now);
    change_is(
        "chip A became B on 1 card, HBM maker 1 became 2 on 1 card, CANN 8.2 "
        "became 8.3 on 1 card, driver 25 became 26 on 1 card, firmware 7 became 8 "
        "on 1 card, host kernel 5.10 became 6.1 on 1 card, measurement 1 became 2 "
        "on 1 card");
}

static void unknown_values_and_other_cards_are_no_change(void **ctx)
{
    (void)ctx;
    set(base, "S1", "25.5.0");
    set(fresh, "S1", "");
    set(base, "S2", NULL);
    set(fresh, "S2", "26.0.1");
    set(base, "S3", "25.5.0");
    set(fresh, "S4", "26.0.1");
    change_is(NULL);
    assert_int_equal(environments_compare(base, fresh, "S1"), ENVIRONMENT_EQUAL);
    assert_int_equal(environments_compare(base, fresh, "S4"), ENVIRONMENT_UNKNOWN);
}

static void an_update_keeps_cards_that_are_away(void **ctx)
{
    struct environments *later = environments_create();

    (void)ctx;
    set(base, "S1", "25.5.0");
    set(base, "S2", "25.5.0");
    set(fresh, "S2", "26.0.1");
    environments_update(base, fresh);
    set(later, "S1", "26.0.1");
    set(later, "S2", "26.0.1");
    char *change = environments_change(base, later);
    assert_string_equal(change, "driver 25.5.0 became 26.0.1 on 1 card");
    free(change);
    environments_destroy(later);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(equal_environments_are_no_change),
        TEST(equal_changes_are_counted_by_card),
        TEST(each_value_is_compared),
        TEST(unknown_values_and_other_cards_are_no_change),
        TEST(an_update_keeps_cards_that_are_away),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
