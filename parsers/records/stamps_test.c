#include "parsers/records/stamps.h"

#include "parsers/records/sample_records.h"
#include "tests/support/unit.h"

static void read_all(struct stamps *stamps,
                     enum chip chip,
                     bool is_lccl,
                     struct stamp_blocks blocks,
                     const struct text *bytes)
{
    stamps_read(stamps, chip, is_lccl, blocks, (const uint8_t *)text_get(bytes),
                bytes->length);
}

static void old_block_numbers_of_cubes_start_at_fifty(void **ctx)
{
    struct stamp_blocks blocks = {2, 4};
    struct text bytes = {0};
    struct stamps stamps;
    (void)ctx;
    sample_stamp(&bytes, 51, 0x1000, 777, 0x40);
    sample_stamp(&bytes, 3, 0x1001, 778, 0x44);
    text_add_bytes(&bytes, "tail", 4);
    read_all(&stamps, CHIP_A2, false, blocks, &bytes);
    assert_int_equal(stamps.count, 2);
    assert_int_equal(stamps.tail_bytes, 4);
    assert_int_equal(stamps.rows[0].kind, CORE_AIC);
    assert_int_equal(stamps.rows[0].block, 1);
    assert_int_equal(stamps.rows[0].ticks, 777);
    assert_int_equal(stamps.rows[0].pc, 0x40);
    assert_int_equal(stamps.rows[1].kind, CORE_AIV);
    assert_int_equal(stamps.rows[1].block, 3);
    stamps_clear(&stamps);
    text_clear(&bytes);
}

/* One number with a high half selects the new form for the whole file. */
static void new_block_numbers_contain_the_physical_core(void **ctx)
{
    static const struct {
        enum chip chip;
        uint32_t core;
        enum core_kind kind;
    } cases[] = {
        {CHIP_A2, 24, CORE_AIC}, {CHIP_A2, 25, CORE_AIV}, {CHIP_A5, 17, CORE_AIC},
        {CHIP_A5, 18, CORE_AIV}, {CHIP_A5, 53, CORE_AIV}, {CHIP_A5, 54, CORE_AIC},
        {CHIP_A5, 71, CORE_AIC}, {CHIP_A5, 72, CORE_AIV},
    };
    struct stamp_blocks blocks = {2, 4};
    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct text bytes = {0};
        struct stamps stamps;

        sample_stamp(&bytes, 60, 0x1000, 1, 0);
        sample_stamp(&bytes, cases[i].core << 16 | 9, 0x1000, 1, 0);
        read_all(&stamps, cases[i].chip, false, blocks, &bytes);
        assert_int_equal(stamps.rows[0].block, 60);
        assert_int_equal(stamps.rows[1].kind, cases[i].kind);
        assert_int_equal(stamps.rows[1].block, 9);
        stamps_clear(&stamps);
        text_clear(&bytes);
    }
}

static void a_single_cube_block_can_have_core_number_zero(void **ctx)
{
    struct text bytes = {0};
    struct stamps stamps;
    (void)ctx;
    sample_stamp(&bytes, 0, 0x1000, 1, 0);
    read_all(&stamps, CHIP_A2, false, (struct stamp_blocks){1, 0}, &bytes);
    assert_int_equal(stamps.rows[0].kind, CORE_AIC);
    stamps_clear(&stamps);
    read_all(&stamps, CHIP_A2, false, (struct stamp_blocks){0, 1}, &bytes);
    assert_int_equal(stamps.rows[0].kind, CORE_AIV);
    stamps_clear(&stamps);
    text_clear(&bytes);
}

static void lccl_records_have_their_own_layout(void **ctx)
{
    struct text bytes = {0};
    struct stamps stamps;
    (void)ctx;
    sample_lccl_stamp(&bytes, 52, LCCL_PROCESS, 4242, 6);
    read_all(&stamps, CHIP_A2, true, (struct stamp_blocks){3, 0}, &bytes);
    assert_int_equal(stamps.count, 1);
    assert_int_equal(stamps.rows[0].id, LCCL_PROCESS);
    assert_int_equal(stamps.rows[0].block, 2);
    assert_int_equal(stamps.rows[0].operation, 6);
    assert_int_equal(stamps.rows[0].ticks, 4242);
    stamps_clear(&stamps);
    text_clear(&bytes);
}

static void library_stamps_have_start_and_end_ids(void **ctx)
{
    struct stamp_name name;
    (void)ctx;
    assert_true(stamp_library_name(0x1063, &name));
    assert_string_equal(name.name, "GET_WINDOW_OUT");
    assert_true(name.is_end);
    assert_true(stamp_library_name(0x1140, &name));
    assert_string_equal(name.name, "ALL_TO_ALL_V_PREPARE");
    assert_false(name.is_end);
    assert_false(stamp_library_name(0x1070, &name));
    assert_false(stamp_library_name(0xFFFF, &name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_block_numbers_of_cubes_start_at_fifty),
        cmocka_unit_test(new_block_numbers_contain_the_physical_core),
        cmocka_unit_test(a_single_cube_block_can_have_core_number_zero),
        cmocka_unit_test(lccl_records_have_their_own_layout),
        cmocka_unit_test(library_stamps_have_start_and_end_ids),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
