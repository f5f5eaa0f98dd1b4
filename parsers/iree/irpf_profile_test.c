#include "parsers/iree/irpf_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/format/format.h"
#include "parsers/iree/iree_dump.h"
#include "parsers/iree/irpf_memory.h"
#include "tests/support/unit.h"

enum { FIXTURE_BYTES = 1534, FILE_MAX = 1 << 20 };

static char *read_fixture(void)
{
    char *bytes;
    size_t size;
    struct err err;

    assert_int_equal(file_read(&bytes, &size, "samples/task.ireeprof", FILE_MAX, &err),
                     0);
    assert_int_equal(size, FIXTURE_BYTES);
    return bytes;
}

static const struct irpf_operation *find_operation(const struct irpf_profile *profile,
                                                   enum irpf_content content,
                                                   const char *name)
{
    for (size_t i = 0; i < profile->operations.count; i++) {
        const struct irpf_operation *row = irpf_profile_operation(profile, i);
        char own[80];

        irpf_profile_operation_name(own, sizeof(own), profile, row);
        if (row->content == content && strcmp(own, name) == 0)
            return row;
    }
    fail_msg("no operation %s", name);
    return NULL;
}

static void the_fixture_has_its_device_and_its_records(void **ctx)
{
    char *bytes = read_fixture();
    struct iree_dump *dump = iree_dump_read("task", bytes, FIXTURE_BYTES);
    const struct irpf_profile *profile = &dump->profiles[0];
    const struct irpf_device *device = irpf_profile_device(profile, 0);

    (void)ctx;
    assert_int_equal(dump->problem_count, 0);
    assert_int_equal(dump->profile_count, 1);
    assert_int_equal(profile->major, 1);
    assert_int_equal(profile->minor, 6);
    assert_int_equal(profile->records, 6);
    assert_true(profile->has_begin && profile->has_end);
    assert_int_equal(profile->status, 0);
    assert_int_equal(profile->items[IRPF_QUEUE_EVENTS], 2);
    assert_int_equal(profile->items[IRPF_HOST_EXECUTIONS], 2);
    assert_int_equal(profile->devices.count, 1);
    assert_int_equal(device->device, 0);
    assert_int_equal(device->queues, 1);
    assert_string_equal(device->name, "local-task");
    assert_string_equal(device->uuid, "");
    iree_dump_close(dump);
    free(bytes);
}

struct seen {
    struct irpf_item items[8];
    struct irpf_event events[8];
    size_t count;
};

static void keep_event(const struct irpf_event *event, void *arg)
{
    struct seen *seen = arg;

    assert_true(seen->count < COUNT(seen->items));
    seen->items[seen->count] = *event->item;
    seen->events[seen->count++] = *event;
}

static void the_fixture_has_its_times_and_sizes(void **ctx)
{
    char *bytes = read_fixture();
    struct iree_dump *dump = iree_dump_read("task", bytes, FIXTURE_BYTES);
    const struct irpf_profile *profile = &dump->profiles[0];
    const struct irpf_operation *fill, *copy;
    struct seen seen = {0};
    const struct irpf_item *is = seen.items;

    (void)ctx;
    irpf_profile_each_event(profile, keep_event, &seen);
    assert_int_equal(seen.count, 4);
    assert_int_equal(is[0].event, 1);
    assert_string_equal(irpf_operation_name(is[0].type), "fill");
    assert_int_equal(is[0].submission, 1);
    assert_int_equal(is[0].start, 2640615321230);
    assert_int_equal(is[0].ready_ns, 2640615326009);
    assert_int_equal(is[0].waits, 0);
    assert_int_equal(is[0].signals, 1);
    assert_int_equal(is[0].operations, 1);
    assert_int_equal(is[0].payload, 65536);
    assert_int_equal(is[1].event, 2);
    assert_string_equal(irpf_operation_name(is[1].type), "copy");
    assert_int_equal(is[1].submission, 2);
    assert_int_equal(is[1].strategy, 1);
    assert_int_equal(is[1].start, 2640651065218);
    assert_int_equal(is[1].ready_ns, 2640651066891);
    assert_int_equal(is[1].waits, 1);
    assert_int_equal(is[1].signals, 1);
    assert_int_equal(is[1].payload, 4096);
    assert_int_equal(seen.events[2].start_ns, 2640651008872);
    assert_int_equal(seen.events[2].end_ns, 2640651046533);
    assert_int_equal(seen.events[3].start_ns, 2640651074445);
    assert_int_equal(seen.events[3].end_ns, 2640651075928);
    assert_int_equal(is[3].command, IRPF_NONE);
    assert_int_equal(is[3].function, IRPF_NONE);
    assert_int_equal(is[3].status, 0);
    fill = find_operation(profile, IRPF_HOST_EXECUTIONS, "fill");
    copy = find_operation(profile, IRPF_HOST_EXECUTIONS, "copy");
    assert_int_equal(fill->total_ns, 37661);
    assert_int_equal(copy->total_ns, 1483);
    assert_int_equal(fill->total_ns + copy->total_ns, 39144);
    assert_int_equal(fill->payload, 65536);
    assert_int_equal(profile->first_ns, 2640615321230);
    iree_dump_close(dump);
    free(bytes);
}

static void a_profile_without_its_length_is_complete(void **ctx)
{
    char *bytes = read_fixture();
    struct iree_dump *dump;

    (void)ctx;
    store_u64(bytes + 16, 0);
    dump = iree_dump_read("open", bytes, FIXTURE_BYTES);
    assert_int_equal(dump->problem_count, 0);
    assert_int_equal(dump->profiles[0].records, 6);
    assert_int_equal(dump->profiles[0].bytes, FIXTURE_BYTES);
    iree_dump_close(dump);
    free(bytes);
}

static void appended_profiles_are_all_read(void **ctx)
{
    char *bytes = read_fixture();
    char *all = xcalloc(4, FIXTURE_BYTES);

    (void)ctx;
    for (int is_open = 0; is_open < 2; is_open++) {
        size_t padded = FIXTURE_BYTES + 2; /* a multiple of 16 */
        struct iree_dump *dump;

        if (is_open)
            store_u64(bytes + 16, 0);
        memcpy(all, bytes, FIXTURE_BYTES);
        memcpy(all + FIXTURE_BYTES, bytes, FIXTURE_BYTES);
        dump = iree_dump_read("two", all, 2 * FIXTURE_BYTES);
        assert_int_equal(dump->problem_count, 0);
        assert_int_equal(dump->profile_count, 2);
        assert_int_equal(dump->profiles[1].records, 6);
        assert_int_equal(dump->profiles[1].offset, FIXTURE_BYTES);
        iree_dump_close(dump);

        memset(all + FIXTURE_BYTES, 0, 2);
        memcpy(all + padded, bytes, FIXTURE_BYTES);
        dump = iree_dump_read("padded", all, padded + FIXTURE_BYTES);
        assert_int_equal(dump->profile_count, 2);
        assert_int_equal(dump->profiles[1].records, 6);
        iree_dump_close(dump);
    }
    free(all);
    free(bytes);
}

static void assert_problem(const void *bytes, size_t size, const char *expected)
{
    struct iree_dump *dump = iree_dump_read("bad", bytes, size);

    assert_true(dump->problem_count > 0);
    if (!strstr(dump->problems[0].text, expected))
        fail_msg("'%s' does not contain '%s'", dump->problems[0].text, expected);
    iree_dump_close(dump);
}

static void a_damaged_profile_names_the_record_and_the_field(void **ctx)
{
    static const struct {
        size_t at;
        uint64_t value;
        const char *expected;
    } words[] = {
        {4, 2, "offset 0: profile: version: 2.0 is not supported"},
        {8, 23, "profile: header length: 23 is not between 24 and"},
        {16, 4096, "profile: file length: 2562 of its 4096 bytes are missing"},
        {16, 20, "profile: file length: 20 is less than its head"},
        {24, 103, "profile at 0: record at 24: record length 103 does not fit"},
        {24, UINT64_MAX, "record at 24: record length 18446744073709551615"},
        {32, 1ull << 63, "record at 24: payload length 9223372036854775808"},
        {80, 0xffffffff, "record at 24: header length 4294967295 does not fit"},
        {178 + 8, UINT64_MAX, "record at 178: payload length 18446744073709551615"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(words); i++) {
        char *bytes = read_fixture();

        store_u64(bytes + words[i].at, words[i].value);
        assert_problem(bytes, FIXTURE_BYTES, words[i].expected);
        free(bytes);
    }
}

static void bytes_behind_a_profile_are_named(void **ctx)
{
    char *bytes = read_fixture(), *more = xcalloc(1, FIXTURE_BYTES + 40);

    (void)ctx;
    memcpy(more, bytes, FIXTURE_BYTES);
    memset(more + FIXTURE_BYTES, 'x', 40);
    assert_problem(more, FIXTURE_BYTES + 40,
                   "bad: offset 1534: 40 bytes belong to no chunk and no profile");
    store_u64(more + 16, 0);
    memset(more + FIXTURE_BYTES, 0, 40);
    assert_problem(more, FIXTURE_BYTES + 40,
                   "record at 1534: its head of 104 does not fit; 40 bytes");
    free(more);
    free(bytes);
}

/* Appends a record with one payload. */
static void
add_record(struct text *out, const char *content, const void *payload, size_t size)
{
    char type[80];
    uint8_t head[104] = {0};

    snprintf(type, sizeof(type), "application/vnd.iree.hal.profile.%s", content);
    store_u64(head, sizeof(head) + strlen(type) + 3 + size);
    store_u64(head + 8, size);
    store_u32(head + 56, sizeof(head));
    store_u32(head + 60, (uint32_t)strlen(type));
    store_u32(head + 64, 3);
    store_u16(head + 100, IRPF_CHUNK);
    text_add_bytes(out, head, sizeof(head));
    text_add(out, type);
    text_add(out, "gpu");
    text_add_bytes(out, payload, size);
}

static void begin_profile(struct text *out)
{
    uint8_t head[24] = "IRPF\1\0\6";

    head[8] = sizeof(head);
    text_add_bytes(out, head, sizeof(head));
}

static void add_clock(struct text *out, uint64_t tick, uint64_t driver, uint64_t host)
{
    uint8_t item[72] = {72};

    store_u64(item + 24, tick);
    store_u64(item + 32, driver);
    store_u64(item + 56, host);
    store_u64(item + 64, host ? host + 10 : 0);
    add_record(out, "clock-correlations", item, sizeof(item));
}

static void add_dispatch(struct text *out, uint64_t start, uint64_t end)
{
    uint8_t item[96] = {96}; /* longer than known: fields grow at the end */

    store_u64(item + 32, 7);
    store_u32(item + 44, 1);
    store_u64(item + 72, start);
    store_u64(item + 80, end);
    add_record(out, "dispatch-events", item, sizeof(item));
}

static void dispatches_get_names_and_times_of_the_line_between_clocks(void **ctx)
{
    static const struct {
        uint64_t host;
        bool is_driver;
        uint64_t start, end;
    } cases[] = {
        /* 100 ticks take 1000 ns; the middle of the bracket is 5 ns after its begin */
        {50000, false, 50005 + 35, 50005 + 155},
        {0, true, 9000 + 35, 9000 + 155},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text out = {0};
        uint8_t function[64 + 6] = {sizeof(function)};
        struct seen seen = {0};
        struct iree_dump *dump;
        const struct irpf_operation *mul;

        begin_profile(&out);
        store_u64(function + 8, 7);
        store_u32(function + 16, 1);
        store_u32(function + 44, 6);
        memcpy(function + 64, "matmul", 6);
        add_record(&out, i ? "executable-exports" : "executable-functions", function,
                   sizeof(function));
        add_clock(&out, 200, 9000, cases[i].host);
        /* only the first and the last correlation count */
        add_clock(&out, 250, 1, cases[i].host ? 1 : 0);
        add_dispatch(&out, 204, 216); /* 3.5 ticks of 10 ns round to 35 and 155 */
        add_clock(&out, 300, 9967, cases[i].host ? cases[i].host + 967 : 0);
        dump = iree_dump_read("gpu", text_get(&out), out.length);
        mul = find_operation(&dump->profiles[0], IRPF_DISPATCHES, "matmul");
        irpf_profile_each_event(&dump->profiles[0], keep_event, &seen);
        assert_int_equal(seen.count, 1);
        assert_true(seen.events[0].has_time);
        assert_int_equal(seen.events[0].is_driver_clock, cases[i].is_driver);
        /* 4 * 9.67 = 38.68 and 16 * 9.67 = 154.72 */
        assert_int_equal(seen.events[0].start_ns, cases[i].start - 35 + 39);
        assert_int_equal(seen.events[0].end_ns, cases[i].end);
        assert_int_equal(mul->timed, 1);
        assert_int_equal(mul->total_ns, 116);
        iree_dump_close(dump);
        text_clear(&out);
    }
}

static void ticks_without_two_clocks_have_no_time(void **ctx)
{
    struct text out = {0};
    struct iree_dump *dump;
    const struct irpf_operation *row;

    (void)ctx;
    begin_profile(&out);
    add_clock(&out, 200, 9000, 1);
    add_dispatch(&out, 204, 216);
    dump = iree_dump_read("gpu", text_get(&out), out.length);
    row =
        find_operation(&dump->profiles[0], IRPF_DISPATCHES, "executable 7 function 1");
    assert_int_equal(row->events, 1);
    assert_int_equal(row->timed, 0);
    assert_int_equal(dump->problem_count, 1); /* the session has no end */
    iree_dump_close(dump);
    text_clear(&out);
}

static void an_item_with_a_wrong_length_is_named(void **ctx)
{
    struct text out = {0};
    uint8_t item[96] = {87};

    (void)ctx;
    begin_profile(&out);
    add_record(&out, "dispatch-events", item, 88);
    assert_problem(text_get(&out), out.length,
                   "record at 24: item of dispatch-events at byte 0 of its payload: "
                   "length 87 is not between 88 and 88");
    text_clear(&out);
    begin_profile(&out);
    item[0] = 96;
    add_record(&out, "dispatch-events", item, 88);
    assert_problem(text_get(&out), out.length, "length 96 is not between 88 and 88");
    text_clear(&out);
}

static void
add_memory(struct text *out, uint32_t type, uint64_t allocation, uint64_t length)
{
    uint8_t item[160] = {160};

    store_u32(item + 4, type);
    store_u64(item + 24, 1000 + allocation);
    store_u64(item + 32, allocation);
    store_u64(item + 40, 0xa0);
    store_u64(item + 48, 0xb0);
    store_u64(item + 96, 64);
    store_u64(item + 104, length);
    add_record(out, "memory-events", item, sizeof(item));
}

static void keep_item(const struct irpf_item *item, void *arg)
{
    struct seen *seen = arg;

    assert_true(seen->count < COUNT(seen->items));
    seen->items[seen->count++] = *item;
}

/* Two buffers live at the same time; a release without a length is that of its
 * allocation. Reservations and waits acquire nothing. */
static void memory_has_its_peak_and_its_rest(void **ctx)
{
    static const struct irpf_memory expected[] = {
        {0, IRPF_BUFFER, 3, 2, 1000 + 500 + 200, 200, 1500},
        {0, IRPF_SLAB, 0, 1, 0, 0, 0},
    };
    struct text out = {0};
    struct seen seen = {0};
    struct iree_dump *dump;
    struct key_table table;

    (void)ctx;
    begin_profile(&out);
    add_memory(&out, 9, 1, 1000);
    add_memory(&out, 3, 7, 1 << 20);
    add_memory(&out, 9, 2, 500);
    add_memory(&out, 10, 1, 0);
    add_memory(&out, 6, 7, 1 << 20);
    add_memory(&out, 10, 2, 500);
    add_memory(&out, 2, 5, 4096); /* acquired before the profile */
    add_memory(&out, 9, 3, 200);
    dump = iree_dump_read("gpu", text_get(&out), out.length);
    irpf_memory_read(&table, &dump->profiles[0]);
    assert_int_equal(table.count, COUNT(expected));
    for (size_t i = 0; i < table.count; i++) {
        const struct irpf_memory *row = key_table_at(&table, i);

        assert_int_equal(row->kind, expected[i].kind);
        assert_int_equal(row->acquired, expected[i].acquired);
        assert_int_equal(row->released, expected[i].released);
        assert_int_equal(row->acquired_bytes, expected[i].acquired_bytes);
        assert_int_equal(row->live_bytes, expected[i].live_bytes);
        assert_int_equal(row->peak_bytes, expected[i].peak_bytes);
    }
    key_table_clear(&table);
    irpf_profile_each_item(&dump->profiles[0], IRPF_MEMORY_EVENTS, keep_item, &seen);
    assert_int_equal(seen.count, 8);
    assert_int_equal(seen.items[0].start, 1001);
    assert_int_equal(seen.items[0].pool, 0xa0);
    assert_int_equal(seen.items[0].backing, 0xb0);
    assert_int_equal(seen.items[0].offset, 64);
    assert_int_equal(seen.items[0].payload, 1000);
    assert_string_equal(irpf_memory_event_name(seen.items[4].type), "pool-wait");
    assert_string_equal(irpf_memory_event_name(13), "other");
    iree_dump_close(dump);
    text_clear(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fixture_has_its_device_and_its_records),
        cmocka_unit_test(the_fixture_has_its_times_and_sizes),
        cmocka_unit_test(a_profile_without_its_length_is_complete),
        cmocka_unit_test(appended_profiles_are_all_read),
        cmocka_unit_test(a_damaged_profile_names_the_record_and_the_field),
        cmocka_unit_test(bytes_behind_a_profile_are_named),
        cmocka_unit_test(dispatches_get_names_and_times_of_the_line_between_clocks),
        cmocka_unit_test(ticks_without_two_clocks_have_no_time),
        cmocka_unit_test(an_item_with_a_wrong_length_is_named),
        cmocka_unit_test(memory_has_its_peak_and_its_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
