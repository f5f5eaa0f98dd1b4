#include "worker/host/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/base/spawn.h"
#include "lib/daemon/systemd_notify.h"

enum {
    PARENT_FD = 3,    /* descriptor of the pipe in a worker (--parent-fd) */
    RESTART_MS = 500, /* delay after the first failure; it doubles each time */
    RESTART_MAX_MS = 60000,
    STABLE_MS = 300000, /* after this run time the delay starts at RESTART_MS again */
    FINAL_CODE_MAX = 3, /* exit codes 0 to 3 (ended, usage, denied): no restart */
};

struct child {
    struct supervisor *supervisor;
    uint32_t card;
    char **argv;
    pid_t pid; /* 0: not running */
    uint64_t started_ms;
    uint64_t delay_ms;
    bool over; /* not restarted any more */
};

struct supervisor {
    struct reactor *reactor;
    struct child *children;
    size_t count;
    int parent_fd;
    int alive[2]; /* pipe of the workers; it closes when this process ends */
    bool ending;
    int exit_code;
};

static int start(struct child *child, struct err *err)
{
    posix_spawn_file_actions_t actions;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, child->supervisor->alive[0], PARENT_FD);
    int number = spawn_in_group(&child->pid, child->argv, &actions);
    posix_spawn_file_actions_destroy(&actions);
    child->started_ms = clock_mono_ms();
    if (number == 0)
        return 0;
    errno = number;
    return err_errno(err, "starting %s", child->argv[0]);
}

static void stop_if_all_ended(struct supervisor *supervisor)
{
    for (size_t i = 0; i < supervisor->count; i++)
        if (!supervisor->children[i].over)
            return;
    reactor_stop(supervisor->reactor);
}

static void on_restart(void *arg)
{
    struct child *child = arg;
    struct err err;

    if (child->over || child->supervisor->ending)
        return;
    if (start(child, &err) < 0) {
        log_error("worker not restarted: card=%u reason=%s", child->card, err.text);
        child->over = true;
        child->supervisor->exit_code = 7;
        stop_if_all_ended(child->supervisor);
    }
}

static void on_worker_end(struct child *child, int status)
{
    struct supervisor *supervisor = child->supervisor;
    bool is_final = WIFEXITED(status) && WEXITSTATUS(status) <= FINAL_CODE_MAX;

    child->pid = 0;
    if (is_final || supervisor->ending) {
        child->over = true;
        if (WIFEXITED(status) && WEXITSTATUS(status) && !supervisor->exit_code)
            supervisor->exit_code = WEXITSTATUS(status);
        stop_if_all_ended(supervisor);
        return;
    }
    if (clock_mono_ms() - child->started_ms > STABLE_MS || child->delay_ms == 0)
        child->delay_ms = RESTART_MS;
    else if (child->delay_ms < RESTART_MAX_MS)
        child->delay_ms *= 2;
    if (WIFSIGNALED(status))
        log_warning("worker process killed: card=%u signal=%d restart_ms=%llu",
                    child->card, WTERMSIG(status), (unsigned long long)child->delay_ms);
    else
        log_warning("worker process failed: card=%u exit_code=%d restart_ms=%llu",
                    child->card, WEXITSTATUS(status),
                    (unsigned long long)child->delay_ms);
    reactor_once(supervisor->reactor, child->delay_ms, on_restart, child);
}

static void on_child(void *arg)
{
    struct supervisor *supervisor = arg;
    int status;

    for (size_t i = 0; i < supervisor->count; i++) {
        struct child *child = &supervisor->children[i];

        if (child->pid && waitpid(child->pid, &status, WNOHANG) == child->pid)
            on_worker_end(child, status);
    }
}

static void on_end(void *arg)
{
    struct supervisor *supervisor = arg;

    supervisor->ending = true;
    for (size_t i = 0; i < supervisor->count; i++) {
        struct child *child = &supervisor->children[i];

        if (child->pid)
            kill(child->pid, SIGTERM);
        else
            child->over = true;
    }
    stop_if_all_ended(supervisor);
}

static void on_parent(void *arg)
{
    struct supervisor *supervisor = arg;
    char bytes[64];

    if (read(supervisor->parent_fd, bytes, sizeof(bytes)) > 0)
        return;
    reactor_off_fd(supervisor->reactor, supervisor->parent_fd);
    on_end(supervisor);
}

static int make_children(struct supervisor *supervisor,
                         const struct card_list *cards,
                         const struct supervisor_options *options,
                         struct err *err)
{
    char self[PATH_MAX];
    size_t word_count = 0;
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (length < 0)
        return err_errno(err, "reading /proc/self/exe");
    self[length] = '\0';
    while (options->words[word_count])
        word_count++;
    supervisor->count = cards->count;
    supervisor->children = xcalloc(cards->count, sizeof(*supervisor->children));
    for (size_t i = 0; i < cards->count; i++) {
        struct child *child = &supervisor->children[i];
        size_t count = 0;

        child->supervisor = supervisor;
        child->card = cards->numbers[i];
        child->argv = xcalloc(word_count + 5, sizeof(*child->argv));
        child->argv[count++] = xstrdup(self);
        for (size_t word = 0; word < word_count; word++)
            child->argv[count++] = xstrdup(options->words[word]);
        child->argv[count++] = xasprintf("--card=%u", child->card);
        child->argv[count++] =
            xasprintf("--spool=%s/card%u", options->spool, child->card);
        child->argv[count++] = xasprintf("--parent-fd=%d", PARENT_FD);
        if (start(child, err) < 0)
            return -1;
    }
    return 0;
}

static void end_all(struct supervisor *supervisor)
{
    for (int i = 0; i < 2; i++)
        if (supervisor->alive[i] >= 0)
            close(supervisor->alive[i]);
    for (size_t i = 0; i < supervisor->count; i++) {
        struct child *child = &supervisor->children[i];

        if (child->pid > 0) {
            kill(child->pid, SIGTERM);
            waitpid(child->pid, NULL, 0);
        }
        for (char **word = child->argv; word && *word; word++)
            free(*word);
        free(child->argv);
    }
    free(supervisor->children);
    reactor_destroy(supervisor->reactor);
}

int supervisor_run(const struct card_list *cards,
                   const struct supervisor_options *options,
                   struct err *err)
{
    struct supervisor supervisor = {.reactor = reactor_create(),
                                    .parent_fd = options->parent_fd,
                                    .alive = {-1, -1}};
    int result = folder_create(options->spool, err);

    if (result == 0 && pipe2(supervisor.alive, O_CLOEXEC) < 0)
        result = err_errno(err, "creating a pipe");
    if (result == 0 &&
        (reactor_on_signal(supervisor.reactor, SIGCHLD, on_child, &supervisor, err) <
             0 ||
         reactor_on_signal(supervisor.reactor, SIGTERM, on_end, &supervisor, err) < 0 ||
         reactor_on_signal(supervisor.reactor, SIGINT, on_end, &supervisor, err) < 0 ||
         make_children(&supervisor, cards, options, err) < 0))
        result = -1;
    if (result == 0) {
        if (supervisor.parent_fd >= 0)
            reactor_on_fd(supervisor.reactor, supervisor.parent_fd, on_parent,
                          &supervisor);
        systemd_notify_watchdog(supervisor.reactor);
        systemd_notify("READY=1");
        result = reactor_run(supervisor.reactor, err);
        systemd_notify("STOPPING=1");
    }
    end_all(&supervisor);
    return result < 0 ? -1 : supervisor.exit_code;
}
