#include "inject/thread.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* How far the counter is trusted without a look at the clock. */
enum { TRUST_NS = 1000 * 1000, MULTIPLIER_BITS = 32 };

/* A moment at which the clock and the counter were both read, and how they go together.
 */
struct anchor {
    uint64_t ns, ticks;
    uint64_t trust;      /* ticks; 0: not known yet */
    uint64_t multiplier; /* nanoseconds a tick, shifted */
    uint64_t last_ns;
};

__thread int guest_depth __attribute__((tls_model("initial-exec")));
static __thread uint32_t number __attribute__((tls_model("initial-exec")));
static __thread struct anchor anchor __attribute__((tls_model("initial-exec")));

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

/* A stretch between two looks that is long enough, and not too long, tells how fast the
 * counter is. */
static uint64_t look(uint64_t ticks)
{
    uint64_t ns = thread_now_ns();
    uint64_t passed_ns = ns - anchor.ns, passed = ticks - anchor.ticks;

    if (!counter_is_even())
        return ns;
    if (anchor.ns == 0 || passed_ns > 1000 * (uint64_t)TRUST_NS || passed == 0 ||
        passed > UINT32_MAX * (uint64_t)16) {
        anchor = (struct anchor){.ns = ns, .ticks = ticks, .last_ns = anchor.last_ns};
    } else if (passed_ns >= TRUST_NS) {
        anchor.multiplier = (passed_ns << MULTIPLIER_BITS) / passed;
        anchor.trust = (uint64_t)TRUST_NS * passed / passed_ns;
        anchor.ns = ns;
        anchor.ticks = ticks;
    }
    return ns;
}

uint64_t thread_quick_ns(void)
{
    uint64_t ticks = ticks_now(), passed = ticks - anchor.ticks, ns;

    if (__builtin_expect(passed < anchor.trust, 1))
        ns = anchor.ns + (passed * anchor.multiplier >> MULTIPLIER_BITS);
    else
        ns = look(ticks);
    if (ns < anchor.last_ns)
        ns = anchor.last_ns;
    anchor.last_ns = ns;
    return ns;
}
