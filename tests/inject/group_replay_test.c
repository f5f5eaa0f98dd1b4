/* group_replay_test.c - ranks that replay together: several communicators, forked
 * ranks, ranges, launches that are not selected. matrix_test.c tests each operator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/inject/sample_ranks.h"
#include "tests/support/unit.h"

enum { PASSES = 3, WARMUPS = 2, EXECUTIONS = PASSES + WARMUPS };

static struct fake_worker_result alone[FAKE_WORKER_RANKS], attached[FAKE_WORKER_RANKS];
static struct sample_ranks run;

static const struct fake_worker_plan one_launch = {
    .profile = 1,
    .passes = PASSES,
    .warmups = WARMUPS,
    .barrier_ms = 20000,
};

static unsigned count_released(const struct fake_worker_result *result,
                               enum barrier_phase phase)
{
    unsigned count = 0;

    for (unsigned i = 0; i < result->barriers; i++)
        count += result->barrier[i].phase == phase && result->barrier[i].reason == 0;
    return count;
}

static void assert_equal_results(uint32_t results)
{
    for (uint32_t i = 0; i < results; i++) {
        assert_int_equal(alone[i].status, 0);
        assert_int_equal(attached[i].status, 0);
        assert_string_equal(alone[i].out, attached[i].out);
        assert_non_null(strstr(alone[i].out, i == 0 ? "result=ok" : "rank="));
    }
}

/* Each card belongs to two communicators, as with tensor and data parallelism. */
static void two_communicators_on_each_card_are_replayed_separately(void **ctx)
{
    static const struct sample two = {"two_groups", "MatmulAllReduce_0", LAUNCH_MC2,
                                      NULL};
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.not_attached = true;
    sample_run_processes(&run, alone, 4, &two, plan);
    sample_run_processes(&run, attached, 4, &two, one_launch);
    assert_equal_results(4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct fake_worker_result *result = &attached[i];

        assert_int_equal(result->launches, 2);
        assert_true(result->launch_group[0].key != result->launch_group[1].key);
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(result->end[k].complete, 1);
            assert_int_equal(result->launch_group[k].ranks, 2);
        }
        assert_int_equal(count_released(result, BARRIER_END), 2 * EXECUTIONS);
    }
}

/* Each rank waits for a rank that waits for the next one. The barrier detects that long
 * before the limit, and at least one operation is not replayed. */
static void a_cycle_of_communicators_does_not_deadlock(void **ctx)
{
    static const struct sample two = {"two_groups", "MatmulAllReduce_0", LAUNCH_MC2,
                                      NULL};
    struct fake_worker_plan plan = one_launch;
    unsigned deadlocks = 0;

    (void)ctx;
    run.more[0] = "--order";
    run.more[1] = "ring";
    plan.not_attached = true;
    sample_run_processes(&run, alone, 4, &two, plan);
    plan.not_attached = false;
    sample_run_processes(&run, attached, 4, &two, plan);
    run.more[0] = run.more[1] = NULL;
    assert_equal_results(4);
    for (uint32_t i = 0; i < 4; i++)
        for (unsigned k = 0; k < attached[i].ends; k++)
            deadlocks +=
                strstr(attached[i].end[k].reason,
                       "waits in another group for a rank that waits here") != NULL;
    assert_true(deadlocks >= 2);
}

/* A launcher forks the ranks. They use dlsym(), launch from their own thread and fork
 * helper processes. Each process has its own channel to the worker. */
static void a_framework_with_forked_ranks_is_replayed(void **ctx)
{
    const char *const argv[] = {
        SIM "/bin/torch_like", "--ranks", "2", "--steps", "2", NULL};
    struct fake_worker_plan plan = one_launch;
    unsigned fused = 0, collectives = 0;

    (void)ctx;
    plan.world = 2;
    plan.not_attached = true;
    fake_worker_run(alone, argv, INJECT_LIBRARY, SIM, &plan);
    plan.not_attached = false;
    plan.profile = 2;
    fake_worker_run(attached, argv, INJECT_LIBRARY, SIM, &plan);
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

/* A range with an all-reduce, a fused operator and another all-reduce, all in place.
 * All ranks capture and replay it together. */
static const struct sample step = {"matmul_all_reduce_inplace", "step", LAUNCH_RANGE,
                                   NULL};

static void run_steps(bool threads, uint32_t ranks, struct fake_worker_plan plan)
{
    void (*run_all)(const struct sample_ranks *, struct fake_worker_result *, uint32_t,
                    const struct sample *, struct fake_worker_plan) =
        threads ? sample_run_threads : sample_run_processes;
    struct fake_worker_plan without_inject = plan;

    without_inject.not_attached = true;
    plan.flags = CONTROL_RANGES;
    run.more[0] = "--marked";
    run.more[1] = "1";
    run_all(&run, alone, ranks, &step, without_inject);
    run_all(&run, attached, ranks, &step, plan);
    run.more[0] = run.more[1] = NULL;
    assert_equal_results(threads ? 1 : ranks);
}

static void assert_step_replayed(const struct fake_worker_result *result,
                                 uint32_t ranks_here)
{
    assert_int_equal(result->launches, ranks_here);
    assert_int_equal(result->ends, ranks_here);
    for (uint32_t i = 0; i < ranks_here; i++)
        assert_string_equal(result->end[i].reason, "");
    assert_int_equal(result->passes, ranks_here * (1 + EXECUTIONS));
    for (uint32_t i = 0; i < ranks_here; i++) {
        uint64_t sum = 0;

        assert_int_equal(result->launch[i].kind, LAUNCH_RANGE);
        assert_string_equal(result->launch[i].kernel, "step");
        assert_int_equal(result->launch[i].block_dim, 3);
        assert_int_equal(result->end[i].complete, 1);
        for (unsigned k = 0; k < result->passes; k++) {
            if (result->pass[k].launch != result->launch[i].launch)
                continue;
            assert_true(sum == 0 || sum == result->pass[k].input_checksum);
            sum = result->pass[k].input_checksum;
            assert_int_equal(result->pass[k].status, 0);
        }
        assert_true(sum != 0);
    }
    assert_int_equal(count_released(result, BARRIER_PREPARE), ranks_here);
    assert_int_equal(count_released(result, BARRIER_START), ranks_here * EXECUTIONS);
    assert_int_equal(count_released(result, BARRIER_END), ranks_here * EXECUTIONS);
}

static void a_range_over_several_cards_is_replayed_by_all_ranks(void **ctx)
{
    static const struct {
        bool threads, hidden;
        uint32_t ranks;
    } variants[] = {
        {false, false, 2}, {true, false, 4}, {false, true, 4}, {true, true, 2}};

    (void)ctx;
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        run.home = variants[i].hidden ? SIM "/hidden" : SIM;
        run_steps(variants[i].threads, variants[i].ranks, one_launch);
        for (uint32_t k = 0; k < variants[i].ranks; k++)
            if (k == 0 || !variants[i].threads)
                assert_step_replayed(&attached[k],
                                     variants[i].threads ? variants[i].ranks : 1);
    }
    run.home = SIM;
}

static void an_aborted_range_has_run_once_on_all_ranks(void **ctx)
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

/* Shows that the restore makes the results right. */
static void an_operator_in_place_is_wrong_without_restore(void **ctx)
{
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.flags = CONTROL_RESTORE_OFF;
    sample_run_processes(&run, attached, 2, &samples[SAMPLE_IN_PLACE], plan);
    assert_int_equal(attached[0].end[0].complete, 1);
    assert_int_not_equal(attached[0].status, 0);
    assert_non_null(strstr(attached[0].out, "result=wrong"));
}

static void launches_that_are_not_selected_wait_at_no_barrier(void **ctx)
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
/* Runs a group replay of two threads under valgrind. */
static void valgrind_finds_no_error_in_a_group_replay(void **ctx)
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
        SKIP("valgrind is not installed; to run it: deploy/setup.sh --all");
    plan.world = 2;
    plan.kernel = samples[SAMPLE_IN_PLACE].kernel;
    plan.env = env;
    plan.barrier_ms = 40000;
    fake_worker_run(&attached[0], argv, INJECT_LIBRARY, SIM, &plan);
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
    return sample_ranks_init(&run, INJECT_LIBRARY, SIM);
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
        cmocka_unit_test(two_communicators_on_each_card_are_replayed_separately),
        cmocka_unit_test(a_cycle_of_communicators_does_not_deadlock),
        cmocka_unit_test(a_framework_with_forked_ranks_is_replayed),
        cmocka_unit_test(a_range_over_several_cards_is_replayed_by_all_ranks),
        cmocka_unit_test(an_aborted_range_has_run_once_on_all_ranks),
        cmocka_unit_test(an_operator_in_place_is_wrong_without_restore),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(valgrind_finds_no_error_in_a_group_replay),
#endif
        cmocka_unit_test(launches_that_are_not_selected_wait_at_no_barrier),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
