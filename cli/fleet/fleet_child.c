#include "cli/fleet/fleet_child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/fleet/child_log.h"
#include "lib/base/spawn.h"

static int spawn_error(struct err *err, int number, const char *path)
{
    errno = number;
    return err_errno(err, "starting %s", path);
}

int fleet_child_start(struct fleet_child *child, int parent_fd, struct err *err)
{
    posix_spawn_file_actions_t actions;
    int log = child_log_open(child->log_path, &child->log_from, err);

    if (log < 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, log, 1);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_adddup2(&actions, parent_fd, FLEET_CHILD_PARENT_FD);
    int number = spawn_in_group(&child->pid, child->argv, &actions);
    posix_spawn_file_actions_destroy(&actions);
    close(log);
    return number ? spawn_error(err, number, child->argv[0]) : 0;
}

static void describe_end(char out[64], int status)
{
    if (WIFSIGNALED(status))
        snprintf(out, 64, "signal %d", WTERMSIG(status));
    else
        snprintf(out, 64, "exit code %d", WEXITSTATUS(status));
}

int fleet_child_error(const struct fleet_child *child, int status, struct err *err)
{
    enum err_code code = !WIFEXITED(status)         ? ERR_INTERNAL
                         : WEXITSTATUS(status) == 2 ? ERR_INPUT
                         : WEXITSTATUS(status) == 3 ? ERR_DENIED
                                                    : ERR_INTERNAL;
    char how[64], error[400];

    if (child_log_last_error(error, sizeof(error), child->log_path, child->log_from))
        return err_set(err, code, "%s: %s", child->name, error);
    describe_end(how, status);
    return err_set(err, code, "%s ended with %s; see its log %s", child->name, how,
                   child->log_path);
}

void fleet_child_clear(struct fleet_child *child)
{
    for (char **argument = child->argv; argument && *argument; argument++)
        free(*argument);
    free(child->argv);
    free(child->log_path);
    free(child->name);
}
