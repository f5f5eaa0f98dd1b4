/* group_replay.h - replays a launch in which all ranks of a communicator take part
 *
 * The ranks wait for each other at a barrier between all steps that need every rank:
 *
 *   PREPARE   all ranks vote for a replay of the same operation; then each rank
 *             locks its device and saves the memory
 *   SAVED     the program's own execution runs, and its results are saved
 *   FIRST     then, for each execution of the plan: memory is restored, counters start
 *   START     all ranks issue the launch and wait for it; counters are read
 *   END
 *
 * An abort at PREPARE or SAVED happens before any execution: each rank then issues the
 * launch as without inject. After SAVED the launch was executed. An abort later
 * restores the results of the first execution, and nothing is executed any more. All
 * ranks have thus executed the launch equally often, and have correct results even when
 * a rank died, hangs or is late. After the last END the memory holds the results of the
 * last execution, which are equal.
 *
 * A rank that does not replay an operation reports that without a wait. During a wait a
 * thread holds no lock except the exclusive lock of its device. */
#ifndef INJECT_REPLAY_GROUP_REPLAY_H
#define INJECT_REPLAY_GROUP_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

struct comm;
struct device;
struct launch;

/* Returns the result for the program. launch->kind must be set. `can_repeat` is false
 * when the launch cannot be issued again. */
int group_launch(const struct launch *launch,
                 const struct comm *comm,
                 struct device *device,
                 const char *kernel,
                 uint64_t number,
                 uint64_t sequence,
                 uint64_t fingerprint,
                 bool can_repeat);

/* Runs an operator that only some ranks of its communicator run (launch_is_one_sided).
 * Without application replay it has records with the reason for which it is not
 * measured. Returns the result for the program. */
int one_sided_launch(const struct launch *launch,
                     const struct comm *comm,
                     struct device *device,
                     const char *kernel,
                     uint64_t number);

#endif
