#include "coordinator/allocation/child_command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"

enum {
    POLL_MS = 20,
    KILL_AFTER_MS = 5000, /* from SIGTERM to SIGKILL */
    PROBLEM_MAX = 200,
};

struct child_command {
    struct reactor *reactor;
    struct reactor_timer *poll;
    char *name;
    pid_t pid;
    int stdout_fd, stderr_fd;
    uint64_t limit_at_ms; /* monotonic; 0: no limit */
    uint64_t kill_at_ms;  /* set when SIGTERM was sent; 0: not yet */
    bool out_of_time;
    child_command_fn *fn;
    void *arg;
};

extern char **environ;

/* Creates a file in memory for the input or the output of the child. */
static int create_memory_file(const char *content)
{
    int fd = memfd_create("muster-command", MFD_CLOEXEC);

    if (fd >= 0 && (fd_write_all(fd, content, strlen(content)) < 0 ||
                    lseek(fd, 0, SEEK_SET) < 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static char **environment_with(const char *const *more)
{
    size_t count = 0, more_count = 0;
    char **env;

    while (environ[count])
        count++;
    while (more && more[more_count])
        more_count++;
    env = xcalloc(count + more_count + 1, sizeof(*env));
    memcpy(env, environ, count * sizeof(*env));
    for (size_t i = 0; i < more_count; i++)
        env[count + i] = (char *)more[i];
    return env;
}

static int start(struct child_command *command,
                 char *const *argv,
                 int input_fd,
                 const char *const *more,
                 struct err *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char **env = environment_with(more);
    sigset_t none;

    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input_fd, 0);
    posix_spawn_file_actions_adddup2(&actions, command->stdout_fd, 1);
    posix_spawn_file_actions_adddup2(&actions, command->stderr_fd, 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    int number = posix_spawnp(&command->pid, argv[0], &actions, &attributes, argv, env);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(env);
    if (number == 0)
        return 0;
    errno = number;
    return err_errno(err, "starting %s", argv[0]);
}

static char *read_back(int fd)
{
    struct stat status;
    size_t size = fstat(fd, &status) == 0 ? (size_t)status.st_size : 0;
    char *bytes;

    if (size > CHILD_COMMAND_OUTPUT_MAX)
        size = CHILD_COMMAND_OUTPUT_MAX;
    bytes = xcalloc(1, size + 1);
    ssize_t got = pread(fd, bytes, size, 0);
    bytes[got > 0 ? got : 0] = '\0';
    return bytes;
}

static void free_command(struct child_command *command)
{
    reactor_cancel(command->reactor, command->poll);
    if (command->stdout_fd >= 0)
        close(command->stdout_fd);
    if (command->stderr_fd >= 0)
        close(command->stderr_fd);
    free(command->name);
    free(command);
}

/* Writes the reason of a failure: the last line of standard error, which follows the
 * warnings, or else how the program ended. */
static void
describe_problem(char out[PROBLEM_MAX], const struct child_command *command, int status)
{
    char *words = read_back(command->stderr_fd);
    size_t length = strlen(words);

    while (length > 0 && words[length - 1] == '\n')
        words[--length] = '\0';
    const char *line = strrchr(words, '\n');
    line = line ? line + 1 : words;
    if (command->out_of_time)
        snprintf(out, PROBLEM_MAX, "%s was stopped at its time limit", command->name);
    else if (*line)
        snprintf(out, PROBLEM_MAX, "%s", line);
    else if (WIFSIGNALED(status))
        snprintf(out, PROBLEM_MAX, "%s was killed by signal %d", command->name,
                 WTERMSIG(status));
    else
        snprintf(out, PROBLEM_MAX, "%s ended with exit code %d", command->name,
                 WEXITSTATUS(status));
    free(words);
}

static void finish(struct child_command *command, int status)
{
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    char *output = read_back(command->stdout_fd), problem[PROBLEM_MAX] = "";
    const struct child_command_result result = {good, output, problem};
    child_command_fn *fn = command->fn;
    void *arg = command->arg;

    if (!good)
        describe_problem(problem, command, status);
    free_command(command);
    fn(arg, &result);
    free(output);
}

static void on_poll(void *arg)
{
    struct child_command *command = arg;
    uint64_t now = clock_mono_ms();
    int status;

    if (waitpid(command->pid, &status, WNOHANG) == command->pid) {
        finish(command, status);
    } else if (command->kill_at_ms && now > command->kill_at_ms) {
        kill(-command->pid, SIGKILL);
    } else if (!command->kill_at_ms && command->limit_at_ms &&
               now > command->limit_at_ms) {
        command->out_of_time = true;
        child_command_ask_to_end(command);
    }
}

int child_command_start(struct child_command **out,
                        struct reactor *reactor,
                        char *const *argv,
                        const char *input,
                        const char *const *env,
                        uint64_t limit_ms,
                        child_command_fn *fn,
                        void *arg,
                        struct err *err)
{
    struct child_command *command = xcalloc(1, sizeof(*command));
    int input_fd = create_memory_file(input);

    *command = (struct child_command){
        .reactor = reactor,
        .name = xstrdup(argv[0]),
        .stdout_fd = create_memory_file(""),
        .stderr_fd = create_memory_file(""),
        .limit_at_ms = limit_ms ? clock_mono_ms() + limit_ms : 0,
        .fn = fn,
        .arg = arg,
    };
    int result = input_fd < 0 || command->stdout_fd < 0 || command->stderr_fd < 0
                     ? err_errno(err, "starting %s: creating a file in memory", argv[0])
                     : start(command, argv, input_fd, env, err);
    if (input_fd >= 0)
        close(input_fd);
    if (result < 0) {
        free_command(command);
        return -1;
    }
    command->poll = reactor_every(reactor, POLL_MS, on_poll, command);
    *out = command;
    return 0;
}

void child_command_ask_to_end(struct child_command *command)
{
    kill(-command->pid, SIGTERM);
    if (!command->kill_at_ms)
        command->kill_at_ms = clock_mono_ms() + KILL_AFTER_MS;
}

void child_command_destroy(struct child_command *command)
{
    if (!command)
        return;
    kill(-command->pid, SIGKILL);
    waitpid(command->pid, NULL, 0);
    free_command(command);
}
