/* remote_copies.h - local copies of traces and result files of a coordinator
 *
 * A timeline reads its file at any place, so the file is copied first, in steps. Each
 * copy is a file without a name below TMPDIR. The least recently used copy is
 * removed when there are more than REMOTE_COPIES_MAX. */
#ifndef CLI_API_REMOTE_COPIES_H
#define CLI_API_REMOTE_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

enum { REMOTE_COPIES_MAX = 8, REMOTE_COPIES_STEP_MS = 20 };
#define REMOTE_COPIES_BYTES ((uint64_t)2 << 30) /* of one file */

struct api_source;
struct remote_copies;

struct remote_copies_progress {
    uint64_t done, total; /* bytes */
    int fd;               /* the whole copy; -1 while a part is missing */
};

struct remote_copies *remote_copies_create(void);
void remote_copies_destroy(struct remote_copies *copies); /* NULL is allowed */

/* Copies for REMOTE_COPIES_STEP_MS. `is_new`: compares the file of the coordinator with
 * its copy, and begins again when it changed. */
int remote_copies_step(struct remote_copies_progress *progress,
                       struct remote_copies *copies,
                       struct api_source *source,
                       uint64_t job_id,
                       const char *path,
                       bool is_new,
                       struct err *err);

#endif
