/* job_files.h - reads a job file and the files that it includes into one tree
 *
 *     include: [common.yaml, cards/910b.yaml]
 *
 * Maps are merged key by key. Any other value is replaced: a later included file has
 * precedence over an earlier one, and the file itself over all of them. An included
 * file may include others. A path is relative to the folder of the file that contains
 * it.
 *
 * The submitting program reads the files, with the permissions of its user. The
 * coordinator receives the merged text only. */
#ifndef LIB_JOB_JOB_FILES_H
#define LIB_JOB_JOB_FILES_H

#include "lib/base/yaml.h"
#include "lib/job/problem/problems.h"

/* Sets *whole to a text with the same content and no includes; the caller frees it.
 * Returns -1 with err when the file itself cannot be read, and -1 with problems for all
 * other errors. */
int job_files_read(const struct yaml_node **root,
                   char **whole,
                   const char *path,
                   struct arena *arena,
                   struct problems *problems,
                   struct err *err);

#endif
