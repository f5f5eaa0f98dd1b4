/* slurm.h - command lines for Slurm, and how to read the output of its commands
 *
 * Allocations are looked up by job name, and only the coordinator assigns these names.
 * Slurm's numbers are not used for that: squeue fails for a number that Slurm has
 * deleted, but only omits a name that does not exist. */
#ifndef LIB_CLUSTER_SLURM_H
#define LIB_CLUSTER_SLURM_H

#include <stdint.h>

#include "lib/cluster/allocation_queue.h"

enum alloc_state {
    ALLOC_SUBMITTING, /* requested; sbatch has not printed a number yet */
    ALLOC_QUEUED,
    ALLOC_RUNNING,
    ALLOC_ENDED, /* or deleted by Slurm, which has the same consequences */
    ALLOC_STATE_END,
};

const char *alloc_state_name(enum alloc_state state);
/* Returns ALLOC_STATE_END for an unknown name. */
enum alloc_state alloc_state_of(const char *name);

/* A command line and the text for its standard input ("": none). */
struct alloc_command {
    char **argv;
    char *input;
};

void alloc_command_clear(struct alloc_command *command);

/* Submits an allocation. `job_name` is unique. The output of the allocation goes to
 * `log_folder`. `program` is the path of muster on the node. */
struct alloc_command alloc_slurm_submit(const struct allocation_request *request,
                                        const char *job_name,
                                        const char *log_folder,
                                        const char *program);
/* Starts a step in the allocation that contains the caller. It ends with its workers.
 */
struct alloc_command alloc_slurm_step(const struct allocation_request *request,
                                      const char *job_name,
                                      const char *program);
/* Checks whether Slurm would accept the request, without a submission. */
struct alloc_command alloc_slurm_dry_run(const struct allocation_request *request,
                                         const char *program);
/* Prints the states of all these jobs, for alloc_slurm_read_state(). */
struct alloc_command alloc_slurm_look(const char *const *job_names, size_t count);
struct alloc_command alloc_slurm_cancel(const char *job_name);

/* Reads the job number from the output of sbatch; ERR_INPUT when there is none. */
int alloc_slurm_read_number(const char *output, uint64_t *number, struct err *err);

/* Reads state and number of `job_name` from the output of squeue. Returns ALLOC_ENDED
 * when the output does not contain the job. */
enum alloc_state
alloc_slurm_read_state(const char *output, const char *job_name, uint64_t *number);

/* Reads the cards of `node` from the output of `scontrol show job --details`, as a list
 * "0,1,4". `resource` is Slurm's name of a card. ERR_NOT_FOUND: the output lists none.
 */
int alloc_slurm_read_cards(const char *output,
                           const char *node,
                           const char *resource,
                           char *out,
                           size_t size,
                           struct err *err);

#endif
