/* run_ranks.h - this process among the ranks of the run: its places at their meetings
 *
 * The page comes with CONFIG; without it there are no other ranks, or they cannot be
 * met, and nothing that needs them is replayed. A rank of a communicator takes its
 * place when the communicator is made, so that it is known to be missing before it
 * comes for the first time. */
#ifndef INJECT_PROGRAM_RUN_RANKS_H
#define INJECT_PROGRAM_RUN_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/shm/rank_barrier.h"

struct control_config;
struct comm;

/* The bell is ours when it says true; the page's descriptor is not. */
bool run_ranks_start(const struct control_config *config, int page, int bell);
void run_ranks_reset(void); /* in a child: the places are the parent's */
/* This process replays nothing any more: nobody has to wait for it. */
void run_ranks_leave(void);

void run_ranks_join(const struct comm *comm);
/* By handle: before the communicator is destroyed. */
void run_ranks_leave_group(const struct comm *comm);

struct rank_barrier *run_ranks_barrier(void);
/* False: this rank has no place, nobody can be met. */
bool run_ranks_place(const struct comm *comm, struct barrier_place *out);
/* All ranks of the run, as if they were a communicator, and the number of this device's
 * next operation of theirs. False: it is the only one, or nobody can be met. */
struct device;
bool run_ranks_all(const struct device *device, struct comm *out, uint64_t *sequence);
/* The group's key among all starts of the program. */
uint64_t run_ranks_key(const struct comm *comm);

/* The worker said that no operation of this group is wanted any more. */
void run_ranks_skip_group(const struct comm *comm);
bool run_ranks_group_is_skipped(const struct comm *comm);

#endif
