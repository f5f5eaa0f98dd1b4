#include "lib/base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static uint64_t read_ns(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t clock_mono_ns(void)
{
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t clock_mono_ms(void)
{
    return read_ns(CLOCK_MONOTONIC) / 1000000u;
}

uint64_t clock_wall_ns(void)
{
    return read_ns(CLOCK_REALTIME);
}

const char *clock_format(char out[32], uint64_t wall_ns)
{
    time_t seconds = (time_t)(wall_ns / 1000000000u);
    struct tm parts;

    gmtime_r(&seconds, &parts);
    size_t used = strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(out + used, 32 - used, ".%03uZ", (unsigned)(wall_ns / 1000000u % 1000u));
    return out;
}
