#include "lib/verdict/cause/ab_family.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/verdict/verdict.h"
#include "tests/support/unit.h"

enum { PAIRS = 8 };

/* Values of three cards: A in the baseline, A today and B today, around 100 us. */
struct planted {
    double before[AB_PLACES][PAIRS], base[AB_PLACES][PAIRS], fresh[AB_PLACES][PAIRS];
};

static const double noise[PAIRS] = {0, 0.2, -0.1, 0.1, 0.3, -0.2, 0.05, -0.05};

/* `code` and `drift` of the three cards are factors. */
static struct ab_suspect
plant(struct planted *planted, const double *code, const double *drift)
{
    struct ab_suspect suspect = {.tolerance = 0.02, .tick = 0.02};

    for (int place = 0; place < AB_PLACES; place++) {
        for (int i = 0; i < PAIRS; i++) {
            planted->before[place][i] = 100 + noise[i];
            planted->base[place][i] = (100 + noise[(i + 3) % PAIRS]) * drift[place];
            planted->fresh[place][i] =
                (100 + noise[(i + 5) % PAIRS]) * drift[place] * code[place];
        }
        suspect.cards[place] = (struct ab_card){.base = planted->base[place],
                                                .fresh = planted->fresh[place],
                                                .pairs = PAIRS,
                                                .before = planted->before[place],
                                                .before_count = PAIRS};
    }
    return suspect;
}

static void each_planted_fault_has_its_cause(void **ctx)
{
    static const struct {
        double code[AB_PLACES], drift[AB_PLACES];
        enum cause first, second;
    } cases[] = {
        {{1.05, 1.05, 1.05}, {1, 1, 1}, CAUSE_CODE, CAUSE_NONE},
        {{1.05, 1, 1}, {1, 1, 1}, CAUSE_CODE_HERE, CAUSE_NONE},
        {{1, 1, 1}, {1.05, 1, 1}, CAUSE_CARD, CAUSE_NONE},
        {{1, 1, 1}, {1.05, 1.05, 1}, CAUSE_HOST, CAUSE_NONE},
        {{1, 1, 1}, {1.05, 1.05, 1.05}, CAUSE_ENVIRONMENT, CAUSE_NONE},
        {{1, 1, 1}, {1, 1, 1}, CAUSE_NOT_REPRODUCED, CAUSE_NONE},
        {{1, 1, 1.05}, {1, 1, 1}, CAUSE_CONTRADICTORY, CAUSE_NONE},
        {{1.05, 1.05, 1.05}, {1.04, 1, 1}, CAUSE_CODE, CAUSE_CARD},
        {{0.9, 0.9, 0.9}, {1, 1, 1}, CAUSE_NOT_REPRODUCED, CAUSE_NONE},
    };
    struct ab_suspect suspects[COUNT(cases)];
    struct planted planted[COUNT(cases)];

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        suspects[i] = plant(&planted[i], cases[i].code, cases[i].drift);
    ab_family_judge(suspects, COUNT(cases), &verdict_limits_default);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_string_equal(cause_name(suspects[i].causes.first),
                            cause_name(cases[i].first));
        assert_string_equal(cause_name(suspects[i].causes.second),
                            cause_name(cases[i].second));
    }
    assert_float_equal(exp(suspects[0].cards[AB_OTHER].code.shift), 1.05, 0.001);
    assert_float_equal(exp(suspects[2].cards[AB_SUSPECT].drift.shift), 1.05, 0.001);
}

/* Judges one suspect without the cards whose bits are set. */
static struct causes without(unsigned missing, const double *code, const double *drift)
{
    struct planted planted;
    struct ab_suspect suspect = plant(&planted, code, drift);

    for (unsigned place = 0; place < AB_PLACES; place++)
        if (missing & 1u << place)
            suspect.cards[place].pairs = 0;
    ab_family_judge(&suspect, 1, &verdict_limits_default);
    return suspect.causes;
}

static void a_fleet_without_some_cards_decides_what_it_can(void **ctx)
{
    static const double none[] = {1, 1, 1}, all[] = {1.05, 1.05, 1.05},
                        one[] = {1.05, 1, 1}, host[] = {1.05, 1.05, 1};
    enum { NO_NEIGHBOUR = 1 << AB_NEIGHBOUR, NO_OTHER = 1 << AB_OTHER };

    (void)ctx;
    assert_int_equal(without(NO_OTHER, all, none).first, CAUSE_CODE);
    assert_int_equal(without(NO_OTHER, none, one).first, CAUSE_CARD);
    assert_int_equal(without(NO_OTHER, none, host).first, CAUSE_UNKNOWN);
    assert_int_equal(without(NO_OTHER, none, none).first, CAUSE_NOT_REPRODUCED);
    assert_int_equal(without(NO_NEIGHBOUR, all, none).first, CAUSE_CODE);
    assert_int_equal(without(NO_NEIGHBOUR, none, one).first, CAUSE_UNKNOWN);
    assert_int_equal(without(NO_NEIGHBOUR | NO_OTHER, all, none).first, CAUSE_UNKNOWN);
}

static void rotated_ranks_stand_for_a_missing_neighbour(void **ctx)
{
    static const double none[] = {1, 1, 1}, all[] = {1.05, 1.05, 1.05},
                        here[] = {1.05, 1.05, 1};
    static const struct {
        const double *code, *drift;
        enum cause rotated_code, rotated_drift, first, second;
    } rows[] = {
        /* the slow card is in each placement, so that all of them are slower */
        {none, here, CAUSE_NONE, CAUSE_CARD, CAUSE_CARD, CAUSE_NONE},
        {none, here, CAUSE_NONE, CAUSE_LINK, CAUSE_LINK, CAUSE_NONE},
        {none, here, CAUSE_NONE, CAUSE_NONE, CAUSE_UNKNOWN, CAUSE_NONE},
        {none, none, CAUSE_NONE, CAUSE_LINK, CAUSE_NOT_REPRODUCED, CAUSE_NONE},
        {all, none, CAUSE_NONE, CAUSE_NONE, CAUSE_CODE, CAUSE_NONE},
        {all, none, CAUSE_CARD, CAUSE_NONE, CAUSE_CODE_HERE, CAUSE_NONE},
        {all, here, CAUSE_NONE, CAUSE_LINK, CAUSE_CODE, CAUSE_LINK},
        {all, all, CAUSE_NONE, CAUSE_NONE, CAUSE_CODE, CAUSE_NONE},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int has_other = 0; has_other < 2; has_other++) {
            struct planted planted;
            struct ab_suspect suspect = plant(&planted, rows[i].code, rows[i].drift);

            if (!has_other)
                suspect.cards[AB_OTHER].pairs = 0;
            suspect.rotated = true;
            suspect.rotated_code = rows[i].rotated_code;
            suspect.rotated_drift = rows[i].rotated_drift;
            ab_family_judge(&suspect, 1, &verdict_limits_default);
            assert_int_equal(suspect.causes.first, rows[i].first);
            assert_int_equal(suspect.causes.second, rows[i].second);
        }
    /* a host that has none of these cards is slower too */
    struct planted planted;
    struct ab_suspect suspect = plant(&planted, none, all);
    suspect.rotated = true;
    suspect.rotated_drift = CAUSE_CARD;
    ab_family_judge(&suspect, 1, &verdict_limits_default);
    assert_int_equal(suspect.causes.first, CAUSE_UNKNOWN);
}

static void six_pairs_decide_nothing_and_lost_values_leave_their_pair_out(void **ctx)
{
    static const double none[] = {1, 1, 1}, all[] = {1.05, 1.05, 1.05};
    struct planted planted;
    struct ab_suspect suspect = plant(&planted, all, none);

    (void)ctx;
    planted.base[AB_SUSPECT][2] = NAN;
    ab_family_judge(&suspect, 1, &verdict_limits_default);
    assert_int_equal(suspect.causes.first, CAUSE_CODE);
    planted.fresh[AB_SUSPECT][7] = NAN;
    ab_family_judge(&suspect, 1, &verdict_limits_default);
    assert_int_equal(suspect.cards[AB_SUSPECT].code.answer, AB_INCONCLUSIVE);
    assert_int_equal(suspect.causes.first, CAUSE_UNKNOWN);
}

static void night_noise_and_a_replaced_base_leave_the_cause_open(void **ctx)
{
    static const double none[] = {1, 1, 1}, all[] = {1.05, 1.05, 1.05},
                        one[] = {1.05, 1, 1};
    struct planted planted;
    struct ab_suspect suspect = plant(&planted, none, one);

    (void)ctx;
    suspect.nights = (struct night_noise){.known = true, .nights = 6, .h = 0.08};
    ab_family_judge(&suspect, 1, &verdict_limits_default);
    assert_int_equal(suspect.causes.first, CAUSE_UNKNOWN);

    suspect = plant(&planted, none, all);
    suspect.base_is_gone = true;
    ab_family_judge(&suspect, 1, &verdict_limits_default);
    assert_int_equal(suspect.causes.first, CAUSE_BASE_GONE);
    suspect = plant(&planted, none, one);
    suspect.base_is_gone = true;
    ab_family_judge(&suspect, 1, &verdict_limits_default);
    assert_int_equal(suspect.causes.first, CAUSE_CARD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_planted_fault_has_its_cause),
        cmocka_unit_test(a_fleet_without_some_cards_decides_what_it_can),
        cmocka_unit_test(rotated_ranks_stand_for_a_missing_neighbour),
        cmocka_unit_test(six_pairs_decide_nothing_and_lost_values_leave_their_pair_out),
        cmocka_unit_test(night_noise_and_a_replaced_base_leave_the_cause_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
