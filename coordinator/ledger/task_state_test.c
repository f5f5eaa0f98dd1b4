#include "coordinator/ledger/task_state.h"

#include "lib/base/mem.h"
#include "tests/support/unit.h"

#define NO ATTEMPT_STATE_END

static void a_finished_task_refuses_every_event_but_those_of_users(void **ctx)
{
    (void)ctx;
    for (int from = TASK_WAITING; from < TASK_STATE_END; from++)
        for (int event = 0; event < TASK_EVENT_END; event++) {
            enum task_state state = (enum task_state)from;

            if (!task_state_is_final(state))
                continue;
            bool again = event == TASK_ON_RETRY && from != TASK_DONE;
            bool parses = event == TASK_ON_REPARSE;

            assert_int_equal(task_state_step(&state, (enum task_event)event),
                             again || parses);
            assert_int_equal(state, again    ? TASK_WAITING
                                    : parses ? TASK_PARSING
                                             : from);
        }
}

static void every_event_of_a_task_has_its_row_or_is_refused(void **ctx)
{
    /* a row per state, a column per event; END: refused */
    static const enum task_state wanted[][TASK_EVENT_END] = {
        [TASK_WAITING] = {TASK_LEASED, TASK_PARSING, TASK_STATE_END, TASK_STATE_END,
                          TASK_FAILED, TASK_CANCELLED, TASK_STATE_END, TASK_STATE_END},
        [TASK_LEASED] = {TASK_STATE_END, TASK_PARSING, TASK_WAITING, TASK_STATE_END,
                         TASK_FAILED, TASK_CANCELLED, TASK_STATE_END, TASK_STATE_END},
        [TASK_PARSING] = {TASK_STATE_END, TASK_STATE_END, TASK_STATE_END, TASK_DONE,
                          TASK_FAILED, TASK_CANCELLED, TASK_STATE_END, TASK_STATE_END},
    };

    (void)ctx;
    for (size_t from = 0; from < COUNT(wanted); from++)
        for (int event = 0; event < TASK_EVENT_END; event++) {
            enum task_state state = (enum task_state)from;
            bool moves = task_state_step(&state, (enum task_event)event);

            assert_int_equal(moves, wanted[from][event] != TASK_STATE_END);
            assert_int_equal(state, moves ? (int)wanted[from][event] : (int)from);
        }
}

static void every_event_of_an_attempt_has_its_row_or_is_refused(void **ctx)
{
    /* taken, result, end, refuse, lose, parsed, fail, cancel, reparse */
    static const enum attempt_state wanted[ATTEMPT_STATE_END][ATTEMPT_EVENT_END] = {
        [ATTEMPT_LEASED] = {ATTEMPT_RUNNING, ATTEMPT_PARSING, ATTEMPT_ENDING,
                            ATTEMPT_REFUSED, ATTEMPT_LOST, NO, ATTEMPT_FAILED,
                            ATTEMPT_CANCELLED, NO},
        [ATTEMPT_RUNNING] = {NO, ATTEMPT_PARSING, ATTEMPT_ENDING, NO, ATTEMPT_LOST, NO,
                             ATTEMPT_FAILED, ATTEMPT_CANCELLED, NO},
        [ATTEMPT_ENDING] = {NO, ATTEMPT_PARSING, NO, ATTEMPT_REFUSED, ATTEMPT_LOST, NO,
                            ATTEMPT_FAILED, ATTEMPT_CANCELLED, NO},
        [ATTEMPT_PARSING] = {NO, NO, NO, NO, NO, ATTEMPT_DONE, ATTEMPT_FAILED,
                             ATTEMPT_CANCELLED, NO},
        [ATTEMPT_DONE] = {NO, NO, NO, NO, NO, NO, NO, NO, ATTEMPT_PARSING},
        [ATTEMPT_FAILED] = {NO, NO, NO, NO, NO, NO, NO, NO, ATTEMPT_PARSING},
        [ATTEMPT_REFUSED] = {NO, NO, NO, NO, NO, NO, NO, NO, NO},
        [ATTEMPT_LOST] = {ATTEMPT_RUNNING, ATTEMPT_PARSING, NO, NO, NO, NO,
                          ATTEMPT_FAILED, ATTEMPT_CANCELLED, NO},
        [ATTEMPT_CANCELLED] = {NO, NO, NO, NO, NO, NO, NO, NO, ATTEMPT_PARSING},
    };

    (void)ctx;
    for (int from = 0; from < ATTEMPT_STATE_END; from++)
        for (int event = 0; event < ATTEMPT_EVENT_END; event++) {
            enum attempt_state state = (enum attempt_state)from;
            bool moves = attempt_state_step(&state, (enum attempt_event)event);

            assert_int_equal(moves, wanted[from][event] != NO);
            assert_int_equal(state, moves ? (int)wanted[from][event] : (int)from);
        }
}

static void every_event_of_a_rank_has_its_row_or_is_refused(void **ctx)
{
    /* taken, refuse, lose, result */
    static const enum rank_state wanted[RANK_STATE_COUNT][RANK_EVENT_COUNT] = {
        [RANK_STATE_LEASED] = {RANK_STATE_RUNNING, RANK_STATE_REFUSED, RANK_STATE_LOST,
                               RANK_STATE_ENDED},
        [RANK_STATE_RUNNING] = {RANK_STATE_COUNT, RANK_STATE_COUNT, RANK_STATE_LOST,
                                RANK_STATE_ENDED},
        [RANK_STATE_LOST] = {RANK_STATE_RUNNING, RANK_STATE_COUNT, RANK_STATE_COUNT,
                             RANK_STATE_ENDED},
        [RANK_STATE_REFUSED] = {RANK_STATE_COUNT, RANK_STATE_COUNT, RANK_STATE_COUNT,
                                RANK_STATE_COUNT},
        [RANK_STATE_ENDED] = {RANK_STATE_COUNT, RANK_STATE_COUNT, RANK_STATE_COUNT,
                              RANK_STATE_COUNT},
    };

    (void)ctx;
    for (int from = 0; from < RANK_STATE_COUNT; from++)
        for (int event = 0; event < RANK_EVENT_COUNT; event++) {
            enum rank_state state = (enum rank_state)from;
            bool moves = rank_state_step(&state, (enum rank_event)event);

            assert_int_equal(moves, wanted[from][event] != RANK_STATE_COUNT);
            assert_int_equal(state, moves ? (int)wanted[from][event] : from);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_event_of_a_rank_has_its_row_or_is_refused),
        cmocka_unit_test(a_finished_task_refuses_every_event_but_those_of_users),
        cmocka_unit_test(every_event_of_a_task_has_its_row_or_is_refused),
        cmocka_unit_test(every_event_of_an_attempt_has_its_row_or_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
