/* attached_test.c - programs of the simulated NPU, with inject and without it */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "inject/base/abi.h"
#include "tests/inject/fake_worker.h"
#include "tests/support/unit.h"

#define PROGRAM(name) SIM "/bin/" name

static struct fake_worker_result alone, attached;
static const char *home; /* the toolkit of this round */

static const struct fake_worker_plan one_launch = {
    .profile = 1,
    .passes = 3,
    .warmups = 2,
    .l2_alone = true,
};

static void run(struct fake_worker_result *result,
                const char *program,
                struct fake_worker_plan plan)
{
    const char *const argv[] = {program, NULL};

    fake_worker_run(result, argv, INJECT_LIBRARY, home, &plan);
}

static void run_both(const char *program, struct fake_worker_plan plan)
{
    run(&attached, program, plan);
    plan.not_attached = true;
    run(&alone, program, plan);
}

static void assert_equal_results(void)
{
    assert_int_equal(alone.status, attached.status);
    assert_string_equal(alone.out, attached.out);
}

static unsigned count_passes(enum pass_kind kind)
{
    unsigned count = 0;

    for (unsigned i = 0; i < attached.passes; i++)
        count += attached.pass[i].kind == kind;
    return count;
}

static void assert_one_launch_as_planned(void)
{
    const struct fake_worker_channel *log, *l2;

    assert_int_equal(attached.hellos, 1);
    assert_int_equal(attached.launches, 1);
    assert_int_equal(attached.ends, 1);
    assert_string_equal(attached.end[0].reason, "");
    assert_int_equal(attached.end[0].complete, 1);
    assert_int_equal(attached.end[0].passes_done, 3);
    assert_int_equal(attached.launch[0].restore_class, RESTORE_ALL);
    assert_int_equal(attached.clocks, 2);
    assert_int_equal(count_passes(PASS_FIRST), 1);
    assert_int_equal(count_passes(PASS_WARMUP), 2);
    assert_int_equal(count_passes(PASS_L2), 1);
    assert_int_equal(count_passes(PASS_COUNTERS), 3);
    for (uint32_t pass = 1; pass <= 3; pass++) {
        const struct fake_worker_channel *counters = fake_worker_find_channel(
            &attached, attached.launch[0].launch, PROF_TASK_PMU, pass);

        assert_non_null(counters);
        assert_true(counters->bytes > 0);
        assert_int_equal(counters->bytes % 128, 0);
        assert_true(counters->in_order && !counters->lost);
        log = fake_worker_find_channel(&attached, attached.launch[0].launch,
                                       PROF_STARS_LOG, pass);
        assert_non_null(log);
        assert_true(log->bytes > 0);
        assert_int_equal(log->bytes % 64, 0);
    }
    assert_null(fake_worker_find_channel(&attached, attached.launch[0].launch,
                                         PROF_STARS_LOG, 0));
    l2 = fake_worker_find_channel(&attached, attached.launch[0].launch, PROF_L2, 0);
    assert_non_null(l2);
    assert_int_equal(l2->bytes, 72);
}

static void add_custom_has_equal_results_and_is_counted(void **ctx)
{
    (void)ctx;
    run_both(PROGRAM("add_custom"), one_launch);
    assert_equal_results();
    assert_int_equal(attached.status, 0);
    assert_one_launch_as_planned();
    assert_string_equal(attached.launch[0].kernel, "add_custom");
    assert_true(attached.launch[0].block_dim > 0);
    assert_int_equal(attached.clock.chip, 5);
    assert_int_equal(attached.clock.simulated, 1);
    assert_true(attached.clock.ticks_khz > 0);
}

/* Only the task log is on in the last execution. */
static void the_last_execution_has_no_counters(void **ctx)
{
    struct fake_worker_plan plan = one_launch;
    const struct fake_worker_channel *log;

    (void)ctx;
    plan.plain = 1;
    run_both(PROGRAM("add_custom"), plan);
    assert_equal_results();
    assert_one_launch_as_planned();
    assert_int_equal(count_passes(PASS_PLAIN), 1);
    assert_int_equal(attached.pass[attached.passes - 1].kind, PASS_PLAIN);
    assert_int_equal(attached.pass[attached.passes - 1].pass, PLAIN_PASS_NUMBER);
    assert_int_equal(attached.pass[attached.passes - 1].has_duration, 1);
    log = fake_worker_find_channel(&attached, attached.launch[0].launch, PROF_STARS_LOG,
                                   PLAIN_PASS_NUMBER);
    assert_non_null(log);
    assert_true(log->bytes > 0);
    assert_null(fake_worker_find_channel(&attached, attached.launch[0].launch,
                                         PROF_TASK_PMU, PLAIN_PASS_NUMBER));
}

static void matmul_custom_has_equal_results_and_is_counted(void **ctx)
{
    (void)ctx;
    run_both(PROGRAM("matmul_custom"), one_launch);
    assert_equal_results();
    assert_int_equal(attached.status, 0);
    assert_one_launch_as_planned();
}

static void each_pass_counts_its_own_events(void **ctx)
{
    (void)ctx;
    run(&attached, PROGRAM("add_custom"), one_launch);
    for (unsigned i = 0; i < attached.passes; i++) {
        const struct record_pass *pass = &attached.pass[i];

        if (pass->kind != PASS_COUNTERS)
            continue;
        assert_int_equal(pass->event_count, 8);
        assert_int_equal(pass->aic_events[1], 100 * pass->pass + 1);
        assert_int_equal(pass->aiv_events[7], 200 * pass->pass + 7);
        assert_int_equal(pass->has_duration, pass->pass > 0);
        assert_int_equal(pass->status, 0);
        assert_true(pass->end_ns > pass->start_ns);
    }
}

static void every_pass_starts_from_the_same_memory(void **ctx)
{
    (void)ctx;
    run_both(PROGRAM("accumulate_inplace"), one_launch);
    assert_equal_results();
    assert_int_equal(attached.status, 0);
    assert_one_launch_as_planned();
    for (unsigned i = 1; i < attached.passes; i++)
        assert_true(attached.pass[i].input_checksum == attached.pass[0].input_checksum);
}

/* Shows that the restore makes the results right. */
static void an_accumulation_is_wrong_without_restore(void **ctx)
{
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.flags = CONTROL_RESTORE_OFF;
    run_both(PROGRAM("accumulate_inplace"), plan);
    assert_int_equal(attached.ends, 1);
    assert_int_equal(attached.launch[0].restore_class, RESTORE_OFF);
    assert_true(attached.status != alone.status ||
                strcmp(attached.out, alone.out) != 0);
    assert_true(attached.pass[1].input_checksum != attached.pass[0].input_checksum);
}

/* The memory that changes comes after 36 MB that do not change. */
static void the_checksum_covers_all_memory(void **ctx)
{
    const char *const argv[] = {
        PROGRAM("accumulate_inplace"),
        "--n",
        "9000000",
        NULL,
    };
    struct fake_worker_plan plan = {
        .profile = 1,
        .passes = 1,
        .flags = CONTROL_RESTORE_OFF,
    };

    (void)ctx;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    assert_int_equal(attached.passes, 2);
    assert_true(attached.pass[0].input_checksum != 0);
    assert_true(attached.pass[1].input_checksum != attached.pass[0].input_checksum);
}

/* The program gets the error from the same call as without inject. */
static void a_failed_kernel_returns_the_same_error(void **ctx)
{
    const char *const env[] = {"NPU_SIM_FAULTS=fail_launch=1", NULL};
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.env = env;
    run_both(PROGRAM("accumulate_inplace"), plan);
    assert_equal_results();
    assert_true(alone.status != 0);
    assert_int_equal(attached.ends, 1);
    assert_int_equal(attached.end[0].complete, 0);
    assert_int_equal(attached.passes, 1);
    assert_true(attached.pass[0].status != 0);
}

/* The sixth execution is a counter pass. The memory is restored after it. */
static void a_failed_replay_does_not_change_the_results(void **ctx)
{
    const char *const env[] = {"NPU_SIM_FAULTS=fail_launch=6", NULL};
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.env = env;
    run_both(PROGRAM("accumulate_inplace"), plan);
    assert_equal_results();
    assert_int_equal(attached.status, 0);
    assert_int_equal(attached.ends, 1);
    assert_int_equal(attached.end[0].complete, 0);
    assert_non_null(strstr(attached.end[0].reason, "failed in a replay"));
}

/* The only execution is measured and no memory is saved, so an addition in place is
 * right too. The last pass is the one with the L2 counters. */
static void application_replay_measures_one_pass_per_start(void **ctx)
{
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    for (plan.only_pass = 1; plan.only_pass <= 4; plan.only_pass++) {
        bool l2 = plan.only_pass == 4;
        uint32_t pass = l2 ? 0 : plan.only_pass;

        run_both(PROGRAM("accumulate_inplace"), plan);
        assert_equal_results();
        assert_int_equal(attached.status, 0);
        assert_int_equal(attached.ends, 1);
        assert_string_equal(attached.end[0].reason, "");
        assert_int_equal(attached.end[0].complete, 1);
        assert_int_equal(attached.launch[0].restore_class, RESTORE_NOT_NEEDED);
        assert_int_equal(attached.launch[0].snapshot_bytes, 0);
        assert_int_equal(attached.passes, 1);
        assert_int_equal(attached.pass[0].kind, l2 ? PASS_L2 : PASS_COUNTERS);
        assert_int_equal(attached.pass[0].pass, pass);
        assert_int_equal(attached.channels, l2 ? 1 : 2);
        assert_non_null(fake_worker_find_channel(&attached, attached.launch[0].launch,
                                                 l2 ? PROF_L2 : PROF_TASK_PMU, pass));
    }
}

static void short_reads_of_a_channel_are_joined(void **ctx)
{
    const char *const env[] = {"NPU_SIM_FAULTS=read_at_most=100", NULL};
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.env = env;
    run_both(PROGRAM("add_custom"), plan);
    assert_equal_results();
    assert_one_launch_as_planned();
}

static void selected_launches_are_replayed_and_the_others_run(void **ctx)
{
    const char *const argv[] = {
        PROGRAM("accumulate_inplace"),
        "--launches",
        "5",
        NULL,
    };
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.profile = 3;
    plan.warmups = 0;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_int_equal(attached.status, 0);
    assert_int_equal(attached.prepares, 5);
    assert_int_equal(attached.launches, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(attached.launch[i].order, i);
        assert_int_equal(attached.end[i].complete, 1);
    }
}

static void a_launch_with_device_arguments_is_replayed(void **ctx)
{
    const char *const argv[] = {PROGRAM("add_custom"), "--device-args", "1", NULL};
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_int_equal(attached.status, 0);
    assert_one_launch_as_planned();
}

static void records_before_a_kill_can_be_read(void **ctx)
{
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.passes = 10;
    plan.kill_after_passes = 5;
    run(&attached, PROGRAM("add_custom"), plan);
    assert_false(attached.broken);
    assert_true(attached.passes >= 5);
    assert_int_equal(attached.launches, 1);
    if (attached.ends == 0) { /* otherwise the program ended before the signal */
        assert_true(WIFSIGNALED(attached.status));
        assert_int_equal(WTERMSIG(attached.status), SIGKILL);
    }
}

static void launches_that_are_not_selected_run_once(void **ctx)
{
    struct fake_worker_plan plan = {.profile = 0};

    (void)ctx;
    run_both(PROGRAM("add_custom"), plan);
    assert_equal_results();
    assert_true(attached.prepares > 0);
    assert_int_equal(attached.frames, attached.kinds[RECORD_MEM_EVENT]);
}

static void a_program_without_an_npu_sends_no_hello(void **ctx)
{
    (void)ctx;
    run(&attached, "/bin/true", one_launch);
    assert_int_equal(attached.status, 0);
    assert_int_equal(attached.hellos, 0);
}

static void a_program_that_cleared_its_environment_is_not_measured(void **ctx)
{
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.cleared = true;
    run_both(PROGRAM("add_custom"), plan);
    assert_equal_results();
    assert_int_equal(attached.hellos, 0);
}

/* The shell never uses an NPU; its children do, one after the other. */
static void each_process_below_a_shell_has_its_own_channel(void **ctx)
{
    const char *const argv[] = {
        "/bin/sh",
        "-c",
        PROGRAM("add_custom") " >&2; " PROGRAM("add_custom") " >&2",
        NULL,
    };
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    plan.profile = 2;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    assert_int_equal(attached.status, 0);
    assert_int_equal(attached.hellos, 2);
    assert_int_equal(attached.launches, 2);
    assert_int_equal(attached.ends, 2);
}

/* All ranks of a communicator have the same key, and collectives run. */
static void assert_one_communicator_of(unsigned ranks)
{
    assert_equal_results();
    assert_int_equal(attached.status, 0);
    assert_int_equal(attached.groups, ranks);
    for (unsigned i = 0, seen = 0; i < ranks; i++) {
        const struct record_comm_group *group = &attached.group[i];

        assert_true(group->key != 0 && group->key == attached.group[0].key);
        assert_true(group->name[0] != '\0');
        assert_string_equal(group->name, attached.group[0].name);
        assert_true(group->name_hash == attached.group[0].name_hash);
        assert_int_equal(group->ranks, ranks);
        assert_int_equal(group->device, group->rank);
        assert_false(seen & 1u << group->rank);
        seen |= 1u << group->rank;
    }
}

static void run_ranks(const char *option)
{
    const char *const argv[] = {PROGRAM("allreduce"), option, "3",
                                "--launches",         "2",    NULL};
    const char *const env[] = {"NPU_SIM_CARDS=3", NULL};
    struct fake_worker_plan plan = {.profile = 0, .env = env};

    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
}

static void ranks_in_threads_have_one_communicator_key(void **ctx)
{
    (void)ctx;
    run_ranks("--threads");
    assert_int_equal(attached.hellos, 1);
    assert_one_communicator_of(3);
}

static void ranks_in_processes_have_one_communicator_key(void **ctx)
{
    (void)ctx;
    run_ranks("--ranks");
    assert_int_equal(attached.hellos, 3);
    assert_one_communicator_of(3);
}

static void functions_found_by_dlsym_are_hooked(void **ctx)
{
    const char *const argv[] = {
        TOYS "/lookups",
        SIM "/kernels/accumulate_inplace.o",
        TOYS,
        NULL,
    };
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_non_null(strstr(alone.out, "wrong: 0\n"));
    assert_int_equal(attached.prepares, 2);
    assert_one_launch_as_planned();
    assert_string_equal(attached.launch[0].kernel, "accumulate_inplace");
}

static void health_is_recorded_before_and_after_a_launch(void **ctx)
{
    const struct record_run_health *health = attached.health;

    (void)ctx;
    run(&attached, PROGRAM("add_custom"), one_launch);
    assert_int_equal(attached.kinds[RECORD_RUN_HEALTH], 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(health[i].when, i == 0 ? HEALTH_BEFORE : HEALTH_AFTER);
        assert_int_equal(health[i].launch, attached.launch[0].launch);
        assert_true(health[i].known & HEALTH_HAS_CLOCK && health[i].core_mhz > 0);
        assert_true(health[i].known & HEALTH_HAS_MEMORY);
        assert_true(health[i].memory_used < health[i].memory_total);
        assert_true(health[i].known & HEALTH_HAS_TEMPERATURE);
        assert_true(health[i].known & HEALTH_HAS_POWER && health[i].power_mw > 0);
        assert_true(health[i].known & HEALTH_HAS_STATE);
        assert_true(health[i].known & HEALTH_HAS_PROCESSES);
        for (int k = 0; k < HEALTH_PROCESSES_MAX; k++)
            assert_int_not_equal(health[i].processes[k], attached.launch[0].pid);
    }
    assert_true(health[1].time_ns > health[0].time_ns);
}

static void versions_of_the_software_are_recorded_once(void **ctx)
{
    const struct record_run_environment *is = &attached.environment;
    const char *const argv[] = {PROGRAM("add_custom"), "--launches", "3", NULL};
    struct fake_worker_plan plan = one_launch;
    struct utsname host;

    (void)ctx;
    plan.profile = 2;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    assert_int_equal(attached.launches, 2);
    assert_int_equal(attached.kinds[RECORD_RUN_ENVIRONMENT], 1);
    assert_string_equal(is->chip, attached.clock.soc);
    assert_string_equal(is->cann, "9.1.0");
    assert_string_equal(is->driver, "npu_sim " MUSTER_VERSION);
    assert_string_equal(is->firmware, "npu_sim " MUSTER_VERSION);
    assert_int_equal(uname(&host), 0);
    assert_string_equal(is->host_kernel, host.release);
    assert_int_equal(is->hbm_maker, 0);
    assert_int_equal(is->replay_version, REPLAY_VERSION);
}

/* Two binaries of the program set marks and ranges. The worker gets the ranges of each
 * launch. */
static void marks_and_ranges_are_recorded(void **ctx)
{
    static const struct {
        enum stamp_kind kind;
        const char *text, *domain;
    } expected[] = {
        {STAMP_MARK, "ready", ""},
        {STAMP_RANGE_START, "step", ""},
        {STAMP_RANGE_START, "forward", "mine"},
        {STAMP_RANGE_END, "", "mine"},
        {STAMP_RANGE_END, "", ""},
        {STAMP_MARK, "done", "mine"},
    };
    const char *const argv[] = {
        TOYS "/marker",
        SIM "/kernels/accumulate_inplace.o",
        NULL,
    };
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_string_equal(alone.out, "wrong: 0\n");
    assert_int_equal(attached.ends, 1);
    assert_string_equal(attached.ranges, "forward\nstep\n");
    assert_int_equal(attached.stamps, 6);
    for (unsigned i = 0; i < 6; i++) {
        const struct record_stamp *stamp = &attached.stamp[i];

        assert_int_equal(stamp->kind, expected[i].kind);
        assert_string_equal(stamp->text, expected[i].text);
        assert_string_equal(stamp->domain_name, expected[i].domain);
        assert_true(stamp->thread > 0);
        assert_true(i == 0 || stamp->time_ns >= attached.stamp[i - 1].time_ns);
        assert_int_equal(stamp->device, 0);
    }
    assert_true(attached.stamp[1].stream >= 0);
    assert_int_equal(attached.stamp[0].stream, -1);
    assert_true(attached.stamp[1].range != attached.stamp[2].range);
    assert_int_equal(attached.stamp[1].range, attached.stamp[4].range);
    assert_true(attached.launch[0].start_ns > attached.stamp[2].time_ns);
    assert_true(attached.end[0].end_ns < attached.stamp[3].time_ns);
}

/* Allocations and frees, and the heaps and regions that the program registers. */
static void allocations_and_regions_are_recorded(void **ctx)
{
    static const enum mem_event_what expected[] = {
        MEM_ALLOC,  MEM_HEAP,       MEM_REGION,     MEM_REGION,   MEM_REGION,
        MEM_REGION, MEM_REGION_END, MEM_REGION_END, MEM_HEAP_END, MEM_FREE,
    };
    const struct record_mem_event *is = attached.memory;

    (void)ctx;
    run_both(TOYS "/pool", one_launch);
    assert_equal_results();
    assert_string_equal(alone.out, "done\n");
    assert_int_equal(attached.memories, sizeof(expected) / sizeof(expected[0]));
    for (unsigned i = 0; i < attached.memories; i++) {
        assert_int_equal(is[i].what, expected[i]);
        assert_int_equal(is[i].device, 0);
        assert_true(is[i].thread > 0);
        assert_true(is[i].time_ns >= is[i > 0 ? i - 1 : 0].time_ns);
    }
    assert_true(is[0].address != 0 && is[0].size > 0);
    assert_true(is[1].address == is[0].address && is[1].size == is[0].size);
    for (int i = 2; i < 6; i++) {
        assert_int_equal(is[i].heap, is[1].handle);
        assert_true(is[i].handle > is[i - 1].handle);
    }
    assert_int_equal(is[3].address, is[2].address + is[2].size);
    assert_true(is[6].address == is[0].address && is[6].handle == 0);
    assert_true(is[7].handle == is[3].handle && is[7].address == 0);
    assert_int_equal(is[8].handle, is[1].handle);
    assert_true(is[9].address == is[0].address && is[9].size == 0);
}

/* In "step" a synchronization divides the launches that are not in "forward". */
static void assert_inner_launches(unsigned in_forward, unsigned all)
{
    assert_int_equal(attached.inners, all);
    for (unsigned i = 0; i < all; i++) {
        const struct record_range_launch *inner = &attached.inner[i];
        unsigned range = i < in_forward ? 0 : i - in_forward + 1;

        assert_string_equal(inner->kernel, "accumulate_inplace");
        assert_int_equal(inner->order, i);
        assert_int_equal(inner->range, attached.launch[range].launch);
        assert_int_equal(inner->place, range == 0 ? i : 0);
        assert_int_equal(inner->segment, range == 2 ? 2 : 1);
        assert_int_equal(inner->block_dim, 4);
    }
}

/* Each segment of a range is executed as one, as often as planned. The kernel adds in
 * place, so the result shows that the memory was restored. */
static void a_range_is_replayed_as_one_launch(void **ctx)
{
    static const struct {
        const char *range;
        uint32_t launches;
    } segments[] = {{"forward", 3}, {"step", 1}, {"step", 1}};
    const char *const argv[] = {
        TOYS "/marker",
        SIM "/kernels/accumulate_inplace.o",
        "3",
        NULL,
    };
    struct fake_worker_plan plan = {
        .profile = 10,
        .passes = 2,
        .warmups = 1,
        .flags = CONTROL_RANGES,
    };

    (void)ctx;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_string_equal(alone.out, "wrong: 0\n");
    assert_int_equal(attached.launches, 3);
    assert_int_equal(attached.ends, 3);
    for (unsigned i = 0; i < 3; i++) {
        const struct fake_worker_channel *counters = fake_worker_find_channel(
            &attached, attached.launch[i].launch, PROF_TASK_PMU, 1);

        assert_int_equal(attached.launch[i].kind, LAUNCH_RANGE);
        assert_string_equal(attached.launch[i].kernel, segments[i].range);
        assert_int_equal(attached.launch[i].block_dim, segments[i].launches);
        assert_int_equal(attached.launch[i].restore_class, RESTORE_ALL);
        assert_string_equal(attached.end[i].reason, "");
        assert_int_equal(attached.end[i].complete, 1);
        assert_non_null(counters);
        assert_true(counters->bytes > 0);
    }
    assert_int_equal(attached.launch[2].order, 1);
    assert_int_equal(attached.passes, 3 * 4);
    assert_inner_launches(3, 5);
}

/* With CONTROL_RANGES, inject does not ask the worker about launches outside of ranges.
 */
static void a_range_that_is_not_selected_runs_once(void **ctx)
{
    const char *const argv[] = {
        TOYS "/marker",
        SIM "/kernels/accumulate_inplace.o",
        "3",
        NULL,
    };
    struct fake_worker_plan plan = {.profile = 0, .flags = CONTROL_RANGES};

    (void)ctx;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    assert_string_equal(attached.out, "wrong: 0\n");
    assert_int_equal(attached.launches, 0);
    run_both(PROGRAM("add_custom"), plan);
    assert_equal_results();
    assert_int_equal(attached.prepares, 0);
}

static unsigned count_reports(uint32_t pass_kind, uint32_t pass)
{
    unsigned count = 0;

    for (unsigned i = 0; i < attached.reports; i++)
        count += attached.report[i].launch == attached.launch[0].launch &&
                 attached.report[i].pass_kind == pass_kind &&
                 attached.report[i].pass == pass;
    return count;
}

/* Each report has the pass in which it arrived. Reports outside of a pass are dropped,
 * except the one about a communicator. */
static void reports_of_an_operator_are_recorded_with_their_pass(void **ctx)
{
    const char *const argv[] = {TOYS "/reporter", TOYS "/reporter.o", NULL};
    struct fake_worker_plan plan = one_launch;
    const struct record_comm_group *group = &attached.group[0];

    (void)ctx;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_string_equal(alone.out, "wrong: 0\n");
    assert_int_equal(attached.end[0].complete, 1);

    assert_int_equal(attached.reports, 1 + 3 * 7); /* blocks, executions */
    assert_int_equal(count_reports(PASS_FIRST, 0), 3);
    assert_int_equal(count_reports(PASS_WARMUP, 0), 6);
    assert_int_equal(count_reports(PASS_L2, 0), 3);
    for (uint32_t pass = 1; pass <= 3; pass++)
        assert_int_equal(count_reports(PASS_COUNTERS, pass), 3);
    for (unsigned i = 0; i < attached.reports; i++) {
        const struct record_report *report = &attached.report[i];

        assert_int_equal(report->source, REPORT_ADDITIONAL);
        assert_int_equal(report->bytes, 256);
        assert_int_equal(report->envelope[0], 0x5a);
        assert_true(report->thread > 0 && report->time_ns > 0);
        if (report->launch > 0)
            assert_true(report->envelope[24] >= 1 && report->envelope[24] <= 3);
    }

    assert_int_equal(attached.groups, 1);
    assert_int_equal(group->source, GROUP_FROM_REPORT);
    assert_true(group->name_hash == 0xabc);
    assert_int_equal(group->rank, 1);
    assert_int_equal(group->ranks, 4);
    assert_int_equal(group->global_rank, 5);
    assert_int_equal(group->server_stream, 17);
    assert_int_equal(group->stream_count, 2);
    assert_int_equal(group->streams[1], 22);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add_custom_has_equal_results_and_is_counted),
        cmocka_unit_test(the_last_execution_has_no_counters),
        cmocka_unit_test(matmul_custom_has_equal_results_and_is_counted),
        cmocka_unit_test(each_pass_counts_its_own_events),
        cmocka_unit_test(every_pass_starts_from_the_same_memory),
        cmocka_unit_test(an_accumulation_is_wrong_without_restore),
        cmocka_unit_test(the_checksum_covers_all_memory),
        cmocka_unit_test(a_failed_kernel_returns_the_same_error),
        cmocka_unit_test(a_failed_replay_does_not_change_the_results),
        cmocka_unit_test(application_replay_measures_one_pass_per_start),
        cmocka_unit_test(short_reads_of_a_channel_are_joined),
        cmocka_unit_test(selected_launches_are_replayed_and_the_others_run),
        cmocka_unit_test(a_launch_with_device_arguments_is_replayed),
        cmocka_unit_test(records_before_a_kill_can_be_read),
        cmocka_unit_test(launches_that_are_not_selected_run_once),
        cmocka_unit_test(a_program_without_an_npu_sends_no_hello),
        cmocka_unit_test(a_program_that_cleared_its_environment_is_not_measured),
        cmocka_unit_test(each_process_below_a_shell_has_its_own_channel),
        cmocka_unit_test(functions_found_by_dlsym_are_hooked),
        cmocka_unit_test(health_is_recorded_before_and_after_a_launch),
        cmocka_unit_test(versions_of_the_software_are_recorded_once),
        cmocka_unit_test(marks_and_ranges_are_recorded),
        cmocka_unit_test(allocations_and_regions_are_recorded),
        cmocka_unit_test(a_range_is_replayed_as_one_launch),
        cmocka_unit_test(a_range_that_is_not_selected_runs_once),
        cmocka_unit_test(reports_of_an_operator_are_recorded_with_their_pass),
        cmocka_unit_test(ranks_in_threads_have_one_communicator_key),
        cmocka_unit_test(ranks_in_processes_have_one_communicator_key),
    };
    int failed;

    home = SIM;
    failed = cmocka_run_group_tests_name("a runtime whose calls can be seen", tests,
                                         NULL, NULL);
    home = SIM "/hidden";
    return failed + cmocka_run_group_tests_name("a runtime that hides its own calls",
                                                tests, NULL, NULL);
}
