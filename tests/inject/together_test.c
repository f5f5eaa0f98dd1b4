/* together_test.c - ranks that replay together: groups that cross, programs that fork,
 * launches that nobody wants. Each operator on its own: matrix_test.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/inject/sample_ranks.h"
#include "tests/support/unit.h"

enum { PASSES = 3, WARMUPS = 2, EXECUTIONS = PASSES + WARMUPS };

static struct fake_worker_story alone[FAKE_WORKER_RANKS], attached[FAKE_WORKER_RANKS];
static struct sample_ranks run;

static const struct fake_worker_plan one_launch = {
    .profile = 1,
    .passes = PASSES,
    .warmups = WARMUPS,
    .barrier_ms = 20000,
};

static unsigned count_met(const struct fake_worker_story *story,
                          enum barrier_phase phase)
{
    unsigned count = 0;

    for (unsigned i = 0; i < story->barriers; i++)
        count += story->barrier[i].phase == phase && story->barrier[i].reason == 0;
    return count;
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

/* Tensor and data parallel: a card is in two groups, and replays in each. */
static void two_groups_on_each_card_are_replayed_each_by_itself(void **ctx)
{
    static const struct sample two = {"two_groups", "MatmulAllReduce_0", LAUNCH_MC2,
                                      NULL};
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.not_attached = true;
    sample_run_processes(&run, alone, 4, &two, plan);
    sample_run_processes(&run, attached, 4, &two, one_launch);
    assert_same_answers(4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct fake_worker_story *story = &attached[i];

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
    static const struct sample two = {"two_groups", "MatmulAllReduce_0", LAUNCH_MC2,
                                      NULL};
    struct fake_worker_plan plan = one_launch;
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
            circles +=
                strstr(attached[i].end[k].reason,
                       "waits in another group for a rank that waits here") != NULL;
    assert_true(circles >= 2);
}

/* A launcher that forks and execs its ranks, which find everything by name, launch from
 * a thread of their own and fork helpers: each process talks for itself. */
static void a_program_like_those_of_frameworks_is_replayed_too(void **ctx)
{
    const char *const argv[] = {
        SIM "/bin/torch_like", "--ranks", "2", "--steps", "2", NULL};
    struct fake_worker_plan plan = one_launch;
    unsigned fused = 0, collectives = 0;

    (void)ctx;
    plan.world = 2;
    plan.not_attached = true;
    fake_worker_run(alone, argv, GUEST, SIM, &plan);
    plan.not_attached = false;
    plan.profile = 2;
    fake_worker_run(attached, argv, GUEST, SIM, &plan);
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

/* A step with a sum over all ranks, a fused operator and one more sum, all in place:
 * noted on each rank, and executed by all together, as often as on one card. */
static const struct sample step = {"matmul_all_reduce_inplace", "step", LAUNCH_RANGE,
                                   NULL};

static void run_steps(bool threads, uint32_t ranks, struct fake_worker_plan plan)
{
    void (*run_all)(const struct sample_ranks *, struct fake_worker_story *, uint32_t,
                    const struct sample *, struct fake_worker_plan) =
        threads ? sample_run_threads : sample_run_processes;
    struct fake_worker_plan unattached = plan;

    unattached.not_attached = true;
    plan.flags = CONTROL_RANGES;
    run.more[0] = "--marked";
    run.more[1] = "1";
    run_all(&run, alone, ranks, &step, unattached);
    run_all(&run, attached, ranks, &step, plan);
    run.more[0] = run.more[1] = NULL;
    assert_same_answers(threads ? 1 : ranks);
}

static void assert_step_replayed(const struct fake_worker_story *story,
                                 uint32_t ranks_here)
{
    assert_int_equal(story->launches, ranks_here);
    assert_int_equal(story->ends, ranks_here);
    for (uint32_t i = 0; i < ranks_here; i++)
        assert_string_equal(story->end[i].reason, "");
    assert_int_equal(story->passes, ranks_here * (1 + EXECUTIONS));
    for (uint32_t i = 0; i < ranks_here; i++) {
        uint64_t sum = 0;

        assert_int_equal(story->launch[i].kind, LAUNCH_RANGE);
        assert_string_equal(story->launch[i].kernel, "step");
        assert_int_equal(story->launch[i].block_dim, 3);
        assert_int_equal(story->end[i].complete, 1);
        for (unsigned k = 0; k < story->passes; k++) {
            if (story->pass[k].launch != story->launch[i].launch)
                continue;
            assert_true(sum == 0 || sum == story->pass[k].input_checksum);
            sum = story->pass[k].input_checksum;
            assert_int_equal(story->pass[k].status, 0);
        }
        assert_true(sum != 0);
    }
    assert_int_equal(count_met(story, BARRIER_PREPARE), ranks_here);
    assert_int_equal(count_met(story, BARRIER_START), ranks_here * EXECUTIONS);
    assert_int_equal(count_met(story, BARRIER_END), ranks_here * EXECUTIONS);
}

static void a_range_over_several_cards_is_replayed_by_all_together(void **ctx)
{
    static const struct {
        bool threads, hidden;
        uint32_t ranks;
    } ways[] = {{false, false, 2}, {true, false, 4}, {false, true, 4}, {true, true, 2}};

    (void)ctx;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        run.home = ways[i].hidden ? SIM "/hidden" : SIM;
        run_steps(ways[i].threads, ways[i].ranks, one_launch);
        for (uint32_t k = 0; k < ways[i].ranks; k++)
            if (k == 0 || !ways[i].threads)
                assert_step_replayed(&attached[k], ways[i].threads ? ways[i].ranks : 1);
    }
    run.home = SIM;
}

/* Who cannot go on is named; the range has run once on all. */
static void a_range_that_one_rank_leaves_has_run_once_on_all(void **ctx)
{
    const char *const env[] = {"MUSTER_TEST_FAULT_POINT=1:restore:2:fail", NULL};
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.env = env;
    run_steps(false, 3, plan);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(attached[i].end[0].complete, 0);
        assert_int_equal(attached[i].passes, 2);
        if (i != 1)
            assert_string_equal(attached[i].end[0].reason,
                                "before replay 2: rank 1 could not restore its memory");
    }
}

/* The proof that putting memory back is what makes the answer right. */
static void in_place_without_restoring_goes_wrong(void **ctx)
{
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.flags = CONTROL_RESTORE_OFF;
    sample_run_processes(&run, attached, 2, &samples[SAMPLE_IN_PLACE], plan);
    assert_int_equal(attached[0].end[0].complete, 1);
    assert_int_not_equal(attached[0].status, 0);
    assert_non_null(strstr(attached[0].out, "result=wrong"));
}

static void launches_that_are_not_wanted_wait_for_nobody(void **ctx)
{
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.profile = 0;
    sample_run_processes(&run, attached, 3, &samples[SAMPLE_FUSED], plan);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(attached[i].status, 0);
        assert_int_equal(attached[i].barriers, 0);
        assert_int_equal(attached[i].launches, 0);
    }
}

#ifndef __SANITIZE_ADDRESS__
/* The whole of a replay in lock step, by threads: what one of them reads that nobody
 * wrote, or loses, valgrind tells. */
static void a_guest_of_ranks_reads_and_loses_nothing_it_should_not(void **ctx)
{
    const char *const argv[] = {"/usr/bin/valgrind",
                                "-q",
                                "--error-exitcode=9",
                                "--leak-check=full",
                                "--errors-for-leak-kinds=definite",
                                "--show-leak-kinds=definite",
                                "--fair-sched=yes",
                                "--suppressions=" SIM_TESTS "/valgrind.supp",
                                SIM "/bin/matmul_all_reduce_inplace",
                                "--threads",
                                "2",
                                "--launches",
                                "2",
                                "--m",
                                "20",
                                "--n",
                                "8",
                                "--k",
                                "4",
                                NULL};
    const char *const env[] = {"HCCL_BUFFSIZE=1", NULL};
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    if (access(argv[0], X_OK) < 0)
        skip();
    plan.world = 2;
    plan.kernel = samples[SAMPLE_IN_PLACE].kernel;
    plan.env = env;
    plan.barrier_ms = 40000;
    fake_worker_run(&attached[0], argv, GUEST, SIM, &plan);
    assert_int_equal(attached[0].status, 0);
    assert_non_null(strstr(attached[0].out, "result=ok"));
    assert_int_equal(attached[0].ends, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_string_equal(attached[0].end[i].reason, "");
        assert_int_equal(attached[0].end[i].complete, 1);
    }
}
#endif

static int set_up(void **ctx)
{
    (void)ctx;
    return sample_ranks_init(&run, GUEST, SIM);
}

static int tear_down(void **ctx)
{
    (void)ctx;
    sample_ranks_clear(&run);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_groups_on_each_card_are_replayed_each_by_itself),
        cmocka_unit_test(groups_used_in_a_circle_lock_nobody),
        cmocka_unit_test(a_program_like_those_of_frameworks_is_replayed_too),
        cmocka_unit_test(a_range_over_several_cards_is_replayed_by_all_together),
        cmocka_unit_test(a_range_that_one_rank_leaves_has_run_once_on_all),
        cmocka_unit_test(in_place_without_restoring_goes_wrong),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(a_guest_of_ranks_reads_and_loses_nothing_it_should_not),
#endif
        cmocka_unit_test(launches_that_are_not_wanted_wait_for_nobody),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
