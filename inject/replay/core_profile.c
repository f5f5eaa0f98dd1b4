#include "inject/replay/core_profile.h"

#include <string.h>

#include "inject/device/profiling_channel.h"
#include "lib/capture/format/channels.h"
#include "lib/capture/format/records.h"

_Static_assert((int)CHANNEL_CORE_FIRST == (int)PROF_CORE_FIRST &&
                   CHANNEL_CORE_LAST == PROF_CORE_FIRST + PROF_CORE_CHANNELS - 1,
               "the channels of a capture are those of the driver");

bool core_profile_open(struct core_profile *profile,
                       const struct device *device,
                       uint64_t launch,
                       enum prof_core_mode mode)
{
    const struct profiling_label label = {
        launch,
        mode == PROF_CORE_SAMPLES ? CORE_PASS_SAMPLES : CORE_PASS_TIMELINE,
    };
    bool any = false;

    memset(profile, 0, sizeof(*profile));
    for (uint32_t i = 0; i < PROF_CORE_CHANNELS; i++) {
        int why;

        profile->channels[i] = profiling_open_core(device, &label, i, mode, &why);
        any |= profile->channels[i] != NULL;
    }
    return any;
}

bool core_profile_close(struct core_profile *profile)
{
    return profiling_close(profile->channels, PROF_CORE_CHANNELS);
}
