/* bench_replay.c - time of a replay without the time of its kernel
 *
 * Between two executions inject restores the memory, flushes the cache, starts the
 * profiling channels and drains them. The floor is a copy of as many bytes as the flush
 * and the restore copy. The rest is the work of inject and of the driver. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/bench/ratio.h"
#include "tests/inject/fake_worker.h"

enum {
    LAUNCHES = 1000,
    PASSES = 10,
    COPIES = 20,
    RUNS = 3,
    FLUSH_BYTES = 20 * 1024 * 1024
};

static struct fake_worker_result result;
static char launches_text[16];

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Returns the mean time from the end of an execution to the start of the next, in ns.
 */
static double beyond_kernel(void *arg)
{
    const char *const argv[] = {REPEATED_LAUNCHES, KERNEL, launches_text, NULL};
    const char *const env[] = {"NPU_SIM_SOC=Ascend310P3", NULL};
    const struct fake_worker_plan plan = {
        .profile = LAUNCHES, .passes = PASSES, .env = env};

    (void)arg;
    fake_worker_run(&result, argv, INJECT, SIM, &plan);
    if (result.status != 0 || result.kinds[RECORD_PASS] != LAUNCHES * (PASSES + 1) ||
        result.between != LAUNCHES * (PASSES - 1))
        abort();
    return (double)result.between_ns / result.between;
}

static double copying(void *arg)
{
    uint8_t *bytes = arg;
    double start = now_ns();

    for (int i = 0; i < COPIES; i++) {
        memcpy(bytes + FLUSH_BYTES / 2, bytes, FLUSH_BYTES / 2);
        __asm__ volatile("" : : "r"(bytes) : "memory");
    }
    return (now_ns() - start) / COPIES;
}

int main(void)
{
    uint8_t *bytes = malloc(FLUSH_BYTES);
    double ns[RUNS], ratio[RUNS];

    snprintf(launches_text, sizeof(launches_text), "%d", LAUNCHES);
    memset(bytes, 1, FLUSH_BYTES);
    for (int i = 0; i < RUNS; i++) {
        ns[i] = beyond_kernel(NULL);
        ratio[i] = ns[i] / copying(bytes);
    }
    qsort(ns, RUNS, sizeof(ns[0]), ratio_order);
    qsort(ratio, RUNS, sizeof(ratio[0]), ratio_order);
    ratio_print("inject: replay without its kernel, us", ns[RUNS / 2] / 1000,
                "1 us; restore, flush, drain; 10,000 replays", "<= 5000",
                ns[RUNS / 2] <= 5000 * 1000);
    ratio_print("inject: replay without its kernel", ratio[RUNS / 2],
                "copying as many bytes as the flush", "<= 3", ratio[RUNS / 2] <= 3);
    free(bytes);
    return 0;
}
