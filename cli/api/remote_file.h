/* remote_file.h - a result file of a coordinator, read piece by piece
 *
 * The coordinator sends pieces of MSG_FILES_PIECE bytes, of which the newest is kept. A
 * file that changes while it is read is an error. */
#ifndef CLI_API_REMOTE_FILE_H
#define CLI_API_REMOTE_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "lib/base/err.h"

struct api_source;
struct remote_file;

/* Reads the first piece. Returns ERR_NOT_FOUND when the file does not exist. The source
 * is borrowed; its connection may change while the file is open. */
int remote_file_open(struct remote_file **out,
                     struct api_source *source,
                     uint64_t job_id,
                     const char *path,
                     struct err *err);
void remote_file_close(struct remote_file *file); /* NULL is allowed */

uint64_t remote_file_size(const struct remote_file *file);
/* Time of the last change, as nanoseconds since 1970. */
uint64_t remote_file_changed_ns(const struct remote_file *file);
/* Returns the number of bytes at this place, at most `size`; 0 at the end; or -1. */
ssize_t remote_file_read(struct remote_file *file,
                         void *bytes,
                         size_t size,
                         uint64_t at,
                         struct err *err);

#endif
