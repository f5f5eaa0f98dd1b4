#include "lib/verdict/cause/early_signs.h"

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void each_sign_has_its_cause(void **ctx)
{
    const struct {
        struct early_signs signs;
        enum early_cause cause;
        bool code_excluded;
    } cases[] = {
        {{.duration = VERDICT_REGRESSED}, EARLY_NONE, false},
        {{.same_code = true, .duration = VERDICT_REGRESSED}, EARLY_NONE, true},
        {{.cycles_measured = true,
          .duration = VERDICT_REGRESSED,
          .cycles = VERDICT_SAME},
         EARLY_CLOCK,
         false},
        {{.cycles_measured = true,
          .duration = VERDICT_REGRESSED,
          .cycles = VERDICT_REGRESSED},
         EARLY_NONE,
         false},
        {{.cycles_measured = true,
          .duration = VERDICT_REGRESSED,
          .cycles = VERDICT_INCONCLUSIVE},
         EARLY_NONE,
         false},
        {{.cycles_measured = false,
          .duration = VERDICT_REGRESSED,
          .cycles = VERDICT_SAME},
         EARLY_NONE,
         false},
        {{.duration = VERDICT_REGRESSED, .canary_regressed = true}, EARLY_CARD, false},
        {{.duration = VERDICT_SAME, .canary_regressed = true}, EARLY_NONE, false},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct early_answer answer = early_signs_read(&cases[i].signs);

        assert_int_equal(answer.cause, cases[i].cause);
        assert_int_equal(answer.code_excluded, cases[i].code_excluded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sign_has_its_cause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
