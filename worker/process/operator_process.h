/* operator_process.h - the operator's process: start it, hear it, end it with all its
 * kin
 *
 * It leads a session and a group of its own. When the worker dies it is killed by the
 * system; when it ends, whatever it left running is killed by us (kin.h). What it
 * prints goes into a file (printed.h). */
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

/* It has ended and was reaped; `status` is as of waitpid(). */
typedef void operator_process_fn(void *arg, int status);

struct operator_process_options {
    const char *const *argv; /* NULL-terminated; the first is looked for */
    const char *const *env;  /* NULL-terminated, whole */
    const char *cwd;
    const char *parts;                 /* where a program may be as well; or NULL */
    const char *output;                /* the file for what it prints */
    bool holds, marks;                 /* as in printed.h */
    int keep_fd;                       /* the one descriptor that it inherits */
    const struct isolation *isolation; /* borrowed as long as it runs; or NULL */
    const struct run_as_user *as;      /* NULL: who we are */
};

int operator_process_start(struct operator_process **out,
                           struct reactor *reactor,
                           const struct operator_process_options *options,
                           operator_process_fn *fn,
                           void *arg,
                           struct err *err);
/* Kills what still runs. NULL is welcome. */
void operator_process_destroy(struct operator_process *program);

pid_t operator_process_pid(const struct operator_process *program);
/* What it prints. */
struct output_capture *operator_process_printed(const struct operator_process *program);
/* SIGTERM to the group, SIGKILL after `grace_ms`; 0: SIGKILL at once. */
void operator_process_stop(struct operator_process *program, uint64_t grace_ms);
/* To be called at SIGCHLD. May call operator_process_fn, in which the program is
 * destroyed. */
void operator_process_reap(struct operator_process *program);
/* `KEY=value` of `more` over those of `base`; a NULL-terminated list, free() it and
 * nothing else. */
const char **
operator_process_environment(char *const *base, const char *const *more, size_t count);

#endif
