/* gang_member.h - membership of a worker in the gang of an attempt
 *
 * Obtains the shared memory of the barrier for the ranks of this host. If the gang has
 * several hosts, the worker that created the memory is the delegate of its host. The
 * delegate reports the arrivals of its ranks to the coordinator and writes the outcomes
 * of the coordinator to the memory. An outcome names an instant of the coordinator's
 * clock, therefore the delegate also measures the offset of that clock. It does so
 * until the attempt has ended on all hosts, even when its own rank has ended earlier.
 */
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
    /* Called from the loop when the memory is available, or with the reason of a
     * failure. */
    void (*ready)(void *arg, const char *why);
    /* Sends a message to the coordinator. Returns false when it was not sent. */
    bool (*send_message)(void *arg, enum message_type type, const void *message);
    void *arg;
};

int gang_member_open(struct gang_member **out,
                     struct reactor *reactor,
                     const struct msg_lease *lease,
                     const struct gang_member_options *options,
                     struct err *err);
void gang_member_close(struct gang_member *gang); /* NULL is allowed */

uint64_t gang_member_run_id(const struct gang_member *gang);
/* Descriptors for the processes of the rank; the bell is -1 if all ranks are on this
 * host. */
int gang_member_memory(const struct gang_member *gang);
int gang_member_bell(const struct gang_member *gang);
/* Returns true for a delegate, which is needed until the attempt has ended on all
 * hosts. */
bool gang_member_is_delegate(const struct gang_member *gang);

void gang_member_on_release(struct gang_member *gang,
                            const struct msg_barrier_release *release);
void gang_member_on_pong(struct gang_member *gang, const struct msg_clock_pong *pong);

#endif
