/* job_files.h - size and removal of the capture and the result files of a job */
#ifndef CLI_PRUNE_JOB_FILES_H
#define CLI_PRUNE_JOB_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

/* Returns the bytes of the capture and of the folder of a job on disk. With
 * `parts_only` the folder counts without its reports. */
uint64_t
job_files_bytes(const char *out, uint64_t job_id, const char *key, bool parts_only);
/* Removes the capture, and the folder of the job or, with `parts_only`, its folders of
 * points. Files that do not exist are no error. */
int job_files_remove(const char *out,
                     uint64_t job_id,
                     const char *key,
                     bool parts_only,
                     struct err *err);
/* Writes a number of bytes for people: "12.3 MiB". */
const char *job_files_format(char out[32], uint64_t bytes);

#endif
