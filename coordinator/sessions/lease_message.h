/* lease_message.h - builds the lease of a rank from the job file */
#ifndef COORDINATOR_SESSIONS_LEASE_MESSAGE_H
#define COORDINATOR_SESSIONS_LEASE_MESSAGE_H

#include "coordinator/ledger/ledger.h"
#include "lib/wire/messages.h"

struct job_point;

/* Finds the program `path` below `folder`, or else below the folder of muster's own
 * parts. Copies `path` when the program is in neither, or when `path` is absolute or
 * has no '/'. */
void lease_message_find_program(char *out,
                                size_t size,
                                const char *path,
                                const char *folder);

/* Returns the word of the command that is the program, kernel file or library; -1:
 * none, or one that is found in a container. */
int lease_message_program_word(const struct job_point *point);
/* Writes the path of this word, for a job whose relative paths start at `folder`. */
void lease_message_program(char *out,
                           size_t size,
                           const struct job_point *point,
                           const char *folder);
/* Writes the working folder of the program; "": that of the worker. */
void lease_message_cwd(char *out,
                       size_t size,
                       const struct job_point *point,
                       const char *folder);

/* Fills the lease. It borrows from the job, `program` and `cwd`, and is valid until the
 * next use of the job's points. */
void lease_message_fill(struct msg_lease *lease,
                        const struct attempt_rank *rank,
                        char *program,
                        size_t program_size,
                        char *cwd,
                        size_t cwd_size);

#endif
