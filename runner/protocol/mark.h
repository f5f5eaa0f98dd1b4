/* mark.h - separator between the output of two points of a runner
 *
 * The runner starts the next point before the worker has read the output of the last
 * one. Therefore the runner prints a mark with the number of the point after each
 * point, and the worker divides the output there. */
#ifndef RUNNER_PROTOCOL_MARK_H
#define RUNNER_PROTOCOL_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MARK_BYTES = 32 };

/* Writes a mark, without a terminating NUL. */
void mark_make(char out[MARK_BYTES], uint64_t number);
/* Returns the offset at which a mark begins, or may begin when more bytes arrive;
 * `size` if there is none. */
size_t mark_find(const char *bytes, size_t size);
/* Returns true, with its number, when the bytes begin with a complete mark. */
bool mark_read(const char *bytes, size_t size, uint64_t *number);

#endif
