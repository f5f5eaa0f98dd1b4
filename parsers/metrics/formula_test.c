#include "parsers/metrics/formula.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/transfers/transfer_reader.h"
#include "tests/support/unit.h"

enum { TERMS = 3 };

static const struct {
    const char *text;
    size_t count;
    struct formula_term terms[TERMS];
} cases[] = {
    {"", 0, {{0}}},
    {"1293", 1, {{.event = 1293, .factor = 1, .divisor = 1}}},
    {"4*19+518-1058/2",
     3,
     {{.event = 19, .factor = 4, .divisor = 1},
      {.event = 518, .factor = 1, .divisor = 1},
      {.minus = true, .event = 1058, .factor = 1, .divisor = 2}}},
    {"75@12", 1, {{.event = 75, .factor = 1, .divisor = 1}}},
    {"UB>GM/128-GM>L0A//256",
     2,
     {{.kind = FORMULA_REQUESTS_128,
       .from = MEMORY_UB,
       .to = MEMORY_GM,
       .factor = 1,
       .divisor = 128},
      {.kind = FORMULA_WHOLE_REQUESTS,
       .from = MEMORY_GM,
       .to = MEMORY_L0A,
       .minus = true,
       .factor = 1,
       .divisor = 256}}},
    {"GM>UB/256+L1>UB",
     2,
     {{.kind = FORMULA_REQUESTS_256,
       .from = MEMORY_GM,
       .to = MEMORY_UB,
       .factor = 1,
       .divisor = 256},
      {.kind = FORMULA_BYTES,
       .from = MEMORY_L1,
       .to = MEMORY_UB,
       .factor = 1,
       .divisor = 1}}},
};

static void check_terms(size_t i, struct formula formula)
{
    assert_int_equal(formula.count, cases[i].count);
    for (size_t t = 0; t < formula.count; t++) {
        const struct formula_term *got = &formula.terms[t], *from = &cases[i].terms[t];

        assert_int_equal(got->kind, from->kind);
        assert_int_equal(got->from, from->from);
        assert_int_equal(got->to, from->to);
        assert_int_equal(got->minus, from->minus);
        assert_int_equal(got->event, from->event);
        assert_int_equal(got->factor, from->factor);
        assert_int_equal(got->divisor, from->divisor);
    }
}

/* The second time each text is known. */
static void texts_become_terms(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < 2 * COUNT(cases); i++)
        check_terms(i % COUNT(cases), formula_terms(cases[i % COUNT(cases)].text));
}

static void another_text_in_the_same_buffer_is_read_again(void **ctx)
{
    char text[64];

    (void)ctx;
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        strcpy(text, cases[i % COUNT(cases)].text);
        check_terms(i % COUNT(cases), formula_terms(text));
    }
}

static void damaged_texts_have_an_unknown_term(void **ctx)
{
    static const char *const texts[] = {"X>GM", "GM>", "GM", "GM>UB/0", "1293+", "5/0"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct formula formula = formula_terms(texts[i]);

        assert_true(formula.count > 0);
        assert_int_equal(formula.terms[formula.count - 1].kind, FORMULA_UNKNOWN);
    }
}

/* More texts than there is room for are all read, also those that are known. */
static void any_number_of_texts_is_read(void **ctx)
{
    static char texts[2000][16];

    (void)ctx;
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < COUNT(texts); i++) {
            snprintf(texts[i], sizeof(texts[i]), "%u*%u-3", i + 2, i + 1000);
            struct formula formula = formula_terms(texts[i]);

            assert_int_equal(formula.count, 2);
            assert_int_equal(formula.terms[0].factor, i + 2);
            assert_int_equal(formula.terms[0].event, i + 1000);
            assert_int_equal(formula.terms[1].event, 3);
            assert_true(formula.terms[1].minus);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_become_terms),
        cmocka_unit_test(another_text_in_the_same_buffer_is_read_again),
        cmocka_unit_test(damaged_texts_have_an_unknown_term),
        cmocka_unit_test(any_number_of_texts_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
