#include "lib/job/argument/argument.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/job/argument/element.h"
#include "tests/support/unit.h"

static void arguments_are_parsed(void **ctx)
{
    struct argument argument;
    struct err err;

    (void)ctx;
    assert_int_equal(argument_parse(&argument, "in fp16 64*32", &err), 0);
    assert_true(argument.kind == ARGUMENT_BUFFER && argument.is_read &&
                !argument.is_written);
    assert_int_equal(argument.bytes, 64 * 32 * 2);

    assert_int_equal(
        argument_parse(&argument, " inout  fp32 8 from x.bin expect y.bin within 0.5 ",
                       &err),
        0);
    assert_true(argument.is_read && argument.is_written && argument.within == 0.5);
    assert_string_equal(argument.from, "x.bin");
    assert_string_equal(argument.expect, "y.bin");

    assert_int_equal(
        argument_parse(&argument, "out u8 1 expect sum:00000000000000fe", &err), 0);
    assert_true(argument.has_sum && argument.sum == 0xfe && !argument.expect[0]);

    assert_int_equal(argument_parse(&argument, "data u32 7 8 9", &err), 0);
    assert_int_equal(argument.bytes, 12);
    assert_memory_equal(argument.values.bytes, ((uint32_t[]){7, 8, 9}), 12);
    argument_clear(&argument);

    assert_int_equal(argument_parse(&argument, "value i64 -3", &err), 0);
    assert_memory_equal(argument.values.bytes, &(int64_t){-3}, 8);
    argument_clear(&argument);
}

static void errors_name_the_wrong_word(void **ctx)
{
    static const char *const rows[][2] = {
        {"", "is not in, out, inout"},
        {"input fp32 4", "'input'"},
        {"in", "unknown type"},
        {"in fp31 4", "'fp31'"},
        {"in fp32", "the count is missing"},
        {"in fp32 0", "not a count"},
        {"in fp32 4*", "not a count"},
        {"in fp32 4**4", "not a count"},
        {"in fp32 -4", "not a count"},
        {"in fp32 99999999999999999999", "not a count"},
        {"in fp32 1099511627776*1099511627776", "not a count"},
        {"in fp64 1099511627776", "exceed 1 TiB"},
        {"in fp32 4 from", "is missing"},
        {"in fp32 4 expect x", "'expect'"},
        {"out fp32 4 from x", "'from'"},
        {"out fp32 4 within 1", "'within'"},
        {"out fp32 4 expect sum:12", "16 digits"},
        {"out fp32 4 expect sum:00000000000000fg", "16 digits"},
        {"out fp32 4 expect x within -1", "not a number from 0"},
        {"data u32", "the value is missing"},
        {"data u8 256", "'256'"},
        {"value u32 1 2", "more than 1 value"},
    };
    struct argument argument;
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(argument_parse(&argument, rows[i][0], &err), -1);
        assert_int_not_equal(err.code, ERR_SYSTEM);
        if (!strstr(err.text, rows[i][1]))
            fail_msg("'%s': %s", rows[i][0], err.text);
        argument_clear(&argument);
    }
}

static void long_words_and_too_many_values_are_refused(void **ctx)
{
    struct text text = {0};
    struct argument argument;
    struct err err;

    (void)ctx;
    text_add(&text, "data u8");
    for (int i = 0; i < ARGUMENT_VALUES_MAX; i++)
        text_add(&text, " 1");
    assert_int_equal(argument_parse(&argument, text_get(&text), &err), 0);
    argument_clear(&argument);
    text_add(&text, " 1");
    assert_int_equal(argument_parse(&argument, text_get(&text), &err), -1);
    argument_clear(&argument);
    text_reset(&text);
    for (int i = 0; i < 5000; i++)
        text_add(&text, "in");
    assert_int_equal(argument_parse(&argument, text_get(&text), &err), -1);
    argument_clear(&argument);
    text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_parsed),
        cmocka_unit_test(errors_name_the_wrong_word),
        cmocka_unit_test(long_words_and_too_many_values_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
