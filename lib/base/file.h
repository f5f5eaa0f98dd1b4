/* file.h - files and folders with fixed permissions, written as a whole or not at all
 */
#ifndef LIB_BASE_FILE_H
#define LIB_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/base/err.h"

enum { FILE_MODE = 0640, FOLDER_MODE = 0750 };

/* Opens a file for reading. Refuses a named pipe, because a program that opens it would
 * wait until another one writes. A pipe without a name, as the shell's <(...) makes it,
 * is accepted. */
int file_open(int *fd, const char *path, struct err *err);
/* Reads a whole file and appends a NUL that the size does not count. The caller frees
 * the bytes. */
int file_read(char **bytes,
              size_t *size,
              const char *path,
              size_t limit,
              struct err *err);
/* Writes to a temporary name, syncs, renames and syncs the folder: after a crash the
 * path has the old or the new content. */
int file_write(const char *path, const void *bytes, size_t size, struct err *err);

/* Does the same in pieces: create, write, then commit or abandon. */
struct file_new;
int file_new_create(struct file_new **out, const char *path, struct err *err);
int file_new_fd(const struct file_new *file);
int file_new_commit(struct file_new **file, struct err *err); /* leaves NULL */
/* Commits several files of one folder with fewer syncs. On an error, the files before
 * it are renamed. Leaves NULLs. */
int file_new_commit_all(struct file_new **files, size_t count, struct err *err);
void file_new_abandon(struct file_new **file); /* leaves NULL */
/* Locks a folder (without its sub-folders) for one writer until *fd is closed. Waits
 * for another holder, then removes the temporary files of killed writers. */
int folder_hold(int *fd, const char *path, struct err *err);

/* Creates all parts of the path with mode 0750; existing parts stay as they are. */
int folder_create(const char *path, struct err *err);
/* Does the same, and refuses a folder that others can write to or that belongs to
 * another user. */
int folder_lock(const char *path, struct err *err);
/* Removes a folder with its content; never follows a symbolic link. */
int folder_remove(const char *path, struct err *err);

bool file_exists(const char *path);
/* Opens /dev/null for each of the descriptors 0, 1 and 2 that the caller closed, so
 * that no other file gets its number. Call it first in main(). */
void fd_open_standard(void);
/* Raises the limit of descriptors to the hard limit. */
void fd_allow_many(void);
/* Returns ERR_NO_RESOURCE when `count` further descriptors, at most 16,
 * cannot be opened. */
int fd_check_free(unsigned count, struct err *err);
/* Writes all bytes and repeats interrupted calls. Returns 0, or -1 with errno. */
int fd_write_all(int fd, const void *bytes, size_t size);

/* Writes the folder of the program's parts: ../lib/muster beside the program, or the
 * value of MUSTER_PARTS. `out` needs PATH_MAX bytes. */
int file_parts_folder(char *out, size_t size, struct err *err);

/* Writes the path of program NAME in the folder of the running program. */
int file_next_to_program(char *out, size_t size, const char *name, struct err *err);

#endif
