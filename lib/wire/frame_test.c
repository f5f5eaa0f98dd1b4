#include "lib/wire/frame.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static const struct frame_limits small = {.bytes = 64, .depth = 3, .items = 10};

/* The bytes are copied into memory of their own size, so that a sanitizer sees a byte
 * that is read behind the end. */
static enum err_code check(const char *bytes, size_t size)
{
    void *copy = xmemdup(bytes, size ? size : 1);
    struct err err = {0};
    int result = frame_check(copy, size, &small, &err);

    free(copy);
    return result < 0 ? err.code : ERR_NONE;
}

#define CHECK(literal) check(literal, sizeof(literal) - 1)

static void complete_values_are_accepted(void **ctx)
{
    (void)ctx;
    assert_int_equal(CHECK("\x07"), ERR_NONE);
    assert_int_equal(CHECK("\xe0"), ERR_NONE);
    assert_int_equal(CHECK("\xc0"), ERR_NONE);
    assert_int_equal(CHECK("\xa3"
                           "abc"),
                     ERR_NONE);
    assert_int_equal(CHECK("\x82\x01\x02\x03\x92\xc3\xc2"), ERR_NONE);
    assert_int_equal(CHECK("\xdc\0\x02\x01\x02"), ERR_NONE);
    assert_int_equal(CHECK("\xdf\0\0\0\x01\x01\x02"), ERR_NONE);
    assert_int_equal(CHECK("\xc4\x02zz"), ERR_NONE);
    assert_int_equal(CHECK("\xc7\x02\x05zz"), ERR_NONE);
    assert_int_equal(CHECK("\xd4\x05z"), ERR_NONE);
    assert_int_equal(CHECK("\x90"), ERR_NONE);
    assert_int_equal(CHECK("\x80"), ERR_NONE);
}

static void incomplete_values_are_rejected(void **ctx)
{
    (void)ctx;
    assert_int_equal(CHECK(""), ERR_INPUT);
    assert_int_equal(CHECK("\xa3"
                           "ab"),
                     ERR_INPUT);
    assert_int_equal(CHECK("\x82\x01\x02\x03"), ERR_INPUT);
    assert_int_equal(CHECK("\xcf\x01\x02"), ERR_INPUT);
    assert_int_equal(CHECK("\xdd\0\0"), ERR_INPUT);
    assert_int_equal(CHECK("\xc6\xff\xff\xff\xff"), ERR_INPUT);
    assert_int_equal(CHECK("\xc9\xff\xff\xff\xff\x01"), ERR_INPUT);
}

static void a_count_without_its_items_is_rejected(void **ctx)
{
    (void)ctx;
    assert_int_equal(CHECK("\x99\x01"), ERR_INPUT);
    assert_int_equal(CHECK("\xdd\xff\xff\xff\xff"), ERR_LIMIT);
    assert_int_equal(CHECK("\xdf\xff\xff\xff\xff"), ERR_LIMIT);
}

static void bytes_after_the_value_are_rejected(void **ctx)
{
    (void)ctx;
    assert_int_equal(CHECK("\x01\x02"), ERR_INPUT);
}

static void a_byte_without_a_format_is_rejected(void **ctx)
{
    (void)ctx;
    assert_int_equal(CHECK("\xc1"), ERR_INPUT);
}

static void the_depth_limit_is_exact(void **ctx)
{
    (void)ctx;
    assert_int_equal(CHECK("\x91\x91\x91\x01"), ERR_NONE);
    assert_int_equal(CHECK("\x91\x91\x91\x91\x01"), ERR_LIMIT);
}

/* The limit of a caller may be as large as the scan has room for. */
static void the_deepest_packet_has_sixteen_levels(void **ctx)
{
    static const struct frame_limits deep = {
        .bytes = 64, .depth = FRAME_MAX_DEPTH, .items = 64};
    unsigned char bytes[18];
    struct err err = {0};

    (void)ctx;
    assert_int_equal(FRAME_MAX_DEPTH, 16);
    memset(bytes, 0x91, sizeof(bytes)); /* an array of one item */
    bytes[16] = 1;
    assert_int_equal(frame_check(bytes, 17, &deep, &err), 0);
    bytes[16] = 0x91;
    bytes[17] = 1;
    assert_int_equal(frame_check(bytes, 18, &deep, &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_string_equal(err.text, "maps and arrays are nested deeper than 16");
}

static void the_item_limit_counts_all_levels(void **ctx)
{
    (void)ctx;
    assert_int_equal(CHECK("\x92\x94\1\1\1\1\x94\1\1\1\1"), ERR_NONE);
    assert_int_equal(CHECK("\x92\x94\1\1\1\1\x95\1\1\1\1\1"), ERR_LIMIT);
    assert_int_equal(CHECK("\x86\1\1\1\1\1\1\1\1\1\1\1\1"), ERR_LIMIT); /* 12 */
}

static void the_byte_limit_is_exact(void **ctx)
{
    char bytes[66] = "\xd9\x3e"; /* a text of 62 */

    (void)ctx;
    assert_int_equal(check(bytes, 64), ERR_NONE);
    bytes[1]++;
    assert_int_equal(check(bytes, 65), ERR_LIMIT);
}

/* Zeros follow: lengths and counts of 0, and small integers as items. */
static void every_first_byte_has_one_valid_size(void **ctx)
{
    char bytes[40] = {0};
    size_t valid = 0;

    (void)ctx;
    for (int first = 0; first < 256; first++) {
        size_t accepted = 0;

        bytes[0] = (char)first;
        for (size_t size = 1; size < sizeof(bytes); size++) {
            enum err_code code = check(bytes, size);

            assert_true(code == ERR_NONE || code == ERR_INPUT || code == ERR_LIMIT);
            accepted += code == ERR_NONE;
        }
        assert_true(accepted <= 1);
        valid += accepted;
    }
    /* not 0xc1, which has no format; not arrays of 11 to 15 and maps of 6 to 15 items
     */
    assert_int_equal(valid, 256 - 1 - 5 - 10);
}

/* Limits of every link: 4 MiB, 6 levels, 131072 items. */
static void the_limits_of_a_link_are_exact(void **ctx)
{
    enum { BYTES = 4194304, ITEMS = 131072 };
    unsigned char *bytes = xcalloc(1, BYTES + 1);
    struct err err;

    (void)ctx;
    memcpy(bytes, "\xc6\x00\x3f\xff\xfb", 5); /* bin 32 of 4194299 bytes */
    assert_int_equal(frame_check(bytes, BYTES, &frame_limits_default, &err), 0);
    bytes[4]++;
    assert_int_equal(frame_check(bytes, BYTES + 1, &frame_limits_default, &err), -1);
    assert_string_equal(err.text, "the packet has 4194305 bytes, the limit is 4194304");
    memset(bytes, 0, BYTES);
    memcpy(bytes, "\xdd\x00\x02\x00\x00", 5); /* array 32 of 131072 zeros */
    assert_int_equal(frame_check(bytes, 5 + ITEMS, &frame_limits_default, &err), 0);
    bytes[4] = 1;
    assert_int_equal(frame_check(bytes, 6 + ITEMS, &frame_limits_default, &err), -1);
    assert_string_equal(err.text, "maps and arrays have more items than the limit");
    memset(bytes, 0x91, 6); /* arrays of one item */
    bytes[6] = 0;
    assert_int_equal(frame_check(bytes, 7, &frame_limits_default, &err), 0);
    bytes[6] = 0x91;
    assert_int_equal(frame_check(bytes, 8, &frame_limits_default, &err), -1);
    assert_string_equal(err.text, "maps and arrays are nested deeper than 6");
    free(bytes);
}

/* First byte, size of the whole value; 0 where no size is valid. Zeros follow. */
static void each_first_byte_has_its_size(void **ctx)
{
    static const unsigned char sizes[] = {
        1, 0, 1, 1,                     /* 0xc0: nil, never used, false, true */
        2, 3, 5, 3,  4,  6,             /* bin and ext of no bytes */
        5, 9, 2, 3,  5,  9, 2, 3, 5, 9, /* floats and integers */
        3, 4, 6, 10, 18,                /* fixext */
        2, 3, 5, 3,  5,  3, 5,          /* 0xd9: str, array, map */
    };
    char bytes[40] = {0};

    (void)ctx;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        bytes[0] = (char)(0xc0 + i);
        for (size_t size = 1; size < sizeof(bytes); size++)
            assert_int_equal(check(bytes, size) == ERR_NONE, size == sizes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete_values_are_accepted),
        cmocka_unit_test(incomplete_values_are_rejected),
        cmocka_unit_test(a_count_without_its_items_is_rejected),
        cmocka_unit_test(bytes_after_the_value_are_rejected),
        cmocka_unit_test(a_byte_without_a_format_is_rejected),
        cmocka_unit_test(the_depth_limit_is_exact),
        cmocka_unit_test(the_deepest_packet_has_sixteen_levels),
        cmocka_unit_test(the_item_limit_counts_all_levels),
        cmocka_unit_test(the_byte_limit_is_exact),
        cmocka_unit_test(the_limits_of_a_link_are_exact),
        cmocka_unit_test(each_first_byte_has_its_size),
        cmocka_unit_test(every_first_byte_has_one_valid_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
