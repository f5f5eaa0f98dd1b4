/* run_ranks.h - the ranks of this process in the barrier of the gang
 *
 * The page of the barrier comes with CONFIG. Without it, launches that need other ranks
 * are not replayed. A rank joins the barrier group when its communicator is created, so
 * the others can notice that it is missing before its first operation. */
#ifndef INJECT_PROGRAM_RUN_RANKS_H
#define INJECT_PROGRAM_RUN_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/shm/rank_barrier.h"

struct comm;
struct control_config;
struct device;

/* Maps the page. When it returns true, it has taken `wake_fd`; never `page`. */
bool run_ranks_start(const struct control_config *config, int page, int wake_fd);
void run_ranks_reset(void); /* in a child process: the members belong to the parent */
/* Leaves all groups, so that no rank waits for this process. */
void run_ranks_leave(void);

void run_ranks_join(const struct comm *comm);
/* Call it before the communicator is destroyed. */
void run_ranks_leave_group(const struct comm *comm);

struct rank_barrier *run_ranks_barrier(void);
/* Returns false when this rank is no member of the communicator's group. */
bool run_ranks_place(const struct comm *comm, struct barrier_place *out);
/* Fills a communicator of all ranks of the gang, and the number of this device's next
 * operation in it. Returns false without other ranks or without a page. */
bool run_ranks_all(const struct device *device, struct comm *out, uint64_t *sequence);
/* Returns the communicator's key for this start of the program. */
uint64_t run_ranks_key(const struct comm *comm);

/* Stores that no operation of this communicator is to be replayed. */
void run_ranks_skip_group(const struct comm *comm);
bool run_ranks_group_is_skipped(const struct comm *comm);

#endif
