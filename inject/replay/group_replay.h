/* group_replay.h - a launch that all ranks of a group take part in, replayed together
 *
 * The ranks meet before and after everything that one of them could not do alone:
 *
 *   PREPARE   who wants to replay this operation, and is it the same one; then, with
 *             the device to ourselves, memory is saved
 *   SAVED     FIRST, the program's own execution, and its results are kept
 *   FIRST     then for each execution of the plan: memory is put back, counters start
 *   START     all halves are issued, and end; counters are read
 *   END
 *
 * Up to SAVED nobody has executed anything: whoever stops there runs the launch as the
 * program meant it. From FIRST on the launch is done: whoever stops later puts the
 * results of the first execution back and executes nothing any more, so all ranks have
 * executed it equally often, and a rank that died, hangs or is late leaves the others
 * with right answers. After the last END the memory holds what the last execution left,
 * which is the same.
 *
 * A rank that does not replay an operation says so without waiting. No lock is held
 * while waiting but the turn of the own device. */
#ifndef INJECT_REPLAY_GROUP_REPLAY_H
#define INJECT_REPLAY_GROUP_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

struct comm;
struct device;
struct launch;

/* What the program gets. launch->kind is set; `may` is false when it cannot be issued
 * again. */
int group_launch(const struct launch *launch,
                 const struct comm *comm,
                 struct device *device,
                 const char *kernel,
                 uint64_t number,
                 uint64_t sequence,
                 uint64_t fingerprint,
                 bool may);

#endif
