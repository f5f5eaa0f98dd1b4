/* kernel_names.h - which kernel stands behind a handle, and how often it was launched
 *
 * Filled by registrations, which may come before any constructor has run. The tables
 * have a fixed size; what does not fit is asked of the runtime, or has no name. */
#ifndef INJECT_PROGRAM_KERNEL_NAMES_H
#define INJECT_PROGRAM_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KERNEL_NAME_MAX = 256 };

/* The latest registration of a handle counts. */
void name_put(const void *handle, const char *kernel);
/* Fills `out`; "unknown" when nobody knows. */
void name_get(const void *handle, char out[KERNEL_NAME_MAX]);

/* Launches of this kernel on this device so far, and counts this one. */
uint32_t name_count_launch(const char *kernel, int device);
/* No launch of this kernel is asked about any more. */
void name_pass_always(const char *kernel);
bool name_passes(const char *kernel);

void kernel_names_after_fork(
    void); /* what is registered stays, what was counted does not */

#endif
