/* block_table.h - the basic blocks of a kernel file, by address
 *
 * The compiler puts a call at the head of each block; the table is made of those calls,
 * found in the code itself, so that a block that never ran has its row too. A block is
 * named by the address behind its call, as the file has it. */
#ifndef SIM_INSTRUMENT_BLOCK_TABLE_H
#define SIM_INSTRUMENT_BLOCK_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct block_table {
    size_t count;
    uint64_t address[];
};

/* NULL when the file has none, or there is no memory. */
struct block_table *npu_sim_block_table_create(uint64_t code_base,
                                               void (*callback)(void));
void npu_sim_block_table_destroy(struct block_table *table);
/* The block's number; the count of blocks when it is none. */
size_t block_table_find(const struct block_table *table, uint64_t address);

#endif
