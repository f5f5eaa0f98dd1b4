/* rank_outputs.h - output files of operators, one per rank of an attempt, in the spool
 *
 * The newest files are kept after the attempt has ended, so that `muster logs` can read
 * them. Older files are removed when new ones are written. */
#ifndef LIB_DAEMON_RANK_OUTPUTS_H
#define LIB_DAEMON_RANK_OUTPUTS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RANK_OUTPUTS_KEPT = 64,         /* files */
    RANK_OUTPUTS_PIECE = 32 * 1024, /* bytes of one reply to a reader */
};

void rank_outputs_path(char out[PATH_MAX],
                       const char *folder,
                       uint64_t run_id,
                       uint64_t rank);
/* Reads at most `room` bytes at offset `from` and returns their number. Sets *exists to
 * false when the file does not exist yet or has been removed. */
size_t rank_outputs_read(char *bytes,
                         size_t room,
                         bool *exists,
                         const char *folder,
                         uint64_t run_id,
                         uint64_t rank,
                         uint64_t from);
/* Removes all output files but the newest `kept`. */
void rank_outputs_prune(const char *folder, size_t kept);

#endif
