/* clock.h - deadlines, in milliseconds of the monotonic clock */
#ifndef SIM_HCCL_RANKS_CLOCK_H
#define SIM_HCCL_RANKS_CLOCK_H

#include <limits.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Returns the time left in milliseconds, as a timeout for poll(); 0 after the deadline.
 */
static inline int clock_left(uint64_t deadline_ms)
{
    uint64_t now = clock_ms(), left = now >= deadline_ms ? 0 : deadline_ms - now;

    return left > INT_MAX ? INT_MAX : (int)left;
}

static inline void clock_pause(uint32_t ms)
{
    struct timespec pause = {.tv_sec = ms / 1000,
                             .tv_nsec = (long)(ms % 1000) * 1000000};

    nanosleep(&pause, NULL);
}

#endif
