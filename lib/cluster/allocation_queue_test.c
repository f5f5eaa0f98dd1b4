/* allocation_queue_test.c - how many allocations are asked for, over all small loads */
#include "lib/cluster/allocation_queue.h"

#include <string.h>

#include "tests/support/unit.h"

static struct allocation_request
wish_of(uint64_t cards, uint64_t backlog, uint64_t most)
{
    return (struct allocation_request){.name = "q",
                                       .resource = "npu",
                                       .model = "",
                                       .nodes = 1,
                                       .cards_per_node = cards,
                                       .backlog = backlog,
                                       .most = most};
}

static void nothing_waits_nothing_is_asked_for(void **ctx)
{
    struct allocation_request wish = wish_of(4, 2, 8);

    (void)ctx;
    assert_int_equal(alloc_missing(&wish, &(struct alloc_load){0}), 0);
    assert_int_equal(
        alloc_missing(&wish, &(struct alloc_load){.cards_wanted = 3, .cards_idle = 3}),
        0);
}

/* The limits hold whatever the load is; and when none of them is reached, what comes is
 * enough for what waits, and one less would not be. */
static void limits_hold_and_what_comes_is_enough(void **ctx)
{
    size_t asked = 0;

    (void)ctx;
    for (uint64_t cards = 1; cards <= 4; cards++)
        for (uint64_t most = 1; most <= 4; most++)
            for (uint64_t wanted = 0; wanted <= 12; wanted++)
                for (uint64_t idle = 0; idle <= 4; idle++)
                    for (uint64_t queued = 0; queued <= 3; queued++)
                        for (uint64_t coming = 0; coming <= 2; coming++) {
                            struct allocation_request wish = wish_of(cards, 2, most);
                            struct alloc_load load = {.cards_wanted = wanted,
                                                      .cards_idle = idle,
                                                      .queued = queued,
                                                      .coming = coming,
                                                      .live = queued + coming + 1};
                            uint64_t n = alloc_missing(&wish, &load);
                            uint64_t there = idle + (queued + coming) * cards;

                            asked += n > 0;
                            assert_true(n == 0 || queued + n <= 2);
                            assert_true(n == 0 || load.live + n <= most);
                            assert_true(n == 0 || there + (n - 1) * cards < wanted);
                            if (queued + n < 2 && load.live + n < most)
                                assert_true(there + n * cards >= wanted);
                        }
    assert_true(asked > 100);
}

static void the_step_of_our_own_allocation_is_one_at_a_time(void **ctx)
{
    struct allocation_request wish = wish_of(4, 1, 1);

    (void)ctx;
    wish.here = true;
    assert_int_equal(alloc_missing(&wish, &(struct alloc_load){0}), 0);
    assert_int_equal(alloc_missing(&wish, &(struct alloc_load){.cards_wanted = 9}), 1);
    assert_int_equal(
        alloc_missing(&wish, &(struct alloc_load){.cards_wanted = 9, .live = 1}), 0);
}

static void waits_grow_after_each_failure_up_to_an_end(void **ctx)
{
    (void)ctx;
    assert_int_equal(alloc_back_off_ms(0), 0);
    assert_int_equal(alloc_back_off_ms(1), ALLOC_BACK_OFF_MS);
    assert_int_equal(alloc_back_off_ms(2), 2 * ALLOC_BACK_OFF_MS);
    for (uint64_t n = 1; n < 100; n++) {
        assert_true(alloc_back_off_ms(n + 1) >= alloc_back_off_ms(n));
        assert_true(alloc_back_off_ms(n) <= ALLOC_BACK_OFF_MAX_MS);
    }
    assert_int_equal(alloc_back_off_ms(UINT64_MAX), ALLOC_BACK_OFF_MAX_MS);
}

static void what_is_wrong_with_a_wish_is_said(void **ctx)
{
    static const char *const bad_word[] = {"main"};
    static const struct {
        struct allocation_request wish;
        const char *says;
    } cases[] = {
        {{.name = "a b", .resource = "npu"}, "name"},
        {{.name = "q", .resource = ""}, "resource"},
        {{.name = "q", .resource = "npu", .nodes = 0}, "--nodes"},
        {{.name = "q", .resource = "npu", .nodes = 1}, "--cards-per-node"},
        {{.name = "q", .resource = "npu", .nodes = 1, .cards_per_node = 65},
         "--cards-per-node"},
        {{.name = "q", .resource = "npu", .nodes = 1, .cards_per_node = 8},
         "--backlog"},
        {{.name = "q",
          .resource = "npu",
          .nodes = 1,
          .cards_per_node = 8,
          .backlog = 1,
          .most = 9999},
         "--most"},
        {{.name = "q", .resource = "npu", .words = bad_word, .word_count = 1}, "main"},
    };
    struct allocation_request good = wish_of(8, 1, 1);
    struct err err;

    (void)ctx;
    assert_int_equal(alloc_check(&good, &err), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(alloc_check(&cases[i].wish, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        assert_non_null(strstr(err.text, cases[i].says));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_waits_nothing_is_asked_for),
        cmocka_unit_test(limits_hold_and_what_comes_is_enough),
        cmocka_unit_test(the_step_of_our_own_allocation_is_one_at_a_time),
        cmocka_unit_test(waits_grow_after_each_failure_up_to_an_end),
        cmocka_unit_test(what_is_wrong_with_a_wish_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
