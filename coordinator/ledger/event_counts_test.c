#include "coordinator/ledger/event_counts.h"

#include <stdio.h>

#include "tests/support/unit.h"

static void each_kind_is_counted_in_the_order_of_its_first_event(void **ctx)
{
    struct event_counts counts = {0};

    (void)ctx;
    event_counts_add(&counts, "job.ended");
    event_counts_add(&counts, "job.started");
    event_counts_add(&counts, "job.ended");
    assert_int_equal(counts.count, 2);
    assert_string_equal(counts.rows[0].word, "job.ended");
    assert_int_equal(counts.rows[0].count, 2);
    assert_string_equal(counts.rows[1].word, "job.started");
    assert_int_equal(counts.rows[1].count, 1);
}

static void words_that_differ_after_31_characters_are_one_kind(void **ctx)
{
    struct event_counts counts = {0};

    (void)ctx;
    event_counts_add(&counts, "1234567890123456789012345678901-a");
    event_counts_add(&counts, "1234567890123456789012345678901-b");
    event_counts_add(&counts, "123456789012345678901234567890_");
    assert_int_equal(counts.count, 2);
    assert_string_equal(counts.rows[0].word, "1234567890123456789012345678901");
    assert_int_equal(counts.rows[0].count, 2);
    assert_int_equal(counts.rows[1].count, 1);
}

static void the_49th_kind_is_not_counted(void **ctx)
{
    struct event_counts counts = {0};
    char word[24];

    (void)ctx;
    for (int i = 0; i < 49; i++) {
        snprintf(word, sizeof(word), "kind%d", i);
        event_counts_add(&counts, word);
    }
    event_counts_add(&counts, "kind47");
    assert_int_equal(counts.count, 48);
    assert_string_equal(counts.rows[47].word, "kind47");
    assert_int_equal(counts.rows[47].count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_counted_in_the_order_of_its_first_event),
        cmocka_unit_test(words_that_differ_after_31_characters_are_one_kind),
        cmocka_unit_test(the_49th_kind_is_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
