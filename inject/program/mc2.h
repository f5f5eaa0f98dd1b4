/* mc2.h - an operator over several cards, as its thread issues it: what comes before
 * its AI Core kernel
 *
 * The operator's library first asks for the communicator of its group, then queues a
 * pair of notifies and the AI CPU half on the communicator's own stream, and then
 * launches the kernel. All of that is kept, thread by thread, deep enough to be issued
 * again after the callers' memory has gone:
 *
 *   the AI CPU half was kept              MC2_SERVED: replays issue it and the kernel
 *   only a group was asked for, and the
 *   kernel is given its context           MC2_WINDOWS: the kernel itself reaches into
 *                                         its peers' windows ("MTE"), nothing else to
 *                                         issue
 *
 * The group, not the kernel's name, says that an operator spans cards. */
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
    MC2_ARGS_MAX = 256 * 1024, /* of all AI CPU halves of one operator */
};

enum mc2_kind { MC2_NONE, MC2_SERVED, MC2_WINDOWS };

/* In the order in which they were issued. */
enum mc2_step_kind { MC2_WAIT, MC2_RECORD, MC2_SERVER };

struct mc2_step {
    enum mc2_step_kind kind;
    void *notify; /* of MC2_WAIT and MC2_RECORD */
    void *stream;
    uint32_t timeout_s;
    uint32_t server; /* of MC2_SERVER: which of `servers` */
};

/* rtAicpuKernelLaunchExWithArgs, with its own copy of everything it points to. */
struct mc2_server {
    uint32_t type, blocks, flags;
    char op[MC2_OP_MAX];
    const void *args; /* the runtime's struct, in our memory */
    void *l2_plan;
    void *stream;
};

struct mc2 {
    enum mc2_kind kind;
    bool whole;                         /* all was kept: it may be issued again */
    struct comm groups[MC2_GROUPS_MAX]; /* the first is the operator's own */
    size_t group_count;
    struct mc2_step steps[MC2_STEPS_MAX];
    size_t step_count;
    struct mc2_server servers[MC2_SERVERS_MAX];
    size_t server_count;
};

/* What issues a step again; any of them may be missing only when no step needs it. */
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

/* An AI Core launch of this thread: what belongs to it, or NULL when it stands alone.
 * `words` are the kernel's arguments where the host can read them. Good until the
 * thread's next call of the operator's library; then all of it is forgotten. */
const struct mc2 *
mc2_take(int32_t device, void *stream, const void *words, size_t bytes);

/* Issues all steps once more, in their order: the AI CPU half and the ordering of its
 * stream behind the kernel's. The kernel is the caller's to launch. 0, or the error of
 * the first step that is refused. */
int mc2_issue(const struct mc2 *mc2, const struct mc2_calls *calls);

/* Hooks: what this thread did on its way to the kernel. */
void mc2_on_group(const struct comm *comm);
void mc2_on_context(const void *comm, const void *context);
void mc2_on_notify(enum mc2_step_kind kind,
                   void *notify,
                   void *stream,
                   uint32_t timeout_s);
/* `args_bytes` is the size of the runtime's struct: 48, or 40 of an old one. */
void mc2_on_server(const struct mc2_server *call, size_t args_bytes);
void mc2_on_other_server(void); /* another AI CPU task: what was kept means nothing */

/* A group was asked for, and its kernel has not come yet. */
bool mc2_is_pending(void);

void mc2_reset(void); /* in a child, or when the thread's operator came to nothing */

#endif
