#include "coordinator/confirmation/confirmation_rotation.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static struct suspect rotated(char *const *places, uint64_t ranks)
{
    struct suspect suspect = {0};

    confirmation_rotation_fill(&suspect, places, ranks);
    for (int i = 0; i < AB_PLACES; i++)
        assert_null(suspect.places[i]);
    return suspect;
}

static void clear(struct suspect *suspect)
{
    for (int i = 0; i < SUSPECT_PLACES; i++)
        free(suspect->places[i]);
}

static void ranks_move_by_one_card_and_by_half_of_the_cards(void **ctx)
{
    char *places[] = {"h:3", "h:1", "h:0", "h:2"};
    struct suspect suspect = rotated(places, COUNT(places));

    (void)ctx;
    assert_string_equal(suspect.places[AB_PLACES], "h:1 h:0 h:2 h:3");
    assert_string_equal(suspect.places[AB_PLACES + 1], "h:0 h:2 h:3 h:1");
    clear(&suspect);
}

static void ranks_of_several_hosts_move_to_another_host(void **ctx)
{
    /* the name of a host may have colons, and begin as another one does */
    char *places[] = {"a:0", "a:1", "a:2", "a:b:0", "a:b:1", "a:b:2"};
    struct suspect suspect = rotated(places, COUNT(places));

    (void)ctx;
    assert_string_equal(suspect.places[AB_PLACES], "a:1 a:2 a:b:0 a:b:1 a:b:2 a:0");
    assert_string_equal(suspect.places[AB_PLACES + 1], "a:b:0 a:b:1 a:b:2 a:0 a:1 a:2");
    clear(&suspect);
}

static void two_ranks_have_one_rotation_and_one_rank_has_none(void **ctx)
{
    char *places[] = {"h:0", "h:1"};
    struct suspect suspect = rotated(places, 2);

    (void)ctx;
    assert_string_equal(suspect.places[AB_PLACES], "h:1 h:0");
    assert_null(suspect.places[AB_PLACES + 1]);
    clear(&suspect);
    suspect = rotated(places, 1);
    assert_null(suspect.places[AB_PLACES]);
    char *many[CONFIRMATION_ROTATED_RANKS_MAX + 1];
    for (size_t i = 0; i < COUNT(many); i++)
        many[i] = "h:0";
    suspect = rotated(many, COUNT(many));
    assert_null(suspect.places[AB_PLACES]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_move_by_one_card_and_by_half_of_the_cards),
        cmocka_unit_test(ranks_of_several_hosts_move_to_another_host),
        cmocka_unit_test(two_ranks_have_one_rotation_and_one_rank_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
