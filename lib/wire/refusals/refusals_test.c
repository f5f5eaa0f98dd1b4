#include "lib/wire/refusals/refusals.h"

#include <stdio.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

struct calls {
    int times;
    enum refusal last;
};

static void count_call(enum refusal kind, const char *peer, void *arg)
{
    struct calls *calls = arg;

    assert_non_null(peer);
    calls->times++;
    calls->last = kind;
}

static void each_refusal_is_counted_and_the_first_of_a_peer_is_reported(void **ctx)
{
    struct refusals *refusals = refusals_create();
    struct calls calls = {0};

    (void)ctx;
    refusals_on_first(refusals, count_call, &calls);
    for (int i = 0; i < 1000; i++)
        refusals_add(refusals, REFUSAL_KEY, "10.0.0.1");
    assert_int_equal(calls.times, 1);
    refusals_add(refusals, REFUSAL_KEY, "10.0.0.2");
    refusals_add(refusals, REFUSAL_ROLE, "10.0.0.1");
    assert_int_equal(calls.times, 3);
    assert_int_equal(calls.last, REFUSAL_ROLE);
    assert_int_equal(refusals_count(refusals, REFUSAL_KEY), 1001);
    assert_int_equal(refusals_count(refusals, REFUSAL_ROLE), 1);
    assert_int_equal(refusals_count(refusals, REFUSAL_WITHDRAWN), 0);
    refusals_destroy(refusals);
}

static void further_peers_are_counted_but_not_reported(void **ctx)
{
    struct refusals *refusals = refusals_create();
    struct calls calls = {0};
    char peer[400];

    (void)ctx;
    refusals_on_first(refusals, count_call, &calls);
    for (int i = 0; i < 10 * REFUSALS_PEERS; i++) {
        /* longer than the stored part */
        snprintf(peer, sizeof(peer), "%d%0300d", i, 0);
        refusals_add(refusals, REFUSAL_CUT_OFF, peer);
    }
    assert_int_equal(calls.times, 16);
    assert_int_equal(refusals_count(refusals, REFUSAL_CUT_OFF), 10 * REFUSALS_PEERS);
    refusals_subtract(refusals, REFUSAL_CUT_OFF);
    refusals_subtract(refusals, REFUSAL_WITHDRAWN);
    assert_int_equal(refusals_count(refusals, REFUSAL_CUT_OFF),
                     10 * REFUSALS_PEERS - 1);
    assert_int_equal(refusals_count(refusals, REFUSAL_WITHDRAWN), 0);
    refusals_destroy(refusals);
}

static void every_kind_has_its_word(void **ctx)
{
    static const char *const words[] = {
        "unknown-key", "withdrawn-key",        "cut-off",
        "broken-off",  "malformed-frame",      "unusable-message",
        "wrong-role",  "too-many-connections", "too-few-descriptors"};

    (void)ctx;
    assert_int_equal(REFUSAL_KINDS, COUNT(words));
    for (enum refusal kind = 0; kind < REFUSAL_KINDS; kind++)
        assert_string_equal(refusal_kind_word(kind), words[kind]);
}

/* Peers are compared by their first 63 characters. */
static void the_first_63_characters_of_a_peer_count(void **ctx)
{
    struct refusals *refusals = refusals_create();
    struct calls calls = {0};
    char peer[80];

    (void)ctx;
    refusals_add(refusals, REFUSAL_KEY, "the port is closed");
    refusals_on_first(refusals, count_call, &calls);
    snprintf(peer, sizeof(peer), "%062dxa", 0);
    refusals_add(refusals, REFUSAL_KEY, peer);
    peer[63] = 'b';
    refusals_add(refusals, REFUSAL_KEY, peer);
    assert_int_equal(calls.times, 1);
    peer[62] = 'y';
    refusals_add(refusals, REFUSAL_KEY, peer);
    assert_int_equal(calls.times, 2);
    refusals_subtract(refusals, REFUSAL_KEY);
    assert_int_equal(refusals_count(refusals, REFUSAL_KEY), 3);
    for (int i = 0; i < 5; i++)
        refusals_subtract(refusals, REFUSAL_KEY);
    assert_int_equal(refusals_count(refusals, REFUSAL_KEY), 0);
    refusals_destroy(refusals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_refusal_is_counted_and_the_first_of_a_peer_is_reported),
        cmocka_unit_test(further_peers_are_counted_but_not_reported),
        cmocka_unit_test(every_kind_has_its_word),
        cmocka_unit_test(the_first_63_characters_of_a_peer_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
