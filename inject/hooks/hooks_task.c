/* hooks_task.c - tasks that are more than a kernel: parts of a graph, and operators
 * whose communication is a task of the card's own
 *
 * They run once, as the program issued them, and never while the card is in a replay.
 */
#include "inject/device/device.h"
#include "inject/hooks/hook_frame.h"
#include "inject/program/mc2.h"
#include "inject/replay/range_replay.h"

#define TURN                                                                           \
    range_cut();                                                                       \
    struct device *turn = device_lock_shared(device_current())
/* What led up to it belongs to no kernel that comes later. */
#define UNTURN                                                                         \
    device_unlock_shared(turn);                                                        \
    mc2_reset()

HOOK(rtFftsPlusTaskLaunch,
     lifecycle_connect(),
     TURN,
     UNTURN,
     (void *, task),
     (void *, stream))
HOOK(rtFftsPlusTaskLaunchWithFlag,
     lifecycle_connect(),
     TURN,
     UNTURN,
     (void *, task),
     (void *, stream),
     (uint32_t, flag))
HOOK(rtFusionLaunch,
     lifecycle_connect(),
     TURN,
     UNTURN,
     (void *, parts),
     (void *, stream),
     (void *, args))
HOOK(rtCCULaunch, lifecycle_connect(), TURN, UNTURN, (void *, task), (void *, stream))
