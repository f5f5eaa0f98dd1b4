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
void kernel_name_put(const void *handle, const char *kernel);
/* Fills `out`; "unknown" when nobody knows. */
void kernel_name_get(const void *handle, char out[KERNEL_NAME_MAX]);

/* Launches of this kernel on this device so far, and counts this one. */
uint32_t kernel_name_count_launch(const char *kernel, int device);
/* No launch of this kernel is asked about any more. */
void kernel_name_skip(const char *kernel);
bool kernel_name_is_skipped(const char *kernel);

void kernel_names_reset(void); /* what is registered stays, what was counted does not */

#endif
