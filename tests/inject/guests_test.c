/* guests_test.c - programs that are sensitive, greedy, or like a framework: each is as
 * alone, on both builds of the runtime */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/inject/fake_worker.h"
#include "tests/support/unit.h"
#include "worker/process/stub_libraries.h"

#define PROGRAM(name) SIM "/bin/" name

static struct fake_worker_story alone, attached;
static const char *home; /* where the libraries of this round are */

static const struct fake_worker_plan one_launch = {
    .profile = 1,
    .passes = 1,
};

static void assert_same_answer(void)
{
    assert_int_equal(alone.status, attached.status);
    assert_string_equal(alone.out, attached.out);
}

/* Whatever a program is sensitive about: it sees what it sees alone. */
static void a_guest_has_manners(void **ctx)
{
    static const char *const ways[] = {"errno",  "signals", "forks",
                                       "closes", "exits",   "frugal"};
    const char *argv[] = {
        TOYS "/manners",
        NULL,
        SIM "/kernels/accumulate_inplace.o",
        NULL,
    };
    struct fake_worker_plan plan = {.profile = 3, .passes = 1};

    (void)ctx;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        argv[1] = ways[i];
        plan.not_attached = false;
        fake_worker_run(&attached, argv, GUEST, home, &plan);
        plan.not_attached = true;
        fake_worker_run(&alone, argv, GUEST, home, &plan);
        assert_same_answer();
        assert_non_null(strstr(alone.out, "wrong 0"));
        assert_true(attached.launches > 0);
        assert_false(attached.broken);
    }
}

/* A block that came while others were looked for must not push one of them out. */
static void all_memory_is_put_back_while_more_is_taken(void **ctx)
{
    const char *const argv[] = {
        TOYS "/manners",
        "crowds",
        SIM "/kernels/accumulate_inplace.o",
        NULL,
    };
    const char *const env[] = {"NPU_SIM_SOC=Ascend310P3", NULL};
    struct fake_worker_plan plan = {.profile = 100, .passes = 1, .env = env};

    (void)ctx;
    fake_worker_run(&attached, argv, GUEST, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, GUEST, home, &plan);
    assert_same_answer();
    assert_non_null(strstr(alone.out, "wrong 0"));
    assert_int_equal(attached.kinds[RECORD_LAUNCH_END], 100);
}

/* It is told, and the program runs as it would. */
static void what_fits_nowhere_a_second_time_is_not_replayed(void **ctx)
{
    const char *const argv[] = {
        TOYS "/manners",
        "cramped",
        SIM "/kernels/accumulate_inplace.o",
        NULL,
    };
    struct fake_worker_plan plan = {.profile = 3, .passes = 2};

    (void)ctx;
    fake_worker_run(&attached, argv, GUEST, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, GUEST, home, &plan);
    assert_same_answer();
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
        TOYS "/manners",
        "stdin",
        SIM "/kernels/accumulate_inplace.o",
        NULL,
    };
    struct fake_worker_plan plan = {.profile = 1, .passes = 1, .hangs_up = true};

    (void)ctx;
    fake_worker_run(&attached, argv, GUEST, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, GUEST, home, &plan);
    assert_same_answer();
    assert_non_null(strstr(alone.out, "stdin: wrong 0, open 1"));
    assert_int_equal(attached.hellos, 1);
    assert_int_equal(attached.launches, 0);
}

/* What another thread needs is never kept from it. */
static void a_rank_that_waits_holds_no_lock(void **ctx)
{
    const char *const argv[] = {TOYS "/patient", SIM "/kernels/accumulate_inplace.o",
                                NULL};
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
    fake_worker_run(&attached, argv, GUEST, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, GUEST, home, &plan);
    assert_same_answer();
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

/* It finds all libraries with dlopen and dlsym, launches from a thread of its own, and
 * has a launcher and helpers that it forks: every launch of each rank is replayed. */
static void a_program_like_a_framework_is_captured_whole(void **ctx)
{
    const char *const argv[] = {
        PROGRAM("torch_like"), "--ranks", "2", "--steps", "3", NULL,
    };
    const char *const env[] = {"NPU_SIM_CARDS=2", NULL};
    struct fake_worker_plan plan = {
        .profile = 100, .passes = 1, .world = 2, .env = env};

    (void)ctx;
    fake_worker_run(&attached, argv, GUEST, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, GUEST, home, &plan);
    assert_same_answer();
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

/* Somebody took our name out of the environment on the way; the program opens libraries
 * by their bare names. */
static void a_program_out_of_reach_is_seen_through_stubs(void **ctx)
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
    assert_true(stub_libraries_write(stub_folder, home, GUEST) >= 4);
    fake_worker_run(&attached, argv, GUEST, home, &plan);
    assert_int_equal(attached.hellos, 0);
    plan.stubs = stub_folder;
    fake_worker_run(&attached, argv, GUEST, home, &plan);
    plan.stubs = NULL;
    plan.not_attached = true;
    fake_worker_run(&alone, argv, GUEST, home, &plan);
    assert_same_answer();
    assert_non_null(strstr(alone.out, "wrong: 0\n"));
    assert_int_equal(attached.hellos, 1);
    assert_int_equal(attached.launches, 1);
    assert_string_equal(attached.launch[0].kernel, "accumulate_inplace");
    assert_int_equal(attached.end[0].complete, 1);
}

/* The same program is not seen twice; and all of a framework is. */
static void stubs_and_the_preload_go_together(void **ctx)
{
    const char *const argv[] = {
        PROGRAM("torch_like"), "--ranks", "2", "--steps", "2", NULL,
    };
    const char *const env[] = {"NPU_SIM_CARDS=2", NULL};
    struct fake_worker_plan plan = {
        .profile = 100, .passes = 1, .world = 2, .env = env, .stubs = stub_folder};

    (void)ctx;
    assert_true(stub_libraries_write(stub_folder, home, GUEST) >= 4);
    fake_worker_run(&attached, argv, GUEST, home, &plan);
    plan.stubs = NULL;
    plan.not_attached = true;
    fake_worker_run(&alone, argv, GUEST, home, &plan);
    assert_same_answer();
    assert_non_null(strstr(alone.out, "wrong=0"));
    assert_int_equal(attached.hellos, 2);
    assert_int_equal(count_launches("MatmulAllReduce_0", LAUNCH_MC2), 2 * 2);
    assert_int_equal(count_launches("add_custom", LAUNCH_SINGLE), 2 * 2);
}

/* Ours stays on the device between launches, and the program does not see it: neither
 * in the numbers, nor when it takes all there is. */
static void a_program_has_as_much_memory_as_alone(void **ctx)
{
    const char *const argv[] = {
        TOYS "/hungry",
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
        fake_worker_run(&attached, argv, GUEST, home, &plan);
        plan.not_attached = true;
        fake_worker_run(&alone, argv, GUEST, home, &plan);
        assert_same_answer();
        assert_int_equal(attached.status, 0);
        assert_int_equal(attached.end[0].complete, 1);
    }
}

/* A card with a small cache, so that a replay is short. */
#ifdef __SANITIZE_ADDRESS__
#define STEADY_LAUNCHES 100 /* each takes ten times as long */
#else
#define STEADY_LAUNCHES 1000
#endif
#define TEXT_OF(number)  TEXT_OF_(number)
#define TEXT_OF_(number) #number

static void ten_thousand_replays_leave_nothing_behind(void **ctx)
{
    const char *const argv[] = {
        TOYS "/steady",
        SIM "/kernels/accumulate_inplace.o",
        TEXT_OF(STEADY_LAUNCHES),
        NULL,
    };
    const char *const env[] = {"NPU_SIM_SOC=Ascend310P3", NULL};
    struct fake_worker_plan plan = {
        .profile = STEADY_LAUNCHES, .passes = 9, .env = env};

    (void)ctx;
    fake_worker_run(&attached, argv, GUEST, home, &plan);
    plan.not_attached = true;
    fake_worker_run(&alone, argv, GUEST, home, &plan);
    assert_same_answer();
    assert_string_equal(alone.out, "steady\n");
    assert_int_equal(attached.kinds[RECORD_PASS], 10 * STEADY_LAUNCHES);
    assert_int_equal(attached.kinds[RECORD_LAUNCH_END], STEADY_LAUNCHES);
}

/* Its own memory of each thread has to fit into what libraries opened late get. */
static void the_guest_can_come_late(void **ctx)
{
    void *guest = dlopen(GUEST, RTLD_NOW | RTLD_LOCAL);

    (void)ctx;
    if (!guest)
        print_error("%s\n", dlerror());
    assert_non_null(guest);
    assert_non_null(dlsym(guest, "aclrtMalloc"));
}

#ifndef __SANITIZE_ADDRESS__
/* Of its kind the first: what valgrind finds here it finds in all of them. */
static void a_guest_reads_and_loses_nothing_it_should_not(void **ctx)
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
        skip();
    fake_worker_run(&attached, argv, GUEST, home, &plan);
    assert_int_equal(attached.status, 0);
    assert_non_null(strstr(attached.out, "wrong=0"));
    assert_int_equal(attached.kinds[RECORD_PASS], 2 * 3);
    assert_int_equal(attached.end[0].complete, 1);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_guest_can_come_late),
        cmocka_unit_test(a_guest_has_manners),
        cmocka_unit_test(all_memory_is_put_back_while_more_is_taken),
        cmocka_unit_test(what_fits_nowhere_a_second_time_is_not_replayed),
        cmocka_unit_test(a_program_keeps_its_descriptors_when_the_worker_hangs_up),
        cmocka_unit_test(a_rank_that_waits_holds_no_lock),
        cmocka_unit_test(a_program_like_a_framework_is_captured_whole),
        cmocka_unit_test_setup_teardown(a_program_out_of_reach_is_seen_through_stubs,
                                        make_stub_folder, remove_stub_folder),
        cmocka_unit_test_setup_teardown(stubs_and_the_preload_go_together,
                                        make_stub_folder, remove_stub_folder),
        cmocka_unit_test(a_program_has_as_much_memory_as_alone),
    };
    /* long ones, to which it is all the same */
    const struct CMUnitTest once[] = {
        cmocka_unit_test(ten_thousand_replays_leave_nothing_behind),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(a_guest_reads_and_loses_nothing_it_should_not),
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
