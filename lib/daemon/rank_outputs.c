#include "lib/daemon/rank_outputs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

struct output_file {
    struct timespec modified;
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
                         bool *exists,
                         const char *folder,
                         uint64_t run_id,
                         uint64_t rank,
                         uint64_t from)
{
    char path[PATH_MAX];
    ssize_t size = 0;

    rank_outputs_path(path, folder, run_id, rank);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    *exists = fd >= 0;
    if (fd < 0)
        return 0;
    if (from <= INT64_MAX)
        size = pread(fd, bytes, room, (off_t)from);
    close(fd);
    return size > 0 ? (size_t)size : 0;
}

static int newest_first(const void *left, const void *right)
{
    const struct output_file *a = left, *b = right;

    if (a->modified.tv_sec != b->modified.tv_sec)
        return a->modified.tv_sec < b->modified.tv_sec ? 1 : -1;
    if (a->modified.tv_nsec != b->modified.tv_nsec)
        return a->modified.tv_nsec < b->modified.tv_nsec ? 1 : -1;
    return 0;
}

void rank_outputs_prune(const char *folder, size_t kept)
{
    DIR *dir = opendir(folder);
    struct output_file *files = NULL;
    const struct dirent *entry;
    size_t count = 0, room = 0;

    if (!dir)
        return;
    while ((entry = readdir(dir))) {
        struct stat status;

        if (!text_matches(entry->d_name, "output-*.log") ||
            fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (count == room) {
            room = room ? room * 2 : 2 * RANK_OUTPUTS_KEPT;
            files = xreallocarray(files, room, sizeof(*files));
        }
        files[count].modified = status.st_mtim;
        snprintf(files[count++].name, sizeof(files->name), "%s", entry->d_name);
    }
    if (count > kept)
        qsort(files, count, sizeof(*files), newest_first);
    for (size_t i = kept; i < count; i++)
        unlinkat(dirfd(dir), files[i].name, 0);
    free(files);
    closedir(dir);
}
