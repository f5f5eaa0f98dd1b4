/* local_copy.h - the copy of one file below a folder, which may be there in part
 *
 * The copy is written to NAME.part, which is renamed to NAME when it is complete. What
 * is there of either name is read first, so that the caller can ask only for the pieces
 * that differ. A complete copy without a difference is not written again. Pieces arrive
 * in the order of their offsets. */
#ifndef CLI_FETCH_LOCAL_COPY_H
#define CLI_FETCH_LOCAL_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct local_copy;

/* `top` is the descriptor of the folder. Creates missing folders of the path. */
int local_copy_open(struct local_copy **out,
                    int top,
                    const char *path,
                    struct err *err);
/* Keeps NAME.part of an unfinished copy; NULL is allowed. */
void local_copy_close(struct local_copy *copy);

/* Reads what is there from this offset on, and returns the number of bytes. */
size_t
local_copy_read(const struct local_copy *copy, uint64_t from, char *bytes, size_t room);
/* The bytes from here on are the same as those that are there. */
int local_copy_keep(struct local_copy *copy,
                    uint64_t from,
                    size_t size,
                    struct err *err);
int local_copy_write(struct local_copy *copy,
                     uint64_t from,
                     const void *bytes,
                     size_t size,
                     struct err *err);
/* Ends a complete copy of `size` bytes. *written is false when the file was there
 * without a difference. */
int local_copy_finish(struct local_copy *copy,
                      uint64_t size,
                      uint64_t changed_wall_ns,
                      bool *written,
                      struct err *err);

#endif
