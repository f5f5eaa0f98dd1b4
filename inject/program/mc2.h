/* mc2.h - operators that compute and communicate over several cards (MC2)
 *
 * The operator's library first requests the communicator. It then queues a pair of
 * notifies and the AI CPU kernel on a stream of the communicator. At last it launches
 * the AI Core kernel. This module copies all of these steps, for each thread, so that a
 * replay can issue them again after the caller's memory was freed:
 *
 *   an AI CPU kernel was queued              MC2_SERVED: a replay issues it again, and
 *                                            the AI Core kernel after it
 *   only a communicator was requested, and
 *   the kernel's arguments have its context  MC2_WINDOWS: the kernel itself accesses
 *                                            the windows of its peers ("MTE"), and a
 *                                            replay issues only the kernel
 *
 * An operator spans cards when it requested a communicator; its name does not matter.
 */
#ifndef INJECT_PROGRAM_MC2_H
#define INJECT_PROGRAM_MC2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inject/program/comm.h"

enum {
    MC2_GROUPS_MAX = 4,
    MC2_STEPS_MAX = 32,
    MC2_SERVERS_MAX = 4,
    MC2_OP_MAX = 128,
    MC2_ARGS_MAX = 256 * 1024, /* arguments of all AI CPU kernels of one operator */
};

enum mc2_kind { MC2_NONE, MC2_SERVED, MC2_WINDOWS };

enum mc2_step_kind { MC2_WAIT, MC2_RECORD, MC2_SERVER };

struct mc2_step {
    enum mc2_step_kind kind;
    void *notify; /* of MC2_WAIT and MC2_RECORD */
    void *stream;
    uint32_t timeout_s;
    uint32_t server; /* of MC2_SERVER: index in `servers` */
};

/* Parameters of rtAicpuKernelLaunchExWithArgs, with copies of the data they point to.
 */
struct mc2_server {
    uint32_t type, blocks, flags;
    char op[MC2_OP_MAX];
    const void *args; /* copy of the runtime's struct */
    void *l2_plan;
    void *stream;
};

struct mc2 {
    enum mc2_kind kind;
    bool whole;                         /* all steps were copied: it can be replayed */
    struct comm groups[MC2_GROUPS_MAX]; /* the operator's communicator comes first */
    size_t group_count;
    struct mc2_step steps[MC2_STEPS_MAX];
    size_t step_count;
    struct mc2_server servers[MC2_SERVERS_MAX];
    size_t server_count;
};

/* The real functions that issue a step. A function may be NULL when no step needs it.
 */
struct mc2_calls {
    int (*wait)(void *notify, void *stream, uint32_t timeout_s);
    int (*record)(void *notify, void *stream);
    int (*server)(uint32_t type,
                  const char *op,
                  uint32_t blocks,
                  const void *args,
                  void *l2_plan,
                  void *stream,
                  uint32_t flags);
};

/* Returns the steps that belong to an AI Core launch of this thread, or NULL when the
 * kernel uses one card only. `words` are the arguments of the kernel, or NULL when the
 * host cannot read them. The result is valid until this thread starts its next
 * operator. */
const struct mc2 *
mc2_take(int32_t device, void *stream, const void *words, size_t bytes);

/* Issues all steps again, in their order. The caller then launches the AI Core kernel.
 * Returns 0, or the error of the first step that the runtime refuses. */
int mc2_issue(const struct mc2 *mc2, const struct mc2_calls *calls);

/* The hooks report the steps of the calling thread. */
void mc2_on_group(const struct comm *comm);
void mc2_on_context(const void *comm, const void *context);
void mc2_on_notify(enum mc2_step_kind kind,
                   void *notify,
                   void *stream,
                   uint32_t timeout_s);
/* `args_bytes` is the size of the runtime's struct: 48, or 40 in an old runtime. */
void mc2_on_server(const struct mc2_server *call, size_t args_bytes);
void mc2_on_other_server(void); /* an unrelated AI CPU task discards the steps so far */

/* Returns true after a communicator was requested and before its kernel was launched.
 */
bool mc2_is_pending(void);

void mc2_reset(void); /* in a child process, or when an operator failed */

#endif
