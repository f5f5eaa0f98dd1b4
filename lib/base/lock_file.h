/* lock_file.h - a lock that one process holds at a time
 *
 * The lock belongs to the process and not to the descriptor. A child that inherited the
 * descriptor does not hold the lock, so a successor does not wait for the children of a
 * killed process. A process therefore does not exclude itself: it must open the locked
 * thing once only. The file stays, because its removal would race with the next open.
 */
#ifndef LIB_BASE_LOCK_FILE_H
#define LIB_BASE_LOCK_FILE_H

#include <stdbool.h>

#include "lib/base/err.h"

/* Returns a descriptor whose close ends the lock, or -1. With ERR_CONFLICT the text
 * names the process that holds the lock. */
int lock_file(const char *path, struct err *err);
/* Returns true when another process holds the lock. The holder itself must not call
 * this: closing the probe would end its lock. */
bool lock_file_is_held(const char *path);

#endif
