/* ranks.h - a test that several ranks run, each in a thread or in a process */
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

/* What is wrong with a rank: 0 is nothing, else a line of the test. */
typedef int rank_fn(struct rank *rank);

/* The last three are on two hosts, the first half on the one, the rest on the other:
 * loopback addresses that belong to this test alone. */
enum ranks_where {
    RANKS_THREADS,
    RANKS_PROCESSES,
    RANKS_HOSTS,        /* processes, by a rank table */
    RANKS_HOST_THREADS, /* threads, by a rank table */
    RANKS_HOST_ROOT,    /* processes, by a root info */
};

/* Each rank has its card, its stream and a communicator of all. Returns the first
 * thing that was wrong, -1 for a rank that died. Only where no card was used before. */
uint32_t ranks_host(uint32_t rank, uint32_t ranks); /* 0 or 1 */
void ranks_address(char *text, uint32_t host);      /* 32 bytes */
int ranks_run(enum ranks_where where, uint32_t ranks, rank_fn *fn);

#define WRONG_UNLESS(condition)                                                        \
    do {                                                                               \
        if (!(condition))                                                              \
            return __LINE__;                                                           \
    } while (0)

#endif
