/* sensitive_programs_test.c - programs with signals, forks, threads or little memory
 * behave as without inject, with both builds of the runtime */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/inject/fake_worker.h"
#include "tests/support/unit.h"
#include "worker/process/stub_libraries.h"

#define PROGRAM(name) SIM "/bin/" name

static struct fake_worker_result alone, attached;
static const char *home; /* the toolkit of this round */

static const struct fake_worker_plan one_launch = {
    .profile = 1,
    .passes = 1,
};

static void assert_equal_results(void)
{
    assert_int_equal(alone.status, attached.status);
    assert_string_equal(alone.out, attached.out);
}

static void inject_does_not_disturb_sensitive_programs(void **ctx)
{
    static const char *const modes[] = {"errno",  "signals", "forks",
                                        "closes", "exits",   "frugal"};
    const char *argv[] = {
        TOYS "/sensitive",
        NULL,
        SIM "/kernels/accumulate_inplace.o",
        NULL,
    };
    struct fake_worker_plan plan = {.profile = 3, .passes = 1};

    (void)ctx;
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        argv[1] = modes[i];
        plan.not_attached = false;
        fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
        plan.not_attached = true;
        fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
        assert_equal_results();
        assert_non_null(strstr(alone.out, "wrong 0"));
        assert_true(attached.launches > 0);
        assert_false(attached.broken);
    }
}

/* A block that is allocated while the blocks are listed must not displace another one.
 */
static void all_memory_is_restored_while_other_threads_allocate(void **ctx)
{
    const char *const argv[] = {
        TOYS "/sensitive",
        "crowds",
        SIM "/kernels/accumulate_inplace.o",
        NULL,
    };
    const char *const env[] = {"NPU_SIM_SOC=Ascend310P3", NULL};
    struct fake_worker_plan plan = {.profile = 100, .passes = 1, .env = env};

    (void)ctx;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_non_null(strstr(alone.out, "wrong 0"));
    assert_int_equal(attached.kinds[RECORD_LAUNCH_END], 100);
}

/* The reason is recorded, and the program runs as without inject. */
static void a_launch_without_room_for_a_snapshot_is_not_replayed(void **ctx)
{
    const char *const argv[] = {
        TOYS "/sensitive",
        "cramped",
        SIM "/kernels/accumulate_inplace.o",
        NULL,
    };
    struct fake_worker_plan plan = {.profile = 3, .passes = 2};

    (void)ctx;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_int_equal(alone.status, 0);
    assert_non_null(strstr(alone.out, "cramped: wrong 0"));
    assert_int_equal(attached.launches, 3);
    assert_int_equal(attached.ends, 3);
    assert_int_equal(attached.passes, 0);
    for (unsigned i = 0; i < attached.ends; i++) {
        assert_int_equal(attached.launch[i].restore_class, RESTORE_NO_ROOM);
        assert_string_equal(attached.end[i].reason, "the memory could not be saved");
        assert_int_equal(attached.end[i].complete, 0);
        assert_int_equal(attached.end[i].result, 0);
    }
}

static void a_program_keeps_its_descriptors_when_the_worker_hangs_up(void **ctx)
{
    const char *const argv[] = {
        TOYS "/sensitive",
        "stdin",
        SIM "/kernels/accumulate_inplace.o",
        NULL,
    };
    struct fake_worker_plan plan = {.profile = 1, .passes = 1, .closes_channel = true};

    (void)ctx;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_non_null(strstr(alone.out, "stdin: wrong 0, open 1"));
    assert_int_equal(attached.hellos, 1);
    assert_int_equal(attached.launches, 0);
}

/* A helper thread uses both devices while a rank waits. */
static void a_waiting_rank_holds_no_lock(void **ctx)
{
    const char *const argv[] = {TOYS "/blocked_rank",
                                SIM "/kernels/accumulate_inplace.o", NULL};
    const char *const env[] = {"NPU_SIM_CARDS=2", NULL};
    struct fake_worker_plan plan = {
        .profile = 1,
        .passes = 1,
        .world = 2,
        .barrier_ms = 30000,
        .env = env,
        .kernel = "HcclAllReduce",
    };

    (void)ctx;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_string_equal(alone.out, "wrong 0\n");
    assert_int_equal(attached.ends, 2);
    for (unsigned i = 0; i < attached.ends; i++) {
        assert_string_equal(attached.end[i].reason, "");
        assert_int_equal(attached.end[i].complete, 1);
    }
}

static unsigned count_launches(const char *kernel, uint32_t kind)
{
    unsigned count = 0;

    for (unsigned i = 0; i < attached.launches; i++)
        count += strcmp(attached.launch[i].kernel, kernel) == 0 &&
                 attached.launch[i].kind == kind;
    return count;
}

/* The program uses dlopen() and dlsym(), launches from its own thread, and forks ranks
 * and helpers. Every launch of each rank is replayed. */
static void all_launches_of_a_framework_are_replayed(void **ctx)
{
    const char *const argv[] = {
        PROGRAM("torch_like"), "--ranks", "2", "--steps", "3", NULL,
    };
    const char *const env[] = {"NPU_SIM_CARDS=2", NULL};
    struct fake_worker_plan plan = {
        .profile = 100, .passes = 1, .world = 2, .env = env};

    (void)ctx;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_non_null(strstr(alone.out, "wrong=0"));
    assert_int_equal(attached.hellos, 2); /* neither launcher nor helpers */
    assert_int_equal(count_launches("MatmulAllReduce_0", LAUNCH_MC2), 2 * 3);
    assert_int_equal(count_launches("add_custom", LAUNCH_SINGLE), 2 * 3);
    for (unsigned i = 0; i < attached.ends; i++)
        assert_string_equal(attached.end[i].reason, "");
}

static char stub_folder[] = "/tmp/muster-stubs-XXXXXX";

static int make_stub_folder(void **ctx)
{
    (void)ctx;
    memcpy(strrchr(stub_folder, '-') + 1, "XXXXXX", 6);
    return mkdtemp(stub_folder) ? 0 : -1;
}

static int remove_stub_folder(void **ctx)
{
    char command[128];

    (void)ctx;
    snprintf(command, sizeof(command), "rm -r '%s'", stub_folder);
    return system(command);
}

/* LD_PRELOAD is removed from the environment, and the program opens libraries by their
 * names without a path. */
static void stub_libraries_work_without_ld_preload(void **ctx)
{
    const char *const argv[] = {
        "/usr/bin/env",
        "-u",
        "LD_PRELOAD",
        TOYS "/lookups",
        SIM "/kernels/accumulate_inplace.o",
        TOYS,
        NULL,
    };
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    assert_true(stub_libraries_write(stub_folder, home, INJECT_LIBRARY) >= 4);
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    assert_int_equal(attached.hellos, 0);
    plan.stubs = stub_folder;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.stubs = NULL;
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_non_null(strstr(alone.out, "wrong: 0\n"));
    assert_int_equal(attached.hellos, 1);
    assert_int_equal(attached.launches, 1);
    assert_string_equal(attached.launch[0].kernel, "accumulate_inplace");
    assert_int_equal(attached.end[0].complete, 1);
}

/* The loader places the libraries of a linked program in this order: stub library, C
 * library, inject. A program that is linked statically starts such a program. */
static void stub_libraries_work_for_linked_programs(void **ctx)
{
    static const struct {
        const char *program, *option, *kernel;
    } linked[] = {
        {PROGRAM("add_custom"), "--n", "add_custom"},
        {PROGRAM("matmul_custom"), "--m", "matmul_custom"},
    };

    (void)ctx;
    assert_true(stub_libraries_write(stub_folder, home, INJECT_LIBRARY) >= 4);
    for (size_t i = 0; i < sizeof(linked) / sizeof(linked[0]); i++) {
        const char *const argv[] = {
            TOYS "/static_wrapper", linked[i].program, linked[i].option, "256", NULL,
        };
        struct fake_worker_plan plan = one_launch;

        fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
        assert_int_equal(attached.hellos, 0);
        plan.stubs = stub_folder;
        fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
        plan.stubs = NULL;
        plan.not_attached = true;
        fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
        assert_int_equal(alone.status, 0);
        assert_equal_results();
        assert_int_equal(attached.hellos, 1);
        assert_int_equal(attached.launches, 1);
        assert_string_equal(attached.launch[0].kernel, linked[i].kernel);
        assert_int_equal(attached.end[0].complete, 1);
    }
}

static void stubs_and_preload_record_each_launch_once(void **ctx)
{
    const char *const argv[] = {
        PROGRAM("torch_like"), "--ranks", "2", "--steps", "2", NULL,
    };
    const char *const env[] = {"NPU_SIM_CARDS=2", NULL};
    struct fake_worker_plan plan = {
        .profile = 100, .passes = 1, .world = 2, .env = env, .stubs = stub_folder};

    (void)ctx;
    assert_true(stub_libraries_write(stub_folder, home, INJECT_LIBRARY) >= 4);
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.stubs = NULL;
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_non_null(strstr(alone.out, "wrong=0"));
    assert_int_equal(attached.hellos, 2);
    assert_int_equal(count_launches("MatmulAllReduce_0", LAUNCH_MC2), 2 * 2);
    assert_int_equal(count_launches("add_custom", LAUNCH_SINGLE), 2 * 2);
}

/* The buffer of inject stays on the device between launches. The program must not
 * notice it when it reads the free memory, nor when it allocates all memory. */
static void a_program_can_allocate_as_much_as_without_inject(void **ctx)
{
    const char *const argv[] = {
        TOYS "/memory_count",
        SIM "/kernels/accumulate_inplace.o",
        NULL,
    };
    const char *const little[] = {"NPU_SIM_MEMORY_MIB=512", NULL};
    const char *const much[] = {"NPU_SIM_MEMORY_MIB=4096", NULL};
    struct fake_worker_plan plan = one_launch;

    (void)ctx;
    for (int i = 0; i < 2; i++) {
        plan.env = i == 0 ? little : much;
        plan.not_attached = false;
        fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
        plan.not_attached = true;
        fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
        assert_equal_results();
        assert_int_equal(attached.status, 0);
        assert_int_equal(attached.end[0].complete, 1);
    }
}

/* A card with a small cache, so that a replay is short. */
#ifdef __SANITIZE_ADDRESS__
#define REPEATED_LAUNCHES 100 /* each takes ten times as long */
#else
#define REPEATED_LAUNCHES 1000
#endif
#define TEXT_OF(number)  TEXT_OF_(number)
#define TEXT_OF_(number) #number

static void ten_thousand_replays_leak_nothing(void **ctx)
{
    const char *const argv[] = {
        TOYS "/repeated_launches",
        SIM "/kernels/accumulate_inplace.o",
        TEXT_OF(REPEATED_LAUNCHES),
        NULL,
    };
    const char *const env[] = {"NPU_SIM_SOC=Ascend310P3", NULL};
    struct fake_worker_plan plan = {
        .profile = REPEATED_LAUNCHES, .passes = 9, .env = env};

    (void)ctx;
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, INJECT_LIBRARY, home, &plan);
    assert_equal_results();
    assert_string_equal(alone.out, "repeated_launches\n");
    assert_int_equal(attached.kinds[RECORD_PASS], 10 * REPEATED_LAUNCHES);
    assert_int_equal(attached.kinds[RECORD_LAUNCH_END], REPEATED_LAUNCHES);
}

/* The thread-local variables must fit into the static TLS space for late libraries. */
static void inject_can_be_opened_late(void **ctx)
{
    void *inject = dlopen(INJECT_LIBRARY, RTLD_NOW | RTLD_LOCAL);

    (void)ctx;
    if (!inject)
        print_error("%s\n", dlerror());
    assert_non_null(inject);
    assert_non_null(dlsym(inject, "aclrtMalloc"));
}

#ifndef __SANITIZE_ADDRESS__
/* Runs a replay under valgrind. */
static void valgrind_finds_no_error_in_a_replay(void **ctx)
{
    const char *const argv[] = {
        "/usr/bin/valgrind",
        "-q",
        "--error-exitcode=9",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite",
        PROGRAM("accumulate_inplace"),
        "--launches",
        "3",
        NULL,
    };
    const char *const env[] = {"NPU_SIM_SOC=Ascend310P3", NULL};
    struct fake_worker_plan plan = {.profile = 2, .passes = 2, .env = env};

    (void)ctx;
    if (access(argv[0], X_OK) < 0)
        SKIP("valgrind is not installed; to run it: deploy/setup.sh --all");
    fake_worker_run(&attached, argv, INJECT_LIBRARY, home, &plan);
    assert_int_equal(attached.status, 0);
    assert_non_null(strstr(attached.out, "wrong=0"));
    assert_int_equal(attached.kinds[RECORD_PASS], 2 * 3);
    assert_int_equal(attached.end[0].complete, 1);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inject_can_be_opened_late),
        cmocka_unit_test(inject_does_not_disturb_sensitive_programs),
        cmocka_unit_test(all_memory_is_restored_while_other_threads_allocate),
        cmocka_unit_test(a_launch_without_room_for_a_snapshot_is_not_replayed),
        cmocka_unit_test(a_program_keeps_its_descriptors_when_the_worker_hangs_up),
        cmocka_unit_test(a_waiting_rank_holds_no_lock),
        cmocka_unit_test(all_launches_of_a_framework_are_replayed),
        cmocka_unit_test_setup_teardown(stub_libraries_work_without_ld_preload,
                                        make_stub_folder, remove_stub_folder),
        cmocka_unit_test_setup_teardown(stub_libraries_work_for_linked_programs,
                                        make_stub_folder, remove_stub_folder),
        cmocka_unit_test_setup_teardown(stubs_and_preload_record_each_launch_once,
                                        make_stub_folder, remove_stub_folder),
        cmocka_unit_test(a_program_can_allocate_as_much_as_without_inject),
    };
    /* long tests, run with one build of the runtime only */
    const struct CMUnitTest once[] = {
        cmocka_unit_test(ten_thousand_replays_leak_nothing),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(valgrind_finds_no_error_in_a_replay),
#endif
    };
    int failed;

    home = SIM;
    failed = cmocka_run_group_tests_name("a runtime whose calls can be seen", tests,
                                         NULL, NULL);
    failed += cmocka_run_group_tests_name("one of them", once, NULL, NULL);
    home = SIM "/hidden";
    return failed + cmocka_run_group_tests_name("a runtime that hides its own calls",
                                                tests, NULL, NULL);
}
