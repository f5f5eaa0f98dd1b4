/* slurm.h - what is said to Slurm, and what it says back
 *
 * Allocations are looked up by their names, which only we give, and not by Slurm's
 * numbers: a number that Slurm has forgotten is an error of its command, a name that it
 * does not know is just not in the answer. */
#ifndef LIB_CLUSTER_SLURM_H
#define LIB_CLUSTER_SLURM_H

#include <stdint.h>

#include "lib/cluster/allocation_queue.h"

enum alloc_state {
    ALLOC_SUBMITTING, /* asked for; Slurm has not answered */
    ALLOC_QUEUED,
    ALLOC_RUNNING,
    ALLOC_ENDED, /* or forgotten by the cluster, which is the same to us */
    ALLOC_STATE_END,
};

const char *alloc_state_name(enum alloc_state state);
/* ALLOC_STATE_END when there is no such name. */
enum alloc_state alloc_state_of(const char *name);

/* A command line, and what goes to its standard input ("": nothing). */
struct alloc_command {
    char **argv;
    char *input;
};

void alloc_command_clear(struct alloc_command *command);

/* `job_name` is unique; `log_folder` gets what the allocation prints; `program` is
 * muster, on the node. */
struct alloc_command alloc_slurm_submit(const struct allocation_request *wish,
                                        const char *job_name,
                                        const char *log_folder,
                                        const char *program);
/* A step of the allocation that we stand in, for as long as its workers live. */
struct alloc_command alloc_slurm_step(const struct allocation_request *wish,
                                      const char *job_name,
                                      const char *program);
/* Whether Slurm would take it, without handing it in. */
struct alloc_command alloc_slurm_dry_run(const struct allocation_request *wish,
                                         const char *program);
struct alloc_command alloc_slurm_look(const char *const *job_names, size_t count);
struct alloc_command alloc_slurm_cancel(const char *job_name);

/* The number in what sbatch printed; ERR_INPUT when there is none. */
int alloc_slurm_read_number(const char *said, uint64_t *number, struct err *err);

/* The state of `job_name` in what the look printed; ALLOC_ENDED when it is not there.
 */
enum alloc_state
alloc_slurm_read_state(const char *said, const char *job_name, uint64_t *number);

/* The cards of `node` in what `scontrol show job --details` printed, as a list "0,1,4";
 * `resource` is its name for a card. ERR_NOT_FOUND: it names none. */
int alloc_slurm_read_cards(const char *said,
                           const char *node,
                           const char *resource,
                           char *out,
                           size_t size,
                           struct err *err);

#endif
