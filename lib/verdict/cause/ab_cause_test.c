#include "lib/verdict/cause/ab_cause.h"

#include <stdbool.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { ANSWERS = AB_FASTER + 1, WHATEVER = -1 };

/* Every combination of answers that a row leaves open has the cause of the row. */
static void every_row_of_the_table_has_its_cause(void **ctx)
{
    static const struct {
        int answers[5];
        enum cause first, second;
    } rows[] = {
        {{AB_SLOWER, AB_SLOWER, AB_SAME, WHATEVER, WHATEVER}, CAUSE_CODE, CAUSE_NONE},
        {{AB_SLOWER, AB_SAME, AB_SAME, WHATEVER, WHATEVER},
         CAUSE_CODE_HERE,
         CAUSE_NONE},
        {{AB_SLOWER, AB_SLOWER, AB_NOT_RUN, WHATEVER, WHATEVER},
         CAUSE_CODE,
         CAUSE_NONE},
        {{AB_SAME, AB_SAME, AB_SLOWER, AB_SAME, AB_SAME}, CAUSE_CARD, CAUSE_NONE},
        {{AB_SAME, AB_SAME, AB_SLOWER, AB_SLOWER, AB_SAME}, CAUSE_HOST, CAUSE_NONE},
        {{AB_SAME, AB_SAME, AB_SLOWER, AB_SLOWER, AB_SLOWER},
         CAUSE_ENVIRONMENT,
         CAUSE_NONE},
        {{AB_SAME, AB_SAME, AB_SAME, WHATEVER, WHATEVER},
         CAUSE_NOT_REPRODUCED,
         CAUSE_NONE},
        {{AB_FASTER, AB_SAME, AB_FASTER, WHATEVER, WHATEVER},
         CAUSE_NOT_REPRODUCED,
         CAUSE_NONE},
        {{AB_SAME, AB_SLOWER, WHATEVER, WHATEVER, WHATEVER},
         CAUSE_CONTRADICTORY,
         CAUSE_NONE},
        {{AB_INCONCLUSIVE, WHATEVER, WHATEVER, WHATEVER, WHATEVER},
         CAUSE_UNKNOWN,
         CAUSE_NONE},
        {{AB_SLOWER, AB_INCONCLUSIVE, WHATEVER, WHATEVER, WHATEVER},
         CAUSE_UNKNOWN,
         CAUSE_NONE},
        {{AB_SAME, AB_NOT_RUN, WHATEVER, WHATEVER, WHATEVER},
         CAUSE_UNKNOWN,
         CAUSE_NONE},
        {{AB_SAME, AB_SAME, AB_INCONCLUSIVE, WHATEVER, WHATEVER},
         CAUSE_UNKNOWN,
         CAUSE_NONE},
        {{AB_SAME, AB_SAME, AB_SLOWER, AB_INCONCLUSIVE, WHATEVER},
         CAUSE_UNKNOWN,
         CAUSE_NONE},
        {{AB_SAME, AB_SAME, AB_SLOWER, AB_SAME, AB_SLOWER}, CAUSE_UNKNOWN, CAUSE_NONE},
        {{AB_SLOWER, AB_SLOWER, AB_SLOWER, AB_SAME, AB_SAME}, CAUSE_CODE, CAUSE_CARD},
        {{AB_SLOWER, AB_SAME, AB_SLOWER, AB_SLOWER, AB_SLOWER},
         CAUSE_CODE_HERE,
         CAUSE_ENVIRONMENT},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int code = 0; code < ANSWERS * ANSWERS * ANSWERS * ANSWERS * ANSWERS;
             code++) {
            enum ab_answer a[5];
            bool fits = true;

            for (int j = 0, rest = code; j < 5; j++, rest /= ANSWERS) {
                a[j] = (enum ab_answer)(rest % ANSWERS);
                fits = fits && (rows[i].answers[j] == WHATEVER ||
                                rows[i].answers[j] == (int)a[j]);
            }
            if (!fits)
                continue;
            struct causes causes =
                ab_cause(&(struct ab_answers){a[0], a[1], a[2], a[3], a[4]});
            assert_int_equal(causes.first, rows[i].first);
            assert_int_equal(causes.second, rows[i].second);
        }
}

static void every_cause_has_a_name(void **ctx)
{
    (void)ctx;
    assert_string_equal(cause_name(CAUSE_NONE), "");
    assert_string_equal(cause_name(CAUSE_CODE_HERE), "code-here");
    assert_string_equal(cause_name(CAUSE_ENVIRONMENT), "environment");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_the_table_has_its_cause),
        cmocka_unit_test(every_cause_has_a_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
