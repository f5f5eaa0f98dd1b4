#include "lib/job/sweep/expression.h"

#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static struct arena *arena;
static struct value numbers[3], words[2];
static struct variable items[2];
static struct variables variables = {.items = items, .count = 2};

static int create_variables(void **ctx)
{
    (void)ctx;
    arena = arena_create(4096);
    numbers[0] = value_of("1");
    numbers[1] = value_of("2.5");
    numbers[2] = value_of("1e3");
    words[0] = value_of("fp16");
    words[1] = value_of("bf16");
    items[0] = (struct variable){
        .name = "m", .values = numbers, .axis = 0, .all_numbers = true};
    items[1] = (struct variable){.name = "dtype", .values = words, .axis = 1};
    return 0;
}

static int destroy_variables(void **ctx)
{
    (void)ctx;
    arena_destroy(arena);
    return 0;
}

/* Compares the points for which the expression is true: one digit per point, m changes
 * slowest: "101000". */
static void is_true_for(const char *text, const char *expected)
{
    const struct expression *expression;
    size_t offset;
    struct err err;
    char got[7] = "";

    if (expression_parse(&expression, text, &variables, arena, &offset, &err) < 0)
        fail_msg("%s: %zu: %s", text, offset, err.text);
    for (size_t m = 0; m < 3; m++)
        for (size_t dtype = 0; dtype < 2; dtype++)
            strcat(got,
                   expression_is_true(expression, (size_t[]){m, dtype}) ? "1" : "0");
    if (strcmp(got, expected) != 0)
        fail_msg("%s: %s, not %s", text, got, expected);
}

static void each_comparison_selects_its_points(void **ctx)
{
    (void)ctx;
    is_true_for("m == 1", "110000");
    is_true_for("m == 1.0", "110000");
    is_true_for("m == 1000", "000011");
    is_true_for("m != 1", "001111");
    is_true_for("m < 2.5", "110000");
    is_true_for("m <= 2.5", "111100");
    is_true_for("m > 2.5", "000011");
    is_true_for("m >= 2.5", "001111");
    is_true_for("1 < m", "001111");
    is_true_for("m == m", "111111");
    is_true_for("dtype == fp16", "101010");
    is_true_for("dtype != fp16", "010101");
    is_true_for("fp16 == dtype", "101010");
    is_true_for("dtype == \"fp16\"", "101010");
    is_true_for("dtype == 'bf16'", "010101");
    is_true_for("dtype == fp32", "000000");
    is_true_for("dtype == m", "000000");
    is_true_for("m==1", "110000");
    is_true_for("m>-1", "111111");
}

static void and_binds_closer_than_or(void **ctx)
{
    (void)ctx;
    is_true_for("m == 1 && dtype == fp16", "100000");
    is_true_for("m == 1 || dtype == fp16", "111010");
    is_true_for("m == 1 || m == 1000 && dtype == fp16", "110010");
    is_true_for("(m == 1 || m == 1000) && dtype == fp16", "100010");
    is_true_for("m == 1 && dtype == fp16 || m == 1000", "100011");
    is_true_for("!m == 1", "001111");
    is_true_for("!(m == 1 && dtype == fp16)", "011111");
    is_true_for("!!(m == 1)", "110000");
    is_true_for("  ( ( m == 1 ) )  ", "110000");
}

static void fails_at(const char *text, size_t expected)
{
    const struct expression *expression;
    size_t offset = SIZE_MAX;
    struct err err;

    if (expression_parse(&expression, text, &variables, arena, &offset, &err) == 0)
        fail_msg("accepted: %s", text);
    if (offset != expected)
        fail_msg("%s: fails at %zu, not %zu: %s", text, offset, expected, err.text);
}

static void an_error_has_its_position_in_the_text(void **ctx)
{
    (void)ctx;
    fails_at("", 0);
    fails_at("m", 1);
    fails_at("m ==", 4);
    fails_at("m == 1 &&", 9);
    fails_at("m == 1 && k == 2", 10);
    fails_at("(m == 1", 7);
    fails_at("m == 1)", 6);
    fails_at("m = 1", 2);
    fails_at("m === 1", 4);
    fails_at("m == 'x", 5);
    fails_at("dtype > 1", 0);
    fails_at("m > x", 4);
    fails_at("1 == 2", 0);
    fails_at("x == y", 0);
    fails_at("m == 1 == 1", 7);
    fails_at("m == 1 | m == 2", 7);
    fails_at("m == \xc3\xbc", 5);
    fails_at("! ", 2);
}

static void an_error_in_a_prefix_lies_within_the_prefix(void **ctx)
{
    const char *whole =
        "!(m == 1 && dtype == 'fp16') || (m >= 2.5) && !(dtype != bf16)";
    char part[80];

    (void)ctx;
    for (size_t length = 0; length <= strlen(whole); length++) {
        const struct expression *expression;
        size_t offset = 0;
        struct err err;

        memcpy(part, whole, length);
        part[length] = '\0';
        if (expression_parse(&expression, part, &variables, arena, &offset, &err) < 0)
            assert_true(offset <= length);
    }
}

static void depth_and_length_have_limits(void **ctx)
{
    char text[6000];

    (void)ctx;
    memset(text, '!', 5000);
    strcpy(text + 5000, "(m==1)");
    fails_at(text, 32);
    memset(text, '(', 5000);
    fails_at(text, 32);
    text[0] = '\0';
    for (int i = 0; i < 200; i++)
        strcat(text, i ? "||m==1" : "m==1");
    fails_at(text, 127 * 6 + 6);
}

#define CASE(name)                                                                     \
    cmocka_unit_test_setup_teardown(name, create_variables, destroy_variables)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(each_comparison_selects_its_points),
        CASE(and_binds_closer_than_or),
        CASE(an_error_has_its_position_in_the_text),
        CASE(an_error_in_a_prefix_lies_within_the_prefix),
        CASE(depth_and_length_have_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
