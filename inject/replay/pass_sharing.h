/* pass_sharing.h - divides the passes of a launch among ranks that are alike
 *
 * Ranks that run the same kernel with the same shapes have equal counters. When the job
 * allows it, each of n ranks executes only every n-th pass. All ranks replay at the
 * same time, each with its own pass number. When fewer passes than ranks remain,
 * several ranks execute the same pass, so that all ranks execute the launch equally
 * often.
 *
 * Ranks are alike when kernel, blocks and arguments except addresses are equal, and the
 * durations of their last warm-up (or first execution) differ by less than the job's
 * tolerance. barrier_outcome.c compares them. Otherwise each rank executes all passes.
 */
#ifndef INJECT_REPLAY_PASS_SHARING_H
#define INJECT_REPLAY_PASS_SHARING_H

#include <stdint.h>

struct replay;

/* Returns the number of counter passes of this rank. */
uint32_t pass_sharing_count(const struct replay *replay);
/* Returns the number, from 1, of the n-th pass of this rank (n from 0); 0 without
 * passes. */
uint32_t pass_sharing_nth(const struct replay *replay, uint32_t n);

/* Returns a hash that is equal on ranks that are alike; never 0. */
uint64_t pass_sharing_fingerprint(const struct replay *replay);

#endif
