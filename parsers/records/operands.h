/* operands.h - OperandRecord.bin of a 950: what its units computed, by type of operand
 *
 * Each vector and each cube has a block of 1 + 2048 threads: the first counts vector
 * instructions, the others those of their own code. They are added up. */
#ifndef PARSERS_RECORDS_OPERANDS_H
#define PARSERS_RECORDS_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OPERAND_TYPES = 33,
    OPERAND_FLOATS = 17, /* the types before this one are floats */
    OPERAND_THREADS = 2048,
    OPERAND_THREAD_BYTES = 856,
    OPERAND_BLOCK_BYTES = (1 + OPERAND_THREADS) * OPERAND_THREAD_BYTES + 64,
};

struct operand_sum {
    uint64_t instructions, operations;
};

struct operand_block {
    struct operand_sum simd[OPERAND_TYPES], simt[OPERAND_TYPES];
};

struct operands {
    struct operand_block *blocks; /* core x 3 + vector 0, vector 1, cube */
    size_t count;
    size_t tail_bytes; /* behind the last whole block */
};

void operands_read(struct operands *operands, const uint8_t *bytes, size_t size);
void operands_clear(struct operands *operands);
/* Of the block, or NULL: nothing is told of it. */
const struct operand_block *operands_at(const struct operands *operands, size_t block);
const char *operand_name(unsigned type);

#endif
