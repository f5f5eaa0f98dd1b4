#include "parsers/records/warps.h"

#include "parsers/records/sample_records.h"
#include "tests/support/unit.h"

static void warps_of_all_blocks_are_read(void **ctx)
{
    struct text file = {0};
    struct warps warps;
    (void)ctx;
    sample_warps(&file, 3, 1, 2, 100, 10);
    sample_warps(&file, 4, 2, 70, 500, 1); /* 70 warps, but a block has space for 64 */
    sample_warps(&file, 4, 3, 1, 500, 1);  /* no such kind of core */
    sample_warps(&file, 4, 0, 1, 500, 1);
    file.bytes[3 * 1104] = 0;           /* no magic number */
    sample_warps(&file, 4, 0, 1, 0, 9); /* never started */
    text_add_bytes(&file, "tail", 4);
    warps_read(&warps, (uint8_t *)file.bytes, file.length);
    assert_int_equal(warps.count, 2 + 64);
    assert_int_equal(warps.invalid, 2);
    assert_int_equal(warps.tail_bytes, 4);
    assert_int_equal(warps.rows[1].core, 3);
    assert_int_equal(warps.rows[1].warp, 1);
    assert_int_equal(warps.rows[1].start_cycle, 110);
    assert_int_equal(warps.rows[1].end_cycle, 120);
    assert_int_equal(warps.rows[65].warp, 63);
    assert_string_equal(warp_core_kind_name(warps.rows[1].kind), "veccore1");
    warps_clear(&warps);
    text_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_of_all_blocks_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
