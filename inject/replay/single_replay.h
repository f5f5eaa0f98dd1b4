/* single_replay.h - replays a launch of one card
 *
 * With the device locked: takes the snapshot, runs the first execution, then the passes
 * of the plan. The memory is restored before each pass, so the last pass leaves the
 * same results as one execution. After a failure the memory is restored and the launch
 * runs once, as without inject. */
#ifndef INJECT_REPLAY_SINGLE_REPLAY_H
#define INJECT_REPLAY_SINGLE_REPLAY_H

struct replay;

/* Needs the exclusive lock of the device. Returns the result for the program. */
int single_replay(struct replay *replay);

#endif
