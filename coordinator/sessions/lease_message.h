/* lease_message.h - what a worker is told to run: a point of a job, filled in */
#ifndef COORDINATOR_SESSIONS_LEASE_MESSAGE_H
#define COORDINATOR_SESSIONS_LEASE_MESSAGE_H

#include "coordinator/ledger/ledger.h"
#include "lib/wire/messages.h"

/* Where a program given as `path` is: below `folder`, or below the parts folder, or as
 * it was given when it is in neither, is absolute, or has no '/'. */
void lease_message_find_program(char *out,
                                size_t size,
                                const char *path,
                                const char *folder);

/* Borrows from the job and from `program`; good until the job's points are asked. */
void lease_message_fill(struct msg_lease *lease,
                        const struct attempt_rank *rank,
                        char *program,
                        size_t program_size,
                        char *cwd,
                        size_t cwd_size);

#endif
