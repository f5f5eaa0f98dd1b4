/* mishap_test.c - a planted fault hits the launch and the card that it names
 *
 * Each case is a process of its own, with a fleet file of its own. */
#include <ascend_hal.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

#define NEED(what) need((what) != 0, #what)

static aclrtFuncHandle work;
static aclrtBinHandle binary;
static struct probe_args args;

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "not so: %s\n", what);
    _exit(1);
}

static void open_card(int32_t device)
{
    NEED(aclrtSetDevice(device) == 0);
    NEED((work = device_kernel(&binary, "probe_work")));
    NEED(aclrtMalloc(&args.seen, 1 << 16, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
}

static aclError launch(int32_t timeout_ms)
{
    NEED(aclrtLaunchKernelWithHostArgs(work, 2, NULL, NULL, &args, sizeof(args), NULL,
                                       0) == 0);
    return aclrtSynchronizeStreamWithTimeout(NULL, timeout_ms);
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ---- the cases: each runs in a child ---- */

static void the_named_launches_fail(void)
{
    open_card(1);
    NEED(launch(-1) == 0);
    NEED(launch(-1) == ACL_ERROR_RT_AICORE_EXCEPTION);
    NEED(launch(-1) == ACL_ERROR_RT_AICORE_EXCEPTION);
    NEED(launch(-1) == 0);
    open_card(0); /* the other card has no fault */
    for (int i = 0; i < 4; i++)
        NEED(launch(-1) == 0);
}

static void another_kernel_is_not_counted(void)
{
    open_card(0);
    for (int i = 0; i < 3; i++)
        NEED(launch(-1) == 0);
}

static aclrtExceptionInfo *exception;
static uint32_t reported_code;

static void on_exception(aclrtExceptionInfo *info)
{
    exception = info;
    reported_code = aclrtGetErrorCodeFromExceptionInfo(info);
}

static void memory_errors_end_a_launch(void)
{
    NEED(aclrtSetExceptionInfoCallback(on_exception) == 0);
    open_card(0);
    NEED(launch(-1) == ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR);
    NEED(exception && reported_code == ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR);
    NEED(launch(-1) == 0);
}

static void a_stuck_kernel_ends_with_its_stream(void)
{
    open_card(0);
    NEED(launch(50) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    aclrtStreamAbort(NULL); /* reports the task that did not end */
    NEED(launch(-1) == 0);
}

static void a_rank_dies_at_its_launch(void)
{
    open_card(0);
    NEED(launch(-1) == 0);
    launch(-1);
    need(0, "the rank is dead");
}

static void a_late_rank_comes_later(void)
{
    uint64_t start = now_ms(), first;

    open_card(0);
    start = now_ms();
    NEED(launch(-1) == 0);
    first = now_ms() - start;
    NEED(first >= 300);
}

static void a_full_card_has_no_memory(void)
{
    void *block;
    size_t free_bytes, total;

    NEED(aclrtSetDevice(0) == 0);
    NEED(aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total) == 0);
    NEED(free_bytes == 3u << 20 && total == 1u << 30);
    NEED(aclrtMalloc(&block, 4u << 20, ACL_MEM_MALLOC_HUGE_FIRST) ==
         ACL_ERROR_RT_MEMORY_ALLOCATION);
    NEED(aclrtMalloc(&block, 2u << 20, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    NEED(aclrtFree(block) == 0);
    NEED(aclrtSetDevice(1) == 0);
    NEED(aclrtMalloc(&block, 4u << 20, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
    NEED(aclrtFree(block) == 0);
}

static void every_card_of_the_largest_host_can_be_used(void)
{
    uint32_t count;
    int64_t cores;

    NEED(aclrtGetDeviceCount(&count) == 0 && count == 4096);
    NEED(aclrtGetDeviceInfo(4095, ACL_DEV_ATTR_AICORE_CORE_NUM, &cores) == 0);
    NEED(cores == 20); /* card 1 is a 910B4, the others are 910B2 */
    open_card(4095);
    NEED(!strcmp(aclrtGetSocName(), "Ascend910B4"));
    NEED(launch(-1) == 0);
    NEED(aclrtSetDevice(4096) == ACL_ERROR_RT_INVALID_DEVICEID);
}

#define TWO "version: 1\nhosts: [{name: a, cards: 2}]\nfaults:\n- "

static const struct scene {
    const char *name, *fleet;
    void (*run)(void);
    int signal;
} scenes[] = {
    {"failed", TWO "{fault: failed_kernel, card: 1, launch: 2, times: 2}\n",
     the_named_launches_fail, 0},
    {"pattern", TWO "{fault: failed_kernel, card: 0, launch: 1, kernel: 'Mat*'}\n",
     another_kernel_is_not_counted, 0},
    {"ecc", TWO "{fault: ecc_error, card: 0, launch: 1, bits: multi}\n",
     memory_errors_end_a_launch, 0},
    {"single bit", TWO "{fault: ecc_error, card: 0, launch: 1, bits: single}\n",
     another_kernel_is_not_counted, 0},
    {"stuck", TWO "{fault: stuck_kernel, card: 0, launch: 1}\n",
     a_stuck_kernel_ends_with_its_stream, 0},
    {"dead", TWO "{fault: dead_rank, rank: 3, launch: 2}\n", a_rank_dies_at_its_launch,
     SIGKILL},
    {"another rank", TWO "{fault: dead_rank, rank: 2, launch: 1}\n",
     another_kernel_is_not_counted, 0},
    {"late", TWO "{fault: late_rank, rank: 3, launch: 1, seconds: 0.3}\n",
     a_late_rank_comes_later, 0},
    {"full", TWO "{fault: full_memory, card: 0, free_mib: 3}\n",
     a_full_card_has_no_memory, 0},
    {"large",
     "version: 1\nhosts: [{name: a, cards: 4096, except: [{card: 4095, soc: "
     "Ascend910B4}]}]\n",
     every_card_of_the_largest_host_can_be_used, 0},
};

static void play(const struct scene *scene)
{
    char path[] = "/tmp/npu_sim_mishap_XXXXXX";
    int fd = mkstemp(path), status = 0;
    pid_t child;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, scene->fleet, strlen(scene->fleet)),
                     strlen(scene->fleet));
    close(fd);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("NPU_SIM_FLEET", path, 1);
        setenv("RANK_ID", "3", 1);
        scene->run();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    unlink(path);
    if (scene->signal ? !WIFSIGNALED(status) || WTERMSIG(status) != scene->signal
                      : !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%s: status %x", scene->name, (unsigned)status);
}

static void a_planted_fault_hits_only_its_launch_and_card(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
        play(&scenes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_planted_fault_hits_only_its_launch_and_card),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
