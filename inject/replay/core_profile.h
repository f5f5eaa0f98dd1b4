/* core_profile.h - the channels of the cores of a 950 during one execution
 *
 * The driver has three channels for each of the first six AI Cores. They send what each
 * pipe executes, or samples of the program counter. */
#ifndef INJECT_REPLAY_CORE_PROFILE_H
#define INJECT_REPLAY_CORE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "inject/base/abi.h"

struct device;
struct profiling_channel;

struct core_profile {
    struct profiling_channel *channels[PROF_CORE_CHANNELS];
};

/* Opens the channels for this launch. Returns false when the driver refuses all. */
bool core_profile_open(struct core_profile *profile,
                       const struct device *device,
                       uint64_t launch,
                       enum prof_core_mode mode);
/* Reads and closes the channels. Returns false when data was lost. */
bool core_profile_close(struct core_profile *profile);

#endif
