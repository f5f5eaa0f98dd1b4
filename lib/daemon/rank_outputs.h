/* rank_outputs.h - what programs printed: a file a rank beside the spool, kept for a
 * while
 *
 * The newest ones outlive their runs, however those ended, so that somebody can still
 * read them; the others go when new ones come. */
#ifndef LIB_DAEMON_RANK_OUTPUTS_H
#define LIB_DAEMON_RANK_OUTPUTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANK_OUTPUTS_KEPT = 64, RANK_OUTPUTS_PIECE = 32 * 1024 };

void rank_outputs_path(char out[PATH_MAX],
                       const char *folder,
                       uint64_t run_id,
                       uint64_t rank);
/* From `from` on, at most `room`; *there is false when there is no such file (any
 * more), or none yet. */
size_t rank_outputs_read(char *bytes,
                         size_t room,
                         bool *there,
                         const char *folder,
                         uint64_t run_id,
                         uint64_t rank,
                         uint64_t from);
/* All but the newest `kept` are removed. */
void rank_outputs_prune(const char *folder, size_t kept);

#endif
