/* probe_aicpu.c - AI CPU kernels that tests launch */
#include <npu_sim/aicpu.h>
#include <stddef.h>
#include <time.h>

struct args {
    uint32_t *seen; /* one word per block */
    uint64_t value;
    const uint64_t *data; /* address from the placeholder, or NULL */
};

npu_sim_aicpu_fn probe_cpu, probe_cpu_fails, probe_cpu_code, probe_cpu_waits,
    probe_cpu_deaf;

uint32_t probe_cpu(void *bytes)
{
    const struct args *args = bytes;

    /* atomic: a kernel on another stream may wait for this value */
    __atomic_store_n(&args->seen[npu_sim_aicpu_block()],
                     (uint32_t)(args->value + npu_sim_aicpu_blocks() * 1000 +
                                (args->data ? *args->data : 0)),
                     __ATOMIC_RELEASE);
    npu_sim_aicpu_spend(1000000);
    return 0;
}

uint32_t probe_cpu_fails(void *bytes)
{
    (void)bytes;
    return 3;
}

/* returns an error code of its own */
uint32_t probe_cpu_code(void *bytes)
{
    npu_sim_aicpu_fail((int32_t)((const struct args *)bytes)->value);
    return 1;
}

static void nap(void)
{
    struct timespec pause = {.tv_nsec = 200000};

    nanosleep(&pause, NULL);
}

/* waits for another stream, or for the end */
uint32_t probe_cpu_waits(void *bytes)
{
    const struct args *args = bytes;

    while (!__atomic_load_n(&args->seen[0], __ATOMIC_ACQUIRE) &&
           !npu_sim_aicpu_must_end())
        nap();
    return 0;
}

/* ignores the order to end, until another stream sets its value */
uint32_t probe_cpu_deaf(void *bytes)
{
    const struct args *args = bytes;

    while (!__atomic_load_n(&args->seen[0], __ATOMIC_ACQUIRE))
        nap();
    __atomic_store_n(&args->seen[1], 1, __ATOMIC_RELEASE);
    return 0;
}
