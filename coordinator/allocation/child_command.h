/* child_command.h - runs a system program as a child process and collects its output
 *
 * The loop continues while the program runs. The program gets its whole input at the
 * start, its output is limited, and it is stopped at a time limit, since the controller
 * of a cluster may hang. A program without a limit, such as a step of a cluster, runs
 * until child_command_ask_to_end(). */
#ifndef COORDINATOR_ALLOCATION_CHILD_COMMAND_H
#define COORDINATOR_ALLOCATION_CHILD_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct child_command;
struct reactor;

enum { CHILD_COMMAND_OUTPUT_MAX = 1 << 20 };

struct child_command_result {
    bool good;           /* the exit code is 0 */
    const char *output;  /* of standard output */
    const char *problem; /* when not good: one line with the reason */
};

typedef void child_command_fn(void *arg, const struct child_command_result *end);

/* Starts the program. `env` is added to the environment: NAME=VALUE texts, ended by
 * NULL; or NULL. `limit_ms` 0: no limit. The loop calls `fn` once, and frees the
 * command before. Returns -1 when the program was not started. */
int child_command_start(struct child_command **out,
                        struct reactor *reactor,
                        char *const *argv,
                        const char *input,
                        const char *const *env,
                        uint64_t limit_ms,
                        child_command_fn *fn,
                        void *arg,
                        struct err *err);
/* Sends SIGTERM, and SIGKILL after 5 s. The callback is still called. */
void child_command_ask_to_end(struct child_command *command);
/* Kills the program without a callback. NULL is allowed. */
void child_command_destroy(struct child_command *command);

#endif
