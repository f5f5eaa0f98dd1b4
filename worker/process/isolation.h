/* isolation.h - how an operator is kept apart from everybody else on its host
 *
 * Beside its own session (program.h): limits of the system for each of its processes,
 * the processors that are near its card, and a control group (version 2) of its own
 * where the worker may make one. What is in the group when the operator has ended is
 * killed with it, whatever it did to hide. */
#ifndef WORKER_PROCESS_ISOLATION_H
#define WORKER_PROCESS_ISOLATION_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct isolation;

struct isolation_wish {
    const char *limits; /* such as core=0,nofile=4096,memory=8GiB; "": none */
    const char *cpus;   /* such as 0-3,8; "": all */
    const char *cgroup; /* a folder that is ours to make groups in; "": none */
    uint64_t card;
};

/* What cannot be had is an error: nobody is to believe in a limit that is none. */
int isolation_open(struct isolation **out,
                   const struct isolation_wish *wish,
                   struct err *err);
void isolation_close(struct isolation *isolation); /* NULL is welcome, as below */

/* In the child between vfork() and exec(): nothing but system calls. 0 or an errno. */
int isolation_enter(const struct isolation *isolation);
/* Kills what is left in the group, and waits a little until it is gone. */
void isolation_end(const struct isolation *isolation);

/* The worker's own group, where it may make others; "" where there is none. */
void isolation_own_cgroup(char *out, size_t size);

#endif
