#include "cli/prune/job_files.h"

#include <dirent.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/store/captures.h"

static uint64_t bytes_of(const char *path)
{
    char *const roots[] = {(char *)path, NULL};
    FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    uint64_t bytes = 0;

    for (FTSENT *entry; fts && (entry = fts_read(fts));)
        if (entry->fts_info == FTS_F)
            bytes += (uint64_t)entry->fts_statp->st_blocks * 512;
    if (fts)
        fts_close(fts);
    return bytes;
}

/* Returns true for the folder of a point: p0, p17. */
static bool is_point(const char *name)
{
    return name[0] == 'p' && name[1] &&
           strspn(name + 1, "0123456789") == strlen(name + 1);
}

typedef int part_fn(const char *path, void *arg, struct err *err);

/* Calls fn for each folder of a point. */
static int each_part(const char *folder, part_fn *fn, void *arg, struct err *err)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int result = 0;

    while (dir && result == 0 && (entry = readdir(dir)))
        if (is_point(entry->d_name)) {
            char *path = xasprintf("%s/%s", folder, entry->d_name);

            result = fn(path, arg, err);
            free(path);
        }
    if (dir)
        closedir(dir);
    return result;
}

static int add_bytes(const char *path, void *arg, struct err *err)
{
    (void)err;
    *(uint64_t *)arg += bytes_of(path);
    return 0;
}

static int remove_part(const char *path, void *arg, struct err *err)
{
    (void)arg;
    return folder_remove(path, err);
}

static void capture_path(char path[PATH_MAX], const char *out, uint64_t job_id)
{
    char *folder = xasprintf("%s/store", out);

    captures_path(path, PATH_MAX, folder, job_id);
    free(folder);
}

uint64_t
job_files_bytes(const char *out, uint64_t job_id, const char *key, bool parts_only)
{
    static const char *const behind[] = {"", "-wal", "-shm"};
    char *folder = xasprintf("%s/%s", out, key);
    char capture[PATH_MAX];
    uint64_t bytes = 0;
    struct err ignored;

    if (parts_only)
        each_part(folder, add_bytes, &bytes, &ignored);
    else
        bytes = bytes_of(folder);
    free(folder);
    capture_path(capture, out, job_id);
    for (size_t i = 0; i < COUNT(behind); i++) {
        char *path = xasprintf("%s%s", capture, behind[i]);

        bytes += bytes_of(path);
        free(path);
    }
    return bytes;
}

int job_files_remove(const char *out,
                     uint64_t job_id,
                     const char *key,
                     bool parts_only,
                     struct err *err)
{
    char *folder = xasprintf("%s/%s", out, key);
    char capture[PATH_MAX];
    struct stat is;
    int result = 0;

    if (lstat(folder, &is) == 0)
        result = parts_only ? each_part(folder, remove_part, NULL, err)
                            : folder_remove(folder, err);
    free(folder);
    capture_path(capture, out, job_id);
    return result < 0 ? -1 : captures_delete(capture, err);
}

const char *job_files_format(char out[32], uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = (double)bytes / 1024;
    size_t unit = 0;

    while (value >= 1024 && unit + 1 < COUNT(units)) {
        value /= 1024;
        unit++;
    }
    snprintf(out, 32, "%.1f %s", value, units[unit]);
    return out;
}
