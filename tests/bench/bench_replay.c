/* bench_replay.c - what a replay costs beyond its kernel
 *
 * Between two executions the memory is put back, the cache is emptied, channels start
 * and are drained. The floor is what cannot be saved: copying as many bytes as the
 * cache flush and the restore do, here and now. The rest is ours, and the driver's. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inject/host.h"
#include "tests/bench/ratio.h"

enum { LAUNCHES = 100, PASSES = 10, COPIES = 20, FLUSH_BYTES = 20 * 1024 * 1024 };

static struct host_story story;

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Of the passes of one launch: from one end to the next start. */
static double beyond_kernel(void *arg)
{
    const char *const argv[] = {STEADY, KERNEL, "100", NULL};
    const char *const env[] = {"NPU_SIM_SOC=Ascend310P3", NULL};
    const struct host_plan plan = {.profile = LAUNCHES, .passes = PASSES, .env = env};
    double sum = 0;
    unsigned count = 0;

    (void)arg;
    host_run(&story, argv, GUEST, SIM, &plan);
    if (story.status != 0 || story.kinds[RECORD_PASS] != LAUNCHES * (PASSES + 1))
        abort();
    for (unsigned i = 1; i < story.passes; i++) {
        const struct record_pass *pass = &story.pass[i];

        if (pass->launch != pass[-1].launch || pass[-1].kind == PASS_FIRST)
            continue;
        sum += (double)(pass->start_ns - pass[-1].end_ns);
        count++;
    }
    return sum / count;
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

static double nothing(void *arg)
{
    (void)arg;
    return 1000;
}

int main(void)
{
    uint8_t *bytes = malloc(FLUSH_BYTES);
    double ratio;

    memset(bytes, 1, FLUSH_BYTES);
    ratio = ratio_median(beyond_kernel, nothing, bytes);
    ratio_print("inject: a replay beyond its kernel, us", ratio,
                "1 us; memory put back, cache flushed, channels drained", "<= 5000",
                ratio <= 5000);
    ratio = ratio_median(beyond_kernel, copying, bytes);
    ratio_print("inject: a replay beyond its kernel", ratio,
                "copying what the flush copies", "<= 3", ratio <= 3);
    free(bytes);
    return 0;
}
