/* ranks.h - how the ranks of a sample operator are started
 *
 *   --threads N                        a thread a card in this process
 *   --ranks N                          a process a card, all forked here
 *   --ranks N --rank R --rank-file F   this process is one of them; others are started
 *                                      by somebody else, F hands the root info over
 *   RANK_TABLE_FILE and RANK_ID        the same, by a rank table
 *
 * Without any of them: two threads. In each way the function of the operator runs once
 * a rank, with the card selected and the communicator made. Ranks can be told to be
 * late, to leave a launch out, or to die before one. */
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
    uint64_t checksum; /* the operator fills it, and what was wrong */
    size_t wrong;
};

struct ranks_program {
    const char *name, *summary;
    void (*run)(struct rank *rank);
    /* the shape for the line of the result */
    void (*tell)(char *shape, size_t size);
};

void ranks_check(HcclResult result, const char *call);
#define HCHECK(call) ranks_check(call, #call)

/* Before each launch of a rank: what the misbehaving one does. False: leave it out. */
int ranks_may_launch(const struct rank *rank, uint32_t launch);

/* Reads the options (those of the operator in `rows`), runs the ranks, prints the line
 * of the result: the exit code. */
int ranks_main(const struct ranks_program *program,
               const struct option_row *rows,
               size_t count,
               char **argv);

#ifdef __cplusplus
}
#endif

#endif
