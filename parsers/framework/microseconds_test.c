#include "parsers/framework/microseconds.h"

#include "tests/support/unit.h"

static int64_t read_ns(const char *text)
{
    int64_t ns = 0;

    assert_true(microseconds_read(text, &ns));
    return ns;
}

static void times_keep_all_nanoseconds(void **ctx)
{
    (void)ctx;
    assert_int_equal(read_ns("1736408883704643.212\t"), 1736408883704643212);
    assert_int_equal(read_ns("1736408883704696.954") - read_ns("1736408883704643.212"),
                     53742);
    assert_int_equal(read_ns("1695115378710248"), 1695115378710248000);
    assert_int_equal(read_ns("498.4"), 498400);
    assert_int_equal(read_ns(" -1.5 "), -1500);
}

static void the_fourth_decimal_rounds_half_up(void **ctx)
{
    (void)ctx;
    assert_int_equal(read_ns("840.07675"), 840077);
    assert_int_equal(read_ns("14.50028125"), 14500);
    assert_int_equal(read_ns("0.0004999"), 0);
    assert_int_equal(read_ns("0.9996"), 1000);
}

static void exponents_are_read(void **ctx)
{
    (void)ctx;
    assert_int_equal(read_ns("1.5e-03"), 2);
    assert_int_equal(read_ns("2E3"), 2000000);
}

static void other_texts_are_refused(void **ctx)
{
    static const char *const wrong[] = {"",   "N/A", "\t",  "12 3", "1.",    ".5",
                                        "1x", "--1", "inf", "1e99", "1.5 e3"};
    int64_t ns;
    (void)ctx;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_false(microseconds_read(wrong[i], &ns));
    assert_false(microseconds_read("9223372036854775808", &ns));
    assert_false(microseconds_read("9223372036854776.000", &ns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_keep_all_nanoseconds),
        cmocka_unit_test(the_fourth_decimal_rounds_half_up),
        cmocka_unit_test(exponents_are_read),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
