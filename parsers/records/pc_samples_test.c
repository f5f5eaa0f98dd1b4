#include "parsers/records/pc_samples.h"

#include "parsers/records/sample_records.h"
#include "tests/support/unit.h"

static void add(struct text *data, uint32_t value, uint8_t each)
{
    uint8_t sample[16] = {0};

    store_u32(sample, value);
    memset(sample + 3, each, STALLS);
    text_add_bytes(data, sample, sizeof(sample));
}

/* The vendor's example has 88 valid bytes: five and a half samples. */
static void the_vendors_example_file_gives_its_samples(void **ctx)
{
    struct text data = {0}, file = {0};
    struct pc_samples samples;
    (void)ctx;
    add(&data, 5, 255);
    add(&data, 5, 2);
    add(&data, 8, 4);
    add(&data, 1, 9);
    add(&data, 0, 0);
    text_add_bytes(&data, "halfhalf", 8);
    sample_unit(&file, 0, 2, &data);
    assert_int_equal(file.length, 2097160);
    pc_samples_read(
        &samples,
        (struct core_container){.bytes = (uint8_t *)file.bytes, .size = file.length}, 0,
        0);
    assert_int_equal(samples.count, 4);
    assert_int_equal(samples.tail_bytes, 8);
    assert_int_equal(samples.rows[0].pc, 0);
    assert_int_equal(samples.rows[1].pc, 8);
    assert_int_equal(samples.rows[2].pc, 40);
    assert_int_equal(samples.rows[2].counts[STALL_OTHERS], 257);
    assert_int_equal(samples.rows[3].pc, 64);
    assert_int_equal(pc_samples_sum(&samples, STALL_ACTIVE), 255 + 2 + 4 + 9);
    pc_samples_clear(&samples);
    text_clear(&data);
    text_clear(&file);
}

static void program_counters_are_relative_to_the_kernel(void **ctx)
{
    struct text data = {0}, file = {0};
    struct pc_samples samples;
    (void)ctx;
    add(&data, 0x12000 / 8, 1);
    add(&data, 0x11ff8 / 8, 1);
    sample_unit(&file, 0, 0, &data);
    pc_samples_read(
        &samples,
        (struct core_container){.bytes = (uint8_t *)file.bytes, .size = file.length},
        0xABC8000000 | 0x11000, 0x1000);
    assert_int_equal(samples.count, 1);
    assert_int_equal(samples.rows[0].pc, 0);
    assert_int_equal(samples.below, 1);
    pc_samples_clear(&samples);
    text_clear(&data);
    text_clear(&file);
}

static void stall_names_are_those_of_the_viewer(void **ctx)
{
    (void)ctx;
    assert_string_equal(stall_name(STALL_IBUF_EMPTY), "IBuf_Empty");
    assert_string_equal(stall_name(STALL_DIVERGENCE), "Divergence_Stack_Spill");
    assert_string_equal(stall_name(STALL_ACTIVE), "Active");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_vendors_example_file_gives_its_samples),
        cmocka_unit_test(program_counters_are_relative_to_the_kernel),
        cmocka_unit_test(stall_names_are_those_of_the_viewer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
