/* child_log.h - the log file of a child process and its last error */
#ifndef CLI_FLEET_CHILD_LOG_H
#define CLI_FLEET_CHILD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/base/err.h"

/* Opens the log for appending. Returns a descriptor or -1; *length is its size so far.
 */
int child_log_open(const char *path, off_t *length, struct err *err);
/* Copies the text of the last error line after offset `from`, without time and level.
 * Returns false when there is none. */
bool child_log_last_error(char *out, size_t size, const char *path, off_t from);

#endif
