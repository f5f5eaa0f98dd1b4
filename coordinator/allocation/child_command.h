/* child_command.h - a program of the system, run beside the loop until it has said its
 * word
 *
 * Its input is given whole, what it prints is kept whole and bounded, and it has a
 * deadline: a cluster whose controller hangs must not hang us. One that is to run for
 * long, such as a step of a cluster, has none; it is asked to end, then made to. */
#ifndef COORDINATOR_ALLOCATION_CHILD_COMMAND_H
#define COORDINATOR_ALLOCATION_CHILD_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct child_command_run;
struct reactor;

enum { CHILD_COMMAND_OUTPUT_MAX = 1 << 20 };

struct child_command_end {
    bool good;           /* it ended with 0 */
    const char *said;    /* on its standard output */
    const char *problem; /* when not good: what it complained of, one line */
};

typedef void child_command_fn(void *arg, const struct child_command_end *end);

/* `env` is added to ours: NAME=VALUE, ended by NULL, or NULL. `limit_ms` 0: none.
 * The callback comes later, once, from the loop; then it is gone. -1: not started. */
int child_command_start(struct child_command_run **out,
                        struct reactor *reactor,
                        char *const *argv,
                        const char *input,
                        const char *const *env,
                        uint64_t limit_ms,
                        child_command_fn *fn,
                        void *arg,
                        struct err *err);
/* Asks it to end; the callback still comes. */
void child_command_ask_to_end(struct child_command_run *run);
/* Ends it for good: no callback. NULL is welcome. */
void child_command_destroy(struct child_command_run *run);

#endif
