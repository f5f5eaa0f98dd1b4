/* kernel_names.h - kernel name of each function handle, and its number of launches
 *
 * The hooks of registrations fill the table, possibly before any constructor ran. The
 * tables have a fixed size. For a handle that does not fit, the runtime returns
 * the name. */
#ifndef INJECT_PROGRAM_KERNEL_NAMES_H
#define INJECT_PROGRAM_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KERNEL_NAME_MAX = 256 };

/* The latest registration of a handle counts. */
void kernel_name_put(const void *handle, const char *kernel);
/* Writes the name, or "unknown". */
void kernel_name_get(const void *handle, char out[KERNEL_NAME_MAX]);

/* Counts a launch. Returns the number of earlier launches of this kernel on this
 * device. */
uint32_t kernel_name_count_launch(const char *kernel, int device);
/* Stores that no launch of this kernel is to be replayed. */
void kernel_name_skip(const char *kernel);
bool kernel_name_is_skipped(const char *kernel);
/* Stores that ranges of this name are replayed. */
void kernel_name_select(const char *kernel);
bool kernel_name_is_selected(const char *kernel);

void kernel_names_reset(void); /* clears the counts; registered names stay */

#endif
