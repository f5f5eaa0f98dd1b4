#include "parsers/container/advice.h"

#include <string.h>

#include "parsers/container/bin.h"
#include "tests/support/unit.h"

static void add(struct text *file, enum bin_type type, const char *json)
{
    struct text payload = {0};

    text_add(&payload, json);
    bin_add(file, type, &payload);
    text_clear(&payload);
}

static void each_advice_of_a_file_is_read_once(void **ctx)
{
    struct text file = {0}, lines = {0};

    (void)ctx;
    add(&file, BIN_BASIC_INFO, "{\"advice\":[\"slow clock\"],\"name\":\"x\"}");
    add(&file, BIN_TRACE, "{\"advice\":\"not of a block with advice\"}");
    add(&file, BIN_MEMORY_MAP,
        "{\"core_memory_map\":[{\"advice\":[]},{\"advice\":[\"clock\",\"slow "
        "clock\"]}]}");
    add(&file, BIN_OCCUPANCY, "{\"soc\":\"\\\"advice\\\":[\",\"advice\":\"\"}");
    add(&file, BIN_ROOFLINE, "{\"advice\":\"latency bound:\\u00b5\"}");
    advice_read(&lines, file.bytes, file.length);
    assert_string_equal(text_get(&lines),
                        "slow clock\nclock\nlatency bound:\xc2\xb5\n");
    text_clear(&file);
    text_clear(&lines);
}

static void brackets_and_quotes_in_a_text_do_not_end_it(void **ctx)
{
    struct text file = {0}, lines = {0};

    (void)ctx;
    add(&file, BIN_MEMORY_TABLE,
        "{\"t\":[{\"advice\":[\"a ] b\",\"c \\\" ] \\\\\"],\"x\":[\"no\"]},"
        "{\"advice\":[\"a ] b\",\"c \\\" ] \\\\\"]},{\"advice\":\"one, "
        "\\\"two\\\"\",\"y\":1},"
        "{\"advice\":[\"a ] b\"]}]}");
    advice_read(&lines, file.bytes, file.length);
    assert_string_equal(text_get(&lines), "a ] b\nc \" ] \\\none, \"two\"\n");
    text_clear(&file);
    text_clear(&lines);
}

static void a_damaged_file_has_the_advice_before_the_damage(void **ctx)
{
    struct text file = {0}, lines = {0};

    (void)ctx;
    add(&file, BIN_ROOFLINE, "{\"advice\":\"memory bound\"}");
    add(&file, BIN_OCCUPANCY, "{\"advice\":[\"one\",\"tw");
    file.length -= 4;
    advice_read(&lines, file.bytes, file.length);
    assert_string_equal(text_get(&lines), "memory bound\n");
    text_clear(&file);
    text_clear(&lines);
}

static void long_advice_names_the_file_that_has_all(void **ctx)
{
    struct text file = {0}, lines = {0}, json = {0};
    size_t count = 0;

    (void)ctx;
    text_add(&json, "{\"advice\":[\"a\"");
    for (unsigned i = 0; i < 100; i++)
        text_printf(&json, ",\"%060u\"", i);
    text_add(&json, "]}");
    add(&file, BIN_BASIC_INFO, text_get(&json));
    advice_read(&lines, file.bytes, file.length);
    assert_in_range(lines.length, ADVICE_BYTES_MAX - 61, ADVICE_BYTES_MAX);
    for (const char *at = text_get(&lines); (at = strchr(at, '\n')); at++)
        count++;
    /* "a", lines of 61 bytes, and the line that names the file */
    assert_int_equal(count, 2 + (lines.length - 2) / 61 - 1);
    assert_true(text_has_suffix(text_get(&lines), "--explain visualize_data.bin\n"));
    text_clear(&file);
    text_clear(&lines);
    text_clear(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_advice_of_a_file_is_read_once),
        cmocka_unit_test(brackets_and_quotes_in_a_text_do_not_end_it),
        cmocka_unit_test(a_damaged_file_has_the_advice_before_the_damage),
        cmocka_unit_test(long_advice_names_the_file_that_has_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
