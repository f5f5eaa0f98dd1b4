/* blank.h - memory that holds a pattern all over before anybody wrote to it
 *
 * A small block is a heap block, so that the tools for host memory see a kernel that
 * writes past its end. A large one is many mappings of the same few pages, each copied
 * when it is first written: memory that is only taken, or only read, costs nothing. */
#ifndef SIM_CARD_BLANK_H
#define SIM_CARD_BLANK_H

#include <stdbool.h>
#include <stddef.h>

#define BLANK_PATTERN   0xA5 /* never zeros: a program that forgets to write is seen */
#define BLANK_ALIGNMENT 512
#define BLANK_PAGE      4096 /* what a block that is larger than this is aligned to */

/* NULL when there is no memory. */
void *blank_alloc(size_t bytes);
/* With the size that it was taken with. */
void blank_free(void *address, size_t bytes);

/* Of a block that was taken: its size is one that costs nothing until it is written. */
bool blank_is_shared(size_t bytes);
/* As memmove(), between such blocks: what was never written on either side, and so is
 * the same, costs as good as nothing. */
void blank_move(void *to, const void *from, size_t bytes);

#endif
