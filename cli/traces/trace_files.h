/* trace_files.h - the traces that browsers look at, open with their index
 *
 * A trace is read in steps by the requests for it, so that a long one delays no other
 * request. The traces that are used longest ago are closed when more than
 * TRACE_FILES_MAX are open, or when their indices need more memory than
 * TRACE_FILES_BYTES. */
#ifndef CLI_TRACES_TRACE_FILES_H
#define CLI_TRACES_TRACE_FILES_H

#include "lib/base/err.h"
#include "parsers/view_file/view_timeline.h"

enum {
    TRACE_FILES_MAX = 8,
    TRACE_FILES_BYTES = 64 << 20, /* without the trace of the latest request */
    TRACE_FILES_STEP_MS = 20,     /* of reading in one request */
};

struct trace_files;
struct view_file;

struct trace_files *trace_files_create(void);
void trace_files_destroy(struct trace_files *files); /* NULL is allowed */

/* Returns the open trace with this key, or NULL when there is none or it changed. */
struct view_file *trace_files_find(struct trace_files *files, const char *key);
/* Opens the file under the key, if it is not open already. Error texts contain
 * `shown`. */
int trace_files_open(struct view_file **file,
                     struct trace_files *files,
                     const char *key,
                     const char *path,
                     const char *shown,
                     struct err *err);
/* The same for a file without a path; the caller keeps `fd`. */
int trace_files_open_copy(struct view_file **file,
                          struct trace_files *files,
                          const char *key,
                          int fd,
                          const char *shown,
                          struct err *err);
/* Reads a part of the trace. *index is NULL while more remains; then *progress has the
 * bytes. Fails when the trace is damaged. */
int trace_files_read(const struct trace_index **index,
                     struct trace_files *files,
                     struct view_file *file,
                     struct view_timeline_progress *progress,
                     struct err *err);

#endif
