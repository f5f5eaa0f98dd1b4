/* file_below.h - files below a folder, by paths that another program sent
 *
 * A path is relative and leads down only: none of its parts is "", "." or "..", and
 * none of its folders is a symbolic link. So no path leaves the folder. */
#ifndef LIB_BASE_FILE_BELOW_H
#define LIB_BASE_FILE_BELOW_H

#include <stdbool.h>

#include "lib/base/err.h"

/* Returns false for a path that is absolute, too long, leads up, or has a control
 * character. */
bool file_below_is_valid(const char *path);

/* Opens the folder that holds the file, below the folder with the descriptor `top`.
 * Sets *name to the last part of the path. `create`: creates missing folders. The
 * caller closes *folder. Returns ERR_INPUT for an invalid path, and ERR_NOT_FOUND when
 * a folder does not exist. */
int file_below_folder(int *folder,
                      const char **name,
                      int top,
                      const char *path,
                      bool create,
                      struct err *err);
/* Opens a regular file for reading. Returns ERR_NOT_FOUND when there is none. */
int file_below_open(int *fd, int top, const char *path, struct err *err);

#endif
