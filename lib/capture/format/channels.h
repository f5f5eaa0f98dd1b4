/* channels.h - numbers of the profiling channels of the driver */
#ifndef LIB_CAPTURE_FORMAT_CHANNELS_H
#define LIB_CAPTURE_FORMAT_CHANNELS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CHANNEL_CORE_FIRST =
        11, /* 950: three for each of six AI Cores: cube, two vectors */
    CHANNEL_CORE_LAST = 28,
    CHANNEL_COUNTERS_310P = 43,
    CHANNEL_TASK_LOG_310P = 45,
    CHANNEL_L2 = 47,
    CHANNEL_TASK_LOG = 50,
    CHANNEL_COUNTERS = 53,
    CHANNEL_AI_CPU = 143,
};

static inline bool channel_is_core(uint32_t channel)
{
    return channel >= CHANNEL_CORE_FIRST && channel <= CHANNEL_CORE_LAST;
}

/* The 310P has other numbers for the same channels. */
static inline bool channel_is_counters(uint32_t channel)
{
    return channel == CHANNEL_COUNTERS || channel == CHANNEL_COUNTERS_310P;
}

static inline bool channel_is_task_log(uint32_t channel)
{
    return channel == CHANNEL_TASK_LOG || channel == CHANNEL_TASK_LOG_310P;
}

#endif
