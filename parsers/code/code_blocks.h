/* code_blocks.h - basic blocks of a kernel with how often each ran
 *
 * Counts come without addresses. Which block is which stands in a map that the
 * instrumenting tool wrote, in the analysed form that joins both (fdata), or, of the
 * simulator's kernels, in the code itself: each block begins with a call of the
 * compiler's callback. */
#ifndef PARSERS_CODE_CODE_BLOCKS_H
#define PARSERS_CODE_CODE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_map;

struct code_block {
    uint64_t start, end; /* behind its last byte */
    uint64_t count;
};

struct code_blocks {
    struct code_block *rows; /* by address */
    size_t count;
    size_t unknown_lines;    /* of a text that says nothing */
    size_t unmatched_counts; /* without a block, or blocks without a count */
};

/* False: the file was not made so. `counts` are u32, one a block, trailing zeros may be
 * missing. */
bool code_blocks_from_calls(struct code_blocks *blocks,
                            const struct code_map *map,
                            const void *elf,
                            size_t size,
                            const uint8_t *counts,
                            size_t counts_bytes);
void code_blocks_from_map(struct code_blocks *blocks,
                          const char *text,
                          size_t size,
                          const uint8_t *counts,
                          size_t counts_bytes);
/* "<number> <function> <hex offset> <count>": functions are found in the map. */
void code_blocks_from_fdata(struct code_blocks *blocks,
                            const struct code_map *map,
                            const char *text,
                            size_t size);
void code_blocks_clear(struct code_blocks *blocks);
/* The block whose start is the nearest at or below; NULL: none, or it ended before. */
const struct code_block *code_blocks_find(const struct code_blocks *blocks,
                                          uint64_t address);

#endif
