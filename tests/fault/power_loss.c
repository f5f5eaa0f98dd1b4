#include "tests/fault/power_loss.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "lib/base/mem.h"

enum { SECTOR = 512 };

/* The bytes that a write replaced, kept until its file is synced. */
struct unsynced {
    struct unsynced *before; /* the write before this one */
    char *path;
    sqlite3_int64 at, old_file_size;
    int size, old_size; /* bytes written; bytes replaced */
    uint8_t *old;
};

struct file {
    sqlite3_file base;
    char path[PATH_MAX];
    sqlite3_file real[]; /* SQLite allocates szOsFile bytes, which include it */
};

static sqlite3_vfs *disk; /* the layer of the operating system */
static struct unsynced *latest;
static unsigned long count, fail_at;
static enum power_way fail_way;
static unsigned fail_seed;

static sqlite3_file *real(sqlite3_file *file)
{
    return ((struct file *)file)->real;
}

static void forget(struct unsynced **at)
{
    struct unsynced *gone = *at;

    *at = gone->before;
    free(gone->path);
    free(gone->old);
    free(gone);
}

/* The fault */

static bool keeps_sector(void)
{
    fail_seed = fail_seed * 1664525 + 1013904223;
    return fail_way == POWER_TORN && (fail_seed >> 16) % 2;
}

static void put_back(const struct unsynced *change)
{
    uint8_t nothing[SECTOR] = {0};
    bool all_gone = true;
    int fd = open(change->path, O_RDWR | O_CLOEXEC);

    if (fd < 0)
        return; /* the file was deleted later */
    for (int done = 0; done < change->size; done += SECTOR) {
        int size = change->size - done < SECTOR ? change->size - done : SECTOR;
        int had = change->old_size - done;

        if (keeps_sector()) {
            all_gone = false;
            continue;
        }
        if (pwrite(fd, had > 0 ? change->old + done : nothing,
                   (size_t)(had > 0 && had < size ? had : size), change->at + done) < 0)
            _exit(1);
    }
    if (all_gone && fail_way == POWER_LOST && ftruncate(fd, change->old_file_size) < 0)
        _exit(1);
    close(fd);
}

static int fail_now(void)
{
    switch (fail_way) {
    case POWER_DISK_FULL:
        return SQLITE_FULL;
    case POWER_DISK_DEAD:
        return SQLITE_IOERR_WRITE;
    case POWER_LOST:
    case POWER_TORN:
        for (; latest; forget(&latest))
            put_back(latest);
        break;
    case POWER_KILLED:
        break;
    }
    _exit(POWER_EXIT);
}

static int change(bool needs_room)
{
    count++;
    if (fail_at == 0 || count < fail_at)
        return SQLITE_OK;
    if (fail_way == POWER_DISK_FULL && !needs_room)
        return SQLITE_OK;
    return fail_now();
}

/* File functions of SQLite */

static int on_write(sqlite3_file *base, const void *bytes, int size, sqlite3_int64 at)
{
    struct file *file = (struct file *)base;
    int result = change(true);
    struct unsynced *one;

    if (result != SQLITE_OK)
        return result;
    one = xcalloc(1, sizeof(*one));
    one->path = xstrdup(file->path);
    one->at = at;
    one->size = size;
    one->old = xcalloc(1, (size_t)size);
    file->real->pMethods->xFileSize(file->real, &one->old_file_size);
    if (at < one->old_file_size) {
        sqlite3_int64 there = one->old_file_size - at;

        one->old_size = there < size ? (int)there : size;
        file->real->pMethods->xRead(file->real, one->old, one->old_size, at);
    }
    one->before = latest;
    latest = one;
    return file->real->pMethods->xWrite(file->real, bytes, size, at);
}

static int on_sync(sqlite3_file *base, int flags)
{
    const struct file *file = (const struct file *)base;
    int result = change(false);

    (void)flags;
    if (result != SQLITE_OK)
        return result;
    for (struct unsynced **at = &latest; *at;)
        if (!strcmp((*at)->path, file->path))
            forget(at);
        else
            at = &(*at)->before;
    return SQLITE_OK;
}

static int on_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int result = change(false);

    return result == SQLITE_OK ? real(file)->pMethods->xTruncate(real(file), size)
                               : result;
}

static int on_close(sqlite3_file *file)
{
    return real(file)->pMethods ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
}

static int on_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 at)
{
    return real(file)->pMethods->xRead(real(file), bytes, size, at);
}

static int on_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int on_lock(sqlite3_file *file, int level)
{
    return real(file)->pMethods->xLock(real(file), level);
}

static int on_unlock(sqlite3_file *file, int level)
{
    return real(file)->pMethods->xUnlock(real(file), level);
}

static int on_check(sqlite3_file *file, int *reserved)
{
    return real(file)->pMethods->xCheckReservedLock(real(file), reserved);
}

static int on_control(sqlite3_file *file, int what, void *arg)
{
    return real(file)->pMethods->xFileControl(real(file), what, arg);
}

static int on_sector(sqlite3_file *file)
{
    (void)file;
    return SECTOR;
}

static int on_device(sqlite3_file *file)
{
    (void)file;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static int
on_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **at)
{
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, at);
}

static int on_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    return real(file)->pMethods->xShmLock(real(file), offset, n, flags);
}

static void on_shm_barrier(sqlite3_file *file)
{
    real(file)->pMethods->xShmBarrier(real(file));
}

static int on_shm_unmap(sqlite3_file *file, int delete)
{
    return real(file)->pMethods->xShmUnmap(real(file), delete);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = on_close,
    .xRead = on_read,
    .xWrite = on_write,
    .xTruncate = on_truncate,
    .xSync = on_sync,
    .xFileSize = on_size,
    .xLock = on_lock,
    .xUnlock = on_unlock,
    .xCheckReservedLock = on_check,
    .xFileControl = on_control,
    .xSectorSize = on_sector,
    .xDeviceCharacteristics = on_device,
    .xShmMap = on_shm_map,
    .xShmLock = on_shm_lock,
    .xShmBarrier = on_shm_barrier,
    .xShmUnmap = on_shm_unmap,
};

static int on_open(sqlite3_vfs *vfs,
                   const char *path,
                   sqlite3_file *base,
                   int flags,
                   int *out_flags)
{
    struct file *file = (struct file *)base;
    int result = disk->xOpen(disk, path, file->real, flags, out_flags);

    (void)vfs;
    snprintf(file->path, sizeof(file->path), "%s", path ? path : "");
    file->base.pMethods = result == SQLITE_OK ? &methods : NULL;
    return result;
}

void power_init(void)
{
    static sqlite3_vfs power;

    disk = sqlite3_vfs_find(NULL);
    power = *disk;
    power.zName = "power";
    power.pNext = NULL;
    power.szOsFile = (int)sizeof(struct file) + disk->szOsFile;
    power.xOpen = on_open;
    if (sqlite3_vfs_register(&power, 1) != SQLITE_OK)
        abort();
}

void power_fail_at(unsigned long n, enum power_way way, unsigned seed)
{
    count = 0;
    fail_at = n;
    fail_way = way;
    fail_seed = seed;
}

unsigned long power_count(void)
{
    return count;
}
