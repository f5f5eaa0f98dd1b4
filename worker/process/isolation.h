/* isolation.h - resource limits, processors and control group of an operator
 *
 * Each process gets limits (setrlimit) and a set of processors. If the worker may
 * create control groups (version 2), each operator runs in one. All processes that are
 * left in the group after the end of the operator are killed, also those that left its
 * session. */
#ifndef WORKER_PROCESS_ISOLATION_H
#define WORKER_PROCESS_ISOLATION_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct isolation;

struct isolation_options {
    const char *limits; /* for example core=0,nofile=4096,memory=8GiB; "": none */
    const char *cpus;   /* for example 0-3,8; "": all */
    const char *cgroup; /* writable control group for the new groups; "": none */
    uint64_t card;
};

/* Fails when a limit cannot be set, so that no operator runs without a requested limit.
 */
int isolation_open(struct isolation **out,
                   const struct isolation_options *options,
                   struct err *err);
void isolation_close(struct isolation *isolation); /* NULL is allowed here and below */

/* Applies the isolation to the calling process. Returns 0 or an errno. Called in the
 * child between vfork() and exec(), therefore it makes system calls only. */
int isolation_enter(const struct isolation *isolation);
/* Kills all processes in the group and waits at most 2 s until they are gone. */
void isolation_kill_processes(const struct isolation *isolation);

/* Writes the control group of the worker to `out`, or "" when the worker cannot create
 * groups in it. */
void isolation_own_cgroup(char *out, size_t size);

#endif
