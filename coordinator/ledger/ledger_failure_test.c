/* ledger_failure_test.c - which failure is the reason of an attempt, and its class */
#include <string.h>

#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "lib/store/store.h"
#include "tests/support/unit.h"

#define ENDED(status_, ...)                                                            \
    {                                                                                  \
        .state = RANK_STATE_ENDED, .status = (status_), __VA_ARGS__                    \
    }

/* From the failure that explains least to the one that explains most. The last two
 * explain equally much. */
static const struct failure by_weight[] = {
    {.state = RANK_STATE_LEASED},
    ENDED(RANK_DONE),
    ENDED(RANK_CANCELLED, .by_signal = true),
    {.state = RANK_STATE_REFUSED},
    ENDED(RANK_NOT_INJECTED),
    ENDED(RANK_FAILED),
    ENDED(RANK_TIMEOUT, .by_signal = true),
    ENDED(RANK_NOT_STARTED),
    ENDED(RANK_FAILED, .by_signal = true),
    ENDED(RANK_LOST),
    {.state = RANK_STATE_LOST},
};

static void the_failure_that_explains_most_is_the_reason_in_any_order(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < COUNT(by_weight); i++)
        for (size_t k = 0; k < COUNT(by_weight); k++) {
            struct attempt attempt = {.failure = by_weight[i]};
            struct failure next = by_weight[k];
            bool replaces = k > i && !(i == COUNT(by_weight) - 2);

            attempt.failure.rank = 1;
            next.rank = 2;
            ledger_record_failure(&attempt, &next);
            if (attempt.failure.rank != (replaces ? 2 : 1))
                fail_msg("%zu after %zu", k, i);
        }
}

static void of_equal_failures_the_earlier_one_is_the_reason(void **ctx)
{
    static const struct {
        uint64_t first_ns, second_ns;
        uint32_t rank;
    } cases[] = {
        {5, 4, 2},
        {5, 5, 1},
        {5, 6, 1},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct attempt attempt = {.failure = {.state = RANK_STATE_LOST,
                                              .rank = 1,
                                              .ended_wall_ns = cases[i].first_ns}};
        const struct failure next = {
            .state = RANK_STATE_LOST, .rank = 2, .ended_wall_ns = cases[i].second_ns};

        ledger_record_failure(&attempt, &next);
        assert_int_equal(attempt.failure.rank, cases[i].rank);
    }
}

static void only_a_program_that_ended_well_lets_the_others_continue(void **ctx)
{
    static const struct {
        struct failure failure;
        bool is_harmless;
    } cases[] = {
        {ENDED(RANK_FAILED, .exit_was_good = true), true},
        {ENDED(RANK_NOT_INJECTED, .exit_was_good = true), true},
        {ENDED(RANK_NOTHING_PROFILED, .exit_was_good = true), true},
        {ENDED(RANK_TOO_FEW_LAUNCHES, .exit_was_good = true), true},
        {ENDED(RANK_FAILED), false},
        {ENDED(RANK_NOT_INJECTED), false},
        {ENDED(RANK_LOST, .exit_was_good = true), false},
        {{.state = RANK_STATE_LOST, .status = RANK_FAILED, .exit_was_good = true},
         false},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct attempt attempt = {.failure = {.state = RANK_STATE_LEASED}};

        assert_int_equal(ledger_failure_is_harmless(&cases[i].failure),
                         cases[i].is_harmless);
        ledger_record_failure(&attempt, &cases[i].failure);
        assert_int_equal(attempt.must_end, !cases[i].is_harmless);
        attempt.must_end = true; /* stays, whatever follows */
        ledger_record_failure(&attempt, &cases[i].failure);
        assert_true(attempt.must_end);
    }
}

static void each_failure_has_its_classes(void **ctx)
{
    static const struct {
        struct failure failure;
        unsigned classes;
    } cases[] = {
        {{.state = RANK_STATE_LOST}, JOB_RETRY_WORKER_LOST},
        {ENDED(RANK_LOST), JOB_RETRY_WORKER_LOST},
        {ENDED(RANK_TIMEOUT, .by_signal = true), JOB_RETRY_TIMEOUT},
        {ENDED(RANK_NOT_INJECTED), JOB_RETRY_FAILED | JOB_RETRY_NOT_INJECTED},
        {ENDED(RANK_NOTHING_PROFILED, .exit_was_good = true),
         JOB_RETRY_FAILED | JOB_RETRY_NOTHING_PROFILED},
        {ENDED(RANK_NOT_INJECTED, .exit_was_good = true),
         JOB_RETRY_FAILED | JOB_RETRY_NOT_INJECTED},
        {ENDED(RANK_FAILED, .exit_was_good = true),
         JOB_RETRY_FAILED | JOB_RETRY_RANK_MISSING},
        {ENDED(RANK_FAILED), JOB_RETRY_FAILED | JOB_RETRY_EXIT_CODE},
        {ENDED(RANK_FAILED, .by_signal = true), JOB_RETRY_FAILED | JOB_RETRY_SIGNAL},
        {ENDED(RANK_NOT_STARTED), JOB_RETRY_FAILED},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(ledger_retry_class(&cases[i].failure), cases[i].classes);
}

static void a_stored_rank_is_read_back_as_its_failure(void **ctx)
{
    static const struct {
        const char *status;
        int32_t signal, exit_code;
        const char *reason;
        struct failure wanted;
    } cases[] = {
        {"failed", 0, 5, "", ENDED(RANK_FAILED, .reason = "exit code 5")},
        {"failed", 9, 0, "",
         ENDED(RANK_FAILED, .by_signal = true, .reason = "ended by signal 9")},
        {"failed", 0, 0, "rank 2 did not come",
         ENDED(RANK_FAILED, .exit_was_good = true, .reason = "rank 2 did not come")},
        {"timeout", 1, 1, "",
         ENDED(RANK_TIMEOUT, .by_signal = true, .reason = "ended by signal 1")},
        {"timeout", 0, 0, "",
         ENDED(RANK_TIMEOUT, .exit_was_good = true, .reason = "timeout")},
        {"newer-word", 0, 1, "", ENDED(RANK_FAILED, .reason = "exit code 1")},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct store_rank row = {.rank = 3,
                                       .status = cases[i].status,
                                       .signal = cases[i].signal,
                                       .exit_code = cases[i].exit_code,
                                       .reason = cases[i].reason,
                                       .ended_wall_ns = 17};
        const struct failure how = ledger_failure_of_rank(&row);

        assert_int_equal(how.state, RANK_STATE_ENDED);
        assert_int_equal(how.rank, 3);
        assert_int_equal(how.ended_wall_ns, 17);
        assert_int_equal(how.status, cases[i].wanted.status);
        assert_int_equal(how.by_signal, cases[i].wanted.by_signal);
        assert_int_equal(how.exit_was_good, cases[i].wanted.exit_was_good);
        assert_string_equal(how.reason, cases[i].wanted.reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_failure_that_explains_most_is_the_reason_in_any_order),
        cmocka_unit_test(of_equal_failures_the_earlier_one_is_the_reason),
        cmocka_unit_test(only_a_program_that_ended_well_lets_the_others_continue),
        cmocka_unit_test(each_failure_has_its_classes),
        cmocka_unit_test(a_stored_rank_is_read_back_as_its_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
