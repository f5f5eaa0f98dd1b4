/* pass_sharing.h - passes that like ranks share
 *
 * Ranks of one group that run the same kernel over the same shapes count the same. When
 * the job allows it, each makes only every n-th pass, in the same replays as the others
 * make theirs; the numbers of the passes say who made which. The last passes are made
 * by more than one where there are not as many left as ranks, so that all execute
 * equally often.
 *
 * Ranks are alike when their kernel, its blocks and its arguments but for addresses are
 * the same, and their last warm-up (without one, their first execution) took the same
 * time, as near as the job says; meeting.h compares. Else each makes all. */
#ifndef INJECT_REPLAY_PASS_SHARING_H
#define INJECT_REPLAY_PASS_SHARING_H

#include <stdint.h>

struct replay;

/* How many counter passes this rank makes, and the number of the n-th (from 0), from 1;
 * 0 when there are none. */
uint32_t pass_sharing_count(const struct replay *replay);
uint32_t pass_sharing_nth(const struct replay *replay, uint32_t n);

/* What like ranks have alike; never 0. */
uint64_t pass_sharing_fingerprint(const struct replay *replay);

#endif
