#include "inject/base/thread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum {
    VALID_NS = 1000 * 1000, /* longest use of the counter between two readings */
    FIRST_CALIBRATION_NS = VALID_NS, /* time over which the speed is first measured */
    CALIBRATION_NS = 100 * VALID_NS, /* and later */
    MULTIPLIER_BITS = 32,
/* A reading that takes more ticks, a few microseconds, was interrupted. */
#if defined(__x86_64__)
    READING_TICKS = 5000,
#else
    READING_TICKS = 500,
#endif
};

/* The clock and the counter, read at the same time. */
struct reading {
    uint64_t ns, ticks;
};

struct quick {
    struct reading anchor; /* the latest; times are counted from it */
    struct reading start;  /* of the calibration */
    uint64_t valid_ticks;  /* after the anchor; 0: the speed is not known yet */
    uint64_t multiplier;   /* nanoseconds per tick, shifted by MULTIPLIER_BITS */
    uint64_t last_ns;
};

__thread int hook_depth __attribute__((tls_model("initial-exec")));
static __thread uint32_t number __attribute__((tls_model("initial-exec")));
static __thread struct quick quick __attribute__((tls_model("initial-exec")));

uint64_t thread_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint32_t thread_number(void)
{
    if (number == 0)
        number = (uint32_t)syscall(SYS_gettid);
    return number;
}

void thread_reset(void)
{
    number = 0;
}

#if defined(__x86_64__)
static uint64_t ticks_now(void)
{
    return __builtin_ia32_rdtsc();
}

/* Reads the flag "invariant TSC": the counter always has the same speed. */
static bool read_counter_flag(void)
{
    unsigned eax, ebx, ecx, edx;

    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && (edx & 1u << 8);
}
#else
static uint64_t ticks_now(void)
{
    uint64_t ticks;

    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

static bool read_counter_flag(void)
{
    return true;
}
#endif

static bool counter_is_constant(void)
{
    static atomic_int known; /* 0: not known yet, 1: yes, 2: no */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);

    if (answer == 0) {
        answer = read_counter_flag() ? 1 : 2;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 1;
}

/* Measures the speed of the counter. The shifted nanoseconds must fit into 64 bits. */
static void calibrate(const struct reading *now)
{
    uint64_t ns = now->ns - quick.start.ns, ticks = now->ticks - quick.start.ticks;

    if (quick.start.ns == 0 || ns > UINT64_MAX >> MULTIPLIER_BITS || ticks == 0) {
        quick.start = *now;
    } else if (ns >= (quick.valid_ticks ? CALIBRATION_NS : FIRST_CALIBRATION_NS)) {
        quick.multiplier = (ns << MULTIPLIER_BITS) / ticks;
        quick.valid_ticks = ((uint64_t)VALID_NS << MULTIPLIER_BITS) / quick.multiplier;
        quick.start = *now;
    }
}

static uint64_t read_clock(uint64_t ticks)
{
    struct reading now = {thread_now_ns(), ticks};

    if (counter_is_constant() && ticks_now() - ticks <= READING_TICKS) {
        calibrate(&now);
        quick.anchor = now;
    }
    return now.ns;
}

uint64_t thread_quick_ns(void)
{
    uint64_t ticks = ticks_now(), passed = ticks - quick.anchor.ticks, ns;

    if (__builtin_expect(passed < quick.valid_ticks, 1))
        ns = quick.anchor.ns + (passed * quick.multiplier >> MULTIPLIER_BITS);
    else
        ns = read_clock(ticks);
    if (ns < quick.last_ns)
        ns = quick.last_ns;
    quick.last_ns = ns;
    return ns;
}
