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

struct identity;
struct isolation;
struct printed;
struct program;
struct reactor;

/* It has ended and was reaped; `status` is as of waitpid(). */
typedef void program_fn(void *arg, int status);

struct program_options {
    const char *const *argv; /* NULL-terminated; the first is looked for */
    const char *const *env;  /* NULL-terminated, whole */
    const char *cwd;
    const char *parts;                 /* where a program may be as well; or NULL */
    const char *output;                /* the file for what it prints */
    bool holds, marks;                 /* as in printed.h */
    int keep_fd;                       /* the one descriptor that it inherits */
    const struct isolation *isolation; /* borrowed as long as it runs; or NULL */
    const struct identity *as;         /* NULL: who we are */
};

int program_start(struct program **out,
                  struct reactor *reactor,
                  const struct program_options *options,
                  program_fn *fn,
                  void *arg,
                  struct err *err);
/* Kills what still runs. NULL is welcome. */
void program_destroy(struct program *program);

pid_t program_pid(const struct program *program);
/* What it prints. */
struct printed *program_printed(const struct program *program);
/* SIGTERM to the group, SIGKILL after `grace_ms`; 0: SIGKILL at once. */
void program_stop(struct program *program, uint64_t grace_ms);
/* To be called at SIGCHLD. May call program_fn, in which the program is destroyed. */
void program_reap(struct program *program);
/* `KEY=value` of `more` over those of `base`; a NULL-terminated list, free() it and
 * nothing else. */
const char **
program_environment(char *const *base, const char *const *more, size_t count);

#endif
