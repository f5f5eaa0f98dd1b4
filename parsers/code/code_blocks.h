/* code_blocks.h - basic blocks of a kernel and their execution counts
 *
 * Counts come without addresses. The addresses are in the map that the instrumenting
 * tool wrote, or in its fdata file together with the counts. In kernels of the
 * simulator they are in the code: each block starts with a call of the compiler's
 * callback. */
#ifndef PARSERS_CODE_CODE_BLOCKS_H
#define PARSERS_CODE_CODE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_map;

struct code_block {
    uint64_t start, end; /* end is after the last byte */
    uint64_t count;
};

struct code_blocks {
    struct code_block *rows; /* by address */
    size_t count;
    size_t unknown_lines;    /* lines of the text that name no block */
    size_t unmatched_counts; /* counts beyond the last block */
};

/* Finds the blocks by the callback's calls in the ELF file. Returns false when the file
 * has no callback. `counts` has one u32 per block; missing counts at the end are 0. */
bool code_blocks_from_calls(struct code_blocks *blocks,
                            const struct code_map *map,
                            const void *elf,
                            size_t size,
                            const uint8_t *counts,
                            size_t counts_bytes);
/* Reads the blocks from the tool's map; `counts` as above. */
void code_blocks_from_map(struct code_blocks *blocks,
                          const char *text,
                          size_t size,
                          const uint8_t *counts,
                          size_t counts_bytes);
/* Reads lines "<number> <function> <hex offset> <count>"; `map` has the functions. */
void code_blocks_from_fdata(struct code_blocks *blocks,
                            const struct code_map *map,
                            const char *text,
                            size_t size);
void code_blocks_clear(struct code_blocks *blocks);
/* Returns the block that contains the address, or NULL. */
const struct code_block *code_blocks_find(const struct code_blocks *blocks,
                                          uint64_t address);

#endif
