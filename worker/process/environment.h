/* environment.h - what the operator finds in its environment
 *
 * The worker's own, the job file's over it, and what measuring needs over both; lists
 * such as LD_PRELOAD keep what stood there, behind ours. */
#ifndef WORKER_PROCESS_ENVIRONMENT_H
#define WORKER_PROCESS_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

struct environment;
struct run_as_user;
struct msg_lease;

/* KEY=value that every process of this run carries; free() it. */
char *environment_mark(uint64_t run_id, uint64_t rank);

/* Where the runtime's libraries are, below lib64; empty: not said. free() it. */
char *
environment_home(const struct msg_lease *lease, const char *parts, bool simulated);

/* Takes out of the worker's own environment what fits none of these patterns, which are
 * separated by commas, and is of no use to all: PATH, HOME, LANG, ASCEND_* and such. */
void environment_keep(const char *patterns);

/* `variable` is what the rendezvous wants to be in it. A lease without metrics gets
 * neither that nor the guest: its program only runs. `rank_table` is the path of that
 * file, NULL: there is none; `stubs` a folder to look for libraries in before all
 * others, or NULL; `as` is whose program it is, NULL: the worker's. */
struct environment *environment_create(const struct msg_lease *lease,
                                       const char *parts,
                                       const char *variable,
                                       const char *rank_table,
                                       const char *stubs,
                                       const struct run_as_user *as,
                                       uint64_t card,
                                       bool simulated);
void environment_destroy(struct environment *environment);
const char *const *environment_get(const struct environment *environment);

#endif
