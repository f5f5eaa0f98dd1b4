/* launch.h - runs one launch of the program as often as its counters need
 *
 * launch_single.h handles a launch of this card alone. group_replay.h handles a launch
 * in which other ranks take part, launch_message.h a message between two ranks.
 *
 * inject waits for a kernel before the program does. An error of the kernel is returned
 * at the program's next synchronization, as without inject (deferred_errors.h). */
#ifndef INJECT_LAUNCH_LAUNCH_H
#define INJECT_LAUNCH_LAUNCH_H

#include <stdbool.h>

struct collective_call;
struct launch;

/* Called inside a hook. Both return the result for the program. */
int replay_launch(const struct launch *launch);
int collective_launch(const struct collective_call *call);

/* Returns the result of a synchronization, or the error that a replay stored for it. */
int launch_synchronized_result(int result, const void *stream, bool whole_device);

#endif
