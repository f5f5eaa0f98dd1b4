/* deferred_errors.h - errors of kernels that the program has not read yet
 *
 * Without inject, the program reads the error of a kernel when it next synchronizes the
 * stream. A replay synchronizes first. It stores the error here, and the program's next
 * synchronization returns it, once. */
#ifndef INJECT_DEVICE_DEFERRED_ERRORS_H
#define INJECT_DEVICE_DEFERRED_ERRORS_H

#include <stdbool.h>

void deferred_errors_put(int error, int device, const void *stream);
bool deferred_errors_any(void);
/* Returns `result` when it is an error; otherwise the stored error for this stream, or
 * for the whole device, or 0. Removes the stored error. */
int deferred_errors_take(int result, int device, const void *stream, bool whole_device);
void deferred_errors_reset(void); /* in a child process */

#endif
