#include "lib/shm/core_share.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOT_OWNED = -1, FILE_MAX = 4096, PATH_ROOM = 1024 };

struct assignment {
    const struct core_set *sets;
    int owners[CORES_MAX]; /* number of a set, or NOT_OWNED */
    struct core_set tried; /* in the present search */
};

static bool has_core(const struct core_set *set, int core)
{
    return set->words[core / 64] >> core % 64 & 1;
}

/* Gives the set a core. The owner of a core may have to change to another one. Returns
 * false when no change of owners helps. */
static bool assign_core(struct assignment *assignment, int number)
{
    for (int core = 0; core < CORES_MAX; core++) {
        int owner = assignment->owners[core];

        if (!has_core(&assignment->sets[number], core) ||
            has_core(&assignment->tried, core))
            continue;
        assignment->tried.words[core / 64] |= UINT64_C(1) << core % 64;
        if (owner == NOT_OWNED || assign_core(assignment, owner)) {
            assignment->owners[core] = number;
            return true;
        }
    }
    return false;
}

bool core_sets_suffice(const struct core_set *sets, size_t count)
{
    struct assignment assignment = {.sets = sets};

    if (count > CORE_RANKS_MAX)
        return false;
    for (int core = 0; core < CORES_MAX; core++)
        assignment.owners[core] = NOT_OWNED;
    for (size_t i = 0; i < count; i++) {
        assignment.tried = (struct core_set){0};
        if (!assign_core(&assignment, (int)i))
            return false;
    }
    return true;
}

void core_set_read(struct core_set *set)
{
    cpu_set_t mask;

    *set = (struct core_set){0};
    if (sched_getaffinity(0, sizeof(mask), &mask) < 0)
        return;
    for (int core = 0; core < CORES_MAX && core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &mask))
            set->words[core / 64] |= UINT64_C(1) << core % 64;
}

/* Reads a small file as text. Returns false when it does not exist or is empty. */
static bool read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length;

    if (fd < 0)
        return false;
    length = read(fd, text, size - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* Reads the limit of one folder. Version 2 has `cpu.max` with quota and period, and
 * version 1 has a file for each. A group without a limit has `max` or -1. */
static uint32_t limit_of(const char *folder)
{
    char path[PATH_ROOM + 32], text[64], *end;
    long long quota, period;

    snprintf(path, sizeof(path), "%s/cpu.max", folder);
    if (read_text(path, text, sizeof(text))) {
        quota = strtoll(text, &end, 10);
        period = strtoll(end, NULL, 10);
    } else {
        snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", folder);
        if (!read_text(path, text, sizeof(text)))
            return UINT32_MAX;
        quota = strtoll(text, NULL, 10);
        snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder);
        period = read_text(path, text, sizeof(text)) ? strtoll(text, NULL, 10) : 0;
    }
    if (quota <= 0 || period <= 0 || quota / period >= UINT32_MAX)
        return UINT32_MAX;
    return (uint32_t)(quota / period);
}

/* Returns the lowest limit from the folder of a group up to `root`. */
static uint32_t lowest_limit(const char *root, const char *group)
{
    char folder[PATH_ROOM];
    size_t root_length = strlen(root);
    uint32_t lowest = UINT32_MAX;

    if ((size_t)snprintf(folder, sizeof(folder), "%s%s", root, group) >= sizeof(folder))
        return lowest;
    for (;;) {
        uint32_t limit = limit_of(folder);
        char *slash = strrchr(folder, '/');

        lowest = limit < lowest ? limit : lowest;
        if (!slash || (size_t)(slash - folder) < root_length)
            return lowest;
        *slash = '\0';
    }
}

/* Returns true when the comma-separated list has the entry. */
static bool lists(const char *list, const char *entry)
{
    size_t length = strlen(entry);

    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == length && memcmp(list, entry, length) == 0)
            return true;
    return false;
}

/* Each line is `number:controllers:group`. Version 2 has no controllers. The groups of
 * version 1 lie below a folder that has the names of its controllers. */
uint32_t core_quota_read(const char *cgroup, const char *root)
{
    char text[FILE_MAX], folder[PATH_ROOM], *line, *rest = text;
    uint32_t lowest = UINT32_MAX;

    if (!read_text(cgroup, text, sizeof(text)))
        return lowest;
    while ((line = strsep(&rest, "\n"))) {
        const char *number = strsep(&line, ":"), *names = strsep(&line, ":");
        uint32_t limit;

        if (!number || !names || !line || (*names && !lists(names, "cpu")))
            continue;
        snprintf(folder, sizeof(folder), "%s%s%s", root, *names ? "/" : "", names);
        limit = lowest_limit(folder, strcmp(line, "/") == 0 ? "" : line);
        lowest = limit < lowest ? limit : lowest;
    }
    return lowest;
}
