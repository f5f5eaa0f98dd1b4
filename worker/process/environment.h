/* environment.h - environment variables of an operator
 *
 * The variables of the worker, replaced by those of the job file, replaced by those
 * that a measurement needs. In lists such as LD_PRELOAD the new entries precede the old
 * ones. */
#ifndef WORKER_PROCESS_ENVIRONMENT_H
#define WORKER_PROCESS_ENVIRONMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct environment;
struct run_as_user;
struct vendor_simulator;
struct msg_lease;

/* Returns the KEY=value that marks all processes of the worker with this spool folder:
 * the device and the inode of the folder, which no other worker on the machine has. The
 * caller frees it. */
char *environment_mark(const char *spool);

/* Returns the folder whose lib64/ has the libraries of the runtime; "" when it is
 * unknown. The caller frees it. */
char *environment_runtime_folder(const struct msg_lease *lease,
                                 const char *parts,
                                 bool simulated);

/* Makes the paths in the worker's own environment absolute. An operator inherits them,
 * but runs in the folder of its task. */
void environment_make_paths_absolute(void);
/* Removes variables from the worker's own environment. It keeps those that match one of
 * the patterns, which are separated by commas, and those that every operator needs:
 * PATH, HOME, LANG, ASCEND_* and others. */
void environment_restrict(const char *patterns);

/* Returns true when the lease asks for XPTI trace events. */
bool environment_is_traced(const struct msg_lease *lease);
/* Checks the libraries that a dispatcher of a traced operator will load: it prints its
 * own errors on the output of the operator. */
int environment_check_trace(const struct msg_lease *lease,
                            const char *parts,
                            struct err *err);

/* Returns true when the operator runs in the vendor's instruction simulator. */
bool environment_is_simulation(const struct msg_lease *lease);
/* Finds the simulator of the chip for the operator. */
int environment_find_simulator(struct vendor_simulator *out,
                               const struct msg_lease *lease,
                               const char *soc,
                               struct err *err);

/* The simulator, chip and existing folder for the logs of an operator. */
struct environment_simulation {
    const struct vendor_simulator *simulator;
    const char *soc, *logs;
};

/* Creates the environment for a lease. `variable` names the control socket of the
 * inject server. A lease without metrics gets neither this variable nor the inject
 * library. A traced one gets the variables of XPTI in place of the inject library: its
 * own subscriber after those of the job, and a dispatcher unless the job has one.
 * `rank_table` is the path of that file or NULL. `stubs` is a folder of libraries that
 * precede all others, or NULL. `spool` is the worker's spool folder. `as` is the
 * account that runs the operator; NULL: the worker's account. `simulation` is set when
 * environment_is_simulation() holds, otherwise NULL. */
struct environment *environment_create(const struct msg_lease *lease,
                                       const char *parts,
                                       const char *variable,
                                       const char *rank_table,
                                       const char *stubs,
                                       const char *spool,
                                       const struct run_as_user *as,
                                       uint64_t card,
                                       bool simulated,
                                       const struct environment_simulation *simulation);
void environment_destroy(struct environment *environment);
const char *const *environment_get(const struct environment *environment);

#endif
