#include "lib/gate/gang_cause.h"

#include "tests/support/gate_fixture.h"

#define RANKS 4

/* Adds the durations of all ranks, each on its own card, and what they consist of. */
static void add_gang(double duration, int slow_rank, double computing, double transfer)
{
    for (uint64_t rank = 0; rank < RANKS; rank++) {
        struct night_cell cell = {"m=1", "fused", NULL,          -(int)rank - 1,
                                  rank,  100,     100 * duration};

        add_cell(cell);
        cell.metric = "compute_us";
        cell.fresh = (int)rank == slow_rank ? 100 * computing : 100;
        add_cell(cell);
        for (uint64_t peer = 0; peer < RANKS; peer++) {
            char metric[32];

            snprintf(metric, sizeof(metric), "transfer_us_rank_%d", (int)peer);
            cell.metric = metric;
            cell.fresh = rank + peer == 3 && rank * peer == 2 ? 100 * transfer : 100;
            if (peer != rank)
                add_cell(cell);
        }
    }
    judge();
}

static void a_rank_that_computes_longer_is_its_card(void **ctx)
{
    size_t count;

    (void)ctx;
    add_gang(1.04, 2, 1.06, 1);
    const struct suspect *suspects = gate_suspects(gate, &count);
    assert_int_equal(count, RANKS);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(suspects[i].causes.first, CAUSE_CARD);
        assert_string_equal(suspects[i].gang.serial, "S2");
        assert_string_equal(suspects[i].gang.host, "node1");
        assert_true(fabs(expm1(suspects[i].size) - 0.06) < 1e-9);
    }
}

static void one_slow_pair_is_its_link(void **ctx)
{
    size_t count;

    (void)ctx;
    add_gang(1.04, -1, 1, 1.5);
    const struct suspect *suspect = gate_suspects(gate, &count);
    assert_int_equal(count, RANKS);
    assert_int_equal(suspect->causes.first, CAUSE_LINK);
    assert_int_equal(suspect->gang.rank, 1);
    assert_int_equal(suspect->gang.peer, 2);
    assert_string_equal(suspect->gang.serial, "S1");
    assert_string_equal(suspect->gang.peer_serial, "S2");
    assert_string_equal(suspect->gang.host, "node0");
    assert_string_equal(suspect->gang.peer_host, "node1");
    assert_true(fabs(expm1(suspect->size) - 0.5) < 1e-9);
}

static void equal_ranks_leave_the_cause_to_the_other_signs(void **ctx)
{
    size_t count;

    (void)ctx;
    add_gang(1.04, -1, 1, 1);
    const struct suspect *suspect = gate_suspects(gate, &count);
    assert_int_equal(count, RANKS);
    assert_int_equal(suspect->gang.cause, CAUSE_NONE);
    assert_int_equal(suspect->causes.first, CAUSE_UNKNOWN);
}

static void a_launch_of_one_rank_has_no_gang(void **ctx)
{
    size_t count;

    (void)ctx;
    add_cell((struct night_cell){"m=1", NULL, NULL, 0, 0, 100, 105});
    judge();
    assert_int_equal(gate_suspects(gate, &count)->gang.cause, CAUSE_NONE);
    assert_int_equal(count, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_rank_that_computes_longer_is_its_card),
        TEST(one_slow_pair_is_its_link),
        TEST(equal_ranks_leave_the_cause_to_the_other_signs),
        TEST(a_launch_of_one_rank_has_no_gang),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
