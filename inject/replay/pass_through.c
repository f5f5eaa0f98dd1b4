#include "inject/replay/pass_through.h"

#include <errno.h>

#include "inject/device/device.h"
#include "inject/replay/launch_call.h"

int pass_through(const struct launch *launch, struct device *device)
{
    int saved = errno, result;
    struct device *shared = device_lock_shared(device);

    errno = saved;
    result = launch->run(launch->call);
    saved = errno;
    device_unlock_shared(shared);
    errno = saved;
    return result;
}
