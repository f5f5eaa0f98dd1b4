#include "lib/parser_output/parser_output.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/unit.h"

static int read_text(struct parser_output *word, const char *line, struct err *err)
{
    return parser_output_read(word, line, strlen(line), err);
}

static void every_field_of_a_metric_is_read(void **ctx)
{
    struct parser_output word;
    struct err err;

    (void)ctx;
    assert_int_equal(read_text(&word,
                               "{\"launch\":3,\"kernel\":\"add\",\"device\":1,"
                               "\"metric\":\"duration_us\",\"value\":9.25,"
                               "\"unit\":\"us\",\"simulated\":true,\"later\":[1,{}]}",
                               &err),
                     0);
    assert_int_equal(word.kind, PARSER_METRIC);
    assert_int_equal(word.launch, 3);
    assert_int_equal(word.device, 1);
    assert_string_equal(word.kernel, "add");
    assert_string_equal(word.metric, "duration_us");
    assert_string_equal(word.unit, "us");
    assert_float_equal(word.value, 9.25, 0);
    assert_true(word.simulated);
}

static void every_field_of_a_launch_and_an_environment_is_read(void **ctx)
{
    struct parser_output word;
    struct err err;

    (void)ctx;
    assert_int_equal(read_text(&word,
                               "{\"launch\":3,\"kernel\":\"add\",\"device\":1,"
                               "\"code_hash\":\"00000000deadbeef\",\"tick_ns\":0.5,"
                               "\"group_found\":\"windows\",\"restored\":\"all\","
                               "\"advice\":\"memory bound\\nslow clock\\n\","
                               "\"notes\":\"ranks share passes\\n\"}",
                               &err),
                     0);
    assert_int_equal(word.kind, PARSER_LAUNCH);
    assert_string_equal(word.group_found, "windows");
    assert_string_equal(word.restored, "all");
    assert_string_equal(word.advice, "memory bound\nslow clock\n");
    assert_string_equal(word.notes, "ranks share passes\n");
    assert_int_equal(word.launch, 3);
    assert_string_equal(word.kernel, "add");
    assert_string_equal(word.code_hash, "00000000deadbeef");
    assert_float_equal(word.tick_ns, 0.5, 0);
    assert_int_equal(read_text(&word,
                               "{\"measurement\":\"1.1\",\"chip\":\"a\",\"cann\":\"b\","
                               "\"driver\":\"c\",\"firmware\":\"d\","
                               "\"host_kernel\":\"e\",\"hbm_maker\":7}",
                               &err),
                     0);
    assert_int_equal(word.kind, PARSER_ENVIRONMENT);
    assert_string_equal(word.measurement, "1.1");
    assert_string_equal(word.chip, "a");
    assert_string_equal(word.cann, "b");
    assert_string_equal(word.driver, "c");
    assert_string_equal(word.firmware, "d");
    assert_string_equal(word.host_kernel, "e");
    assert_int_equal(word.hbm_maker, 7);
}

static void an_error_names_its_block(void **ctx)
{
    struct parser_output word;
    struct err err;

    (void)ctx;
    assert_int_equal(read_text(&word, "{\"error\":\"bad CRC\",\"block\":12}", &err), 0);
    assert_int_equal(word.kind, PARSER_ERROR);
    assert_string_equal(word.text, "block 12: bad CRC");
}

static void invalid_lines_are_refused(void **ctx)
{
    static const char *const lines[] = {
        "",
        "[]",
        "{}",
        "{\"metric\":\"x\"}",
        "{\"value\":1}",
        "{\"metric\":\"x\",\"value\":\"1\"}",
        "{\"metric\":7,\"value\":1}",
        "{\"metric\":\"x\",\"value\":1,\"launch\":-1}",
        "{\"metric\":\"x\",\"value\":1,\"simulated\":1}",
        "{\"output\":\"a\\u0000b\"}",
        "{\"output\":\"a\"} {}",
        "{\"output\":\"a\"",
    };
    struct parser_output word;
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        assert_int_equal(read_text(&word, lines[i], &err), -1);
}

static void a_name_that_exceeds_its_field_is_refused(void **ctx)
{
    char line[400];
    struct parser_output word;
    struct err err;

    (void)ctx;
    snprintf(line, sizeof(line), "{\"metric\":\"%0100d\",\"value\":1}", 0);
    assert_int_equal(read_text(&word, line, &err), -1);
    assert_non_null(strstr(err.text, "metric"));
}

static void the_first_problems_are_named_and_the_others_counted(void **ctx)
{
    struct parser_problems some = {0}, many = {0}, large = {0};
    char text[1100];

    (void)ctx;
    parser_problems_add(&some, "a");
    parser_problems_finish(&some);
    assert_string_equal(some.text, "a");
    for (int i = 0; i < 102; i++)
        parser_problems_add(&many, i % 2 ? "b" : "a");
    parser_problems_finish(&many);
    assert_string_equal(many.text, "a; b; a; and 99 more");
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    for (int i = 0; i < 4; i++)
        parser_problems_add(&large, text);
    parser_problems_finish(&large);
    assert_int_equal(strlen(large.text), sizeof(text) - 1 + strlen("; and 3 more"));
    assert_string_equal(large.text + sizeof(text) - 1, "; and 3 more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_metric_is_read),
        cmocka_unit_test(every_field_of_a_launch_and_an_environment_is_read),
        cmocka_unit_test(an_error_names_its_block),
        cmocka_unit_test(invalid_lines_are_refused),
        cmocka_unit_test(a_name_that_exceeds_its_field_is_refused),
        cmocka_unit_test(the_first_problems_are_named_and_the_others_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
