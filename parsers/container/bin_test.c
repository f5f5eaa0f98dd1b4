/* bin_test.c - writes blocks and reads them back, whole and truncated */
#include "parsers/container/bin.h"

#include <string.h>

#include "parsers/container/describe_fields.h"
#include "parsers/visualize_check/check.h"
#include "tests/support/unit.h"

/* Fails on problems of code blocks only; the other blocks are incomplete here. */
static void no_problem(const struct check_problem *problem, void *arg)
{
    (void)arg;
    if (problem->type == BIN_CODE)
        fail_msg("block %zu type 0x%02X: %s: %s", problem->block, problem->type,
                 problem->rule, problem->text);
}

static void the_path_precedes_the_source_text(void **ctx)
{
    struct text out = {0}, info = {0}, code = {0};
    struct bin_block block;
    char problem[BIN_PROBLEM_BYTES];
    size_t at = 0;
    (void)ctx;
    text_add(&info, "{}");
    text_add(&code, "int main(void);\n\n");
    bin_add(&out, BIN_BASIC_INFO, &info);
    assert_true(bin_add_code(&out, "/op/add.cpp", &code));
    visualize_check((uint8_t *)out.bytes, out.length, no_problem, NULL);
    assert_true(bin_next((uint8_t *)out.bytes, out.length, &at, 0, &block, problem));
    assert_true(bin_next((uint8_t *)out.bytes, out.length, &at, 1, &block, problem));
    assert_string_equal((const char *)block.path, "/op/add.cpp");
    assert_int_equal(block.size, code.length);
    assert_int_equal(block.content_size, 20); /* and three bytes of filler */
    text_clear(&out);
    text_clear(&info);
    text_clear(&code);
}

static void files_that_the_viewer_rejects_are_left_out(void **ctx)
{
    char longest[BIN_PATH_MAX + 2];
    struct text out = {0}, code = {0}, nothing = {0};
    (void)ctx;
    text_add(&code, "x");
    memset(longest, 'a', sizeof(longest));
    longest[BIN_PATH_MAX + 1] = '\0';
    assert_false(bin_add_code(&out, longest, &code));
    longest[BIN_PATH_MAX] = '\0';
    assert_true(bin_add_code(&out, longest, &code));
    assert_false(bin_add_code(&out, "", &code));
    assert_false(bin_add_code(&out, "a;b", &code));
    assert_false(bin_add_code(&out, "c:/a", &code));
    assert_false(bin_add_code(&out, "/a.cpp", &nothing));
    text_clear(&out);
    text_clear(&code);
}

/* Returns the number of blocks in the first `size` bytes. */
static size_t
count_blocks(const struct text *file, size_t size, char problem[BIN_PROBLEM_BYTES])
{
    struct bin_block block;
    size_t at = 0, count = 0;

    while (bin_next((const uint8_t *)text_get(file), size, &at, count, &block, problem))
        count++;
    return count;
}

static void every_truncation_is_a_problem(void **ctx)
{
    struct text file = {0}, payload = {0};
    char problem[BIN_PROBLEM_BYTES];
    size_t first;
    (void)ctx;
    text_add(&payload, "{\"advice\":[]}");
    bin_add(&file, BIN_BASIC_INFO, &payload);
    first = file.length;
    assert_true(bin_add_code(&file, "/a.cpp", &payload));
    for (size_t size = 0; size <= file.length; size++) {
        size_t whole = size == file.length ? 2 : size >= first;
        bool is_end = size == 0 || size == first || size == file.length;

        assert_int_equal(count_blocks(&file, size, problem), whole);
        assert_int_equal(problem[0] == '\0', is_end);
    }
    text_clear(&file);
    text_clear(&payload);
}

static void each_type_of_the_format_has_a_name_and_a_purpose(void **ctx)
{
    (void)ctx;
    assert_null(bin_type_name(0));
    for (unsigned type = BIN_CODE; type < BIN_TYPE_END; type++) {
        assert_non_null(bin_type_name(type));
        assert_non_null(describe_block(type));
    }
    assert_null(bin_type_name(BIN_TYPE_END));
    assert_null(describe_block(BIN_TYPE_END));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_path_precedes_the_source_text),
        cmocka_unit_test(files_that_the_viewer_rejects_are_left_out),
        cmocka_unit_test(every_truncation_is_a_problem),
        cmocka_unit_test(each_type_of_the_format_has_a_name_and_a_purpose),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
