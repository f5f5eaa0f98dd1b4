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

struct command_run;
struct reactor;

enum { COMMAND_SAID_MAX = 1 << 20 };

struct command_end {
    bool good;           /* it ended with 0 */
    const char *said;    /* on its standard output */
    const char *problem; /* when not good: what it complained of, one line */
};

typedef void command_fn(void *arg, const struct command_end *end);

/* `env` is added to ours: NAME=VALUE, ended by NULL, or NULL. `limit_ms` 0: none.
 * The callback comes later, once, from the loop; then it is gone. -1: not started. */
int command_start(struct command_run **out,
                  struct reactor *reactor,
                  char *const *argv,
                  const char *input,
                  const char *const *env,
                  uint64_t limit_ms,
                  command_fn *fn,
                  void *arg,
                  struct err *err);
/* Asks it to end; the callback still comes. */
void command_ask_to_end(struct command_run *run);
/* Ends it for good: no callback. NULL is welcome. */
void command_destroy(struct command_run *run);

#endif
