/* fleet_child.h - the process of a coordinator or worker of a private fleet */
#ifndef CLI_FLEET_FLEET_CHILD_H
#define CLI_FLEET_FLEET_CHILD_H

#include <stddef.h>
#include <sys/types.h>

#include "lib/base/err.h"

enum { FLEET_CHILD_PARENT_FD = 3 }; /* a child reads here the end of its parent */

struct fleet_child {
    char *name; /* "coordinator", "worker-0" */
    char *log_path;
    off_t log_from; /* length of the log before the last start */
    char **argv;    /* ends with NULL */
    pid_t pid;      /* 0: not running */
    size_t restarts;
};

/* Starts the process with its output in the log. `parent_fd` is the reading end of a
 * pipe that the child gets as FLEET_CHILD_PARENT_FD. */
int fleet_child_start(struct fleet_child *child, int parent_fd, struct err *err);
/* Sets err to the last error of the log, otherwise to the exit code or signal in the
 * wait status. Always returns -1. */
int fleet_child_error(const struct fleet_child *child, int status, struct err *err);
/* Frees the texts; the process must have ended. */
void fleet_child_clear(struct fleet_child *child);

#endif
