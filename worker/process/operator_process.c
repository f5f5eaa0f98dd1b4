#include "worker/process/operator_process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "worker/process/isolation.h"
#include "worker/process/leftover_processes.h"
#include "worker/process/output_capture.h"
#include "worker/process/run_as_user.h"

enum { OLD_KERNEL_FDS = 4096 }; /* Linux before 5.11 has no CLOSE_RANGE_CLOEXEC */

struct operator_process {
    struct reactor *reactor;
    operator_process_fn *fn;
    void *arg;
    const struct isolation *isolation;
    pid_t pid; /* also of its group and session; 0 after it was reaped */
    struct output_capture *output;
    struct reactor_timer *grace;
};

static bool is_program(const char *path)
{
    struct stat is;

    return stat(path, &is) == 0 && S_ISREG(is.st_mode) && access(path, X_OK) == 0;
}

static bool
join(char out[PATH_MAX], const char *folder, size_t length, const char *name)
{
    int size = snprintf(out, PATH_MAX, "%.*s/%s", (int)length, folder, name);

    return size > 0 && size < PATH_MAX && is_program(out);
}

/* Finds the program: an absolute path as it is, a relative path with a slash below cwd
 * or below the folder of parts, a name along PATH. */
static int find_program(char out[PATH_MAX],
                        const struct operator_process_options *options,
                        struct err *err)
{
    const char *name = options->argv[0];
    const char *path = getenv("PATH");

    if (name[0] == '/' && snprintf(out, PATH_MAX, "%s", name) < PATH_MAX &&
        is_program(out))
        return 0;
    if (name[0] != '/' && strchr(name, '/')) {
        if (join(out, options->cwd, strlen(options->cwd), name))
            return 0;
        if (options->parts && join(out, options->parts, strlen(options->parts), name))
            return 0;
    }
    while (!strchr(name, '/') && path && *path) {
        size_t length = strcspn(path, ":");

        if (length > 0 && join(out, path, length, name))
            return 0;
        path += length + (path[length] == ':');
    }
    if (name[0] == '/')
        return err_set(err, ERR_NOT_FOUND,
                       "no program '%s' on this host that can be executed; correct "
                       "operator.command",
                       name);
    if (strchr(name, '/'))
        return err_set(err, ERR_NOT_FOUND,
                       "no program '%.100s' in the folder of the job file or in %.60s, "
                       "where it would run; correct operator.command",
                       name, options->cwd);
    return err_set(
        err, ERR_NOT_FOUND,
        "no program '%s' in the PATH of the worker; give its path in the job "
        "file, such as ./%.60s",
        name, name);
}

/* Makes exec close every descriptor above 2, also those that the worker inherited. */
static void close_others(void)
{
    if (close_range(STDERR_FILENO + 1, ~0u, CLOSE_RANGE_CLOEXEC) == 0)
        return;
    for (int fd = STDERR_FILENO + 1; fd < OLD_KERNEL_FDS; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* Turns the child into the operator. The child shares memory with the worker until
 * exec, therefore it makes system calls only. Returns an errno on failure. */
static int become(const char *path,
                  const struct operator_process_options *options,
                  int output,
                  int null,
                  pid_t parent)
{
    sigset_t none;
    int refused;

    setsid();
    refused = isolation_enter(options->isolation);
    if (refused)
        return refused;
    for (int signal = 1; signal < NSIG; signal++) {
        struct sigaction is;

        if (sigaction(signal, NULL, &is) == 0 && is.sa_handler == SIG_IGN) {
            is.sa_handler = SIG_DFL;
            sigaction(signal, &is, NULL);
        }
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(output, STDERR_FILENO) < 0)
        return errno;
    if (options->as && (refused = run_as_user_become(options->as)) != 0)
        return refused;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* after the change of user, which resets it */
    if (getppid() != parent)
        return ECHILD;
    if (chdir(options->cwd) < 0) /* with the permissions of the operator */
        return errno;
    close_others();
    fcntl(options->keep_fd, F_SETFD, 0);
    execve(path, (char *const *)options->argv, (char *const *)options->env);
    return errno;
}

static pid_t spawn(const char *path,
                   const struct operator_process_options *options,
                   int output,
                   int null,
                   int *why)
{
    volatile int failed = 0;
    pid_t parent = getpid();
    pid_t pid = vfork();

    if (pid == 0) {
        failed = become(path, options, output, null, parent);
        _exit(127);
    }
    *why = pid < 0 ? errno : failed;
    if (pid > 0 && failed != 0) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        return -1;
    }
    return pid;
}

static int open_pipe(int ends[2], struct err *err)
{
    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_errno(err, "creating a pipe for the output");
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return 0;
}

int operator_process_start(struct operator_process **out,
                           struct reactor *reactor,
                           const struct operator_process_options *options,
                           operator_process_fn *fn,
                           void *arg,
                           struct err *err)
{
    struct operator_process *process = xcalloc(1, sizeof(*process));
    int ends[2] = {-1, -1}, null = -1, why = 0;
    char path[PATH_MAX];

    process->reactor = reactor;
    process->fn = fn;
    process->arg = arg;
    process->isolation = options->isolation;
    if (find_program(path, options, err) < 0)
        goto fail;
    null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0) {
        err_errno(err, "opening /dev/null");
        goto fail;
    }
    if (open_pipe(ends, err) < 0)
        goto fail;
    leftover_processes_adopt();
    process->pid = spawn(path, options, ends[1], null, &why);
    if (process->pid <= 0) {
        process->pid = 0;
        errno = why;
        err_errno(err, "starting %s in %s", path, options->cwd);
        goto fail;
    }
    close(ends[1]);
    close(null);
    process->output = output_capture_create(
        reactor, &(struct output_capture_options){.in = ends[0],
                                                  .file = options->output,
                                                  .holds = options->holds,
                                                  .has_marks = options->marks});
    *out = process;
    return 0;

fail:
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    if (null >= 0)
        close(null);
    operator_process_destroy(process);
    return -1;
}

void operator_process_destroy(struct operator_process *process)
{
    if (!process)
        return;
    if (process->grace)
        reactor_cancel(process->reactor, process->grace);
    if (process->pid > 0) {
        kill(-process->pid, SIGKILL);
        while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        leftover_processes_kill();
        isolation_kill_processes(process->isolation);
    }
    output_capture_destroy(process->output);
    free(process);
}

pid_t operator_process_pid(const struct operator_process *process)
{
    return process->pid;
}

struct output_capture *operator_process_output(const struct operator_process *process)
{
    return process->output;
}

static void on_grace_over(void *arg)
{
    struct operator_process *process = arg;

    process->grace = NULL;
    if (process->pid > 0)
        kill(-process->pid, SIGKILL);
}

void operator_process_stop(struct operator_process *process, uint64_t grace_ms)
{
    if (process->pid <= 0)
        return;
    kill(-process->pid, grace_ms > 0 ? SIGTERM : SIGKILL);
    if (grace_ms > 0 && !process->grace)
        process->grace =
            reactor_once(process->reactor, grace_ms, on_grace_over, process);
}

void operator_process_reap(struct operator_process *process)
{
    int status;

    if (process->pid <= 0 || waitpid(process->pid, &status, WNOHANG) != process->pid)
        return;
    kill(-process->pid, SIGKILL); /* processes left in its group */
    leftover_processes_kill();
    isolation_kill_processes(process->isolation);
    process->pid = 0;
    output_capture_read(process->output);
    process->fn(process->arg, status);
}

static bool same_key(const char *a, const char *b)
{
    size_t length = strcspn(a, "=");

    return strncmp(a, b, length) == 0 && b[length] == '=';
}

const char **
operator_process_environment(char *const *base, const char *const *more, size_t count)
{
    size_t base_count = 0, filled = 0;
    const char **out;

    while (base[base_count])
        base_count++;
    out = xcalloc(base_count + count + 1, sizeof(*out));
    for (size_t i = 0; i < base_count; i++) {
        bool replaced = false;

        for (size_t k = 0; k < count && !replaced; k++)
            replaced = same_key(more[k], base[i]);
        if (!replaced)
            out[filled++] = base[i];
    }
    for (size_t i = 0; i < count; i++) {
        bool replaced = false;

        for (size_t k = i + 1; k < count && !replaced; k++)
            replaced = same_key(more[i], more[k]);
        if (!replaced)
            out[filled++] = more[i];
    }
    return out;
}
