/* spawn.h - a process in a group of its own */
#ifndef LIB_BASE_SPAWN_H
#define LIB_BASE_SPAWN_H

#include <spawn.h>
#include <sys/types.h>

/* Starts argv[0] with our environment, no signal blocked. A Ctrl-C on the terminal does
 * not reach it: that is ours to hand on. 0, or errno; *pid is 0 then. */
int spawn_in_group(pid_t *pid,
                   char *const *argv,
                   const posix_spawn_file_actions_t *actions);

#endif
