/* profile_folder.h - lists the files of a framework's profile in a folder
 *
 * A profile also contains raw data of the device, which no analysis here reads and
 * which is much larger. Only tables, JSON files and databases are listed. */
#ifndef WORKER_CAPTURE_PROFILE_FOLDER_H
#define WORKER_CAPTURE_PROFILE_FOLDER_H

/* Gets the path of a file. Returns -1 to stop. */
typedef int profile_file_fn(const char *path, void *arg);

/* Calls fn for each file in the folder and its sub-folders, in any order. Symbolic
 * links and folders FRAMEWORK are left out. Returns -1 when fn stopped. */
int profile_folder_each(const char *folder, profile_file_fn *fn, void *arg);

#endif
