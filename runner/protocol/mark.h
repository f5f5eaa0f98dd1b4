/* mark.h - what stands between the prints of one point and those of the next
 *
 * The runner goes on before the worker has read what a point printed. So behind each
 * point it prints a mark with the point's number; the worker cuts there. */
#ifndef RUNNER_PROTOCOL_MARK_H
#define RUNNER_PROTOCOL_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MARK_BYTES = 32 };

/* Without a NUL. */
void mark_make(char out[MARK_BYTES], uint64_t number);
/* Where a mark begins, or may begin when more bytes come; `size`: nowhere. */
size_t mark_find(const char *bytes, size_t size);
/* True when they begin with a whole one. */
bool mark_read(const char *bytes, size_t size, uint64_t *number);

#endif
