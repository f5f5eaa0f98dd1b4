#include "lib/base/file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/mem.h"

enum { FREE_FDS_MAX = 16 };

static bool is_named_pipe(int fd, const struct stat *state)
{
    struct statfs system;

    return S_ISFIFO(state->st_mode) &&
           (fstatfs(fd, &system) < 0 || system.f_type != PIPEFS_MAGIC);
}

/* Opens without waiting for the other end of a named pipe. */
static int
open_with_state(int *fd, const char *path, struct stat *state, struct err *err)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0) {
        err_errno(err, "%s", path);
        return -1;
    }
    if (fstat(*fd, state) < 0) {
        err_errno(err, "%s", path);
    } else if (is_named_pipe(*fd, state)) {
        err_set(err, ERR_INPUT, "%s is a named pipe; name a file", path);
    } else {
        if (!S_ISREG(state->st_mode)) /* a regular file is always ready */
            fcntl(*fd, F_SETFL, fcntl(*fd, F_GETFL) & ~O_NONBLOCK);
        return 0;
    }
    close(*fd);
    *fd = -1;
    return -1;
}

int file_open(int *fd, const char *path, struct err *err)
{
    struct stat state;

    return open_with_state(fd, path, &state, err);
}

int file_read(char **bytes,
              size_t *size,
              const char *path,
              size_t limit,
              struct err *err)
{
    size_t used = 0, room = 16384;
    struct stat state;
    char *buffer;
    int fd;

    if (open_with_state(&fd, path, &state, err) < 0)
        return -1;
    /* room for all bytes and one more, which finds the end without a larger buffer */
    if (S_ISREG(state.st_mode) && state.st_size > 0 && (size_t)state.st_size <= limit)
        room = (size_t)state.st_size + 1;
    buffer = xmalloc(room + 1);
    for (;;) {
        if (used == room)
            buffer = xrealloc(buffer, (room *= 2) + 1);
        ssize_t got = read(fd, buffer + used, room - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            err_errno(err, "%s", path);
            goto fail;
        }
        if (got == 0)
            break;
        used += (size_t)got;
        if (used > limit) {
            err_set(err, ERR_LIMIT, "%s: larger than %zu bytes", path, limit);
            goto fail;
        }
    }
    close(fd);
    buffer[used] = '\0';
    *bytes = buffer;
    *size = used;
    return 0;

fail:
    close(fd);
    free(buffer);
    return -1;
}

int fd_write_all(int fd, const void *bytes, size_t size)
{
    const char *next = bytes;

    while (size) {
        ssize_t done = write(fd, next, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        next += done;
        size -= (size_t)done;
    }
    return 0;
}

void fd_open_standard(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

void fd_allow_many(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int fd_check_free(unsigned count, struct err *err)
{
    int fds[FREE_FDS_MAX], failed = 0;
    struct rlimit limit = {0};
    unsigned open_now = 0;

    assert(count <= COUNT(fds));
    for (; open_now < count; open_now++) {
        fds[open_now] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (fds[open_now] < 0) {
            failed = errno;
            break;
        }
    }
    for (unsigned i = 0; i < open_now; i++)
        close(fds[i]);
    if (!failed)
        return 0;
    getrlimit(RLIMIT_NOFILE, &limit);
    return err_set(
        err, ERR_NO_RESOURCE,
        "%u more descriptors are needed, %u are free (%s); the limit of this "
        "process is %llu, raise it with ulimit -n",
        count, open_now, strerror(failed), (unsigned long long)limit.rlim_cur);
}

struct file_new {
    int fd;
    char *path;
    char *draft;
};

int file_new_create(struct file_new **out, const char *path, struct err *err)
{
    struct file_new *file = xcalloc(1, sizeof(*file));

    file->path = xstrdup(path);
    file->draft = xasprintf("%s.%d.new", path, (int)getpid());
    file->fd = open(file->draft, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
    if (file->fd < 0) {
        err_errno(err, "creating %s", file->draft);
        free(file->draft);
        free(file->path);
        free(file);
        return -1;
    }
    *out = file;
    return 0;
}

int file_new_fd(const struct file_new *file)
{
    return file->fd;
}

static void release(struct file_new **file)
{
    if ((*file)->fd >= 0)
        close((*file)->fd);
    free((*file)->draft);
    free((*file)->path);
    free(*file);
    *file = NULL;
}

void file_new_abandon(struct file_new **file)
{
    if (!*file)
        return;
    unlink((*file)->draft);
    release(file);
}

static int sync_folder_of(const char *path, struct err *err)
{
    char *folder = xstrdup(path);
    char *slash = strrchr(folder, '/');

    if (slash)
        slash[slash == folder] = '\0';
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result = fd < 0 || fsync(fd) < 0 ? err_errno(err, "syncing %s", folder) : 0;
    if (fd >= 0)
        close(fd);
    free(folder);
    return result;
}

int file_new_commit_all(struct file_new **files, size_t count, struct err *err)
{
    const struct file_new *last = NULL;
    int result = 0;

    /* starts all writes before the first wait: one journal commit serves all files */
    for (size_t i = 0; i < count; i++)
        sync_file_range(files[i]->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    for (size_t i = 0; i < count && result == 0; i++)
        if (fsync(files[i]->fd) < 0)
            result = err_errno(err, "writing %s", files[i]->path);
    for (size_t i = 0; i < count && result == 0; i++) {
        if (rename(files[i]->draft, files[i]->path) < 0)
            result = err_errno(err, "writing %s", files[i]->path);
        else
            last = files[i];
    }
    if (result == 0 && last)
        result = sync_folder_of(last->path, err);
    for (size_t i = 0; i < count; i++)
        if (result == 0)
            release(&files[i]);
        else
            file_new_abandon(&files[i]);
    return result;
}

int file_new_commit(struct file_new **file, struct err *err)
{
    return file_new_commit_all(file, 1, err);
}

int file_write(const char *path, const void *bytes, size_t size, struct err *err)
{
    struct file_new *file;

    if (file_new_create(&file, path, err) < 0)
        return -1;
    if (fd_write_all(file->fd, bytes, size) < 0) {
        err_errno(err, "writing %s", path);
        file_new_abandon(&file);
        return -1;
    }
    return file_new_commit(&file, err);
}

int folder_create(const char *path, struct err *err)
{
    char *part = xstrdup(path);
    int result = 0;

    for (char *end = part + 1; result == 0; end++) {
        char kept = *end;

        if (kept != '/' && kept != '\0')
            continue;
        *end = '\0';
        if (mkdir(part, FOLDER_MODE) < 0 && errno != EEXIST)
            result = err_errno(err, "creating folder %s", part);
        *end = kept;
        if (kept == '\0')
            break;
    }
    free(part);
    return result;
}

int folder_lock(const char *path, struct err *err)
{
    struct stat info;

    if (folder_create(path, err) < 0)
        return -1;
    if (stat(path, &info) < 0)
        return err_errno(err, "%s", path);
    if (!S_ISDIR(info.st_mode))
        return err_set(err, ERR_INPUT,
                       "%s is not a folder; remove it or choose another path", path);
    if (info.st_uid != geteuid() && geteuid() != 0)
        return err_set(err, ERR_DENIED,
                       "%s belongs to another user; choose another folder", path);
    if (info.st_mode & S_IWOTH)
        return err_set(err, ERR_DENIED,
                       "%s: others can write to it (mode %04o); chmod o-w %s", path,
                       (unsigned)(info.st_mode & 07777), path);
    if (access(path, W_OK | X_OK) < 0)
        return err_errno(err, "%s", path);
    return 0;
}

static int remove_below(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    int result = 0;

    if (!folder) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    while (result == 0 && (errno = 0, entry = readdir(folder))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(fd, entry->d_name, 0) == 0)
            continue;
        result =
            errno == EISDIR || errno == EPERM ? remove_below(fd, entry->d_name) : -1;
    }
    if (errno)
        result = -1;
    closedir(folder);
    return result == 0 ? unlinkat(parent, name, AT_REMOVEDIR) : -1;
}

int folder_remove(const char *path, struct err *err)
{
    if (remove_below(AT_FDCWD, path) < 0 && errno != ENOENT)
        return err_errno(err, "removing %s", path);
    return 0;
}

/* Returns the PID of a temporary name NAME.PID.new of file_new_create(), or 0. */
static pid_t writer_of(const char *name)
{
    size_t length = strlen(name);
    const char *dot = length > 4 ? name + length - 4 : "";
    int pid = 0;

    if (strcmp(dot, ".new") != 0)
        return 0;
    while (--dot > name && *dot != '.')
        continue;
    return sscanf(dot, ".%d.new", &pid) == 1 && pid > 0 ? pid : 0;
}

static void sweep(int folder, bool all)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    while (entries && (entry = readdir(entries))) {
        pid_t pid = writer_of(entry->d_name);

        if (pid && (all || (kill(pid, 0) < 0 && errno == ESRCH)))
            unlinkat(folder, entry->d_name, 0);
    }
    if (entries)
        closedir(entries);
    else if (fd >= 0)
        close(fd);
}

int folder_hold(int *out, const char *path, struct err *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), locked;

    if (fd < 0)
        return err_errno(err, "%s", path);
    do
        locked = flock(fd, LOCK_EX);
    while (locked < 0 && errno == EINTR);
    /* Not every file system can lock folders. Without a lock a killed writer may still
     * wait for the disk, so its temporary files stay. */
    sweep(fd, locked == 0);
    *out = fd;
    return 0;
}

bool file_exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

/* Returns the path of this program, read once: a newer program may replace the file
 * later. NULL with errno. */
static const char *our_path(void)
{
    static _Thread_local char known[PATH_MAX];
    ssize_t length;

    if (known[0])
        return known;
    length = readlink("/proc/self/exe", known, sizeof(known) - 1);
    known[length > 0 ? length : 0] = '\0';
    return length > 0 ? known : NULL;
}

/* Writes the folder of this program, or one `levels` above it. */
static int our_folder(char out[PATH_MAX], int levels, struct err *err)
{
    const char *path = our_path();

    if (!path)
        return err_errno(err, "/proc/self/exe");
    snprintf(out, PATH_MAX, "%s", path);
    for (; levels >= 0; levels--) {
        char *slash = strrchr(out, '/');

        if (slash)
            *slash = '\0';
    }
    return 0;
}

int file_next_to_program(char *out, size_t size, const char *name, struct err *err)
{
    char folder[PATH_MAX];

    if (our_folder(folder, 0, err) < 0)
        return -1;
    if (snprintf(out, size, "%s/%s", folder, name) >= (int)size)
        return err_set(err, ERR_LIMIT, "%s: path too long", folder);
    return 0;
}

int file_parts_folder(char *out, size_t size, struct err *err)
{
    const char *parts = getenv("MUSTER_PARTS");
    char folder[PATH_MAX];

    if (parts && *parts) {
        if (snprintf(out, size, "%s", parts) >= (int)size)
            return err_set(err, ERR_LIMIT, "MUSTER_PARTS: too long");
        return 0;
    }
    if (our_folder(folder, 1, err) < 0)
        return -1;
    if (snprintf(out, size, "%s/lib/muster", folder) >= (int)size)
        return err_set(err, ERR_LIMIT, "%s: path too long", folder);
    return 0;
}
