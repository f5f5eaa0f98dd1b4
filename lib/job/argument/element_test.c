#include "lib/job/argument/element.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static uint64_t bits_of(const char *type, const char *text)
{
    uint64_t bits = 0;

    assert_true(element_parse(element_find(type), text, &bits));
    return bits;
}

static void values_are_stored_in_the_format_of_their_type(void **ctx)
{
    static const struct {
        const char *type, *text;
        uint64_t bits;
    } rows[] = {
        {"fp32", "1", 0x3f800000},
        {"fp32", "-2.5", 0xc0200000},
        {"fp32", "1e-45", 1},
        {"fp32", "3.5e38", 0x7f800000},
        {"fp64", "1", 0x3ff0000000000000},
        {"fp16", "1", 0x3c00},
        {"fp16", "65504", 0x7bff},
        {"fp16", "65519", 0x7bff},
        {"fp16", "65520", 0x7c00},
        {"fp16", "-1e9", 0xfc00},
        {"fp16", "6e-8", 1},
        {"fp16", "6.1035e-5", 0x0400},
        {"fp16", "2049", 0x6800},
        {"fp16", "2051", 0x6802},
        {"bf16", "1", 0x3f80},
        {"bf16", "3.140625", 0x4049},
        {"fp16", "0", 0},
        {"fp16", "-0", 0x8000},
        {"i8", "-128", 0x80},
        {"u8", "255", 0xff},
        {"i16", "-1", 0xffff},
        {"u64", "18446744073709551615", UINT64_MAX},
        {"i64", "-9223372036854775808", 1ull << 63},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (bits_of(rows[i].type, rows[i].text) != rows[i].bits)
            fail_msg("%s %s is %llx", rows[i].type, rows[i].text,
                     (unsigned long long)bits_of(rows[i].type, rows[i].text));
}

static void values_out_of_range_are_refused(void **ctx)
{
    static const char *const rows[][2] = {
        {"i8", "128"},   {"i8", "-129"},   {"u8", "256"},         {"u8", "-1"},
        {"i32", "1.5"},  {"u32", ""},      {"fp32", "one"},       {"i16", "32768"},
        {"fp64", "nan"}, {"u16", "65536"}, {"u32", "4294967296"},
    };
    uint64_t bits;

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_false(element_parse(element_find(rows[i][0]), rows[i][1], &bits));
    assert_null(element_find("fp8"));
    assert_null(element_find(""));
}

/* Converts each 16-bit pattern to a number and back. */
static void all_16_bit_floats_convert_back(void **ctx)
{
    static const char *const types[] = {"fp16", "bf16"};
    char text[64];

    (void)ctx;
    for (size_t t = 0; t < COUNT(types); t++) {
        const struct element *element = element_find(types[t]);

        for (uint32_t bits = 0; bits <= 0xffff; bits++) {
            double value = element_value(element, &(uint16_t){(uint16_t)bits}, 0);

            if (!isfinite(value))
                continue;
            snprintf(text, sizeof(text), "%.17g", value);
            assert_int_equal(bits_of(types[t], text), bits);
        }
    }
}

static void filled_values_are_small_and_depend_on_their_position(void **ctx)
{
    float floats[1000];
    int8_t bytes[1000];
    uint32_t naturals[1000];

    (void)ctx;
    element_fill(element_find("fp32"), 1, floats, 1000);
    element_fill(element_find("i8"), 1, bytes, 1000);
    element_fill(element_find("u32"), 1, naturals, 1000);
    for (int i = 0; i < 1000; i++) {
        assert_true(floats[i] >= -8 && floats[i] <= 8 && floats[i] == bytes[i]);
        assert_int_equal(naturals[i], bytes[i] + 8);
    }
    element_fill(element_find("fp32"), 2, floats, 1000);
    assert_int_not_equal(
        element_differ(element_find("i8"), bytes, (int8_t[1000]){0}, 1000, 0), 1000);
}

static void differences_are_found_unless_within_the_tolerance(void **ctx)
{
    const struct element *fp32 = element_find("fp32");
    const float found[] = {1, 100, NAN, 0.001f}, expected[] = {1, 101, NAN, 0};

    (void)ctx;
    assert_int_equal(element_differ(fp32, found, found, 4, 0), 4);
    assert_int_equal(element_differ(fp32, found, expected, 4, 0), 1);
    assert_int_equal(element_differ(fp32, found, expected, 4, 0.01), 4);
    assert_int_equal(element_differ(fp32, found, expected, 4, 0.0005), 1);
    assert_int_equal(element_differ(fp32, found + 2, expected, 1, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_stored_in_the_format_of_their_type),
        cmocka_unit_test(values_out_of_range_are_refused),
        cmocka_unit_test(all_16_bit_floats_convert_back),
        cmocka_unit_test(filled_values_are_small_and_depend_on_their_position),
        cmocka_unit_test(differences_are_found_unless_within_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
