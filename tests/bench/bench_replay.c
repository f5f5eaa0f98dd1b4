/* bench_replay.c - what a replay costs beyond its kernel
 *
 * Between two executions the memory is put back, the cache is emptied, channels start
 * and are drained. The floor is what cannot be saved: copying as many bytes as the
 * cache flush and the restore do, here and now. The rest is ours, and the driver's. */
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

static struct fake_worker_story story;
static char launches_text[16];

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Of all replays of one run: from the end of one to the start of the next. */
static double beyond_kernel(void *arg)
{
    const char *const argv[] = {STEADY, KERNEL, launches_text, NULL};
    const char *const env[] = {"NPU_SIM_SOC=Ascend310P3", NULL};
    const struct fake_worker_plan plan = {
        .profile = LAUNCHES, .passes = PASSES, .env = env};

    (void)arg;
    fake_worker_run(&story, argv, GUEST, SIM, &plan);
    if (story.status != 0 || story.kinds[RECORD_PASS] != LAUNCHES * (PASSES + 1) ||
        story.between != LAUNCHES * (PASSES - 1))
        abort();
    return (double)story.between_ns / story.between;
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
    ratio_print("inject: 10,000 replays, each beyond its kernel, us",
                ns[RUNS / 2] / 1000,
                "1 us; memory put back, cache flushed, channels drained", "<= 5000",
                ns[RUNS / 2] <= 5000 * 1000);
    ratio_print("inject: the same", ratio[RUNS / 2], "copying what the flush copies",
                "<= 3", ratio[RUNS / 2] <= 3);
    free(bytes);
    return 0;
}
