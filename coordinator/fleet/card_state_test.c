#include "coordinator/fleet/card_state.h"

#include "lib/base/mem.h"
#include "tests/support/unit.h"

#define NO_CARD CARD_STATE_END
#define NO_HOST HOST_STATE_END

static void every_event_of_a_card_has_its_row_or_is_refused(void **ctx)
{
    /* lease, empty, refuse, rested, drain, undrain, go */
    static const enum card_state wanted[CARD_STATE_END][CARD_EVENT_END] = {
        [CARD_IDLE] = {CARD_LEASED, NO_CARD, CARD_RESTING, NO_CARD, CARD_DRAINED,
                       NO_CARD, CARD_GONE},
        [CARD_LEASED] = {CARD_LEASED, CARD_IDLE, CARD_FULL, NO_CARD, CARD_DRAINING,
                         NO_CARD, CARD_GONE},
        [CARD_FULL] = {CARD_FULL, CARD_RESTING, CARD_FULL, CARD_LEASED, CARD_DRAINING,
                       NO_CARD, CARD_GONE},
        [CARD_RESTING] = {CARD_FULL, NO_CARD, CARD_RESTING, CARD_IDLE, CARD_DRAINED,
                          NO_CARD, CARD_GONE},
        [CARD_DRAINING] = {CARD_DRAINING, CARD_DRAINED, CARD_DRAINING, NO_CARD, NO_CARD,
                           CARD_LEASED, CARD_GONE},
        [CARD_DRAINED] = {CARD_DRAINING, NO_CARD, CARD_DRAINED, NO_CARD, NO_CARD,
                          CARD_IDLE, CARD_GONE},
        [CARD_GONE] = {NO_CARD, NO_CARD, NO_CARD, NO_CARD, NO_CARD, NO_CARD, NO_CARD},
    };

    (void)ctx;
    for (int from = 0; from < CARD_STATE_END; from++)
        for (int event = 0; event < CARD_EVENT_END; event++) {
            enum card_state state = (enum card_state)from;
            bool moves = card_state_step(&state, (enum card_event)event);

            assert_int_equal(moves, wanted[from][event] != NO_CARD);
            assert_int_equal(state, moves ? (int)wanted[from][event] : from);
        }
}

static void every_event_of_a_host_has_its_row_or_is_refused(void **ctx)
{
    /* lease, empty, drain, undrain, go */
    static const enum host_state wanted[HOST_STATE_END][HOST_EVENT_END] = {
        [HOST_FREE] = {HOST_BUSY, NO_HOST, HOST_DRAINED, NO_HOST, HOST_AWAY},
        [HOST_BUSY] = {NO_HOST, HOST_FREE, HOST_DRAINING, NO_HOST, HOST_AWAY},
        [HOST_DRAINING] = {NO_HOST, HOST_DRAINED, NO_HOST, HOST_BUSY, HOST_AWAY},
        [HOST_DRAINED] = {HOST_DRAINING, NO_HOST, NO_HOST, HOST_FREE, HOST_AWAY},
        [HOST_AWAY] = {NO_HOST, NO_HOST, NO_HOST, NO_HOST, NO_HOST},
    };

    (void)ctx;
    for (int from = 0; from < HOST_STATE_END; from++)
        for (int event = 0; event < HOST_EVENT_END; event++) {
            enum host_state state = (enum host_state)from;
            bool moves = host_state_step(&state, (enum host_event)event);

            assert_int_equal(moves, wanted[from][event] != NO_HOST);
            assert_int_equal(state, moves ? (int)wanted[from][event] : from);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_of_a_card_has_its_row_or_is_refused),
        cmocka_unit_test(every_event_of_a_host_has_its_row_or_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
