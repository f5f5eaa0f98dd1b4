#include "worker/process/leftover_processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/mem.h"

enum {
    ROUNDS = 200, /* of 1 ms; a process that is alive afterwards hangs in a driver */
    MARKED_ROUNDS = 50,        /* of 1 ms; some programs have no environment at all */
    ENVIRONMENT_MAX = 1 << 20, /* bytes */
};

void leftover_processes_adopt(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* Kills the children of one thread of this process. The kernel can assign an orphan to
 * any thread. */
static void kill_children(const char *thread)
{
    char path[64];
    long pid;

    snprintf(path, sizeof(path), "/proc/self/task/%.20s/children", thread);
    FILE *list = fopen(path, "re");

    if (!list)
        return;
    while (fscanf(list, "%ld", &pid) == 1)
        kill((pid_t)pid, SIGKILL);
    fclose(list);
}

void leftover_processes_kill(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    for (int round = 0; round < ROUNDS; round++) {
        struct dirent *thread;
        pid_t pid;

        while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
            continue;
        if (pid < 0)
            return; /* no child is left */
        DIR *threads = opendir("/proc/self/task");
        while (threads && (thread = readdir(threads)))
            if (thread->d_name[0] != '.')
                kill_children(thread->d_name);
        if (threads)
            closedir(threads);
        nanosleep(&moment, NULL);
    }
}

static bool holds_word(const char *bytes, size_t size, const char *word)
{
    size_t length = strlen(word) + 1;

    for (size_t at = 0; at + length <= size; at += strnlen(bytes + at, size - at) + 1)
        if (memcmp(bytes + at, word, length) == 0)
            return true;
    return false;
}

enum mark { UNMARKED, MARKED, UNKNOWN };

/* Returns whether the process has a program: it is no kernel thread, and has not ended.
 */
static bool has_program(long pid)
{
    char path[64], target[8];

    snprintf(path, sizeof(path), "/proc/%ld/exe", pid);
    return readlink(path, target, sizeof(target)) > 0;
}

/* The environment of a process reads as empty during exec(). */
static enum mark read_mark(long pid, const char *word, char *room)
{
    char path[64];
    size_t size = 0;
    ssize_t got;

    snprintf(path, sizeof(path), "/proc/%ld/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return UNMARKED; /* of another user, or ended */
    while (size < ENVIRONMENT_MAX &&
           (got = read(fd, room + size, ENVIRONMENT_MAX - size)) > 0)
        size += (size_t)got;
    close(fd);
    if (size == 0)
        return has_program(pid) ? UNKNOWN : UNMARKED;
    return holds_word(room, size, word) ? MARKED : UNMARKED;
}

/* Returns true when another look can find more: a process was in exec(), or was killed
 * and may have had a new child. */
static bool kill_marked_once(const char *word, char *room)
{
    DIR *all = opendir("/proc");
    struct dirent *entry;
    bool again = false;

    while (all && (entry = readdir(all))) {
        long pid = strtol(entry->d_name, NULL, 10);
        enum mark mark =
            pid > 0 && pid != getpid() ? read_mark(pid, word, room) : UNMARKED;

        if (mark == MARKED)
            kill((pid_t)pid, SIGKILL);
        again |= mark != UNMARKED;
    }
    if (all)
        closedir(all);
    return again;
}

void leftover_processes_kill_marked(const char *word)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    char *room = xmalloc(ENVIRONMENT_MAX);

    for (int round = 0; round < MARKED_ROUNDS && kill_marked_once(word, room); round++)
        nanosleep(&moment, NULL);
    free(room);
}
