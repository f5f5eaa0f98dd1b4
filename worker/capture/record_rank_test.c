#include "worker/capture/record_rank.h"

#include "lib/base/mem.h"
#include "lib/capture/format/kinds.h"
#include "lib/capture/format/records.h"
#include "tests/support/unit.h"

static const uint32_t cards[] = {4, 7};

static void a_record_belongs_to_the_card_that_it_names(void **ctx)
{
    struct record_rank *ranks = record_rank_create(cards, 2);
    struct record_run_clock clock = {.device = 7};
    struct record_comm_group group = {.device = 4};
    struct record_stamp other = {.device = 5}; /* no card of this process */
    struct record_drop drop = {0};

    (void)ctx;
    assert_int_equal(record_rank_find(ranks, RECORD_RUN_CLOCK, &clock, sizeof(clock)),
                     1);
    assert_int_equal(record_rank_find(ranks, RECORD_COMM_GROUP, &group, sizeof(group)),
                     0);
    assert_int_equal(record_rank_find(ranks, RECORD_STAMP, &other, sizeof(other)), 0);
    assert_int_equal(record_rank_find(ranks, RECORD_DROP, &drop, sizeof(drop)), 0);
    record_rank_destroy(ranks);
}

static void a_record_of_a_launch_waits_for_the_launch_record(void **ctx)
{
    struct record_rank *ranks = record_rank_create(cards, 2);
    struct record_barrier barrier = {.launch = 9};
    struct record_launch launch = {.launch = 9, .device = 7};
    struct record_launch_end end = {.launch = 9};
    struct record_launch later = {.launch = 9 + 4096, .device = 4};

    (void)ctx;
    assert_int_equal(record_rank_find(ranks, RECORD_BARRIER, &barrier, sizeof(barrier)),
                     RECORD_RANK_UNKNOWN);
    assert_int_equal(record_rank_find(ranks, RECORD_LAUNCH, &launch, sizeof(launch)),
                     1);
    assert_int_equal(record_rank_find(ranks, RECORD_BARRIER, &barrier, sizeof(barrier)),
                     1);
    assert_int_equal(record_rank_find(ranks, RECORD_LAUNCH_END, &end, sizeof(end)), 1);
    assert_int_equal(record_rank_find(ranks, RECORD_LAUNCH, &later, sizeof(later)), 0);
    assert_int_equal(
        record_rank_find(ranks, RECORD_LAUNCH_END, &end, sizeof(end)),
        RECORD_RANK_UNKNOWN); /* replaced, but not assigned to a wrong card */
    record_rank_destroy(ranks);
}

static void a_truncated_record_belongs_to_the_process(void **ctx)
{
    struct record_rank *ranks = record_rank_create(cards, 2);
    struct record_launch launch = {.launch = 1, .device = 7};

    (void)ctx;
    for (size_t size = 0; size < sizeof(launch); size++)
        assert_int_equal(record_rank_find(ranks, RECORD_LAUNCH, &launch, size), 0);
    assert_int_equal(record_rank_find(ranks, 999, &launch, sizeof(launch)), 0);
    record_rank_destroy(ranks);
}

/* A new kind that names a card or a launch needs a row in record_rank.c. */
static void every_kind_has_a_rank(void **ctx)
{
    static const uint64_t zeros[1024];

    (void)ctx;
    for (unsigned kind = 1; kind < RECORD_KIND_END; kind++) {
        struct record_rank *ranks = record_rank_create(cards, 2);
        const struct record_kind_row *row = record_kind_get(kind);

        assert_true(row && row->least <= sizeof(zeros));
        assert_int_equal(record_rank_find(ranks, kind, zeros, row->least), 0);
        record_rank_destroy(ranks);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_belongs_to_the_card_that_it_names),
        cmocka_unit_test(a_record_of_a_launch_waits_for_the_launch_record),
        cmocka_unit_test(a_truncated_record_belongs_to_the_process),
        cmocka_unit_test(every_kind_has_a_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
