/* deferred_errors.h - errors that a replay met before the program could
 *
 * Alone, the program would meet a kernel's error when it next waits for the stream. We
 * waited first, so we keep the error and hand it out there, once. */
#ifndef INJECT_REPLAY_DEFERRED_ERRORS_H
#define INJECT_REPLAY_DEFERRED_ERRORS_H

#include <stdbool.h>

void deferred_errors_put(int error, int device, const void *stream);
bool deferred_errors_any(void);
/* `result` when it is an error itself, or nothing is kept for this stream. */
int deferred_errors_take(int result, int device, const void *stream, bool whole_device);
void deferred_errors_reset(void); /* in a child */

#endif
