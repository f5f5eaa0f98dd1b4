#include "cli/fleet/cluster_check.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/cluster/slurm.h"

extern char **environ;

enum { MESSAGE_MAX = 160 };

/* Runs the command with the files as its streams. Returns its wait status, or -1. */
static int run_command(const struct alloc_command *command,
                       FILE *input,
                       FILE *output,
                       struct err *err)
{
    posix_spawn_file_actions_t actions;
    int result, status;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(output), STDERR_FILENO);
    result =
        posix_spawnp(&pid, command->argv[0], &actions, NULL, command->argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (result != 0) {
        errno = result;
        err_errno(err, "running %s", command->argv[0]);
        err->code = ERR_INPUT;
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return err_errno(err, "waiting for %s", command->argv[0]);
    return status;
}

/* Copies the last line, which has the final reason of sbatch. */
static void read_message(char message[MESSAGE_MAX], FILE *output)
{
    char line[MESSAGE_MAX];

    message[0] = '\0';
    rewind(output);
    while (fgets(line, sizeof(line), output)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0])
            memcpy(message, line, sizeof(line));
    }
}

static int
check(const struct alloc_command *command, FILE *input, FILE *output, struct err *err)
{
    char message[MESSAGE_MAX];
    int status;

    if (!input || !output || fputs(command->input, input) < 0 || fflush(input) != 0)
        return err_errno(err, "writing the script for sbatch");
    rewind(input);
    status = run_command(command, input, output, err);
    if (status < 0)
        return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    read_message(message, output);
    return err_set(err, ERR_INPUT,
                   "Slurm refuses the request for nodes: %s; 'muster alloc dry-run "
                   "slurm' prints the "
                   "request",
                   message[0] ? message : "sbatch printed no reason");
}

int cluster_check(const struct allocation_request *request, struct err *err)
{
    char program[PATH_MAX];
    FILE *input, *output;
    int result;

    if (alloc_check(request, err) < 0 ||
        file_next_to_program(program, sizeof(program), "muster", err) < 0)
        return -1;
    input = tmpfile();
    output = tmpfile();
    struct alloc_command command = alloc_slurm_dry_run(request, program);
    result = check(&command, input, output, err);
    alloc_command_clear(&command);
    if (input)
        fclose(input);
    if (output)
        fclose(output);
    return result;
}
