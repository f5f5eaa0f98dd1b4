/* lock_file.h - one process at a time
 *
 * The lock is the process's own: a child that it was about to start when it was killed
 * has the descriptor, but not the lock, so who comes next need not wait for that child.
 * For the same reason a process does not shut out itself: it opens what the lock is for
 * once. The file stays: to remove it would race with who opens it next. */
#ifndef LIB_BASE_LOCK_FILE_H
#define LIB_BASE_LOCK_FILE_H

#include <stdbool.h>

#include "lib/base/err.h"

/* A descriptor to close, which ends the lock; or -1, ERR_CONFLICT when another process
 * has it: the text says which. */
int lock_file(const char *path, struct err *err);
/* Another process has it now. Not for who has it himself: to look would end his lock.
 */
bool lock_file_is_held(const char *path);

#endif
