/* gang_member.h - a rank's worker among those of the other ranks
 *
 * Gets the page where the ranks of this host meet. On several hosts the worker that
 * made the page speaks for all ranks of its host: it tells the coordinator who stands
 * where, writes the coordinator's word onto the page, and asks it for the time again
 * and again, since a word names an instant. It does so until the run has ended
 * everywhere, also when its own rank has long ended. */
#ifndef WORKER_GANG_GANG_MEMBER_H
#define WORKER_GANG_GANG_MEMBER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/wire/messages.h"

struct gang_member;
struct reactor;

struct gang_member_options {
    const char *host;
    /* The page is there, in a turn of the loop; with `why` it will never be. */
    void (*ready)(void *arg, const char *why);
    /* To the coordinator; false: not now. */
    bool (*send_message)(void *arg, enum message_type type, const void *message);
    void *arg;
};

int gang_member_open(struct gang_member **out,
                     struct reactor *reactor,
                     const struct msg_lease *lease,
                     const struct gang_member_options *options,
                     struct err *err);
void gang_member_close(struct gang_member *gang); /* NULL is welcome */

uint64_t gang_member_run_id(const struct gang_member *gang);
/* Descriptors for the rank's processes; no bell (-1) where all are on this host. */
int gang_member_memory(const struct gang_member *gang);
int gang_member_bell(const struct gang_member *gang);
/* It speaks for its host, and is needed as long as the run goes on. */
bool gang_member_is_leader(const struct gang_member *gang);

void gang_member_on_release(struct gang_member *gang,
                            const struct msg_barrier_release *release);
void gang_member_on_pong(struct gang_member *gang, const struct msg_clock_pong *pong);

#endif
