#include "parsers/trace_index/trace_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/support/unit.h"

static int from_text(void *arg, uint64_t at, void *bytes, size_t size, struct err *err)
{
    const char *text = arg;

    (void)err;
    memcpy(bytes, text + at, size);
    return 0;
}

/* Reads a trace in steps of two events. */
static struct trace_index *read_trace(const char *text, struct err *err)
{
    struct json_read *read =
        json_read_create_memory("trace", text, strlen(text), JSON_LIMITS);
    struct trace_index *index = trace_index_create(from_text, (void *)(uintptr_t)text);
    bool more = true;

    trace_index_open_part(index, 0, strlen(text));
    while (more)
        if (trace_index_read(index, read, 2, &more, err) < 0) {
            trace_index_destroy(index);
            index = NULL;
            break;
        }
    json_read_destroy(read);
    if (index)
        trace_index_finish(index);
    return index;
}

static struct trace_index *index_of(const char *events)
{
    char *text = xasprintf("{\"a\":[1],\"traceEvents\":[%s],\"z\":{}}", events);
    struct err err;
    struct trace_index *index = read_trace(text, &err);

    assert_non_null(index);
    free(text);
    return index;
}

static const char *name_of(const struct trace_index *index, uint32_t number)
{
    return names_text(index->names, number);
}

static void times_are_rounded_to_nanoseconds(void **ctx)
{
    struct trace_index *index = index_of(
        "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":\"t\",\"ts\":10.0004,\"dur\":0."
        "0002},"
        "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":\"t\",\"ts\":\"12.5\",\"dur\":"
        "1e-1},"
        "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":\"t\",\"ts\":14,\"dur\":2}");

    (void)ctx;
    /* 10000.4 + 0.2 ns ends at 10000.6, which is rounded up */
    assert_int_equal(index->start_ns, 10000);
    assert_int_equal(index->slices[0].start_ns, 0);
    assert_int_equal(index->slices[0].duration_ns, 1);
    assert_int_equal(index->slices[1].start_ns, 2500);
    assert_int_equal(index->slices[1].duration_ns, 100);
    assert_int_equal(index->length_ns, 6000);
    assert_string_equal(name_of(index, index->lanes[0].tid), "t");
    assert_int_equal(trace_find_lane(index, "1", "t"), 0);
    assert_int_equal(trace_find_lane(index, "1", "u"), TRACE_NONE);
    trace_index_destroy(index);
}

static void wrong_events_are_dropped_and_counted(void **ctx)
{
    struct trace_index *index = index_of(
        "{\"ph\":\"X\",\"name\":\"a\",\"tid\":\"t\",\"ts\":1,\"dur\":1},"
        "{\"ph\":\"X\",\"name\":\"a\",\"pid\":\"p\",\"tid\":\"t\",\"ts\":\"x\",\"dur\":"
        "1},"
        "{\"ph\":\"X\",\"name\":\"a\",\"pid\":\"p\",\"tid\":\"t\",\"ts\":1,\"dur\":-1},"
        "{\"ph\":\"X\",\"name\":\"a\",\"pid\":\"p\",\"tid\":\"t\",\"ts\":1e30,\"dur\":"
        "1},"
        "{\"ph\":\"C\",\"name\":\"c\",\"pid\":\"p\",\"ts\":1,\"args\":[1]},"
        "{\"ph\":\"i\",\"name\":\"x\",\"pid\":\"p\",\"tid\":\"t\",\"ts\":1},{}");

    (void)ctx;
    assert_int_equal(index->slice_count, 0);
    assert_int_equal(index->dropped, 5);
    assert_int_equal(index->start_ns, 0);
    assert_int_equal(index->length_ns, 0);
    trace_index_destroy(index);
}

static void damaged_json_is_an_error_with_its_place(void **ctx)
{
    struct err err;

    (void)ctx;
    assert_null(read_trace("{\"traceEvents\":[{\"ph\":\"X\",]}", &err));
    assert_string_equal(err.text, "trace:1:27: expected a key in quotes");
    assert_null(read_trace("{\"traceEvents\":[3]}", &err));
    assert_string_equal(err.text, "trace:1:17: an event must be an object");
    assert_null(read_trace("[]", &err));
    assert_string_equal(err.text, "trace:1:1: expected an object, found an array");
}

static void lanes_are_named_and_sorted(void **ctx)
{
    struct trace_index *index = index_of(
        "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":\"q\",\"args\":{\"name\":"
        "\"zz\"}},"
        "{\"ph\":\"X\",\"name\":\"a\",\"pid\":\"q\",\"tid\":\"VECTOR\",\"ts\":1,"
        "\"dur\":1},"
        "{\"ph\":\"X\",\"name\":\"a\",\"pid\":\"q\",\"tid\":\"SCALAR\",\"ts\":1,"
        "\"dur\":1},"
        "{\"ph\":\"X\",\"name\":\"a\",\"pid\":\"q\",\"tid\":\"X\",\"ts\":1,\"dur\":1},"
        "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":\"q\",\"tid\":\"X\","
        "\"args\":{\"sort_index\":6}},"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":\"q\",\"tid\":\"X\",\"args\":{"
        "\"name\":\"last\"}},"
        "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":\"q\",\"args\":{\"labels\":"
        "\"L\"}},"
        "{\"ph\":\"X\",\"name\":\"a\",\"pid\":\"r\",\"tid\":\"Y\",\"ts\":1,\"dur\":1}");
    const struct trace_process *q = &index->processes[index->process_order[1]];

    (void)ctx;
    assert_int_equal(index->process_count, 2);
    assert_string_equal(name_of(index, q->pid), "q");
    assert_string_equal(name_of(index, q->name), "zz");
    assert_string_equal(name_of(index, q->label), "L");
    assert_string_equal(name_of(index, index->lanes[q->lanes[0]].name), "SCALAR");
    assert_string_equal(name_of(index, index->lanes[q->lanes[1]].name), "last");
    assert_string_equal(name_of(index, index->lanes[q->lanes[1]].tid), "X");
    assert_string_equal(name_of(index, index->lanes[q->lanes[2]].name), "VECTOR");
    trace_index_destroy(index);
}

static void counters_and_arrows_are_read(void **ctx)
{
    struct trace_index *index = index_of(
        "{\"args\":{\"v\":  1.50},\"ph\":\"C\",\"name\":\"c\",\"pid\":\"p\",\"ts\":2},"
        "{\"args\":{\"v\":0},\"ph\":\"C\",\"name\":\"c\",\"pid\":\"p\",\"ts\":0},"
        "{\"args\":{\"v\":0},\"ph\":\"C\",\"name\":\"c\",\"pid\":\"p\",\"ts\":1,\"id\":"
        "3},"
        "{\"ph\":\"E\",\"name\":\"SET_FLAG\",\"id\":\"9\",\"ts\":3},"
        "{\"ph\":\"B\",\"name\":\"SET_FLAG\",\"id\":\"9\",\"ts\":1,\"pid\":\"p\","
        "\"tid\":\"t\"},"
        "{\"ph\":\"B\",\"name\":\"OTHER\",\"id\":\"9\",\"ts\":1,\"pid\":\"p\",\"tid\":"
        "\"t\"},"
        "{\"ph\":\"t\",\"name\":\"flow\",\"cat\":\"AToB\",\"id\":\"9\",\"ts\":4,"
        "\"pid\":\"p\",\"tid\":\"u\"},"
        "{\"ph\":\"s\",\"name\":\"flow\",\"cat\":\"AToB\",\"id\":\"9\",\"ts\":3,"
        "\"pid\":\"p\",\"tid\":\"t\"}");
    uint32_t counter = trace_find_counter(index, "p", "c");

    (void)ctx;
    assert_int_equal(index->counter_count, 2);
    assert_int_equal(trace_find_counter(index, "p", "c[3]"), 1);
    assert_int_equal(index->counters[counter].count, 2);
    assert_int_equal(index->counters[counter].samples[1].at_ns, 2000);
    assert_string_equal(name_of(index, index->counters[counter].samples[1].args),
                        "{\"v\":  1.50}");
    assert_int_equal(index->slice_count, 1);
    assert_int_equal(index->slices[0].start_ns, 1000);
    assert_int_equal(index->slices[0].duration_ns, 2000);
    assert_string_equal(name_of(index, index->slices[0].flag), "9");
    assert_int_equal(index->point_count, 2);
    assert_false(index->points[0].is_end);
    assert_int_equal(index->points[0].at_ns, 3000);
    assert_string_equal(name_of(index, index->points[1].category), "AToB");
    trace_index_destroy(index);
}

static void groups_share_a_row_and_overlaps_do_not(void **ctx)
{
    struct trace_index *index = index_of(
        "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":2,\"group_"
        "id\":\"g\"},"
        "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":6,\"dur\":2,\"group_"
        "id\":\"g\"},"
        "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":1},"
        "{\"ph\":\"X\",\"name\":\"d\",\"pid\":1,\"tid\":1,\"ts\":8,\"dur\":1}");
    bool has_children;

    (void)ctx;
    assert_int_equal(index->lanes[0].rows, 2);
    assert_int_equal(trace_find_slice(index, 1)->row, 0);
    assert_int_equal(trace_find_slice(index, 2)->row, 0);
    assert_int_equal(trace_find_slice(index, 3)->row, 1);
    assert_int_equal(trace_find_slice(index, 4)->row, 0);
    assert_null(trace_find_slice(index, 0));
    assert_null(trace_find_slice(index, 5));
    assert_int_equal(trace_self_time(index, trace_find_slice(index, 1), &has_children),
                     2000);
    assert_false(has_children);
    trace_index_destroy(index);
}

static void self_time_leaves_out_the_next_row(void **ctx)
{
    struct trace_index *index = index_of(
        "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":10},"
        "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2},"
        "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":1,\"ts\":8,\"dur\":4}");
    bool has_children;

    (void)ctx;
    assert_int_equal(trace_self_time(index, trace_find_slice(index, 1), &has_children),
                     6000);
    assert_true(has_children);
    trace_index_destroy(index);
}

/* A trace of random slices in three lanes of two processes. */
enum { RANDOM = 3000, SPAN_NS = 400000 };

static struct trace_index *random_trace(void)
{
    static const char *const names[] = {"one", "two", "SET_FLAG", "WAIT_FLAG"};
    struct text events = {0};
    struct trace_index *index;

    srandom(7);
    for (int i = 0; i < RANDOM; i++) {
        long at = random() % SPAN_NS, length = random() % (i % 50 ? 90 : 9000);

        text_printf(&events,
                    "%s{\"ph\":\"X\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,"
                    "\"ts\":%ld.%03ld,\"dur\":%ld.%03ld}",
                    i ? "," : "", names[random() % 4], i % 3 / 2, i % 3, at / 1000,
                    at % 1000, length / 1000, length % 1000);
    }
    index = index_of(text_get(&events));
    text_clear(&events);
    assert_int_equal(index->slice_count, RANDOM);
    return index;
}

/* The index estimates the count of slices from those that it has read: here the first
 * ones have more bytes than the rest, or fewer. */
static void a_wrong_estimate_of_the_slices_changes_nothing(void **ctx)
{
    enum { LONG = 300, SHORT = 20000 };
    static const char filler[] = "\"0123456789012345678901234567890123456789\"";

    (void)ctx;
    for (int is_long_first = 0; is_long_first < 2; is_long_first++) {
        struct text events = {0};
        struct trace_index *index;

        for (int i = 0; i < LONG + SHORT; i++) {
            bool is_long = is_long_first ? i < LONG : i >= SHORT;

            text_printf(&events, "%s{\"ph\":\"X\",\"name\":\"a\",\"pid\":0,\"tid\":0,",
                        i ? "," : "");
            for (int n = 0; is_long && n < 50; n++)
                text_printf(&events, "\"filler%d\":%s,", n, filler);
            text_printf(&events, "\"ts\":%d,\"dur\":1}", i);
        }
        index = index_of(text_get(&events));
        assert_int_equal(index->slice_count, LONG + SHORT);
        for (uint32_t i = 0; i < LONG + SHORT; i++) {
            const struct trace_slice *slice = trace_find_slice(index, i + 1);

            assert_int_equal(slice->start_ns, 1000 * (int64_t)i);
            assert_int_equal(slice->duration_ns, 1000);
        }
        trace_index_destroy(index);
        text_clear(&events);
    }
}

static void slices_of_a_row_do_not_overlap(void **ctx)
{
    struct trace_index *index = random_trace();
    size_t checked = 0;

    (void)ctx;
    for (size_t lane = 0; lane < index->lane_count; lane++)
        for (uint32_t row = 0; row < index->lanes[lane].rows; row++) {
            const size_t *first = &index->lanes[lane].row_first[row];

            for (size_t i = first[0]; i < first[1]; i++, checked++) {
                assert_int_equal(index->slices[i].row, row);
                assert_int_equal(trace_slice_lane(index, &index->slices[i]), lane);
                assert_ptr_equal(trace_find_slice(index, index->slices[i].id),
                                 &index->slices[i]);
                if (i + 1 < first[1])
                    assert_true(trace_slice_end(&index->slices[i]) <=
                                index->slices[i + 1].start_ns);
            }
        }
    assert_int_equal(checked, RANDOM);
    trace_index_destroy(index);
}

struct found {
    const struct trace_slice *slices[2000];
    size_t count;
};

static void collect(void *arg, const struct trace_slice *slice)
{
    struct found *found = arg;

    found->slices[found->count++] = slice;
}

/* Computes the same with a pass over all slices. */
static void find_longest(const struct trace_index *index,
                         const size_t *row,
                         int64_t start,
                         int64_t end,
                         bool without_flags,
                         struct found *found)
{
    const struct trace_slice *best[1001] = {0};

    for (size_t i = row[0]; i < row[1]; i++) {
        const struct trace_slice *slice = &index->slices[i];
        const char *name = name_of(index, slice->name);
        int64_t part = slice->start_ns > start && end > start
                           ? (slice->start_ns - start) * 1000 / (end - start)
                           : 0;

        if (slice->start_ns > end || trace_slice_end(slice) < start ||
            (without_flags && strstr(name, "FLAG")))
            continue;
        if (end - start < 1000)
            collect(found, slice);
        else if (!best[part] || slice->duration_ns > best[part]->duration_ns)
            best[part] = slice;
    }
    for (size_t i = 0; i < COUNT(best); i++)
        if (best[i])
            collect(found, best[i]);
}

static void windows_hold_the_longest_slice_of_each_part(void **ctx)
{
    static const int64_t windows[][2] = {
        {0, SPAN_NS},    {0, 10 * SPAN_NS},      {1000, 1999},     {100000, 100900},
        {77777, 333333}, {SPAN_NS, 2 * SPAN_NS}, {200000, 200000}, {5000, 105000}};
    struct trace_index *index = random_trace();
    size_t total = 0;

    (void)ctx;
    for (size_t w = 0; w < 2 * COUNT(windows); w++)
        for (size_t lane = 0; lane < index->lane_count; lane++)
            for (uint32_t row = 0; row < index->lanes[lane].rows; row++) {
                const int64_t *window = windows[w / 2];
                struct found expected = {0}, found = {0};

                find_longest(index, &index->lanes[lane].row_first[row], window[0],
                             window[1], w % 2, &expected);
                trace_each_in_row(index, &index->lanes[lane], row, window[0], window[1],
                                  w % 2, collect, &found);
                assert_int_equal(found.count, expected.count);
                assert_memory_equal(found.slices, expected.slices,
                                    found.count * sizeof(*found.slices));
                total += found.count;
            }
    assert_true(total > 2000);
    trace_index_destroy(index);
}

struct stretches {
    int64_t start[RANDOM], end[RANDOM];
    size_t count;
};

static void add_stretch(void *arg, int64_t start_ns, int64_t end_ns)
{
    struct stretches *stretches = arg;

    stretches->start[stretches->count] = start_ns;
    stretches->end[stretches->count++] = end_ns;
}

static int by_start(const void *left, const void *right)
{
    const struct trace_slice *const *a = left, *const *b = right;

    return ((*a)->start_ns > (*b)->start_ns) - ((*a)->start_ns < (*b)->start_ns);
}

/* Joins the slices of a process in [5000, end_ns] with a pass over all. */
static void join_all(const struct trace_index *index,
                     uint32_t process,
                     int64_t end_ns,
                     int64_t gap_ns,
                     struct stretches *joined)
{
    const struct trace_slice *sorted[RANDOM];
    size_t count = 0;

    for (size_t i = 0; i < index->slice_count; i++)
        if (index->lanes[trace_slice_lane(index, &index->slices[i])].process ==
                process &&
            index->slices[i].start_ns <= end_ns &&
            trace_slice_end(&index->slices[i]) >= 5000)
            sorted[count++] = &index->slices[i];
    qsort(sorted, count, sizeof(*sorted), by_start);
    for (size_t i = 0; i < count; i++) {
        int64_t end = trace_slice_end(sorted[i]), start = sorted[i]->start_ns;
        int64_t *last = joined->count ? &joined->end[joined->count - 1] : NULL;

        start = start > 5000 ? start : 5000;
        end = end < end_ns ? end : end_ns;
        if (!last || start - *last >= gap_ns)
            add_stretch(joined, start, end);
        else if (end > *last)
            *last = end;
    }
}

static void a_summary_joins_close_slices(void **ctx)
{
    static const int64_t windows[] = {1000, 29999, 60000, 400000, 6000000, 300000000};
    struct trace_index *index = random_trace();

    (void)ctx;
    for (size_t w = 0; w < COUNT(windows); w++)
        for (uint32_t process = 0; process < 2; process++) {
            int64_t gap = windows[w] / 30000 > 1 ? windows[w] / 30000 : 1;
            struct stretches expected = {0}, found = {0};

            join_all(index, process, 5000 + windows[w], gap, &expected);
            trace_each_stretch(&index->processes[process], 5000, 5000 + windows[w],
                               add_stretch, &found);
            assert_true(expected.count > 0);
            assert_int_equal(found.count, expected.count);
            for (size_t i = 0; i < found.count; i++) {
                assert_true(llabs(found.start[i] - expected.start[i]) < gap);
                assert_true(llabs(found.end[i] - expected.end[i]) < gap);
            }
        }
    trace_index_destroy(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_rounded_to_nanoseconds),
        cmocka_unit_test(wrong_events_are_dropped_and_counted),
        cmocka_unit_test(damaged_json_is_an_error_with_its_place),
        cmocka_unit_test(lanes_are_named_and_sorted),
        cmocka_unit_test(counters_and_arrows_are_read),
        cmocka_unit_test(groups_share_a_row_and_overlaps_do_not),
        cmocka_unit_test(self_time_leaves_out_the_next_row),
        cmocka_unit_test(a_wrong_estimate_of_the_slices_changes_nothing),
        cmocka_unit_test(slices_of_a_row_do_not_overlap),
        cmocka_unit_test(windows_hold_the_longest_slice_of_each_part),
        cmocka_unit_test(a_summary_joins_close_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
