#include "worker/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/reactor.h"
#include "base/utf8.h"
#include "worker/identity.h"
#include "worker/isolation.h"
#include "worker/kin.h"

enum { OUTPUT_MAX = 4 * 1024 * 1024, READS_A_TURN = 16 };

struct program {
    struct reactor *reactor;
    program_fn *fn;
    void *arg;
    const struct isolation *isolation;
    pid_t pid; /* of its group and session too; 0 once reaped */
    char *output;
    int output_in, output_file; /* the file is made by the first byte, or later: */
    bool holds;                 /* a little is only kept here until it is wanted */
    char held[4096];
    size_t held_bytes;
    size_t output_bytes;
    char tail[256];
    size_t tail_bytes;
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

/* With a slash: as it is, below cwd, below the parts. Without: along PATH. */
static int
find_program(char out[PATH_MAX], const struct program_options *options, struct err *err)
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
    return err_set(err, ERR_NOT_FOUND, "no program '%s'", name);
}

/* In the child, which shares our memory until the exec: nothing but system calls. */
static int become(const char *path,
                  const struct program_options *options,
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
    if (options->as && (refused = identity_become(options->as)) != 0)
        return refused;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* here, since a change of the user undoes it */
    if (getppid() != parent)
        return ECHILD;
    if (chdir(options->cwd) < 0) /* where the program itself may go */
        return errno;
    fcntl(options->keep_fd, F_SETFD, 0);
    execve(path, (char *const *)options->argv, (char *const *)options->env);
    return errno;
}

static pid_t spawn(const char *path,
                   const struct program_options *options,
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

static void keep_tail(struct program *program, const char *bytes, size_t size)
{
    size_t room = sizeof(program->tail);

    if (size >= room) {
        memcpy(program->tail, bytes + size - room, room);
        program->tail_bytes = room;
        return;
    }
    if (program->tail_bytes + size > room) {
        size_t keep = room - size;

        memmove(program->tail, program->tail + program->tail_bytes - keep, keep);
        program->tail_bytes = keep;
    }
    memcpy(program->tail + program->tail_bytes, bytes, size);
    program->tail_bytes += size;
}

static bool make_output(struct program *program)
{
    if (program->output_file < 0) {
        program->output_file =
            open(program->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
        if (program->output_file >= 0 &&
            fd_write_all(program->output_file, program->held, program->held_bytes) == 0)
            program->output_bytes = program->held_bytes;
    }
    return program->output_file >= 0;
}

static bool hold(struct program *program, const char *bytes, size_t size)
{
    if (!program->holds || program->output_file >= 0 ||
        size > sizeof(program->held) - program->held_bytes)
        return false;
    memcpy(program->held + program->held_bytes, bytes, size);
    program->held_bytes += size;
    return true;
}

static void on_output(void *arg)
{
    struct program *program = arg;
    char bytes[16 * 1024];

    for (int i = 0; i < READS_A_TURN && program->output_in >= 0; i++) {
        ssize_t size = read(program->output_in, bytes, sizeof(bytes));
        size_t room = OUTPUT_MAX - program->output_bytes;

        if (size < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (size <= 0) {
            reactor_off_fd(program->reactor, program->output_in);
            close(program->output_in);
            program->output_in = -1;
            return;
        }
        keep_tail(program, bytes, (size_t)size);
        if (hold(program, bytes, (size_t)size))
            continue;
        if ((size_t)size < room)
            room = (size_t)size;
        if (room > 0 && make_output(program) &&
            fd_write_all(program->output_file, bytes, room) == 0)
            program->output_bytes += room;
    }
}

static int open_pipe(struct program *program, int *write_end)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return -1;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    program->output_in = ends[0];
    *write_end = ends[1];
    return 0;
}

int program_start(struct program **out,
                  struct reactor *reactor,
                  const struct program_options *options,
                  program_fn *fn,
                  void *arg,
                  struct err *err)
{
    struct program *program = xcalloc(1, sizeof(*program));
    int write_end = -1, null = -1, why = 0;
    char path[PATH_MAX];

    program->reactor = reactor;
    program->fn = fn;
    program->arg = arg;
    program->output = xstrdup(options->output);
    program->holds = options->holds;
    program->isolation = options->isolation;
    program->output_in = program->output_file = -1;
    if (find_program(path, options, err) < 0)
        goto fail;
    null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || open_pipe(program, &write_end) < 0) {
        err_errno(err, "a pipe for the output");
        goto fail;
    }
    kin_adopt();
    program->pid = spawn(path, options, write_end, null, &why);
    if (program->pid <= 0) {
        program->pid = 0;
        errno = why;
        err_errno(err, "starting %s in %s", path, options->cwd);
        goto fail;
    }
    close(write_end);
    close(null);
    reactor_on_fd(reactor, program->output_in, on_output, program);
    *out = program;
    return 0;

fail:
    if (write_end >= 0)
        close(write_end);
    if (null >= 0)
        close(null);
    program_destroy(program);
    return -1;
}

void program_destroy(struct program *program)
{
    if (!program)
        return;
    if (program->grace)
        reactor_cancel(program->reactor, program->grace);
    if (program->pid > 0) {
        kill(-program->pid, SIGKILL);
        while (waitpid(program->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        kin_end();
        isolation_end(program->isolation);
    }
    if (program->output_in >= 0) {
        reactor_off_fd(program->reactor, program->output_in);
        close(program->output_in);
    }
    if (program->output_file >= 0)
        close(program->output_file);
    free(program->output);
    free(program);
}

pid_t program_pid(const struct program *program)
{
    return program->pid;
}

static void on_grace_over(void *arg)
{
    struct program *program = arg;

    program->grace = NULL;
    if (program->pid > 0)
        kill(-program->pid, SIGKILL);
}

void program_stop(struct program *program, uint64_t grace_ms)
{
    if (program->pid <= 0)
        return;
    kill(-program->pid, grace_ms > 0 ? SIGTERM : SIGKILL);
    if (grace_ms > 0 && !program->grace)
        program->grace =
            reactor_once(program->reactor, grace_ms, on_grace_over, program);
}

void program_reap(struct program *program)
{
    int status;

    if (program->pid <= 0 || waitpid(program->pid, &status, WNOHANG) != program->pid)
        return;
    kill(-program->pid, SIGKILL); /* what it left behind */
    kin_end();
    isolation_end(program->isolation);
    program->pid = 0;
    on_output(program);
    program->fn(program->arg, status);
}

void program_hear(struct program *program)
{
    on_output(program);
}

void program_keep_output(struct program *program)
{
    on_output(program);
    if (program->held_bytes > 0)
        make_output(program);
}

void program_output_to(struct program *program, const char *output)
{
    on_output(program);
    if (program->output_file >= 0)
        close(program->output_file);
    program->output_file = -1;
    program->output_bytes = program->tail_bytes = program->held_bytes = 0;
    free(program->output);
    program->output = xstrdup(output);
}

/* Characters as they are; anything else, however much of it, is one '?'. */
static void copy_readable(char *out, size_t size, const char *at, const char *end)
{
    size_t used = 0;
    bool odd = false;

    while (at < end && used + 4 < size) {
        size_t length = utf8_length(at, end);

        if (length > 1 || (length == 1 && *at >= ' ' && *at != 0x7f)) {
            memcpy(out + used, at, length);
            used += length;
            odd = false;
        } else if (!odd) {
            out[used++] = '?';
            odd = true;
        }
        at += length ? length : 1;
    }
    out[used] = '\0';
}

void program_last_words(struct program *program, char *out, size_t size)
{
    size_t end = program->tail_bytes, start;

    while (end > 0 &&
           (program->tail[end - 1] == '\n' || program->tail[end - 1] == '\r'))
        end--;
    for (start = end; start > 0 && program->tail[start - 1] != '\n';)
        start--;
    copy_readable(out, size, program->tail + start, program->tail + end);
}

static bool same_key(const char *a, const char *b)
{
    size_t length = strcspn(a, "=");

    return strncmp(a, b, length) == 0 && b[length] == '=';
}

const char **
program_environment(char *const *base, const char *const *more, size_t count)
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
