#include "parsers/findings/token_figures.h"

#include <string.h>

#include "lib/base/text.h"
#include "tests/support/unit.h"

static void note(const char *metric, double value, const char *unit, void *arg)
{
    text_printf(arg, "%s %g %s\n", metric, value, unit);
}

/* Rank 1 of 3 has the experts 2 and 3. */
static void rows_are_added_by_expert_and_by_rank(void **ctx)
{
    uint32_t rows[] = {4, 0, 2, 1, 5, 0};
    const struct source_tokens tokens = {.rank = 1,
                                         .ranks = 3,
                                         .experts = 2,
                                         .first_expert = 2,
                                         .row_bytes = 10,
                                         .rows = rows};
    struct text text = {0};

    (void)ctx;
    token_figures_each(&tokens, note, &text);
    assert_string_equal(text_get(&text), "moe_tokens 12 count\n"
                                         "moe_imbalance 1 ratio\n"
                                         "moe_tokens_expert_2 6 count\n"
                                         "moe_tokens_expert_3 6 count\n"
                                         "moe_tokens_rank_0 5 count\n"
                                         "moe_bytes_rank_0 50 bytes\n"
                                         "moe_tokens_rank_1 5 count\n"
                                         "moe_tokens_rank_2 2 count\n"
                                         "moe_bytes_rank_2 20 bytes\n");
    text_clear(&text);
}

static void one_expert_with_everything_is_the_most_unbalanced(void **ctx)
{
    uint32_t rows[] = {3, 5, 0, 0, 0, 0, 0, 0};
    const struct source_tokens tokens = {.ranks = 2, .experts = 4, .rows = rows};

    (void)ctx;
    assert_float_equal(token_imbalance(&tokens), 4.0, 1e-12);
}

static void a_rank_without_tokens_has_no_imbalance(void **ctx)
{
    uint32_t rows[] = {0, 0};
    const struct source_tokens tokens = {
        .ranks = 2, .experts = 1, .is_shared = true, .rows = rows};
    struct text text = {0};

    (void)ctx;
    token_figures_each(&tokens, note, &text);
    assert_non_null(strstr(text_get(&text), "moe_tokens 0 count\n"
                                            "moe_tokens_shared_expert 0 count\n"));
    text_clear(&text);
}

static void another_launch_has_no_figures(void **ctx)
{
    const struct source_tokens tokens = {0};
    struct text text = {0};

    (void)ctx;
    token_figures_each(&tokens, note, &text);
    assert_int_equal(text.length, 0);
    text_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_added_by_expert_and_by_rank),
        cmocka_unit_test(one_expert_with_everything_is_the_most_unbalanced),
        cmocka_unit_test(a_rank_without_tokens_has_no_imbalance),
        cmocka_unit_test(another_launch_has_no_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
