#include "lib/gate/gang_cause.h"

#include "lib/gate/gate_reasons.h"
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

enum { FAST = -1 };

/* The planted slowness of a rotated launch: the card, the rank, and the link. */
struct plan {
    int card, rank, link[2], pair[2];
};

static const char *planned_kernel = "fused";

static bool is_pair(const int pair[2], int from, int to)
{
    return (pair[0] == from && pair[1] == to) || (pair[0] == to && pair[1] == from);
}

/* Adds the launch in the first `count` placements 0, 1 and half of the ranks. Rank r
 * runs on card r + shift. */
static void add_placements(const struct plan *plan, int count)
{
    static const int shifts[] = {0, 1, RANKS / 2};

    for (int i = 0; i < count; i++)
        for (int rank = 0; rank < RANKS; rank++) {
            int card = (rank + shifts[i]) % RANKS;
            char point[32], metric[32];
            struct night_cell cell = {
                .point = point,
                .kernel = planned_kernel,
                .card = -card - 1,
                .rank = (uint64_t)rank,
                .base = 100,
                .fresh = 104,
            };

            snprintf(point, sizeof(point), "m=1 shift=%d", shifts[i]);
            add_cell(cell);
            cell.metric = "compute_us";
            cell.fresh = card == plan->card || rank == plan->rank ? 106 : 100;
            add_cell(cell);
            cell.metric = metric;
            for (int peer = 0; peer < RANKS; peer++) {
                int other = (peer + shifts[i]) % RANKS;

                snprintf(metric, sizeof(metric), "transfer_us_rank_%d", peer);
                cell.fresh =
                    is_pair(plan->link, card, other) || is_pair(plan->pair, rank, peer)
                        ? 150
                        : 100;
                if (peer != rank)
                    add_cell(cell);
            }
        }
    rules.suspects.rotated = true;
    judge();
}

/* Requires this cause of every suspect, and its size. */
static const struct suspect *
each_suspect_has(size_t count, enum cause cause, double size)
{
    size_t found;
    const struct suspect *suspects = gate_suspects(gate, &found);

    assert_int_equal(found, count * RANKS);
    for (size_t i = 0; i < found; i++) {
        assert_int_equal(suspects[i].gang.cause, cause);
        assert_true(fabs(expm1(suspects[i].gang.size) - size) < 1e-9);
        assert_string_equal(suspects[i].gang.serial, suspects->gang.serial);
        assert_string_equal(suspects[i].gang.peer_serial, suspects->gang.peer_serial);
    }
    return suspects;
}

static void placements_show_that_slowness_follows_the_card(void **ctx)
{
    (void)ctx;
    add_placements(&(struct plan){2, FAST, {FAST, FAST}, {FAST, FAST}}, 3);
    const struct suspect *suspect = each_suspect_has(3, CAUSE_CARD, 0.06);
    assert_int_equal(suspect->causes.first, CAUSE_CARD);
    assert_string_equal(suspect->gang.serial, "S2");
    assert_string_equal(suspect->gang.host, "node1");
}

/* Without placements the card of rank 1 would be the cause. */
static void placements_show_that_slowness_stays_with_the_rank(void **ctx)
{
    struct gate_reasons reasons;

    (void)ctx;
    add_placements(&(struct plan){FAST, 1, {FAST, FAST}, {FAST, FAST}}, 2);
    const struct suspect *suspect = each_suspect_has(2, CAUSE_CODE, 0.06);
    assert_int_equal(suspect->causes.first, CAUSE_CODE);
    assert_int_equal(suspect->gang.rank, 1);
    assert_string_equal(suspect->gang.serial, "");
    gate_reasons_init(&reasons, gate);
    assert_int_equal(reasons.count, 1);
    assert_string_equal(reasons.reasons[0].text,
                        "2 points of kernel fused are 4.0 % slower on 4 cards, because "
                        "of its code in rank 1 on each card; not confirmed");
    gate_reasons_clear(&reasons);
}

/* Kernels are sorted with the numbers in their names as numbers. */
static void other_kernels_do_not_hide_the_placements(void **ctx)
{
    static const char *const kernels[] = {"fused2", "fused9", "fused100"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(kernels); i++)
        add_cell((struct night_cell){"m=1 shift=0", kernels[i], NULL, -1, 0, 100, 100});
    planned_kernel = "fused10";
    add_placements(&(struct plan){FAST, 1, {FAST, FAST}, {FAST, FAST}}, 2);
    planned_kernel = "fused";
    assert_int_equal(each_suspect_has(2, CAUSE_CODE, 0.06)->gang.rank, 1);
}

static void equal_code_leaves_the_cause_of_a_slow_rank_open(void **ctx)
{
    static const char *const points[] = {"m=1 shift=0", "m=1 shift=1"};
    struct gate_reasons reasons;

    (void)ctx;
    for (size_t i = 0; i < 2 * COUNT(points); i++)
        gate_evidence_add_code(evidence, i % 2 ? COMPARISON_NEW : COMPARISON_BASE,
                               points[i / 2], "fused", "h1");
    add_placements(&(struct plan){FAST, 1, {FAST, FAST}, {FAST, FAST}}, 2);
    assert_int_equal(each_suspect_has(2, CAUSE_CODE, 0.06)->causes.first,
                     CAUSE_UNKNOWN);
    gate_reasons_init(&reasons, gate);
    assert_string_equal(reasons.reasons[0].text,
                        "2 points of kernel fused are 4.0 % slower on 4 cards; the "
                        "cause is unknown, slower in rank 1 on each card; not "
                        "confirmed");
    gate_reasons_clear(&reasons);
}

static void placements_separate_a_link_from_a_pair_of_ranks(void **ctx)
{
    (void)ctx;
    add_placements(&(struct plan){FAST, FAST, {1, 3}, {FAST, FAST}}, 3);
    const struct suspect *suspect = each_suspect_has(3, CAUSE_LINK, 0.5);
    assert_string_equal(suspect->gang.serial, "S1");
    assert_string_equal(suspect->gang.peer_serial, "S3");
    assert_string_equal(suspect->gang.peer_host, "node1");
}

static void placements_show_a_pair_of_ranks(void **ctx)
{
    (void)ctx;
    add_placements(&(struct plan){FAST, FAST, {FAST, FAST}, {1, 3}}, 3);
    const struct suspect *suspect = each_suspect_has(3, CAUSE_CODE, 0.5);
    assert_true(suspect->gang.rank == 1 || suspect->gang.rank == 3);
}

static void one_placement_names_the_card_of_the_slow_rank(void **ctx)
{
    (void)ctx;
    add_placements(&(struct plan){FAST, 1, {FAST, FAST}, {FAST, FAST}}, 1);
    assert_string_equal(each_suspect_has(1, CAUSE_CARD, 0.06)->gang.serial, "S1");
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
        TEST(placements_show_that_slowness_follows_the_card),
        TEST(placements_show_that_slowness_stays_with_the_rank),
        TEST(other_kernels_do_not_hide_the_placements),
        TEST(equal_code_leaves_the_cause_of_a_slow_rank_open),
        TEST(placements_separate_a_link_from_a_pair_of_ranks),
        TEST(placements_show_a_pair_of_ranks),
        TEST(one_placement_names_the_card_of_the_slow_rank),
        TEST(a_launch_of_one_rank_has_no_gang),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
