/* child_log.h - the log of a program that we started, and the last error in it */
#ifndef CLI_FLEET_CHILD_LOG_H
#define CLI_FLEET_CHILD_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/base/err.h"

/* Opened for appending; `length` is what stands in it already. A descriptor or -1. */
int child_log_open(const char *path, off_t *length, struct err *err);
/* The text of the last error line behind `from`, without its head. */
bool child_log_last_error(char *out, size_t size, const char *path, off_t from);

#endif
