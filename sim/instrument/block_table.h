/* block_table.h - the basic blocks of a kernel file, by address
 *
 * The compiler inserts a call at the start of each block. The table lists these calls,
 * found in the code itself, so a block that never ran also has a row. The address of a
 * block is the return address of its call, as an address in the file. */
#ifndef SIM_INSTRUMENT_BLOCK_TABLE_H
#define SIM_INSTRUMENT_BLOCK_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct block_table {
    size_t count;
    uint64_t address[];
};

/* Returns NULL when the file has no such calls, or when out of memory. */
struct block_table *npu_sim_block_table_create(uint64_t code_base,
                                               void (*callback)(void));
void npu_sim_block_table_destroy(struct block_table *table);
/* Returns the index of the block; the number of blocks when the address is not in the
 * table. */
size_t block_table_find(const struct block_table *table, uint64_t address);

#endif
