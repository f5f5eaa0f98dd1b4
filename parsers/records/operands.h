/* operands.h - reads OperandRecord.bin of a 950: instructions by type of operand
 *
 * Each vector and each cube core has a block of 1 + 2048 threads. The first thread
 * counts vector (SIMD) instructions, the others their own (SIMT). The reader sums up
 * the threads. */
#ifndef PARSERS_RECORDS_OPERANDS_H
#define PARSERS_RECORDS_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OPERAND_TYPES = 33,
    OPERAND_FLOATS = 17, /* types below this number are floating-point */
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
    /* index: core * 3 + {0 vector 0, 1 vector 1, 2 cube} */
    struct operand_block *blocks;
    size_t count;
    size_t tail_bytes; /* bytes after the last complete block */
};

void operands_read(struct operands *operands, const uint8_t *bytes, size_t size);
void operands_clear(struct operands *operands);
/* Returns the sums of a block, or NULL when the file does not have it. */
const struct operand_block *operands_at(const struct operands *operands, size_t block);
const char *operand_name(unsigned type);

#endif
