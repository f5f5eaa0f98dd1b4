/* together_test.c - operators over several cards, alone and with the guest in them:
 * ranks that are processes, and ranks that are threads of one */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/samples.h"
#include "tests/support/unit.h"

enum { PASSES = 3, WARMUPS = 2, EXECUTIONS = PASSES + WARMUPS };

static struct host_story alone[HOST_RANKS], attached[HOST_RANKS];
static struct samples run;

static const struct host_plan one_launch = {
    .profile = 1,
    .passes = PASSES,
    .warmups = WARMUPS,
    .barrier_ms = 20000,
};

static unsigned count_met(const struct host_story *story, enum barrier_phase phase)
{
    unsigned count = 0;

    for (unsigned i = 0; i < story->barriers; i++)
        count += story->barrier[i].phase == phase && story->barrier[i].reason == 0;
    return count;
}

/* Every rank of a story has executed the launch equally often, from the same memory. */
static void assert_replayed(const struct host_story *story,
                            uint32_t ranks_here,
                            const struct sample *sample)
{
    assert_false(story->broken);
    assert_int_equal(story->launches, ranks_here);
    assert_int_equal(story->ends, ranks_here);
    assert_int_equal(story->passes, ranks_here * (1 + EXECUTIONS));
    for (uint32_t i = 0; i < ranks_here; i++) {
        assert_string_equal(story->launch[i].kernel, sample->kernel);
        assert_int_equal(story->launch[i].kind, sample->kind);
        assert_string_equal(story->end[i].reason, "");
        assert_int_equal(story->end[i].complete, 1);
        assert_int_equal(story->end[i].passes_done, PASSES);
        assert_int_equal(story->launch_group[i].replayed, 1);
        for (unsigned k = 0, found = 0; k < story->passes; k++) {
            static uint64_t sum;

            if (story->pass[k].launch != story->launch[i].launch)
                continue;
            assert_true(found++ == 0 || story->pass[k].input_checksum == sum);
            sum = story->pass[k].input_checksum;
            assert_int_equal(story->pass[k].status, 0);
        }
    }
    assert_int_equal(count_met(story, BARRIER_PREPARE), ranks_here);
    assert_int_equal(count_met(story, BARRIER_SAVED), ranks_here);
    assert_int_equal(count_met(story, BARRIER_FIRST), ranks_here);
    assert_int_equal(count_met(story, BARRIER_START), ranks_here * EXECUTIONS);
    assert_int_equal(count_met(story, BARRIER_END), ranks_here * EXECUTIONS);
}

static const struct record_barrier *
find_barrier(const struct host_story *story, enum barrier_phase phase, uint32_t n)
{
    for (unsigned i = 0; i < story->barriers; i++)
        if (story->barrier[i].phase == phase && story->barrier[i].execution == n)
            return &story->barrier[i];
    return NULL;
}

/* Nobody was released before the last one had come, and all know when that was. */
static void assert_lock_step(uint32_t ranks)
{
    for (uint32_t n = 0; n < EXECUTIONS; n++) {
        const struct record_barrier *first =
            find_barrier(&attached[0], BARRIER_START, n);

        for (uint32_t i = 0; i < ranks; i++) {
            const struct record_barrier *one =
                find_barrier(&attached[i], BARRIER_START, n);

            assert_non_null(one);
            assert_int_equal(one->rank, i);
            assert_int_equal(one->ranks, ranks);
            assert_true(one->key == first->key);
            assert_true(one->planned_ns == first->planned_ns);
            assert_true(one->arrived_ns <= first->planned_ns);
            assert_true(one->released_ns >= first->planned_ns);
        }
    }
}

static void assert_same_answers(uint32_t stories)
{
    for (uint32_t i = 0; i < stories; i++) {
        assert_int_equal(alone[i].status, 0);
        assert_int_equal(attached[i].status, 0);
        assert_string_equal(alone[i].out, attached[i].out);
        assert_non_null(strstr(alone[i].out, i == 0 ? "result=ok" : "rank="));
    }
}

static void check_processes(const struct sample *sample, uint32_t ranks)
{
    struct host_plan unattached = one_launch;

    unattached.not_attached = true;
    sample_run_processes(&run, alone, ranks, sample, unattached);
    sample_run_processes(&run, attached, ranks, sample, one_launch);
    assert_same_answers(ranks);
    for (uint32_t i = 0; i < ranks; i++)
        assert_replayed(&attached[i], 1, sample);
    assert_lock_step(ranks);
}

static void check_threads(const struct sample *sample, uint32_t ranks)
{
    struct host_plan unattached = one_launch;

    unattached.not_attached = true;
    sample_run_threads(&run, alone, ranks, sample, unattached);
    sample_run_threads(&run, attached, ranks, sample, one_launch);
    assert_same_answers(1);
    assert_replayed(attached, ranks, sample);
}

static void each_operator_is_replayed_by_processes(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < SAMPLES_COUNT; i++)
        check_processes(&samples[i], i % 2 ? 2 : 4);
}

static void each_operator_is_replayed_by_threads(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < SAMPLES_COUNT; i++)
        check_threads(&samples[i], i % 2 ? 4 : 2);
}

/* A runtime whose functions call each other without passing us. */
static void operators_are_replayed_on_a_hidden_runtime(void **ctx)
{
    static const int some[] = {0, SAMPLE_IN_PLACE, 5};

    (void)ctx;
    run.home = SIM "/hidden";
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
        check_processes(&samples[some[i]], 2);
        check_threads(&samples[some[i]], 2);
    }
    run.home = SIM;
}

/* Tensor and data parallel: a card is in two groups, and replays in each. */
static void two_groups_on_each_card_are_replayed_each_by_itself(void **ctx)
{
    static const struct sample two = {"two_groups", "MatmulAllReduce_0", LAUNCH_MC2};
    struct host_plan plan = one_launch;

    (void)ctx;
    plan.not_attached = true;
    sample_run_processes(&run, alone, 4, &two, plan);
    sample_run_processes(&run, attached, 4, &two, one_launch);
    assert_same_answers(4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct host_story *story = &attached[i];

        assert_int_equal(story->launches, 2);
        assert_true(story->launch_group[0].key != story->launch_group[1].key);
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(story->end[k].complete, 1);
            assert_int_equal(story->launch_group[k].ranks, 2);
        }
        assert_int_equal(count_met(story, BARRIER_END), 2 * EXECUTIONS);
    }
}

/* Each rank waits for one that waits for the next one: that is seen long before the
 * limit, and one operation at least is not replayed. */
static void groups_used_in_a_circle_lock_nobody(void **ctx)
{
    static const struct sample two = {"two_groups", "MatmulAllReduce_0", LAUNCH_MC2};
    struct host_plan plan = one_launch;
    unsigned circles = 0;

    (void)ctx;
    run.more[0] = "--order";
    run.more[1] = "ring";
    plan.not_attached = true;
    sample_run_processes(&run, alone, 4, &two, plan);
    plan.not_attached = false;
    sample_run_processes(&run, attached, 4, &two, plan);
    run.more[0] = run.more[1] = NULL;
    assert_same_answers(4);
    for (uint32_t i = 0; i < 4; i++)
        for (unsigned k = 0; k < attached[i].ends; k++)
            circles += strstr(attached[i].end[k].reason,
                              "waits in another group for one that waits here") != NULL;
    assert_true(circles >= 2);
}

/* A launcher that forks and execs its ranks, which find everything by name, launch from
 * a thread of their own and fork helpers: each process talks for itself. */
static void a_program_like_those_of_frameworks_is_replayed_too(void **ctx)
{
    const char *const argv[] = {
        SIM "/bin/torch_like", "--ranks", "2", "--steps", "2", NULL};
    struct host_plan plan = one_launch;
    unsigned fused = 0, collectives = 0;

    (void)ctx;
    plan.world = 2;
    plan.not_attached = true;
    host_run(alone, argv, GUEST, SIM, &plan);
    plan.not_attached = false;
    plan.profile = 2;
    host_run(attached, argv, GUEST, SIM, &plan);
    assert_int_equal(attached[0].status, 0);
    assert_string_equal(alone[0].out, attached[0].out);
    assert_int_equal(attached[0].hellos, 2);
    for (unsigned i = 0; i < attached[0].ends; i++) {
        assert_int_equal(attached[0].end[i].complete, 1);
        fused += attached[0].launch[i].kind == LAUNCH_MC2;
        collectives += attached[0].launch[i].kind == LAUNCH_COLLECTIVE;
    }
    assert_true(fused >= 2 && fused % 2 == 0);
    assert_true(collectives >= 2 && collectives % 2 == 0);
}

static void eight_ranks_on_fewer_cores(void **ctx)
{
    (void)ctx;
    check_processes(&samples[SAMPLE_IN_PLACE], 8);
    check_threads(&samples[SAMPLE_IN_PLACE], 8);
}

/* The proof that putting memory back is what makes the answer right. */
static void in_place_without_restoring_goes_wrong(void **ctx)
{
    struct host_plan plan = one_launch;

    (void)ctx;
    plan.flags = CHANNEL_RESTORE_OFF;
    sample_run_processes(&run, attached, 2, &samples[SAMPLE_IN_PLACE], plan);
    assert_int_equal(attached[0].end[0].complete, 1);
    assert_int_not_equal(attached[0].status, 0);
    assert_non_null(strstr(attached[0].out, "result=wrong"));
}

static void launches_that_are_not_wanted_wait_for_nobody(void **ctx)
{
    struct host_plan plan = one_launch;

    (void)ctx;
    plan.profile = 0;
    sample_run_processes(&run, attached, 3, &samples[1], plan);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(attached[i].status, 0);
        assert_int_equal(attached[i].barriers, 0);
        assert_int_equal(attached[i].launches, 0);
    }
}

static int set_up(void **ctx)
{
    (void)ctx;
    return samples_init(&run, GUEST, SIM);
}

static int tear_down(void **ctx)
{
    (void)ctx;
    samples_clear(&run);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operator_is_replayed_by_processes),
        cmocka_unit_test(each_operator_is_replayed_by_threads),
        cmocka_unit_test(operators_are_replayed_on_a_hidden_runtime),
        cmocka_unit_test(two_groups_on_each_card_are_replayed_each_by_itself),
        cmocka_unit_test(groups_used_in_a_circle_lock_nobody),
        cmocka_unit_test(a_program_like_those_of_frameworks_is_replayed_too),
        cmocka_unit_test(eight_ranks_on_fewer_cores),
        cmocka_unit_test(in_place_without_restoring_goes_wrong),
        cmocka_unit_test(launches_that_are_not_wanted_wait_for_nobody),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
