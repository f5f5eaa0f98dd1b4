#include "lib/base/num.h"

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void a_whole_number_must_be_the_whole_text(void **ctx)
{
    const char *const bad_u64[] = {
        "", "-1", "+1", " 1", "1 ", "1.0", "0x1", "1e3", "18446744073709551616", "a"};
    const char *const bad_i64[] = {"",
                                   "+1",
                                   "--1",
                                   "-",
                                   " 1",
                                   "1 ",
                                   "- 1",
                                   "9223372036854775808",
                                   "-9223372036854775809"};
    uint64_t u;
    int64_t i;

    (void)ctx;
    assert_true(num_parse_u64("0", &u) && u == 0);
    assert_true(num_parse_u64("18446744073709551615", &u) && u == UINT64_MAX);
    for (size_t n = 0; n < COUNT(bad_u64); n++)
        assert_false(num_parse_u64(bad_u64[n], &u));
    assert_true(num_parse_i64("-9223372036854775808", &i) && i == INT64_MIN);
    assert_true(num_parse_i64("9223372036854775807", &i) && i == INT64_MAX);
    for (size_t n = 0; n < COUNT(bad_i64); n++)
        assert_false(num_parse_i64(bad_i64[n], &i));
}

static void real_numbers_are_finite_decimals(void **ctx)
{
    const char *const bad[] = {"",     " 1",        "1 ",    "1,5",  "nan",
                               "inf",  "-infinity", "1e999", "0x10", "0X1p3",
                               "-0x1", "1.5x",      "."};
    double value;

    (void)ctx;
    assert_true(num_parse_double("1.5", &value) && value == 1.5);
    assert_true(num_parse_double("-2e3", &value) && value == -2000);
    assert_true(num_parse_double(".5", &value) && value == 0.5);
    assert_true(num_parse_double("1e-400", &value) && value == 0);
    for (size_t n = 0; n < COUNT(bad); n++)
        assert_false(num_parse_double(bad[n], &value));
}

static void durations_have_units(void **ctx)
{
    const struct {
        const char *text;
        uint64_t ms;
    } good[] = {{"250ms", 250}, {"10s", 10000},    {"5m", 300000}, {"2h", 7200000},
                {"7", 7000},    {"1d", 86400000u}, {"0s", 0}};
    const char *const bad[] = {"",
                               "s",
                               "5 s",
                               "-5s",
                               "1.5s",
                               "5S",
                               "5w",
                               "1m30s",
                               "18446744073709551615d",
                               "99999999999999999999999s"};
    uint64_t ms;

    (void)ctx;
    for (size_t n = 0; n < COUNT(good); n++)
        assert_true(num_parse_duration_ms(good[n].text, &ms) && ms == good[n].ms);
    for (size_t n = 0; n < COUNT(bad); n++)
        assert_false(num_parse_duration_ms(bad[n], &ms));
}

static void sizes_have_units(void **ctx)
{
    const char *const bad[] = {
        "", "k", "1KB", "1kib", "-1", "1.5MiB", "99999999999999GiB"};
    uint64_t bytes;

    (void)ctx;
    assert_true(num_parse_bytes("4096", &bytes) && bytes == 4096);
    assert_true(num_parse_bytes("64KiB", &bytes) && bytes == 65536);
    assert_true(num_parse_bytes("1MiB", &bytes) && bytes == 1 << 20);
    assert_true(num_parse_bytes("2GiB", &bytes) && bytes == 2ull << 30);
    for (size_t n = 0; n < COUNT(bad); n++)
        assert_false(num_parse_bytes(bad[n], &bytes));
}

static void sums_and_products_are_checked(void **ctx)
{
    size_t result;

    (void)ctx;
    assert_true(num_add(2, 3, &result) && result == 5);
    assert_false(num_add(SIZE_MAX, 1, &result));
    assert_true(num_mul(2, 3, &result) && result == 6);
    assert_false(num_mul(SIZE_MAX / 2, 3, &result));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_number_must_be_the_whole_text),
        cmocka_unit_test(real_numbers_are_finite_decimals),
        cmocka_unit_test(durations_have_units),
        cmocka_unit_test(sizes_have_units),
        cmocka_unit_test(sums_and_products_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
