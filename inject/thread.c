#include "inject/thread.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__thread int guest_depth __attribute__((tls_model("initial-exec")));

uint64_t thread_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint32_t thread_number(void)
{
    return (uint32_t)syscall(SYS_gettid);
}
