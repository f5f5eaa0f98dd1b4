#include "lib/gate/gate_evidence.h"

#include <stdlib.h>

#include "tests/support/unit.h"

/* Adds a hash to both sides; NULL: none. */
static enum gate_sign sign_of(const char *base, const char *fresh, const char *more)
{
    struct gate_evidence *evidence = gate_evidence_create();

    if (base)
        gate_evidence_add_code(evidence, COMPARISON_BASE, "m=1 n=2", "add", base);
    if (fresh)
        gate_evidence_add_code(evidence, COMPARISON_NEW, "n=2 m=1 card=3", "add",
                               fresh);
    if (more)
        gate_evidence_add_code(evidence, COMPARISON_NEW, "n=2 m=1 card=4", "add", more);
    enum gate_sign sign = gate_evidence_code(evidence, "m=1 n=2 card=7", "add");
    assert_int_equal(gate_evidence_code(evidence, "m=1 n=2", "sub"), SIGN_UNKNOWN);
    gate_evidence_destroy(evidence);
    return sign;
}

static void hashes_are_compared_by_point_and_kernel(void **ctx)
{
    (void)ctx;
    assert_int_equal(sign_of("a", "a", NULL), SIGN_EQUAL);
    assert_int_equal(sign_of("a", "a", "a"), SIGN_EQUAL);
    assert_int_equal(sign_of("a", "b", NULL), SIGN_DIFFERS);
}

static void a_missing_or_ambiguous_hash_is_unknown(void **ctx)
{
    (void)ctx;
    assert_int_equal(sign_of(NULL, NULL, NULL), SIGN_UNKNOWN);
    assert_int_equal(sign_of("a", NULL, NULL), SIGN_UNKNOWN);
    assert_int_equal(sign_of("a", "", NULL), SIGN_UNKNOWN);
    assert_int_equal(sign_of("a", "a", "b"), SIGN_UNKNOWN);
}

static void set_driver(struct gate_evidence *evidence,
                       enum comparison_side side,
                       const char *card,
                       const char *driver)
{
    environments_set(gate_evidence_environments(evidence, side), card,
                     &(struct environment){.driver = driver});
}

static void environments_are_compared_by_card(void **ctx)
{
    struct gate_evidence *evidence = gate_evidence_create();

    (void)ctx;
    set_driver(evidence, COMPARISON_BASE, "S1", "1");
    set_driver(evidence, COMPARISON_NEW, "S1", "2");
    set_driver(evidence, COMPARISON_BASE, "S2", "1");
    set_driver(evidence, COMPARISON_NEW, "S2", "1");
    char *change = gate_evidence_environment_change(evidence);
    assert_string_equal(change, "driver 1 became 2 on 1 card");
    free(change);
    assert_int_equal(gate_evidence_environment(evidence, "S1"), SIGN_DIFFERS);
    assert_int_equal(gate_evidence_environment(evidence, "S2"), SIGN_EQUAL);
    assert_int_equal(gate_evidence_environment(evidence, "S3"), SIGN_UNKNOWN);
    gate_evidence_destroy(evidence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_compared_by_point_and_kernel),
        cmocka_unit_test(a_missing_or_ambiguous_hash_is_unknown),
        cmocka_unit_test(environments_are_compared_by_card),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
