#include "lib/capture/format/crc.h"

#include "tests/support/unit.h"

static void the_check_value_is_right(void **ctx)
{
    (void)ctx;
    assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(crc32c_by_table(0, "123456789", 9), 0xe3069283);
    assert_int_equal(crc32c(0, "", 0), 0);
}

static void both_ways_agree_at_every_length_and_place(void **ctx)
{
    uint8_t bytes[300];

    (void)ctx;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 167 + 13);
    for (size_t start = 0; start < 9; start++)
        for (size_t size = 0; size + start <= sizeof(bytes); size++)
            assert_int_equal(crc32c(7, bytes + start, size),
                             crc32c_by_table(7, bytes + start, size));
}

static void two_parts_are_the_whole(void **ctx)
{
    (void)ctx;
    for (size_t cut = 0; cut <= 9; cut++)
        assert_int_equal(
            crc32c(crc32c(0, "123456789", cut), &"123456789"[cut], 9 - cut),
            0xe3069283);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_check_value_is_right),
        cmocka_unit_test(both_ways_agree_at_every_length_and_place),
        cmocka_unit_test(two_parts_are_the_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
