#include "cli/confirm/gate_confirmation.h"

#include <stdlib.h>

#include "cli/confirm/confirmation.h"
#include "tests/support/gate_fixture.h"

#define RANKS 4

/* Adds a launch that becomes slower on all ranks; one of them computes longer, or the
 * transfers between ranks 1 and 2 take longer. Rank r runs on card r. */
static void add_launch(double computing, double transfer)
{
    char metric[32];

    for (uint64_t rank = 0; rank < RANKS; rank++) {
        struct night_cell cell = {"m=1", "fused",           NULL, -(int)rank - 1, rank,
                                  100,   104 + (double)rank};

        add_cell(cell);
        cell.metric = "compute_us";
        cell.fresh = rank == 2 ? 100 * computing : 100;
        add_cell(cell);
        cell.metric = metric;
        for (uint64_t peer = 0; peer < RANKS; peer++) {
            snprintf(metric, sizeof(metric), "transfer_us_rank_%d", (int)peer);
            cell.fresh = rank + peer == 3 && rank * peer == 2 ? 100 * transfer : 100;
            if (peer != rank)
                add_cell(cell);
        }
    }
    judge();
}

/* Takes the suspects, requires that one is measured, and applies this answer. */
static void confirm(const char *card, uint64_t rank, const char *cause)
{
    struct confirmation_request request = {0};

    gate_confirmation_take(&request, gate, 30);
    assert_int_equal(request.count, 1);
    struct confirmation_suspect *measured = request.suspects;
    assert_string_equal(measured->card, card);
    assert_int_equal(measured->rank, rank);
    snprintf(measured->cause, sizeof(measured->cause), "%s", cause);
    measured->outcome = confirmation_outcome_of(cause);
    gate_confirmation_apply(gate, &request);
    free(request.suspects);
}

static void each_suspect_is(enum suspect_state state, enum cause cause)
{
    size_t count;
    const struct suspect *suspects = gate_suspects(gate, &count);

    assert_int_equal(count, RANKS);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(suspects[i].state, state);
        assert_int_equal(suspects[i].causes.first, cause);
    }
}

static void the_rank_on_the_slow_card_is_measured_for_all_ranks(void **ctx)
{
    (void)ctx;
    add_launch(1.06, 1);
    confirm("S2", 2, "card");
    each_suspect_is(SUSPECT_CONFIRMED, CAUSE_CARD);
}

static void a_card_that_is_one_end_of_a_slow_link_confirms_the_link(void **ctx)
{
    (void)ctx;
    add_launch(1, 1.5);
    confirm("S1", 1, "card");
    each_suspect_is(SUSPECT_CONFIRMED, CAUSE_LINK);
}

/* Applies the answer of runs with rotated ranks, and requires its outcome. */
static void confirm_rotated(const char *cause,
                            const char *card,
                            const char *peer,
                            enum confirmation_outcome outcome)
{
    struct confirmation_request request = {0};

    gate_confirmation_take(&request, gate, 30);
    struct confirmation_suspect *measured = request.suspects;
    snprintf(measured->cause, sizeof(measured->cause), "%s", cause);
    snprintf(measured->slow_card, sizeof(measured->slow_card), "%s", card);
    snprintf(measured->slow_peer, sizeof(measured->slow_peer), "%s", peer);
    measured->outcome = confirmation_outcome_of(cause);
    gate_confirmation_apply(gate, &request);
    assert_int_equal(measured->outcome, outcome);
    if (outcome == CONFIRMATION_UNKNOWN)
        assert_string_equal(measured->reason,
                            *peer ? "they name another link, from card S2 to card S3"
                                  : "they name another card, S2");
    free(request.suspects);
}

static void rotated_ranks_confirm_the_link_by_both_cards(void **ctx)
{
    (void)ctx;
    add_launch(1, 1.5);
    confirm_rotated("link", "S2", "S3", CONFIRMATION_UNKNOWN);
    each_suspect_is(SUSPECT_UNDECIDED, CAUSE_LINK);
    confirm_rotated("card", "S2", "", CONFIRMATION_UNKNOWN);
    each_suspect_is(SUSPECT_UNDECIDED, CAUSE_LINK);
    confirm_rotated("link", "S1", "S2", CONFIRMATION_CONFIRMED);
    each_suspect_is(SUSPECT_CONFIRMED, CAUSE_LINK);
}

static void rotated_ranks_confirm_the_card_of_the_suspect(void **ctx)
{
    (void)ctx;
    add_launch(1.06, 1);
    confirm_rotated("link", "S2", "S3", CONFIRMATION_UNKNOWN);
    each_suspect_is(SUSPECT_UNDECIDED, CAUSE_CARD);
    confirm_rotated("card", "S2", "", CONFIRMATION_CONFIRMED);
    each_suspect_is(SUSPECT_CONFIRMED, CAUSE_CARD);
}

static void other_answers_replace_the_link(void **ctx)
{
    (void)ctx;
    add_launch(1, 1.5);
    confirm("S1", 1, "code");
    each_suspect_is(SUSPECT_CONFIRMED, CAUSE_CODE);
}

static void ranks_that_nothing_links_are_measured_one_by_one(void **ctx)
{
    struct confirmation_request request = {0};

    (void)ctx;
    add_launch(1, 1);
    gate_confirmation_take(&request, gate, 30);
    assert_int_equal(request.count, CONFIRMATION_OF_KERNEL_MOST);
    for (size_t i = 0; i < request.count; i++) /* the largest change first */
        assert_int_equal(request.suspects[i].rank, RANKS - 1 - i);
    free(request.suspects);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_rank_on_the_slow_card_is_measured_for_all_ranks),
        TEST(a_card_that_is_one_end_of_a_slow_link_confirms_the_link),
        TEST(rotated_ranks_confirm_the_link_by_both_cards),
        TEST(rotated_ranks_confirm_the_card_of_the_suspect),
        TEST(other_answers_replace_the_link),
        TEST(ranks_that_nothing_links_are_measured_one_by_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
