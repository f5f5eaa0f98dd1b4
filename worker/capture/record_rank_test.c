#include "worker/capture/record_rank.h"

#include "lib/base/mem.h"
#include "lib/capture/format/kinds.h"
#include "lib/capture/format/records.h"
#include "tests/support/unit.h"

static const uint32_t cards[] = {4, 7};

static void a_record_goes_to_the_card_that_it_names(void **ctx)
{
    struct record_rank *lanes = record_rank_create(cards, 2);
    struct record_run_clock clock = {.device = 7};
    struct record_comm_group group = {.device = 4};
    struct record_stamp other = {.device = 5}; /* not one of ours */
    struct record_drop drop = {0};

    (void)ctx;
    assert_int_equal(record_rank_find(lanes, RECORD_RUN_CLOCK, &clock, sizeof(clock)),
                     1);
    assert_int_equal(record_rank_find(lanes, RECORD_COMM_GROUP, &group, sizeof(group)),
                     0);
    assert_int_equal(record_rank_find(lanes, RECORD_STAMP, &other, sizeof(other)), 0);
    assert_int_equal(record_rank_find(lanes, RECORD_DROP, &drop, sizeof(drop)), 0);
    record_rank_destroy(lanes);
}

static void what_names_a_launch_waits_for_it(void **ctx)
{
    struct record_rank *lanes = record_rank_create(cards, 2);
    struct record_barrier barrier = {.launch = 9};
    struct record_launch launch = {.launch = 9, .device = 7};
    struct record_launch_end end = {.launch = 9};
    struct record_launch later = {.launch = 9 + 4096, .device = 4};

    (void)ctx;
    assert_int_equal(record_rank_find(lanes, RECORD_BARRIER, &barrier, sizeof(barrier)),
                     RECORD_RANK_LATER);
    assert_int_equal(record_rank_find(lanes, RECORD_LAUNCH, &launch, sizeof(launch)),
                     1);
    assert_int_equal(record_rank_find(lanes, RECORD_BARRIER, &barrier, sizeof(barrier)),
                     1);
    assert_int_equal(record_rank_find(lanes, RECORD_LAUNCH_END, &end, sizeof(end)), 1);
    assert_int_equal(record_rank_find(lanes, RECORD_LAUNCH, &later, sizeof(later)), 0);
    assert_int_equal(record_rank_find(lanes, RECORD_LAUNCH_END, &end, sizeof(end)),
                     RECORD_RANK_LATER); /* forgotten, not mistaken */
    record_rank_destroy(lanes);
}

static void what_is_cut_is_of_the_process(void **ctx)
{
    struct record_rank *lanes = record_rank_create(cards, 2);
    struct record_launch launch = {.launch = 1, .device = 7};

    (void)ctx;
    for (size_t size = 0; size < sizeof(launch); size++)
        assert_int_equal(record_rank_find(lanes, RECORD_LAUNCH, &launch, size), 0);
    assert_int_equal(record_rank_find(lanes, 999, &launch, sizeof(launch)), 0);
    record_rank_destroy(lanes);
}

/* A new kind that names a card or a launch must get its row. */
static void every_kind_has_an_answer(void **ctx)
{
    static const uint64_t zeros[1024];

    (void)ctx;
    for (unsigned kind = 1; kind < RECORD_KIND_END; kind++) {
        struct record_rank *lanes = record_rank_create(cards, 2);
        const struct record_kind_row *row = record_kind_get(kind);

        assert_true(row && row->least <= sizeof(zeros));
        assert_int_equal(record_rank_find(lanes, kind, zeros, row->least), 0);
        record_rank_destroy(lanes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_goes_to_the_card_that_it_names),
        cmocka_unit_test(what_names_a_launch_waits_for_it),
        cmocka_unit_test(what_is_cut_is_of_the_process),
        cmocka_unit_test(every_kind_has_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
