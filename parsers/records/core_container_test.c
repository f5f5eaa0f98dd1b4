#include "parsers/records/core_container.h"

#include <string.h>

#include "lib/base/text.h"
#include "tests/support/unit.h"

static void
add(struct text *packed, unsigned channel, uint64_t offset, const char *bytes)
{
    size_t present;

    assert_true(core_container_add(packed, channel, offset, (const uint8_t *)bytes,
                                   (uint32_t)strlen(bytes), &present));
    assert_int_equal(present, offset);
}

static void
expect_next(struct core_container *units, unsigned channel, const char *bytes)
{
    struct core_unit unit;

    assert_true(core_container_next(units, &unit));
    assert_int_equal(unit.channel, channel);
    assert_int_equal(unit.size, strlen(bytes));
    assert_memory_equal(unit.bytes, bytes, unit.size);
}

static void bytes_of_a_channel_are_joined_in_any_order_of_channels(void **ctx)
{
    struct text packed = {0};

    (void)ctx;
    add(&packed, 17, 0, "ab");
    add(&packed, 4, 0, "12345");
    add(&packed, 17, 2, "cd");
    add(&packed, 9, 0, "x");
    add(&packed, 4, 5, "6");
    add(&packed, 9, 1, ""); /* a record about lost data */
    struct core_container units = {.bytes = (const uint8_t *)text_get(&packed),
                                   .size = packed.length,
                                   .packed = true};
    struct core_unit unit;

    expect_next(&units, 4, "123456");
    expect_next(&units, 9, "x");
    expect_next(&units, 17, "abcd");
    assert_false(core_container_next(&units, &unit));
    assert_int_equal(core_container_tail(&units), 0);
    assert_int_equal(units.invalid, 0);
    text_clear(&packed);
}

static void missing_bytes_are_reported_and_nothing_changes(void **ctx)
{
    struct text packed = {0};
    size_t present, length;

    (void)ctx;
    assert_false(core_container_add(&packed, 3, 8, (const uint8_t *)"a", 1, &present));
    assert_int_equal(present, 0);
    assert_int_equal(packed.length, 0);
    add(&packed, 3, 0, "abc");
    length = packed.length;
    assert_false(core_container_add(&packed, 3, 4, (const uint8_t *)"a", 1, &present));
    assert_int_equal(present, 3);
    assert_false(core_container_add(&packed, 3, 2, (const uint8_t *)"a", 1, &present));
    assert_int_equal(packed.length, length);
    text_clear(&packed);
}

static void a_packed_unit_that_is_cut_is_no_unit(void **ctx)
{
    struct text packed = {0};

    (void)ctx;
    add(&packed, 0, 0, "abcd");
    for (size_t size = 0; size < packed.length; size++) {
        struct core_container units = {
            .bytes = (const uint8_t *)text_get(&packed), .size = size, .packed = true};
        struct core_unit unit;

        assert_false(core_container_next(&units, &unit));
        assert_int_equal(core_container_tail(&units), size);
    }
    text_clear(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_of_a_channel_are_joined_in_any_order_of_channels),
        cmocka_unit_test(missing_bytes_are_reported_and_nothing_changes),
        cmocka_unit_test(a_packed_unit_that_is_cut_is_no_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
