/* faults_test.c - one rank of three fails at some point of a replay
 *
 * The other ranks name it and stop at the same execution. Their programs continue with
 * right results when the communicator still works. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/inject/sample_ranks.h"
#include "tests/support/unit.h"

enum { PASSES = 3, WARMUPS = 2, LIMIT_MS = 2000, LONG_MS = 20000 };

static struct fake_worker_result alone[FAKE_WORKER_RANKS], attached[FAKE_WORKER_RANKS];
static struct sample_ranks run;

static const struct fake_worker_plan one_launch = {
    .profile = 1,
    .passes = PASSES,
    .warmups = WARMUPS,
    .barrier_ms = LONG_MS,
};

/* The fault of rank 1, and the reason that the other ranks record. */
static const struct fault {
    const char *fault_point, *expected;
    enum { DIES, LATE, REFUSES, BREAKS } how;
} faults[] = {
    {"1:prepare:1:kill", "before the launch: rank 1 has died", DIES},
    {"1:save:1:kill", "saving memory: rank 1 has died", DIES},
    {"1:restore:1:kill", "before replay 1: rank 1 has died", DIES},
    {"1:restore:4:kill", "before replay 4: rank 1 has died", DIES},
    {"1:arm:1:kill", "before replay 3: rank 1 has died", DIES},
    {"1:run:2:kill", "in replay 2: rank 1 has died", DIES},
    {"1:wait:5:kill", "in replay 5: rank 1 has died", DIES},
    {"1:end:1:kill", "in replay 1: rank 1 has died", DIES},
    {"1:prepare:1:late=2800", "before the launch: rank 1 did not come in time", LATE},
    {"1:end:3:late=2800", "in replay 3: rank 1 did not come in time", LATE},
    {"1:save:1:fail", "saving memory: rank 1 could not save its memory", REFUSES},
    {"1:restore:3:fail", "before replay 3: rank 1 could not restore its memory",
     REFUSES},
    {"1:arm:2:fail", "before replay 4: rank 1 could not start its counters", REFUSES},
    {"1:run:1:late=2800", "in replay 1: rank 1 did not come in time", BREAKS},
    {"1:restore:2:stop", "before replay 2: rank 1 did not come in time", LATE},
    {"1:run:3:stop", "in replay 3: rank 1 did not come in time", BREAKS},
};

/* Returns true when the other ranks wait until the time limit. */
static bool is_waited_for(const struct fault *fault)
{
    return fault->how == LATE || fault->how == BREAKS ||
           strncmp(fault->expected, "in replay", 9) == 0;
}

static void check_fault(const struct fault *fault, bool ends_unreported)
{
    char fault_point[64];
    const char *const env[] = {fault_point, NULL};
    struct fake_worker_plan plan = one_launch;

    snprintf(fault_point, sizeof(fault_point), "MUSTER_TEST_FAULT_POINT=%s",
             fault->fault_point);
    plan.env = env;
    plan.barrier_ms = is_waited_for(fault) ? LIMIT_MS : LONG_MS;
    plan.continues = true;
    plan.ends_unreported = ends_unreported;
    sample_run_processes(&run, attached, 3, &samples[SAMPLE_IN_PLACE], plan);
    for (uint32_t i = 0; i < 3; i++) {
        if (i != 1) {
            assert_int_equal(attached[i].ends, 1);
            assert_int_equal(attached[i].end[0].complete, 0);
            if (strncmp(attached[i].end[0].reason, fault->expected,
                        strlen(fault->expected)))
                print_error("%s: rank %u recorded: %s\n", fault->fault_point, i,
                            attached[i].end[0].reason);
            assert_memory_equal(attached[i].end[0].reason, fault->expected,
                                strlen(fault->expected));
            assert_int_equal(attached[i].barrier[attached[i].barriers - 1].culprit, 1);
            assert_int_equal(attached[i].passes, attached[0].passes);
        }
        if (fault->how == LATE || fault->how == REFUSES) {
            assert_int_equal(attached[i].status, 0);
            assert_string_equal(attached[i].out, alone[i].out);
            assert_int_equal(attached[i].passes, attached[0].passes);
        } else if (fault->how == BREAKS) {
            assert_int_not_equal(attached[i].status, 0);
        }
    }
    if (fault->how == DIES)
        assert_true(WIFSIGNALED(attached[1].status));
}

/* The later launches run as without inject. They fail when a rank died. */
static void a_failed_rank_is_named_and_all_stop_at_one_execution(void **ctx)
{
    struct fake_worker_plan without_inject = one_launch;

    (void)ctx;
    without_inject.not_attached = true;
    sample_run_processes(&run, alone, 3, &samples[SAMPLE_IN_PLACE], without_inject);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        check_fault(&faults[i], false);
}

static void the_other_ranks_detect_an_unreported_death(void **ctx)
{
    (void)ctx;
    check_fault(&faults[0], true);
    check_fault(&faults[3], true);
    check_fault(&faults[7], true);
}

/* Writes a fleet file with one fault, and the environment variable with its path. */
static void write_fleet_file(char path[96], char variable[128], const char *fault)
{
    FILE *file;

    snprintf(path, 96, "%s/fleet.yaml", run.folder);
    snprintf(variable, 128, "NPU_SIM_FLEET=%s", path);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "version: 1\n"
            "hosts: [{name: node0, cards: 8, soc: Ascend910B2}]\n"
            "faults: [%s]\n",
            fault);
    assert_int_equal(fclose(file), 0);
}

/* A stuck kernel makes the kernels of the other ranks hang, so the cause is unknown.
 * All ranks stop after the same execution, and their programs get an error. */
static void a_stuck_kernel_blocks_no_rank(void **ctx)
{
    char path[96], variable[128];
    const char *const env[] = {variable, NULL};
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    write_fleet_file(
        path, variable,
        "{fault: stuck_kernel, rank: 1, launch: 3, kernel: \"MatmulAllReduceAdd*\"}");
    plan.env = env;
    plan.barrier_ms = LIMIT_MS;
    sample_run_processes(&run, attached, 3, &samples[SAMPLE_IN_PLACE], plan);
    unlink(path);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(attached[i].ends, 1);
        assert_string_equal(attached[i].end[0].reason,
                            "in replay 2: ranks 0-2 did not end their kernel in time "
                            "(error 507046 on this rank)");
        assert_int_equal(attached[i].passes, 3);
        assert_int_not_equal(attached[i].status, 0);
    }
}

/* The card has room for the program but not for the snapshot, which goes to host
 * memory. The other rank's snapshot is on its card. */
static void a_full_card_saves_its_memory_on_the_host(void **ctx)
{
    char path[96], variable[128];
    const char *const env[] = {variable, "HCCL_BUFFSIZE=1", NULL};
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    write_fleet_file(path, variable, "{fault: full_memory, card: 1, free_mib: 11}");
    plan.env = env;
    run.more[0] = "--m", run.more[1] = run.more[3] = "1024", run.more[2] = "--n";
    plan.not_attached = true;
    sample_run_processes(&run, alone, 2, &samples[SAMPLE_IN_PLACE], plan);
    plan.not_attached = false;
    sample_run_processes(&run, attached, 2, &samples[SAMPLE_IN_PLACE], plan);
    memset(run.more, 0, sizeof(run.more));
    unlink(path);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(attached[i].status, 0);
        assert_string_equal(attached[i].out, alone[i].out);
        assert_int_equal(attached[i].end[0].complete, 1);
        assert_true(attached[i].launch[0].snapshot_bytes > 4 << 20);
    }
}

static void ranks_at_different_operators_are_named(void **ctx)
{
    const char *const programs[] = {"matmul_all_reduce", "matmul_all_reduce",
                                    "matmul_reduce_scatter"};

    (void)ctx;
    sample_ranks_run(&run, attached, 3, programs, one_launch);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(attached[i].ends, 1);
        assert_int_equal(attached[i].end[0].complete, 0);
        assert_string_equal(attached[i].end[0].reason,
                            "before the launch: rank 2 is at MatmulReduceScatter_0 "
                            "(launch 1), ranks 0-1 at MatmulAllReduce_0 (launch 1)");
        assert_int_equal(attached[i].passes, 0);
    }
}

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
        cmocka_unit_test(a_failed_rank_is_named_and_all_stop_at_one_execution),
        cmocka_unit_test(the_other_ranks_detect_an_unreported_death),
        cmocka_unit_test(a_stuck_kernel_blocks_no_rank),
        cmocka_unit_test(a_full_card_saves_its_memory_on_the_host),
        cmocka_unit_test(ranks_at_different_operators_are_named),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
