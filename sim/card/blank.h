/* blank.h - allocates memory that is filled with a pattern
 *
 * A small block is a heap block, so that host memory checkers detect a kernel that
 * writes past its end. A large block maps the same few pages many times, and the kernel
 * copies a page when it is first written. Memory that is only allocated or read
 * therefore uses no physical pages. */
#ifndef SIM_CARD_BLANK_H
#define SIM_CARD_BLANK_H

#include <stdbool.h>
#include <stddef.h>

#define BLANK_PATTERN                                                                  \
    0xA5 /* not zero: reveals reads of memory that was never written */
#define BLANK_ALIGNMENT 512
#define BLANK_PAGE      4096 /* larger blocks have this alignment */

/* Returns NULL when memory ran out. */
void *blank_alloc(size_t bytes);
/* `bytes` must be the size that the block was allocated with. */
void blank_free(void *address, size_t bytes);

/* Returns true for a block size whose pages are shared until they are written. */
bool blank_is_shared(size_t bytes);
/* Works like memmove() between blocks of blank_alloc(). Skips pages that were never
 * written on either side: they hold the same pattern. */
void blank_move(void *to, const void *from, size_t bytes);

#endif
