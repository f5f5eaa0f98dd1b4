/* file.h - files and folders, with the house's permissions and no half-written ones */
#ifndef LIB_BASE_FILE_H
#define LIB_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/base/err.h"

enum { FILE_MODE = 0640, FOLDER_MODE = 0750 };

/* Reads it whole, with a NUL behind that the size does not count; yours to free(). */
int file_read(char **bytes,
              size_t *size,
              const char *path,
              size_t limit,
              struct err *err);
/* Temporary name, fsync, rename, fsync of the folder: the old or the new one. */
int file_write(const char *path, const void *bytes, size_t size, struct err *err);

/* The same in pieces: create, write, then commit or abandon. */
struct file_new;
int file_new_create(struct file_new **out, const char *path, struct err *err);
int file_new_fd(const struct file_new *file);
int file_new_commit(struct file_new **file, struct err *err); /* leaves NULL */
/* Several of one folder, with fewer syncs: all of them, or, on an error, those that
 * were renamed before it. Leaves NULLs. */
int file_new_commit_all(struct file_new **files, size_t count, struct err *err);
void file_new_abandon(struct file_new **file); /* leaves NULL */
/* For who writes a folder (not what is below it) as the only one: waits for whoever
 * holds it, holds it until *fd is closed, and removes the temporary files of those who
 * held it and were killed. */
int folder_hold(int *fd, const char *path, struct err *err);

/* All parts of the path, mode 0750; what exists is left as it is. */
int folder_create(const char *path, struct err *err);
/* The same, and refuses a folder that others could write to, or that is not ours. */
int folder_lock(const char *path, struct err *err);
/* The folder with all that is in it; never follows a link out of it. */
int folder_remove(const char *path, struct err *err);

bool file_exists(const char *path);
/* Descriptors 0, 1 and 2 are open: where the caller closed one it is /dev/null now, and
 * no file of ours gets its number. First of all in main(). */
void fd_open_standard(void);
/* As many descriptors as the system lets us have. */
void fd_allow_many(void);
/* Writes all, over interruptions. 0 or -1 with errno. */
int fd_write_all(int fd, const void *bytes, size_t size);

/* The folder where the running program's parts are: PROGRAM/../lib/muster, or what
 * MUSTER_PARTS says. Room for PATH_MAX. */
int file_parts_folder(char *out, size_t size, struct err *err);

/* The program NAME that stands in the folder of ours. */
int file_next_to_program(char *out, size_t size, const char *name, struct err *err);

#endif
