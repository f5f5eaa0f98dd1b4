#include "lib/base/digits.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/num.h"
#include "tests/support/unit.h"

/* Copies the text and appends bytes that must not matter. */
static void lay(char *room, const char *text, char behind)
{
    memset(room, behind, 64);
    memcpy(room, text, strlen(text));
}

static void u64_is(const char *text, bool good)
{
    char room[64];
    uint64_t value = 0, expected = 0;

    for (const char *behind = "0,9.\xff"; *behind; behind++) {
        lay(room, text, *behind);
        assert_int_equal(digits_u64(room, strlen(text), &value), good);
        if (good && num_parse_u64(text, &expected))
            assert_true(value == expected);
    }
}

static void numbers_of_all_lengths_are_read(void **ctx)
{
    char text[32] = "";

    (void)ctx;
    for (int length = 1; length <= DIGITS_MAX; length++) {
        for (int i = 0; i < length; i++)
            text[i] = (char)('0' + (i * 7 + length) % 10);
        u64_is(text, true);
        memset(text, '9', (size_t)length);
        u64_is(text, true);
        memset(text, '0', (size_t)length);
        u64_is(text, true);
    }
    u64_is("", false);
    u64_is("12345678901234567890", false); /* too long for digits_u64() */
}

static void every_byte_that_is_no_digit_is_refused_at_every_position(void **ctx)
{
    (void)ctx;
    for (size_t length = 1; length <= DIGITS_MAX; length++)
        for (size_t place = 0; place < length; place++)
            for (int byte = 0; byte < 256; byte++) {
                char room[64];
                uint64_t value;

                memset(room, '9', sizeof(room));
                room[place] = (char)byte;
                assert_int_equal(digits_u64(room, length, &value),
                                 byte >= '0' && byte <= '9');
            }
}

static void double_is(const char *text, bool good)
{
    char room[64];
    double value = 0;

    for (const char *behind = "0,.\xff"; *behind; behind++) {
        lay(room, text, *behind);
        assert_int_equal(digits_double(room, strlen(text), &value), good);
        if (good)
            assert_true(value == strtod(text, NULL));
    }
}

static void plain_decimals_become_the_nearest_double(void **ctx)
{
    char text[64];
    uint64_t random = 1;
    size_t good = 0;

    (void)ctx;
    double_is("0", true);
    double_is("-0.5", true);
    double_is("3.25", true);
    double_is("1732166400000001.234", true);
    double_is("-1732166400000001.234", true);
    double_is("0.000000000000000001", true);
    for (int i = 0; i < 200000; i++) {
        double value;

        random = random * 6364136223846793005u + 1442695040888963407u;
        int length = snprintf(text, sizeof(text), "%s%llu.%llu", i % 3 ? "" : "-",
                              (unsigned long long)(random >> (1 + i % 60)),
                              (unsigned long long)(random >> (20 + i % 43)));
        if (!digits_double(text, (size_t)length, &value))
            continue;
        assert_true(value == strtod(text, NULL));
        good++;
    }
    assert_true(good > 50000);
}

static void other_forms_of_numbers_are_refused(void **ctx)
{
    static const char *const texts[] = {"",
                                        "-",
                                        ".",
                                        "1.",
                                        ".5",
                                        "1.2.3",
                                        "1e5",
                                        "+1",
                                        " 1",
                                        "1 ",
                                        "nan",
                                        "--1",
                                        "12345678901234567890.5",
                                        "1234567890.12345678901"};

    (void)ctx;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        double_is(texts[i], false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_all_lengths_are_read),
        cmocka_unit_test(every_byte_that_is_no_digit_is_refused_at_every_position),
        cmocka_unit_test(plain_decimals_become_the_nearest_double),
        cmocka_unit_test(other_forms_of_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
