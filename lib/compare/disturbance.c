#include "lib/compare/disturbance.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/mem.h"

const char disturbed_metric[] = "disturbed";

enum { THROTTLED = 1, OTHER_PROCESS = 2, MEMORY_ERROR = 4 };
#define PACKED_MOST 9007199254740992.0 /* a larger double has no exact bits */

double disturbance_pack(const struct disturbance *disturbance)
{
    return (disturbance->throttled ? THROTTLED : 0) +
           (disturbance->other_process ? OTHER_PROCESS : 0) +
           (double)disturbance->memory_errors * MEMORY_ERROR;
}

struct disturbance disturbance_unpack(double value)
{
    uint64_t packed = value > 0 && value < PACKED_MOST ? (uint64_t)value : 0;

    return (struct disturbance){.throttled = packed & THROTTLED,
                                .other_process = packed & OTHER_PROCESS,
                                .memory_errors = packed / MEMORY_ERROR};
}

bool disturbance_has_metric(const char *metric)
{
    static const char *const details[] = {"throttled_mhz", "new_memory_errors",
                                          "other_processes"};

    for (size_t i = 0; i < COUNT(details); i++)
        if (strcmp(metric, details[i]) == 0)
            return true;
    return strcmp(metric, disturbed_metric) == 0;
}
