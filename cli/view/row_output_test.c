#include "cli/view/row_output.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static const struct row_output_column columns[] = {
    {"name", CELL_TEXT},
    {"count", CELL_U64},
    {"value", CELL_F64},
};

/* Writes two rows; the text of the second needs quotes or escapes in every format. */
static char *written(enum row_output_format format)
{
    char *bytes = NULL;
    size_t size;
    struct err err;
    FILE *file = open_memstream(&bytes, &size);
    struct row_output *output =
        row_output_create(format, "muster.test.v1", columns, COUNT(columns), file);

    row_output_row(output, (struct cell[]){{.kind = CELL_TEXT, .text = "plain"},
                                           {.kind = CELL_U64, .u64 = 7},
                                           {.kind = CELL_F64, .f64 = 0.5}});
    row_output_row(output, (struct cell[]){{.kind = CELL_TEXT, .text = "a \"b\",c"},
                                           {.kind = CELL_U64, .u64 = 1234},
                                           {.kind = CELL_F64, .none = true}});
    assert_int_equal(row_output_finish(&output, &err), 0);
    fclose(file);
    return bytes;
}

static void assert_written(enum row_output_format format, const char *expected)
{
    char *bytes = written(format);

    assert_string_equal(bytes, expected);
    free(bytes);
}

static void text_output_is_an_aligned_table(void **ctx)
{
    (void)ctx;
    assert_written(ROW_OUTPUT_TEXT, "name     count  value\n"
                                    "plain        7    0.5\n"
                                    "a \"b\",c   1234      -\n");
}

static void json_output_contains_the_schema_name(void **ctx)
{
    (void)ctx;
    assert_written(ROW_OUTPUT_JSON,
                   "{\"schema\":\"muster.test.v1\",\"rows\":["
                   "{\"name\":\"plain\",\"count\":7,\"value\":0.5},"
                   "{\"name\":\"a \\\"b\\\",c\",\"count\":1234,\"value\":null}]}\n");
}

static void jsonl_output_has_one_object_per_line(void **ctx)
{
    (void)ctx;
    assert_written(ROW_OUTPUT_JSONL,
                   "{\"name\":\"plain\",\"count\":7,\"value\":0.5}\n"
                   "{\"name\":\"a \\\"b\\\",c\",\"count\":1234,\"value\":null}\n");
}

static void csv_output_quotes_cells_with_commas_and_quotes(void **ctx)
{
    (void)ctx;
    assert_written(ROW_OUTPUT_CSV,
                   "name,count,value\nplain,7,0.5\n\"a \"\"b\"\",c\",1234,\n");
}

static void an_unknown_format_is_rejected(void **ctx)
{
    enum row_output_format format;
    struct err err;

    (void)ctx;
    assert_int_equal(row_output_format_parse("xml", &format, &err), -1);
    assert_non_null(strstr(err.text, "text, json, jsonl, csv"));
}

static void text_output_contains_no_control_characters(void **ctx)
{
    static const struct row_output_column column[] = {{"words", CELL_TEXT}};
    char *bytes = NULL;
    size_t size;
    struct err err;
    FILE *file = open_memstream(&bytes, &size);
    struct row_output *output =
        row_output_create(ROW_OUTPUT_TEXT, "x.v1", column, 1, file);

    (void)ctx;
    row_output_row(output,
                   (struct cell[]){{.kind = CELL_TEXT,
                                    .text = "a\033[2Jb\nc\x7f \xc3\xa9 \xc2\x9b"}});
    assert_int_equal(row_output_finish(&output, &err), 0);
    fclose(file);
    assert_string_equal(bytes, "words\na?[2Jb?c? \xc3\xa9 ??\n");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_output_is_an_aligned_table),
        cmocka_unit_test(text_output_contains_no_control_characters),
        cmocka_unit_test(json_output_contains_the_schema_name),
        cmocka_unit_test(jsonl_output_has_one_object_per_line),
        cmocka_unit_test(csv_output_quotes_cells_with_commas_and_quotes),
        cmocka_unit_test(an_unknown_format_is_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
