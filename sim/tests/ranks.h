/* ranks.h - runs a test function on several ranks, as threads or processes */
#ifndef SIM_TESTS_RANKS_H
#define SIM_TESTS_RANKS_H

#include <hccl/hccl.h>
#include <stdbool.h>
#include <stdint.h>

struct rank {
    uint32_t rank, ranks;
    HcclComm comm;
    aclrtStream stream;
};

/* Result of a rank: 0 on success, else the line of the failed check. */
typedef int rank_fn(struct rank *rank);

/* The last three use two hosts, half of the ranks on each, with loopback addresses that
 * only this test uses. */
enum ranks_where {
    RANKS_THREADS,
    RANKS_PROCESSES,
    RANKS_HOSTS,        /* processes, by a rank table */
    RANKS_HOST_THREADS, /* threads, by a rank table */
    RANKS_HOST_ROOT,    /* processes, by a root info */
};

/* Runs the function on all ranks, each with its card, its stream and a communicator of
 * all. Returns the first failure, -1 for a rank that died. Call it before the process
 * uses a card. */
uint32_t ranks_host(uint32_t rank, uint32_t ranks); /* 0 or 1 */
void ranks_address(char *text, uint32_t host);      /* 32 bytes */
int ranks_run(enum ranks_where where, uint32_t ranks, rank_fn *fn);

#define WRONG_UNLESS(condition)                                                        \
    do {                                                                               \
        if (!(condition))                                                              \
            return __LINE__;                                                           \
    } while (0)

#endif
