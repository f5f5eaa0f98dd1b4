#include "lib/base/decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static void is_double(double value, const char *expected)
{
    char out[DECIMAL_REAL_ROOM + 1];

    out[decimal_put_double(out, value)] = '\0';
    assert_string_equal(out, expected);
}

static void whole_numbers_equal_the_output_of_printf(void **ctx)
{
    char out[DECIMAL_INT_ROOM + 1], expected[32];

    (void)ctx;
    for (int i = 0; i < 200000; i++) {
        uint64_t value = random_bits() >> (random_bits() % 64);

        out[decimal_put_u64(out, value)] = '\0';
        snprintf(expected, sizeof(expected), "%" PRIu64, value);
        assert_string_equal(out, expected);
        out[decimal_put_i64(out, (int64_t)value)] = '\0';
        snprintf(expected, sizeof(expected), "%" PRId64, (int64_t)value);
        assert_string_equal(out, expected);
    }
}

static void hexadecimal_numbers_equal_the_output_of_printf(void **ctx)
{
    (void)ctx;
    for (unsigned shift = 0; shift < 64; shift++)
        for (uint64_t less = 0; less < 2; less++) {
            uint64_t value = ((uint64_t)1 << shift) - less;
            char out[DECIMAL_INT_ROOM], want[DECIMAL_INT_ROOM];

            out[decimal_put_hex(out, value)] = '\0';
            snprintf(want, sizeof(want), "0x%llx", (unsigned long long)value);
            assert_string_equal(out, want);
        }
}

static void the_largest_and_smallest_whole_numbers_are_right(void **ctx)
{
    char out[DECIMAL_INT_ROOM + 1], expected[32];
    uint64_t power = 1;

    (void)ctx;
    for (int i = 0; i < 20; i++, power *= 10)
        for (int step = -1; step <= 1; step++) {
            uint64_t value = power + (uint64_t)step;

            out[decimal_put_u64(out, value)] = '\0';
            snprintf(expected, sizeof(expected), "%" PRIu64, value);
            assert_string_equal(out, expected);
        }
    out[decimal_put_u64(out, UINT64_MAX)] = '\0';
    assert_string_equal(out, "18446744073709551615");
    out[decimal_put_i64(out, INT64_MIN)] = '\0';
    assert_string_equal(out, "-9223372036854775808");
}

static void known_doubles_have_the_expected_text(void **ctx)
{
    (void)ctx;
    is_double(0.0, "0");
    is_double(-0.0, "-0");
    is_double(1, "1");
    is_double(-3, "-3");
    is_double(0.1, "0.1");
    is_double(0.1 + 0.2, "0.30000000000000004");
    is_double(12.5, "12.5");
    is_double(1e21, "1e21");
    is_double(1e20, "100000000000000000000");
    is_double(123456789012345678.0, "123456789012345680");
    is_double(1e-6, "0.000001");
    is_double(1e-7, "1e-7");
    is_double(1.5e-9, "1.5e-9");
    is_double(5e-324, "5e-324");
    is_double(2.2250738585072014e-308, "2.2250738585072014e-308");
    is_double(1.7976931348623157e308, "1.7976931348623157e308");
    is_double(9007199254740993.0, "9007199254740992");
    is_double(-1.0 / 3, "-0.3333333333333333");
}

/* Returns the first precision that reads back: slow, but obviously right. */
static int digits_needed(double value)
{
    char text[40];
    int places = 0;

    while (snprintf(text, sizeof(text), "%.*e", places, value),
           strtod(text, NULL) != value)
        places++;
    return places + 1;
}

static int digits_in(const char *text)
{
    int count = 0, zeros = 0;

    for (; *text && *text != 'e'; text++) {
        if (*text == '0' && count)
            zeros++;
        if (*text >= '1' && *text <= '9') {
            count += zeros + 1;
            zeros = 0;
        }
    }
    return count;
}

static void every_double_reads_back_and_has_the_fewest_digits(void **ctx)
{
    char out[DECIMAL_REAL_ROOM + 1];

    (void)ctx;
    for (int i = 0; i < 60000; i++) {
        uint64_t bits = random_bits();
        double value;

        if (i % 3 == 1) /* like measured values */
            value = (double)(bits % 100000000) / 1000;
        else if (i % 3 == 2) /* powers of two have uneven neighbours */
            value = ldexp(1, (int)(bits % 2098) - 1074);
        else
            memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value))
            continue;
        size_t length = decimal_put_double(out, value);
        assert_true(length <= DECIMAL_REAL_ROOM);
        out[length] = '\0';
        double back = strtod(out, NULL);
        assert_memory_equal(&back, &value, sizeof(value));
        if (value != 0 && i % 4 == 0)
            assert_true(digits_in(out) <= digits_needed(value));
    }
}

static void fixed_decimals_equal_the_output_of_printf(void **ctx)
{
    char out[DECIMAL_FIXED_ROOM + 1], expected[DECIMAL_FIXED_ROOM + 1];
    const double edges[] = {0.5,     1.5,  2.5,   0.125, 0.0005, 1e300, -0.0,
                            -0.0001, 1e15, 1e-20, 0.045, 1.005,  2.675, 999999.9999999};

    (void)ctx;
    for (int i = 0; i < 100000; i++) {
        unsigned decimals = (unsigned)(random_bits() % 10);
        double value = (double)(int64_t)random_bits() /
                       (double)(1 + (random_bits() >> (random_bits() % 64)));

        if ((size_t)i < COUNT(edges))
            value = edges[i];
        out[decimal_put_fixed(out, value, decimals)] = '\0';
        snprintf(expected, sizeof(expected), "%.*f", (int)decimals, value);
        assert_string_equal(out, expected);
    }
}

static void scaled_numbers_keep_every_digit(void **ctx)
{
    const struct {
        int64_t value;
        unsigned decimals;
        const char *expected;
    } cases[] = {
        {1234567, 3, "1234.567"},
        {-1234567, 3, "-1234.567"},
        {5, 3, "0.005"},
        {-5, 3, "-0.005"},
        {0, 3, "0.000"},
        {42, 0, "42"},
        {INT64_MIN, 3, "-9223372036854775.808"},
        {INT64_MAX, 18, "9.223372036854775807"},
        {7, 40, "0.000000000000000007"},
    };
    char out[DECIMAL_REAL_ROOM + 1];

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        out[decimal_put_scaled(out, cases[i].value, cases[i].decimals)] = '\0';
        assert_string_equal(out, cases[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_equal_the_output_of_printf),
        cmocka_unit_test(hexadecimal_numbers_equal_the_output_of_printf),
        cmocka_unit_test(the_largest_and_smallest_whole_numbers_are_right),
        cmocka_unit_test(known_doubles_have_the_expected_text),
        cmocka_unit_test(every_double_reads_back_and_has_the_fewest_digits),
        cmocka_unit_test(fixed_decimals_equal_the_output_of_printf),
        cmocka_unit_test(scaled_numbers_keep_every_digit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
