/* spawn.h - starts a process in a process group of its own */
#ifndef LIB_BASE_SPAWN_H
#define LIB_BASE_SPAWN_H

#include <spawn.h>
#include <sys/types.h>

/* Starts argv[0] with this environment and no blocked signals. Ctrl-C on the terminal
 * does not reach the process; the caller forwards it. Returns 0, or errno with *pid 0.
 */
int spawn_in_group(pid_t *pid,
                   char *const *argv,
                   const posix_spawn_file_actions_t *actions);

#endif
