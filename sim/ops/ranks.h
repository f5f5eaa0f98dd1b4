/* ranks.h - starts the ranks of a sample operator
 *
 *   --threads N                        one thread per card in this process
 *   --ranks N                          one forked process per card
 *   --ranks N --rank R --rank-file F   this process is one rank; the others are started
 *                                      separately, and file F passes the root info
 *   RANK_TABLE_FILE and RANK_ID        the same, through a rank table
 *
 * Without any of them two threads run. In each case the function of the operator runs
 * once per rank, with the card selected and the communicator created. Options make a
 * rank late, skip a launch, or crash before one. */
#ifndef SIM_OPS_RANKS_H
#define SIM_OPS_RANKS_H

#include <acl/acl.h>
#include <hccl/hccl.h>
#include <stddef.h>
#include <stdint.h>

#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RANKS_MAX 64

struct rank {
    uint32_t rank, count;
    HcclComm comm;
    char group[COMM_NAME_MAX_LENGTH];
    aclrtStream stream;
    uint64_t checksum; /* set by the operator, like `wrong` */
    size_t wrong;
};

struct ranks_program {
    const char *name, *summary;
    void (*run)(struct rank *rank);
    /* writes the shape for the result line */
    void (*describe)(char *shape, size_t size);
};

void ranks_check(HcclResult result, const char *call);
#define HCHECK(call) ranks_check(call, #call)

/* Applies --late, --skip and --crash before a launch. Returns false when the rank must
 * skip it. */
int ranks_may_launch(const struct rank *rank, uint32_t launch);

/* Allocates the workspace of an operator; NULL when it needs none. */
void *ranks_workspace(uint64_t bytes);
/* Waits until the operators of the stream have ended, and frees the workspace. */
void ranks_finish(const struct rank *rank, void *workspace);

/* Reads the options (those of the operator in `rows`), runs the ranks, and prints the
 * result line; returns the exit code. */
int ranks_main(const struct ranks_program *program,
               const struct option_row *rows,
               size_t count,
               char **argv);

#ifdef __cplusplus
}
#endif

#endif
