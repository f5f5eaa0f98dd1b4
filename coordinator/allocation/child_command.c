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
    LOOK_MS = 20,
    ASKED_MS = 5000, /* from the kind word to the last one */
    PROBLEM_MAX = 200,
};

struct child_command_run {
    struct reactor *reactor;
    struct reactor_timer *look;
    char *name;
    pid_t pid;
    int said_fd, complained_fd;
    uint64_t until_ms; /* 0: no end; then it is asked to end */
    uint64_t killed_from_ms;
    bool out_of_time;
    child_command_fn *fn;
    void *arg;
};

extern char **environ;

/* A file without a name: it takes what a child prints while nobody reads. */
static int scratch(const char *content)
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

static int start(struct child_command_run *run,
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
    posix_spawn_file_actions_adddup2(&actions, run->said_fd, 1);
    posix_spawn_file_actions_adddup2(&actions, run->complained_fd, 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    int number = posix_spawnp(&run->pid, argv[0], &actions, &attributes, argv, env);
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

static void free_run(struct child_command_run *run)
{
    reactor_cancel(run->reactor, run->look);
    if (run->said_fd >= 0)
        close(run->said_fd);
    if (run->complained_fd >= 0)
        close(run->complained_fd);
    free(run->name);
    free(run);
}

/* The last line that it complained with: what it did not mind comes before. */
static void
name_problem(char out[PROBLEM_MAX], const struct child_command_run *run, int status)
{
    char *words = read_back(run->complained_fd);
    size_t length = strlen(words);

    while (length > 0 && words[length - 1] == '\n')
        words[--length] = '\0';
    const char *line = strrchr(words, '\n');
    line = line ? line + 1 : words;
    if (run->out_of_time)
        snprintf(out, PROBLEM_MAX, "%s did not end in time", run->name);
    else if (*line)
        snprintf(out, PROBLEM_MAX, "%s", line);
    else if (WIFSIGNALED(status))
        snprintf(out, PROBLEM_MAX, "%s: signal %d", run->name, WTERMSIG(status));
    else
        snprintf(out, PROBLEM_MAX, "%s: exit code %d", run->name, WEXITSTATUS(status));
    free(words);
}

static void tell(struct child_command_run *run, int status)
{
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    char *said = read_back(run->said_fd), problem[PROBLEM_MAX] = "";
    const struct child_command_end end = {good, said, problem};
    child_command_fn *fn = run->fn;
    void *arg = run->arg;

    if (!good)
        name_problem(problem, run, status);
    free_run(run);
    fn(arg, &end);
    free(said);
}

static void on_look(void *arg)
{
    struct child_command_run *run = arg;
    uint64_t now = clock_mono_ms();
    int status;

    if (waitpid(run->pid, &status, WNOHANG) == run->pid) {
        tell(run, status);
    } else if (run->killed_from_ms && now > run->killed_from_ms) {
        kill(-run->pid, SIGKILL);
    } else if (!run->killed_from_ms && run->until_ms && now > run->until_ms) {
        run->out_of_time = true;
        child_command_ask_to_end(run);
    }
}

int child_command_start(struct child_command_run **out,
                        struct reactor *reactor,
                        char *const *argv,
                        const char *input,
                        const char *const *env,
                        uint64_t limit_ms,
                        child_command_fn *fn,
                        void *arg,
                        struct err *err)
{
    struct child_command_run *run = xcalloc(1, sizeof(*run));
    int input_fd = scratch(input);

    *run = (struct child_command_run){
        .reactor = reactor,
        .name = xstrdup(argv[0]),
        .said_fd = scratch(""),
        .complained_fd = scratch(""),
        .until_ms = limit_ms ? clock_mono_ms() + limit_ms : 0,
        .fn = fn,
        .arg = arg,
    };
    int result = input_fd < 0 || run->said_fd < 0 || run->complained_fd < 0
                     ? err_errno(err, "starting %s: a file in memory", argv[0])
                     : start(run, argv, input_fd, env, err);
    if (input_fd >= 0)
        close(input_fd);
    if (result < 0) {
        free_run(run);
        return -1;
    }
    run->look = reactor_every(reactor, LOOK_MS, on_look, run);
    *out = run;
    return 0;
}

void child_command_ask_to_end(struct child_command_run *run)
{
    kill(-run->pid, SIGTERM);
    if (!run->killed_from_ms)
        run->killed_from_ms = clock_mono_ms() + ASKED_MS;
}

void child_command_destroy(struct child_command_run *run)
{
    if (!run)
        return;
    kill(-run->pid, SIGKILL);
    waitpid(run->pid, NULL, 0);
    free_run(run);
}
