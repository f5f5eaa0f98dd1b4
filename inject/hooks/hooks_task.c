/* hooks_task.c - launches that are never replayed: tasks of a graph, fused tasks, CCU
 *
 * They run once, as the program issued them, and not during a replay on the device. */
#include "inject/device/device.h"
#include "inject/hooks/hook_frame.h"
#include "inject/launch/range_replay.h"
#include "inject/program/mc2.h"

#define LOCK_DEVICE                                                                    \
    range_cut();                                                                       \
    struct device *locked = device_lock_shared(device_current())
/* The steps before such a task do not belong to a later kernel. */
#define UNLOCK_DEVICE                                                                  \
    device_unlock_shared(locked);                                                      \
    mc2_reset()

HOOK(rtFftsPlusTaskLaunch,
     lifecycle_connect(),
     LOCK_DEVICE,
     UNLOCK_DEVICE,
     (void *, task),
     (void *, stream))
HOOK(rtFftsPlusTaskLaunchWithFlag,
     lifecycle_connect(),
     LOCK_DEVICE,
     UNLOCK_DEVICE,
     (void *, task),
     (void *, stream),
     (uint32_t, flag))
HOOK(rtFusionLaunch,
     lifecycle_connect(),
     LOCK_DEVICE,
     UNLOCK_DEVICE,
     (void *, parts),
     (void *, stream),
     (void *, args))
HOOK(rtCCULaunch,
     lifecycle_connect(),
     LOCK_DEVICE,
     UNLOCK_DEVICE,
     (void *, task),
     (void *, stream))
