#include "lib/daemon/rank_outputs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

struct output {
    struct timespec when;
    char name[NAME_MAX + 1];
};

void rank_outputs_path(char out[PATH_MAX],
                       const char *folder,
                       uint64_t run_id,
                       uint64_t rank)
{
    snprintf(out, PATH_MAX, "%s/output-%llu-%llu.log", folder,
             (unsigned long long)run_id, (unsigned long long)rank);
}

size_t rank_outputs_read(char *bytes,
                         size_t room,
                         bool *there,
                         const char *folder,
                         uint64_t run_id,
                         uint64_t rank,
                         uint64_t from)
{
    char path[PATH_MAX];
    ssize_t size = 0;

    rank_outputs_path(path, folder, run_id, rank);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    *there = fd >= 0;
    if (fd < 0)
        return 0;
    if (from <= INT64_MAX)
        size = pread(fd, bytes, room, (off_t)from);
    close(fd);
    return size > 0 ? (size_t)size : 0;
}

static int newest_first(const void *left, const void *right)
{
    const struct output *a = left, *b = right;

    if (a->when.tv_sec != b->when.tv_sec)
        return a->when.tv_sec < b->when.tv_sec ? 1 : -1;
    if (a->when.tv_nsec != b->when.tv_nsec)
        return a->when.tv_nsec < b->when.tv_nsec ? 1 : -1;
    return 0;
}

void rank_outputs_prune(const char *folder, size_t kept)
{
    DIR *dir = opendir(folder);
    struct output *outputs = NULL;
    const struct dirent *entry;
    size_t count = 0, room = 0;

    if (!dir)
        return;
    while ((entry = readdir(dir))) {
        struct stat about;

        if (!text_matches(entry->d_name, "output-*.log") ||
            fstatat(dirfd(dir), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (count == room) {
            room = room ? room * 2 : 2 * RANK_OUTPUTS_KEPT;
            outputs = xreallocarray(outputs, room, sizeof(*outputs));
        }
        outputs[count].when = about.st_mtim;
        snprintf(outputs[count++].name, sizeof(outputs->name), "%s", entry->d_name);
    }
    if (count > kept)
        qsort(outputs, count, sizeof(*outputs), newest_first);
    for (size_t i = kept; i < count; i++)
        unlinkat(dirfd(dir), outputs[i].name, 0);
    free(outputs);
    closedir(dir);
}
