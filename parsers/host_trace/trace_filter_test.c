/* trace_filter_test.c - filtered traces give the same evidence as whole ones */
#include "parsers/host_trace/trace_filter.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { ROUNDS = 300, EVENTS = 200, THREADS = 3, SPAN = 1000 };

static struct intervals idle;
static struct trace_view whole, kept;

static int64_t random_below(int64_t limit)
{
    return (int64_t)(random() % limit);
}

static void make_idle(void)
{
    intervals_clear(&idle);
    for (int i = 0; i < 8; i++) {
        int64_t start = random_below(SPAN);

        intervals_add(&idle, start, start + 1 + random_below(40));
    }
    intervals_merge(&idle);
}

static void make_traces(void)
{
    struct trace_filter *filter = trace_filter_create(&idle);

    for (int i = 0; i < EVENTS; i++) {
        struct trace_event event = {.start = random_below(SPAN),
                                    .thread = (uint32_t)random_below(THREADS),
                                    .flags = TRACE_HOST};

        event.end = event.start + random_below(i % 10 == 0 ? SPAN / 4 : 12);
        trace_list_add(&whole, &event);
        if (trace_filter_takes(filter, &event, true))
            trace_list_add(&kept, &event);
    }
    trace_filter_give(filter, &kept);
    trace_filter_destroy(filter);
    trace_list_finish(&whole, THREADS);
    trace_list_finish(&kept, THREADS);
}

static int64_t covered(const struct trace_view *trace, uint8_t flag, uint32_t thread)
{
    struct intervals set = {0};
    int64_t sum = 0;

    for (size_t i = 0; i < trace->event_count; i++)
        if (trace->events[i].flags & flag && trace->events[i].thread == thread)
            intervals_add(&set, trace->events[i].start, trace->events[i].end);
    intervals_merge(&set);
    for (size_t i = 0; i < idle.count; i++)
        sum += intervals_cover(&set, idle.items[i].start, idle.items[i].end);
    intervals_clear(&set);
    return sum;
}

static void the_cover_of_idle_time_is_the_same(void **ctx)
{
    size_t left_out = 0;
    (void)ctx;
    srandom(5);
    for (int round = 0; round < ROUNDS; round++) {
        make_idle();
        make_traces();
        for (uint32_t thread = 0; thread < THREADS; thread++) {
            assert_int_equal(covered(&kept, TRACE_HOST, thread),
                             covered(&whole, TRACE_HOST, thread));
            assert_int_equal(covered(&kept, TRACE_LEAF, thread),
                             covered(&whole, TRACE_LEAF, thread));
        }
        left_out += whole.event_count - kept.event_count;
        trace_view_clear(&whole);
        trace_view_clear(&kept);
    }
    intervals_clear(&idle);
    assert_true(left_out > (size_t)ROUNDS * EVENTS / 4);
}

static void without_idle_times_all_events_stay(void **ctx)
{
    struct trace_filter *filter = trace_filter_create(NULL);
    struct trace_event event = {.start = 5, .end = 5};
    (void)ctx;
    assert_true(trace_filter_takes(filter, &event, false));
    trace_filter_give(filter, &kept);
    assert_int_equal(kept.event_count, 0);
    trace_filter_destroy(filter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cover_of_idle_time_is_the_same),
        cmocka_unit_test(without_idle_times_all_events_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
