#include "worker/process/isolation.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"

enum { LIMITS = 8, GONE_MS = 2000 };

static const struct {
    const char *name;
    int resource;
} kinds[] = {
    {"core", RLIMIT_CORE},       {"fsize", RLIMIT_FSIZE}, {"nofile", RLIMIT_NOFILE},
    {"nproc", RLIMIT_NPROC},     {"as", RLIMIT_AS},       {"stack", RLIMIT_STACK},
    {"memlock", RLIMIT_MEMLOCK}, {"cpu", RLIMIT_CPU},
};

struct isolation {
    struct {
        int resource;
        struct rlimit limit;
    } limits[LIMITS];
    size_t limit_count;
    cpu_set_t cpus;
    bool has_cpus;
    uint64_t memory_bytes; /* 0: no limit */
    char group[PATH_MAX];  /* "": none */
    int procs;             /* descriptor of its cgroup.procs, or -1 */
};

/* Adds one limit, cut to the hard limit of the worker. */
static int take_limit(struct isolation *isolation,
                      const char *name,
                      const char *value,
                      struct err *err)
{
    uint64_t number = RLIM_INFINITY;
    size_t kind = 0;

    if (strcmp(value, "unlimited") != 0 && !num_parse_bytes(value, &number))
        return err_set(err, ERR_INPUT,
                       "limit %s: '%.40s' is neither a number nor 'unlimited'", name,
                       value);
    if (strcmp(name, "memory") == 0) {
        isolation->memory_bytes = number == RLIM_INFINITY ? 0 : number;
        return 0;
    }
    while (kind < COUNT(kinds) && strcmp(kinds[kind].name, name) != 0)
        kind++;
    if (kind == COUNT(kinds))
        return err_set(
            err, ERR_INPUT,
            "unknown limit '%.40s'; use core, fsize, nofile, nproc, as, stack, "
            "memlock, cpu or memory",
            name);
    if (isolation->limit_count == LIMITS)
        return err_set(err, ERR_INPUT, "more than %d limits", LIMITS);
    struct rlimit *limit = &isolation->limits[isolation->limit_count].limit;
    isolation->limits[isolation->limit_count++].resource = kinds[kind].resource;
    if (getrlimit(kinds[kind].resource, limit) < 0)
        return err_errno(err, "reading the limit %s", name);
    if (number > limit->rlim_max)
        number = limit->rlim_max;
    limit->rlim_cur = limit->rlim_max = number;
    return 0;
}

static int read_limits(struct isolation *isolation, const char *text, struct err *err)
{
    char name[32], value[32];

    while (*text) {
        int used = 0;

        if (sscanf(text, "%31[a-z]=%31[^,]%n", name, value, &used) != 2 ||
            (text[used] && text[used] != ','))
            return err_set(err, ERR_INPUT, "'%.60s' is not NAME=VALUE", text);
        if (take_limit(isolation, name, value, err) < 0)
            return -1;
        text += used + (text[used] == ',');
    }
    return 0;
}

static int read_cpus(struct isolation *isolation, const char *text, struct err *err)
{
    const char *at = text;
    cpu_set_t allowed;

    CPU_ZERO(&isolation->cpus);
    while (*at) {
        unsigned first, last;
        int used = 0;

        if (sscanf(at, "%u-%u%n", &first, &last, &used) != 2) {
            if (sscanf(at, "%u%n", &first, &used) != 1)
                used = 0;
            last = first;
        }
        if (used == 0 || first > last || last >= CPU_SETSIZE ||
            (at[used] && at[used] != ','))
            return err_set(err, ERR_INPUT,
                           "'%.60s' is not a list of processors such as 0-3,8", text);
        for (unsigned cpu = first; cpu <= last; cpu++)
            CPU_SET(cpu, &isolation->cpus);
        at += used + (at[used] == ',');
    }
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
        CPU_AND(&isolation->cpus, &isolation->cpus, &allowed);
    if (CPU_COUNT(&isolation->cpus) == 0)
        return err_set(err, ERR_INPUT,
                       "the worker may use none of the processors %.60s", text);
    isolation->has_cpus = true;
    return 0;
}

/* Writes a file of the control group in one write, as the kernel requires. */
static int
write_in(const struct isolation *isolation, const char *name, const char *text)
{
    char path[PATH_MAX + 32];
    int result = -1;

    snprintf(path, sizeof(path), "%s/%s", isolation->group, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (write(fd, text, strlen(text)) == (ssize_t)strlen(text))
        result = 0;
    close(fd);
    return result;
}

/* Removes the control groups that killed workers of this card have left. */
static void remove_old_groups(const struct isolation_options *options)
{
    char pattern[PATH_MAX];
    glob_t found;

    snprintf(pattern, sizeof(pattern), "%s/muster-%llu-*", options->cgroup,
             (unsigned long long)options->card);
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct isolation old = {.procs = -1};
        long pid = strtol(strrchr(found.gl_pathv[i], '-') + 1, NULL, 10);

        if (pid <= 0 || kill((pid_t)pid, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(old.group, sizeof(old.group), "%s", found.gl_pathv[i]);
        isolation_kill_processes(&old);
        rmdir(old.group);
    }
    globfree(&found);
}

static int make_group(struct isolation *isolation,
                      const struct isolation_options *options,
                      struct err *err)
{
    char path[PATH_MAX + 32], number[24];

    remove_old_groups(options);
    int length =
        snprintf(isolation->group, sizeof(isolation->group), "%s/muster-%llu-%d",
                 options->cgroup, (unsigned long long)options->card, (int)getpid());

    if (length < 0 || (size_t)length >= sizeof(isolation->group) ||
        mkdir(isolation->group, 0755) < 0) {
        isolation->group[0] = '\0';
        return err_errno(err, "creating a control group in %.150s", options->cgroup);
    }
    snprintf(path, sizeof(path), "%s/cgroup.procs", isolation->group);
    isolation->procs = open(path, O_WRONLY | O_CLOEXEC);
    if (isolation->procs < 0)
        return err_errno(err, "opening %.200s", path);
    if (isolation->memory_bytes == 0)
        return 0;
    snprintf(number, sizeof(number), "%llu",
             (unsigned long long)isolation->memory_bytes);
    if (write_in(isolation, "memory.max", number) < 0)
        return err_errno(err, "writing memory.max of %.150s", isolation->group);
    return 0;
}

int isolation_open(struct isolation **out,
                   const struct isolation_options *options,
                   struct err *err)
{
    struct isolation *isolation = xcalloc(1, sizeof(*isolation));

    isolation->procs = -1;
    if (read_limits(isolation, options->limits, err) < 0 ||
        (*options->cpus && read_cpus(isolation, options->cpus, err) < 0))
        goto fail;
    if (isolation->memory_bytes > 0 && !*options->cgroup) {
        err_set(err, ERR_INPUT, "limit memory needs a control group; pass --cgroup");
        goto fail;
    }
    if (*options->cgroup && make_group(isolation, options, err) < 0)
        goto fail;
    *out = isolation;
    return 0;

fail:
    isolation_close(isolation);
    return err_wrap(err, "isolation");
}

void isolation_close(struct isolation *isolation)
{
    if (!isolation)
        return;
    isolation_kill_processes(isolation);
    if (isolation->procs >= 0)
        close(isolation->procs);
    if (isolation->group[0])
        rmdir(isolation->group);
    free(isolation);
}

int isolation_enter(const struct isolation *isolation)
{
    if (!isolation)
        return 0;
    if (isolation->procs >= 0 && write(isolation->procs, "0", 1) != 1)
        return errno;
    if (isolation->has_cpus &&
        sched_setaffinity(0, sizeof(isolation->cpus), &isolation->cpus) < 0)
        return errno;
    for (size_t i = 0; i < isolation->limit_count; i++)
        if (setrlimit(isolation->limits[i].resource, &isolation->limits[i].limit) < 0)
            return errno;
    return 0;
}

static bool is_empty(const struct isolation *isolation)
{
    char path[PATH_MAX + 32], bytes[4];
    ssize_t size = 0;

    snprintf(path, sizeof(path), "%s/cgroup.procs", isolation->group);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return true;
    size = read(fd, bytes, sizeof(bytes));
    close(fd);
    return size <= 0;
}

void isolation_kill_processes(const struct isolation *isolation)
{
    const struct timespec moment = {.tv_nsec = 1000000};

    if (!isolation || !isolation->group[0] || is_empty(isolation))
        return;
    write_in(isolation, "cgroup.kill", "1");
    for (int i = 0; i < GONE_MS && !is_empty(isolation); i++)
        nanosleep(&moment, NULL);
}

/* The line of version 2 is 0::/path, relative to one of the usual mount points. */
void isolation_own_cgroup(char *out, size_t size)
{
    static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    char line[PATH_MAX], path[PATH_MAX + 64];
    FILE *file = fopen("/proc/self/cgroup", "re");

    out[0] = '\0';
    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::/", 4) != 0)
            continue;
        for (size_t i = 0; i < COUNT(places) && !out[0]; i++) {
            snprintf(path, sizeof(path), "%s%s/cgroup.procs", places[i],
                     line[4] ? line + 3 : "");
            if (access(path, W_OK) == 0)
                snprintf(out, size, "%s%s", places[i], line[4] ? line + 3 : "");
        }
    }
    if (file)
        fclose(file);
}
