#include "inject/base/thread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* How far the counter is trusted without a look at the clock; how long a stretch tells
 * its speed, for the first time and later; and how many ticks may lie around a look: a
 * few microseconds. More, and the thread was interrupted in it. */
enum {
    TRUST_NS = 1000 * 1000,
    FIRST_STRETCH_NS = TRUST_NS,
    STRETCH_NS = 100 * TRUST_NS,
    MULTIPLIER_BITS = 32,
#if defined(__x86_64__)
    LOOK_TICKS = 5000,
#else
    LOOK_TICKS = 500,
#endif
};

/* A moment at which the clock and the counter were both read. */
struct look {
    uint64_t ns, ticks;
};

struct quick {
    struct look anchor;  /* the latest: what is counted from */
    struct look start;   /* of the stretch that will tell the speed */
    uint64_t trust;      /* ticks behind the anchor; 0: the speed is not known yet */
    uint64_t multiplier; /* nanoseconds a tick, shifted */
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

void thread_forget(void)
{
    number = 0;
}

#if defined(__x86_64__)
static uint64_t ticks_now(void)
{
    return __builtin_ia32_rdtsc();
}

/* The same speed at all times. */
static bool ask_whether_even(void)
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

static bool ask_whether_even(void)
{
    return true;
}
#endif

static bool counter_is_even(void)
{
    static atomic_int known; /* 0: not asked yet, 1: yes, 2: no */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);

    if (answer == 0) {
        answer = ask_whether_even() ? 1 : 2;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 1;
}

/* Shifted, the nanoseconds of a stretch must still fit. */
static void learn_speed(const struct look *now)
{
    uint64_t ns = now->ns - quick.start.ns, ticks = now->ticks - quick.start.ticks;

    if (quick.start.ns == 0 || ns > UINT64_MAX >> MULTIPLIER_BITS || ticks == 0) {
        quick.start = *now;
    } else if (ns >= (quick.trust ? STRETCH_NS : FIRST_STRETCH_NS)) {
        quick.multiplier = (ns << MULTIPLIER_BITS) / ticks;
        quick.trust = ((uint64_t)TRUST_NS << MULTIPLIER_BITS) / quick.multiplier;
        quick.start = *now;
    }
}

static uint64_t look_at_clock(uint64_t ticks)
{
    struct look now = {thread_now_ns(), ticks};

    if (counter_is_even() && ticks_now() - ticks <= LOOK_TICKS) {
        learn_speed(&now);
        quick.anchor = now;
    }
    return now.ns;
}

uint64_t thread_quick_ns(void)
{
    uint64_t ticks = ticks_now(), passed = ticks - quick.anchor.ticks, ns;

    if (__builtin_expect(passed < quick.trust, 1))
        ns = quick.anchor.ns + (passed * quick.multiplier >> MULTIPLIER_BITS);
    else
        ns = look_at_clock(ticks);
    if (ns < quick.last_ns)
        ns = quick.last_ns;
    quick.last_ns = ns;
    return ns;
}
