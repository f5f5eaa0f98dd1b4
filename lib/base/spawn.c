#include "lib/base/spawn.h"

#include <signal.h>

extern char **environ;

int spawn_in_group(pid_t *pid,
                   char *const *argv,
                   const posix_spawn_file_actions_t *actions)
{
    posix_spawnattr_t attributes;
    sigset_t none;

    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    int number = posix_spawn(pid, argv[0], actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    if (number)
        *pid = 0;
    return number;
}
