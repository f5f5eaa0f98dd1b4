/* allocation_queue_test.c - allocations that are requested, over all small loads */
#include "lib/cluster/allocation_queue.h"

#include <string.h>

#include "tests/support/unit.h"

static struct allocation_request
request_of(uint64_t cards, uint64_t backlog, uint64_t most)
{
    return (struct allocation_request){.name = "q",
                                       .resource = "npu",
                                       .model = "",
                                       .nodes = 1,
                                       .cards_per_node = cards,
                                       .backlog = backlog,
                                       .most = most};
}

static void nothing_is_requested_while_no_task_waits(void **ctx)
{
    struct allocation_request request = request_of(4, 2, 8);

    (void)ctx;
    assert_int_equal(alloc_missing(&request, &(struct alloc_load){0}), 0);
    assert_int_equal(alloc_missing(&request, &(struct alloc_load){.cards_wanted = 3,
                                                                  .cards_idle = 3}),
                     0);
}

/* The limits hold for every load. When no limit is reached, the requested allocations
 * are enough for all waiting tasks, and one allocation less is not enough. */
static void requests_keep_the_limits_and_suffice_for_the_waiting_tasks(void **ctx)
{
    size_t requested = 0;

    (void)ctx;
    for (uint64_t cards = 1; cards <= 4; cards++)
        for (uint64_t most = 1; most <= 4; most++)
            for (uint64_t wanted = 0; wanted <= 12; wanted++)
                for (uint64_t idle = 0; idle <= 4; idle++)
                    for (uint64_t queued = 0; queued <= 3; queued++)
                        for (uint64_t starting = 0; starting <= 2; starting++) {
                            struct allocation_request request =
                                request_of(cards, 2, most);
                            struct alloc_load load = {.cards_wanted = wanted,
                                                      .cards_idle = idle,
                                                      .queued = queued,
                                                      .starting = starting,
                                                      .live = queued + starting + 1};
                            uint64_t n = alloc_missing(&request, &load);
                            uint64_t cards_expected =
                                idle + (queued + starting) * cards;

                            requested += n > 0;
                            assert_true(n == 0 || queued + n <= 2);
                            assert_true(n == 0 || load.live + n <= most);
                            assert_true(n == 0 ||
                                        cards_expected + (n - 1) * cards < wanted);
                            if (queued + n < 2 && load.live + n < most)
                                assert_true(cards_expected + n * cards >= wanted);
                        }
    assert_true(requested > 100);
}

static void a_step_in_the_own_allocation_is_requested_once(void **ctx)
{
    struct allocation_request request = request_of(4, 1, 1);

    (void)ctx;
    request.here = true;
    assert_int_equal(alloc_missing(&request, &(struct alloc_load){0}), 0);
    assert_int_equal(alloc_missing(&request, &(struct alloc_load){.cards_wanted = 9}),
                     1);
    assert_int_equal(
        alloc_missing(&request, &(struct alloc_load){.cards_wanted = 9, .live = 1}), 0);
}

static void waits_double_after_each_failure_up_to_the_maximum(void **ctx)
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

static void an_invalid_request_is_rejected_with_the_name_of_the_option(void **ctx)
{
    static const char *const bad_option[] = {"main"};
    static const struct {
        struct allocation_request request;
        const char *expected;
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
        {{.name = "q", .resource = "npu", .options = bad_option, .option_count = 1},
         "main"},
    };
    struct allocation_request good = request_of(8, 1, 1);
    struct err err;

    (void)ctx;
    assert_int_equal(alloc_check(&good, &err), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(alloc_check(&cases[i].request, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        assert_non_null(strstr(err.text, cases[i].expected));
    }
}

static void each_number_of_a_request_has_its_limits(void **ctx)
{
    enum { NODES, CARDS, BACKLOG, MOST, OPTIONS, NUMBERS };
    static const struct {
        uint64_t least, most;
        const char *error;
    } limits[NUMBERS] = {
        [NODES] = {1, 4096, "--nodes: 4097 is out of range; give 1 to 4096"},
        [CARDS] = {1, 64, "--cards-per-node: 65 is out of range; give 1 to 64"},
        [BACKLOG] = {1, 1024, "--backlog: 1025 is out of range; give 1 to 1024"},
        [MOST] = {1, 1024, "--most: 1025 is out of range; give 1 to 1024"},
        [OPTIONS] = {0, 64,
                     "number of options after --: 65 is out of range; give 0 to 64"},
    };
    const char *options[65];

    (void)ctx;
    for (size_t i = 0; i < 65; i++)
        options[i] = "--x";
    for (int i = 0; i < NUMBERS; i++)
        for (uint64_t n = limits[i].least ? 0 : 1; n < 4; n++) {
            const uint64_t values[] = {limits[i].least - 1, limits[i].least,
                                       limits[i].most, limits[i].most + 1};
            struct allocation_request request = request_of(8, 1, 1);
            uint64_t *const members[] = {&request.nodes, &request.cards_per_node,
                                         &request.backlog, &request.most};
            bool good = n == 1 || n == 2;
            struct err err;

            request.options = options;
            if (i == OPTIONS)
                request.option_count = (size_t)values[n];
            else
                *members[i] = values[n];
            assert_int_equal(alloc_check(&request, &err), good ? 0 : -1);
            if (n == 3)
                assert_string_equal(err.text, limits[i].error);
        }
}

static void every_option_begins_with_a_dash(void **ctx)
{
    static const char *const good[] = {"-p", "--x", "-"};
    static const char *const bad[] = {"-p", "--x", "x-"};
    struct allocation_request request = request_of(8, 1, 1);
    struct err err;

    (void)ctx;
    request.options = good;
    request.option_count = 3;
    assert_int_equal(alloc_check(&request, &err), 0);
    request.options = bad;
    assert_int_equal(alloc_check(&request, &err), -1);
    assert_string_equal(err.text, "'x-' after -- is not an option of sbatch; write it "
                                  "as --NAME=VALUE");
    request.option_count = 2;
    assert_int_equal(alloc_check(&request, &err), 0);
}

static void the_waits_after_failures_are_ten_seconds_to_ten_minutes(void **ctx)
{
    static const uint64_t seconds[] = {0, 10, 20, 40, 80, 160, 320, 600, 600};

    (void)ctx;
    for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
        assert_int_equal(alloc_back_off_ms(i), 1000 * seconds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_requested_while_no_task_waits),
        cmocka_unit_test(requests_keep_the_limits_and_suffice_for_the_waiting_tasks),
        cmocka_unit_test(a_step_in_the_own_allocation_is_requested_once),
        cmocka_unit_test(waits_double_after_each_failure_up_to_the_maximum),
        cmocka_unit_test(every_option_begins_with_a_dash),
        cmocka_unit_test(each_number_of_a_request_has_its_limits),
        cmocka_unit_test(the_waits_after_failures_are_ten_seconds_to_ten_minutes),
        cmocka_unit_test(an_invalid_request_is_rejected_with_the_name_of_the_option),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
