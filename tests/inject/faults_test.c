/* faults_test.c - one rank of three fails somewhere in a replay
 *
 * The others name it, leave at the same execution, and go on with right answers where
 * the communicator still can. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/inject/sample_ranks.h"
#include "tests/support/unit.h"

enum { PASSES = 3, WARMUPS = 2, LIMIT_MS = 2000, LONG_MS = 20000 };

static struct fake_worker_story alone[FAKE_WORKER_RANKS], attached[FAKE_WORKER_RANKS];
static struct sample_ranks run;

static const struct fake_worker_plan one_launch = {
    .profile = 1,
    .passes = PASSES,
    .warmups = WARMUPS,
    .barrier_ms = LONG_MS,
};

/* What happens to rank 1 of three, and what the others say of it. */
static const struct fault {
    const char *trial, *told;
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

/* Who dies or refuses is not, however long one might; a kernel that has no peer is. */
static bool is_waited_for(const struct fault *fault)
{
    return fault->how == LATE || fault->how == BREAKS ||
           strncmp(fault->told, "in replay", 9) == 0;
}

static void check_fault(const struct fault *fault, bool nobody_looks)
{
    char trial[64];
    const char *const env[] = {trial, NULL};
    struct fake_worker_plan plan = one_launch;

    snprintf(trial, sizeof(trial), "MUSTER_TEST_FAULT_POINT=%s", fault->trial);
    plan.env = env;
    plan.barrier_ms = is_waited_for(fault) ? LIMIT_MS : LONG_MS;
    plan.continues = true;
    plan.nobody_looks = nobody_looks;
    sample_run_processes(&run, attached, 3, &samples[SAMPLE_IN_PLACE], plan);
    for (uint32_t i = 0; i < 3; i++) {
        if (i != 1) {
            assert_int_equal(attached[i].ends, 1);
            assert_int_equal(attached[i].end[0].complete, 0);
            if (strncmp(attached[i].end[0].reason, fault->told, strlen(fault->told)))
                print_error("%s: rank %u says %s\n", fault->trial, i,
                            attached[i].end[0].reason);
            assert_memory_equal(attached[i].end[0].reason, fault->told,
                                strlen(fault->told));
            assert_int_equal(attached[i].barrier[attached[i].barriers - 1].culprit, 1);
            /* equally often, by all of them */
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

/* The rest of the launches run as they would alone; a rank that died fails them. */
static void a_rank_that_fails_anywhere_is_named_and_all_leave_together(void **ctx)
{
    struct fake_worker_plan unattached = one_launch;

    (void)ctx;
    unattached.not_attached = true;
    sample_run_processes(&run, alone, 3, &samples[SAMPLE_IN_PLACE], unattached);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        check_fault(&faults[i], false);
}

static void a_death_that_nobody_tells_is_seen_by_the_others(void **ctx)
{
    (void)ctx;
    check_fault(&faults[0], true);
    check_fault(&faults[3], true);
    check_fault(&faults[7], true);
}

/* A fleet file with one fault in it, and the variable that names it. */
static void plant(char path[96], char variable[128], const char *fault)
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

/* A kernel that hangs makes those of the other ranks hang, and nobody can tell which
 * one it was; but all stop after the same execution, and the programs are told. */
static void a_kernel_that_hangs_hangs_nobody(void **ctx)
{
    char path[96], variable[128];
    const char *const env[] = {variable, NULL};
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plant(path, variable,
          "{fault: stuck_kernel, rank: 1, launch: 3, kernel: \"Inplace*\"}");
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

/* What the program needs fits on the card, what we keep of it does not: it is kept in
 * host memory, and the other rank's on its card. */
static void a_full_card_keeps_its_memory_on_the_host(void **ctx)
{
    char path[96], variable[128];
    const char *const env[] = {variable, "HCCL_BUFFSIZE=1", NULL};
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plant(path, variable, "{fault: full_memory, card: 1, free_mib: 11}");
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

static void ranks_at_different_operators_are_told_apart(void **ctx)
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
        cmocka_unit_test(a_rank_that_fails_anywhere_is_named_and_all_leave_together),
        cmocka_unit_test(a_death_that_nobody_tells_is_seen_by_the_others),
        cmocka_unit_test(a_kernel_that_hangs_hangs_nobody),
        cmocka_unit_test(a_full_card_keeps_its_memory_on_the_host),
        cmocka_unit_test(ranks_at_different_operators_are_told_apart),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
