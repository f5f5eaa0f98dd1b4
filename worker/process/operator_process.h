/* operator_process.h - starts and stops the process of an operator
 *
 * The operator leads its own session and process group. The kernel kills it when the
 * worker dies. When the operator ends, the worker kills all processes that it left
 * (leftover_processes.h). Its output goes to a file (output_capture.h). */
#ifndef WORKER_PROCESS_OPERATOR_PROCESS_H
#define WORKER_PROCESS_OPERATOR_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/err.h"

struct run_as_user;
struct isolation;
struct output_capture;
struct operator_process;
struct reactor;

/* Called when the process has ended and was reaped; `status` is that of waitpid(). */
typedef void operator_process_fn(void *arg, int status);

struct operator_process_options {
    const char *const *argv; /* NULL-terminated; the first is searched */
    const char *const *env;  /* NULL-terminated; the whole environment */
    const char *cwd;
    const char *parts;  /* second folder for relative programs; or NULL */
    const char *output; /* file for stdout and stderr */
    bool holds, marks;  /* as in output_capture.h */
    int keep_fd;        /* the only descriptor that it inherits */
    const struct isolation *isolation; /* borrowed while it runs; or NULL */
    const struct run_as_user *as;      /* NULL: the worker's account */
};

int operator_process_start(struct operator_process **out,
                           struct reactor *reactor,
                           const struct operator_process_options *options,
                           operator_process_fn *fn,
                           void *arg,
                           struct err *err);
/* Kills the process if it still runs. NULL is allowed. */
void operator_process_destroy(struct operator_process *process);

pid_t operator_process_pid(const struct operator_process *process);
struct output_capture *operator_process_output(const struct operator_process *process);
/* Sends SIGTERM to the group, and SIGKILL after `grace_ms`; 0: SIGKILL at once. */
void operator_process_stop(struct operator_process *process, uint64_t grace_ms);
/* Call it after SIGCHLD. It may call operator_process_fn, which may destroy the object.
 */
void operator_process_reap(struct operator_process *process);
/* Merges two environments; `more` replaces keys of `base`. The caller frees the
 * returned NULL-terminated list, whose entries are borrowed. */
const char **
operator_process_environment(char *const *base, const char *const *more, size_t count);

#endif
