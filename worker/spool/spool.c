#include "worker/spool/spool.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "lib/base/file.h"
#include "lib/base/lock_file.h"
#include "lib/base/mem.h"
#include "lib/capture/format/format.h"

enum {
    ZSTD_LEVEL = 1,
    ZSTD_LEAST = 4096 /* bytes; smaller groups are not compressed */
};

struct spool {
    char folder[PATH_MAX - 512];
    char work_folder[PATH_MAX - 256];
    char run_folder[PATH_MAX - 128];
    bool has_folder; /* run_folder exists */
    int lock;
    bool work_is_used; /* an operator may have left files in the work folder */
    struct spool_group *groups;
    size_t count, room;
    uint64_t bytes, limit; /* on disk */
};

static int take_lock(struct spool *spool, struct err *err)
{
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/lock", spool->folder);
    spool->lock = lock_file(path, err);
    return spool->lock < 0 ? -1 : 0;
}

int spool_open(struct spool **out, const char *folder, struct err *err)
{
    struct spool *spool = xcalloc(1, sizeof(*spool));

    spool->lock = -1;
    if (snprintf(spool->folder, sizeof(spool->folder), "%s", folder) >=
        (int)sizeof(spool->folder)) {
        err_set(err, ERR_INPUT, "the path is too long; pass a shorter --spool");
        goto fail;
    }
    snprintf(spool->work_folder, sizeof(spool->work_folder), "%s/work", spool->folder);
    if (folder_lock(spool->folder, err) < 0 || take_lock(spool, err) < 0 ||
        folder_remove(spool->work_folder, err) < 0 ||
        folder_create(spool->work_folder, err) < 0)
        goto fail;
    *out = spool;
    return 0;

fail:
    spool_close(spool);
    return err_wrap(err, "opening spool %s", folder);
}

void spool_close(struct spool *spool)
{
    if (!spool)
        return;
    if (spool->lock >= 0)
        close(spool->lock);
    free(spool->groups);
    free(spool);
}

static void group_name(char out[64], const struct spool_group *group)
{
    snprintf(out, 64, "%08" PRIx32 "-%08" PRIx32 "-%" PRIu64 ".%s", group->shard,
             group->number, group->raw_bytes, group->zstd ? "zst" : "raw");
}

static void group_path(char out[PATH_MAX],
                       const struct spool *spool,
                       const struct spool_group *group)
{
    char name[64];

    group_name(name, group);
    snprintf(out, PATH_MAX, "%s/%s", spool->run_folder, name);
}

static struct spool_group *add_group(struct spool *spool)
{
    if (spool->count == spool->room) {
        spool->room = spool->room ? 2 * spool->room : 16;
        spool->groups =
            xreallocarray(spool->groups, spool->room, sizeof(*spool->groups));
    }
    memset(&spool->groups[spool->count], 0, sizeof(*spool->groups));
    return &spool->groups[spool->count++];
}

void spool_begin(struct spool *spool, uint64_t run_id, uint64_t rank)
{
    snprintf(spool->run_folder, sizeof(spool->run_folder),
             "%s/runs/%" PRIu64 "-%" PRIu64, spool->folder, run_id, rank);
    spool->has_folder = false;
    spool->count = 0;
    spool->bytes = 0;
}

static bool work_is_empty(const struct spool *spool)
{
    DIR *dir = opendir(spool->work_folder);
    struct dirent *entry;
    bool empty = true;

    while (dir && empty && (entry = readdir(dir)) != NULL)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (dir)
        closedir(dir);
    return dir && empty;
}

void spool_end(struct spool *spool)
{
    struct err ignored;

    if (spool->has_folder)
        folder_remove(spool->run_folder, &ignored);
    if (spool->work_is_used && !work_is_empty(spool)) {
        folder_remove(spool->work_folder, &ignored);
        folder_create(spool->work_folder, &ignored);
    }
    spool->work_is_used = spool->has_folder = false;
    spool->run_folder[0] = '\0';
    spool->count = 0;
    spool->bytes = 0;
}

const char *spool_work_folder(struct spool *spool)
{
    spool->work_is_used = true;
    return spool->work_folder;
}

/* Adds a group. Other files, such as those of an interrupted write, are ignored; they
 * are removed with the folder. */
static void find_group(struct spool *spool, const char *name)
{
    struct spool_group found = {0}, *group;
    char kind[4], again[64], path[PATH_MAX];
    struct stat status;

    if (sscanf(name, "%8" SCNx32 "-%8" SCNx32 "-%" SCNu64 ".%3s", &found.shard,
               &found.number, &found.raw_bytes, kind) != 4)
        return;
    found.zstd = strcmp(kind, "zst") == 0;
    group_name(again, &found);
    if (strcmp(again, name) != 0 || found.raw_bytes > CAPTURE_GROUP_MAX)
        return;
    group_path(path, spool, &found);
    found.bytes = stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
    spool->bytes += found.bytes;
    group = add_group(spool);
    *group = found;
}

static int by_number(const void *a, const void *b)
{
    const struct spool_group *left = a, *right = b;

    if (left->shard != right->shard)
        return left->shard < right->shard ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

static void find_groups(struct spool *spool)
{
    DIR *dir = opendir(spool->run_folder);
    struct dirent *entry;

    if (!dir)
        return;
    while ((entry = readdir(dir)) != NULL)
        find_group(spool, entry->d_name);
    closedir(dir);
    if (spool->count > 0)
        qsort(spool->groups, spool->count, sizeof(*spool->groups), by_number);
}

/* Returns false, and removes the folder, when it holds no group. */
static bool
find_run(struct spool *spool, const char *name, uint64_t *run_id, uint64_t *rank)
{
    snprintf(spool->run_folder, sizeof(spool->run_folder), "%s/runs/%.200s",
             spool->folder, name);
    spool->has_folder = true;
    spool->count = 0;
    spool->bytes = 0;
    if (sscanf(name, "%" SCNu64 "-%" SCNu64, run_id, rank) == 2)
        find_groups(spool);
    if (spool->count == 0)
        spool_end(spool);
    return spool->count > 0;
}

bool spool_resume(struct spool *spool, uint64_t *run_id, uint64_t *rank)
{
    char path[PATH_MAX];
    struct dirent *entry;
    bool found = false;
    DIR *dir;

    snprintf(path, sizeof(path), "%s/runs", spool->folder);
    dir = opendir(path);
    if (!dir)
        return false;
    while (!found && (entry = readdir(dir)) != NULL)
        if (entry->d_name[0] != '.')
            found = find_run(spool, entry->d_name, run_id, rank);
    closedir(dir);
    return found;
}

/* Returns NULL when compression saves less than 10 %. */
static void *compress(const void *bytes, size_t size, size_t *packed)
{
    size_t room = ZSTD_compressBound(size);
    void *out;

    if (size < ZSTD_LEAST)
        return NULL;
    out = xmalloc(room);
    *packed = ZSTD_compress(out, room, bytes, size, ZSTD_LEVEL);
    if (!ZSTD_isError(*packed) && *packed < size / 10 * 9)
        return out;
    free(out);
    return NULL;
}

int spool_put(struct spool *spool,
              uint32_t shard,
              uint32_t number,
              const void *bytes,
              size_t size,
              struct err *err)
{
    struct spool_group group = {.shard = shard, .number = number, .raw_bytes = size};
    char path[PATH_MAX];
    size_t packed_size;
    void *packed = compress(bytes, size, &packed_size);
    int result;

    group.zstd = packed != NULL;
    group_path(path, spool, &group);
    result = spool->has_folder ? 0 : folder_create(spool->run_folder, err);
    spool->has_folder |= result == 0;
    if (result == 0)
        result = packed ? file_write(path, packed, packed_size, err)
                        : file_write(path, bytes, size, err);
    group.bytes = packed ? packed_size : size;
    free(packed);
    if (result < 0)
        return err_wrap(err, "spooling group %u of shard %u", number, shard);
    *add_group(spool) = group;
    spool->bytes += group.bytes;
    return 0;
}

void spool_set_limit(struct spool *spool, uint64_t bytes)
{
    spool->limit = bytes;
}

bool spool_is_full(const struct spool *spool)
{
    return spool->limit > 0 && spool->bytes > spool->limit;
}

size_t spool_count(const struct spool *spool)
{
    return spool->count;
}

struct spool_group *spool_at(const struct spool *spool, size_t at)
{
    return &spool->groups[at];
}

int spool_read(const struct spool *spool,
               const struct spool_group *group,
               char **bytes,
               size_t *size,
               struct err *err)
{
    char path[PATH_MAX];

    group_path(path, spool, group);
    return file_read(bytes, size, path, 2 * CAPTURE_GROUP_MAX, err);
}

bool spool_drop(struct spool *spool, uint32_t shard, uint32_t number)
{
    char path[PATH_MAX];

    for (size_t i = 0; i < spool->count; i++) {
        struct spool_group *group = &spool->groups[i];

        if (group->shard != shard || group->number != number)
            continue;
        group_path(path, spool, group);
        unlink(path);
        spool->bytes -= group->bytes;
        memmove(group, group + 1, (spool->count - i - 1) * sizeof(*group));
        spool->count--;
        return true;
    }
    return false;
}

void spool_mark_unsent(struct spool *spool)
{
    for (size_t i = 0; i < spool->count; i++)
        spool->groups[i].sent_ms = 0;
}
