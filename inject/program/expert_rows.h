/* expert_rows.h - which tokens a dispatch brings to the experts of this rank
 *
 * A dispatch (MoeDistributeDispatch...) writes how many rows each expert of the rank
 * received from each rank. No other record has these numbers. The hooks of the
 * operator's two functions report its arguments; after the launch the numbers are read
 * from the card. */
#ifndef INJECT_PROGRAM_EXPERT_ROWS_H
#define INJECT_PROGRAM_EXPERT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

/* The arguments of the first function, by their meaning. */
struct expert_rows_call {
    const void *x;    /* aclTensor: tokens of this rank, (count, width) */
    const void *sums; /* aclTensor, INT32: running sums of rows, [expert][rank] */
    uint64_t ranks, rank;
    uint64_t experts; /* of all ranks, without the shared ones */
    uint64_t shared_ranks;
    uint64_t quantisation; /* 0: none, elements have 2 bytes; else 1 byte */
};

/* Keeps the arguments for the run of this executor. */
void expert_rows_prepare(const void *executor, const struct expert_rows_call *call);
/* Marks the start and the end of a run on this thread. A run may happen again. */
void expert_rows_begin(const void *executor);
void expert_rows_end(void);

/* Writes the record of a launch that just ended. Has no effect unless this thread runs
 * a dispatch and the kernel is its own. */
void expert_rows_write(const char *kernel, uint64_t launch);

#endif
