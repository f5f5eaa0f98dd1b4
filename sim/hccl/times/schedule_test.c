/* schedule_test.c - the times of a few ranks, compared with times computed by hand */
#include "sim/hccl/times/schedule.h"

#include "tests/support/unit.h"

/* Transfers take `all`, except those of the pair `slow_a` and `slow_b`. */
struct links {
    uint64_t all, slow;
    uint32_t slow_a, slow_b;
};

static uint64_t
takes(const void *arg, uint32_t turn, uint32_t stage, uint32_t from, uint32_t to)
{
    const struct links *links = arg;
    bool is_slow = (from == links->slow_a && to == links->slow_b) ||
                   (from == links->slow_b && to == links->slow_a);

    (void)turn;
    (void)stage;
    return is_slow ? links->slow : links->all;
}

/* Only rank 0 sends. */
static uint64_t takes_from_first(const void *arg,
                                 uint32_t turn,
                                 uint32_t stage,
                                 uint32_t from,
                                 uint32_t to)
{
    return from == 0 ? takes(arg, turn, stage, from, to) : SCHEDULE_NOTHING;
}

static struct schedule make(struct schedule_input input)
{
    struct schedule schedule;

    if (!input.transfer_ns)
        input.transfer_ns = takes;
    assert_true(schedule_make(&schedule, &input));
    return schedule;
}

static uint64_t
wait_of(const struct schedule *schedule, uint32_t step, uint32_t rank, uint32_t peer)
{
    struct schedule_span span;

    assert_true(schedule_transfer(schedule, step, peer, rank, &span));
    return span.from - schedule_posted(schedule, step, rank);
}

/* Two ranks compute two tiles of 500 each; a transfer takes 100. */
static void two_equal_ranks_hide_all_transfers_but_the_last(void **ctx)
{
    const uint64_t start[] = {0, 0}, compute[] = {1000, 1000};
    const struct links links = {.all = 100};
    struct schedule s =
        make((struct schedule_input){2, 2, 1, true, start, compute, NULL, &links});

    (void)ctx;
    assert_int_equal(schedule_posted(&s, 0, 0), 500);
    assert_int_equal(schedule_done(&s, 0, 0), 600);
    assert_int_equal(schedule_posted(&s, 1, 0), 1000);
    assert_int_equal(schedule_end(&s, 0), 1100);
    assert_int_equal(schedule_end(&s, 1), 1100);
    assert_int_equal(wait_of(&s, 1, 0, 1), 0);
    schedule_clear(&s);
}

/* Rank 1 computes 6 % longer: its tiles are ready at 530 and 1060. Rank 0 waits 30,
 * then 60, and ends as late as rank 1. */
static void the_peer_of_a_slow_card_waits_for_it(void **ctx)
{
    const uint64_t start[] = {0, 0}, compute[] = {1000, 1060};
    const struct links links = {.all = 100};
    struct schedule s =
        make((struct schedule_input){2, 2, 1, true, start, compute, NULL, &links});

    (void)ctx;
    assert_int_equal(schedule_computes(&s, 1, 1).to, 1060);
    assert_int_equal(wait_of(&s, 0, 0, 1), 30);
    assert_int_equal(wait_of(&s, 1, 0, 1), 60);
    assert_int_equal(wait_of(&s, 0, 1, 0), 0);
    assert_int_equal(wait_of(&s, 1, 1, 0), 0);
    assert_int_equal(schedule_end(&s, 0), 1160);
    assert_int_equal(schedule_end(&s, 1), 1160);
    schedule_clear(&s);
}

/* Transfers of 700 are longer than a tile of 500: the second one begins at the end of
 * the first one, at 1200. */
static void transfers_longer_than_a_tile_follow_each_other(void **ctx)
{
    const uint64_t start[] = {0, 0}, compute[] = {1000, 1000};
    const struct links links = {.all = 700};
    struct schedule s =
        make((struct schedule_input){2, 2, 1, true, start, compute, NULL, &links});

    (void)ctx;
    assert_int_equal(schedule_posted(&s, 1, 0), 1200);
    assert_int_equal(schedule_end(&s, 0), 1900);
    schedule_clear(&s);
}

/* Four ranks, one tile, two stages (all-reduce). Rank 2 computes 1060 instead of 1000:
 * the others wait 60 for it in the first stage, and for no other rank. */
static void one_of_four_cards_is_slow(void **ctx)
{
    const uint64_t start[4] = {0}, compute[] = {1000, 1000, 1060, 1000};
    const struct links links = {.all = 100};
    struct schedule s =
        make((struct schedule_input){4, 1, 2, true, start, compute, NULL, &links});

    (void)ctx;
    for (uint32_t rank = 0; rank < 4; rank++)
        for (uint32_t peer = 0; peer < 4; peer++)
            if (rank != peer)
                assert_int_equal(wait_of(&s, 0, rank, peer), peer == 2 ? 60 : 0);
    /* first stage: 1060 to 1160 with rank 2, second stage: 1160 to 1260 on all */
    for (uint32_t rank = 0; rank < 4; rank++) {
        assert_int_equal(schedule_posted(&s, 1, rank), 1160);
        assert_int_equal(schedule_end(&s, rank), 1260);
    }
    schedule_clear(&s);
}

/* The link of ranks 0 and 2 takes 150 instead of 100. In the first stage these two are
 * done at 1150, the others at 1100; these wait 50 for them in the second stage. The
 * transfers of all other pairs still take 100. */
static void one_of_six_links_is_slow(void **ctx)
{
    const uint64_t start[4] = {0}, compute[] = {1000, 1000, 1000, 1000};
    const struct links links = {.all = 100, .slow = 150, .slow_a = 0, .slow_b = 2};
    struct schedule s =
        make((struct schedule_input){4, 1, 2, true, start, compute, NULL, &links});
    struct schedule_span span;

    (void)ctx;
    assert_int_equal(schedule_done(&s, 0, 0), 1150);
    assert_int_equal(schedule_done(&s, 0, 2), 1150);
    assert_int_equal(schedule_done(&s, 0, 1), 1100);
    assert_int_equal(schedule_done(&s, 0, 3), 1100);
    assert_int_equal(wait_of(&s, 1, 1, 0), 50);
    assert_int_equal(wait_of(&s, 1, 1, 2), 50);
    assert_int_equal(wait_of(&s, 1, 1, 3), 0);
    assert_int_equal(wait_of(&s, 1, 0, 2), 0);
    for (uint32_t from = 0; from < 4; from++)
        for (uint32_t to = 0; to < 4; to++)
            if (from != to) {
                assert_true(schedule_transfer(&s, 1, from, to, &span));
                assert_int_equal(span.to - span.from,
                                 from + to == 2 && from != 1 ? 150 : 100);
            }
    assert_int_equal(schedule_end(&s, 0), 1300); /* 1150 + 150 */
    assert_int_equal(schedule_end(&s, 2), 1300);
    assert_int_equal(schedule_end(&s, 1), 1250); /* 1150 + 100 */
    assert_int_equal(schedule_end(&s, 3), 1250);
    schedule_clear(&s);
}

/* Rank 1 computes 1060, and the link of ranks 0 and 2 takes 150. First stage: rank 1
 * with all others 1060 to 1160; ranks 0 and 2 with each other 1000 to 1150. All are
 * done at 1160, because each of them exchanged data with rank 1. */
static void a_slow_card_can_hide_a_slow_link(void **ctx)
{
    const uint64_t start[4] = {0}, compute[] = {1000, 1060, 1000, 1000};
    const struct links links = {.all = 100, .slow = 150, .slow_a = 0, .slow_b = 2};
    struct schedule s =
        make((struct schedule_input){4, 1, 2, true, start, compute, NULL, &links});

    (void)ctx;
    assert_int_equal(wait_of(&s, 0, 0, 1), 60);
    assert_int_equal(wait_of(&s, 0, 0, 2), 0);
    for (uint32_t rank = 0; rank < 4; rank++)
        assert_int_equal(schedule_done(&s, 0, rank), 1160);
    assert_int_equal(schedule_end(&s, 0), 1310);
    assert_int_equal(schedule_end(&s, 2), 1310);
    assert_int_equal(schedule_end(&s, 1), 1260);
    assert_int_equal(schedule_end(&s, 3), 1260);
    schedule_clear(&s);
}

/* Transfers first: 0 to 300, 300 to 600; the second tile is computed at 600 to 700. */
static void an_operator_that_transfers_first_computes_last(void **ctx)
{
    const uint64_t start[] = {0, 0}, compute[] = {200, 1000};
    const struct links links = {.all = 300};
    struct schedule s =
        make((struct schedule_input){2, 2, 1, false, start, compute, NULL, &links});

    (void)ctx;
    assert_int_equal(schedule_computes(&s, 0, 0).from, 300);
    assert_int_equal(schedule_computes(&s, 1, 0).from, 600);
    assert_int_equal(schedule_end(&s, 0), 700);
    /* rank 1 computes its first tile at 300 to 800, its second one at 800 to 1300 */
    assert_int_equal(schedule_computes(&s, 1, 1).from, 800);
    assert_int_equal(schedule_end(&s, 1), 1300);
    schedule_clear(&s);
}

static void all_ranks_wait_for_a_late_one(void **ctx)
{
    const uint64_t start[] = {0, 0, 5000}, compute[3] = {0};
    const struct links links = {.all = 100};
    struct schedule s =
        make((struct schedule_input){3, 1, 1, false, start, compute, NULL, &links});

    (void)ctx;
    assert_int_equal(wait_of(&s, 0, 0, 2), 5000);
    assert_int_equal(wait_of(&s, 0, 0, 1), 0);
    for (uint32_t rank = 0; rank < 3; rank++)
        assert_int_equal(schedule_end(&s, rank), 5100);
    schedule_clear(&s);
}

/* The buffer of a sender is in use until the last receiver has its copy. */
static void a_sender_ends_with_its_last_receiver(void **ctx)
{
    const uint64_t start[] = {0, 0, 70}, compute[3] = {0};
    const struct links links = {.all = 100};
    struct schedule s = make((struct schedule_input){3, 1, 1, false, start, compute,
                                                     takes_from_first, &links});
    struct schedule_span span;

    (void)ctx;
    assert_false(schedule_transfer(&s, 0, 1, 2, &span));
    assert_int_equal(schedule_end(&s, 1), 100);
    assert_int_equal(schedule_end(&s, 2), 170);
    assert_int_equal(schedule_end(&s, 0), 170);
    schedule_clear(&s);
}

static void a_long_computation_does_not_overflow(void **ctx)
{
    const uint64_t year_ns = 365ull * 86400 * 1000000000;
    const uint64_t start[] = {0, 0}, compute[] = {year_ns, year_ns};
    const struct links links = {.all = 1};
    struct schedule s =
        make((struct schedule_input){2, 32, 1, true, start, compute, NULL, &links});

    (void)ctx;
    assert_int_equal(schedule_end(&s, 0), year_ns + 1);
    schedule_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_equal_ranks_hide_all_transfers_but_the_last),
        cmocka_unit_test(the_peer_of_a_slow_card_waits_for_it),
        cmocka_unit_test(transfers_longer_than_a_tile_follow_each_other),
        cmocka_unit_test(one_of_four_cards_is_slow),
        cmocka_unit_test(one_of_six_links_is_slow),
        cmocka_unit_test(a_slow_card_can_hide_a_slow_link),
        cmocka_unit_test(an_operator_that_transfers_first_computes_last),
        cmocka_unit_test(all_ranks_wait_for_a_late_one),
        cmocka_unit_test(a_sender_ends_with_its_last_receiver),
        cmocka_unit_test(a_long_computation_does_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
