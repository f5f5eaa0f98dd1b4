#include "cli/api/remote_copies.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/api/remote_file.h"
#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

struct copy {
    char *path; /* NULL: the place is free */
    uint64_t job_id, size, changed_ns, done, used;
    struct remote_file *file; /* NULL: the copy is whole */
    int fd;
};

struct remote_copies {
    struct copy copies[REMOTE_COPIES_MAX];
    uint64_t uses;
};

struct remote_copies *remote_copies_create(void)
{
    return xcalloc(1, sizeof(struct remote_copies));
}

static void clear(struct copy *copy)
{
    if (!copy->path)
        return;
    free(copy->path);
    remote_file_close(copy->file);
    close(copy->fd);
    *copy = (struct copy){.path = NULL};
}

void remote_copies_destroy(struct remote_copies *copies)
{
    if (!copies)
        return;
    for (size_t i = 0; i < REMOTE_COPIES_MAX; i++)
        clear(&copies->copies[i]);
    free(copies);
}

/* Returns the copy of this file, or NULL. */
static struct copy *
find_copy(struct remote_copies *copies, uint64_t job_id, const char *path)
{
    for (size_t i = 0; i < REMOTE_COPIES_MAX; i++)
        if (copies->copies[i].path && copies->copies[i].job_id == job_id &&
            strcmp(copies->copies[i].path, path) == 0)
            return &copies->copies[i];
    return NULL;
}

/* Returns a free place, or else the least recently used one. */
static struct copy *take_place(struct remote_copies *copies)
{
    struct copy *oldest = &copies->copies[0];

    for (size_t i = 0; i < REMOTE_COPIES_MAX; i++) {
        struct copy *copy = &copies->copies[i];

        if (!copy->path)
            return copy;
        if (copy->used < oldest->used)
            oldest = copy;
    }
    clear(oldest);
    return oldest;
}

static int open_unnamed(int *fd, struct err *err)
{
    const char *folder = getenv("TMPDIR");

    folder = folder && *folder ? folder : "/tmp";
    *fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return *fd < 0 ? err_errno(err, "creating a file for a copy in %s", folder) : 0;
}

static int start(struct copy *copy,
                 struct api_source *source,
                 uint64_t job_id,
                 const char *path,
                 struct err *err)
{
    struct remote_file *file;
    int fd;

    if (remote_file_open(&file, source, job_id, path, err) < 0)
        return -1;
    if (remote_file_size(file) > REMOTE_COPIES_BYTES) {
        remote_file_close(file);
        return err_set(err, ERR_LIMIT,
                       "%s has more than %" PRIu64 " MiB; download it instead", path,
                       REMOTE_COPIES_BYTES >> 20);
    }
    if (open_unnamed(&fd, err) < 0) {
        remote_file_close(file);
        return -1;
    }
    *copy = (struct copy){
        .path = xstrdup(path),
        .job_id = job_id,
        .size = remote_file_size(file),
        .changed_ns = remote_file_changed_ns(file),
        .file = file,
        .fd = fd,
    };
    return 0;
}

/* Removes the copy when the file of the coordinator is another one. */
static int
check(struct copy *copy, struct api_source *source, bool *is_old, struct err *err)
{
    struct remote_file *file;

    if (remote_file_open(&file, source, copy->job_id, copy->path, err) < 0)
        return -1;
    *is_old = remote_file_size(file) != copy->size ||
              remote_file_changed_ns(file) != copy->changed_ns;
    remote_file_close(file);
    if (*is_old)
        clear(copy);
    return 0;
}

static int write_all(int fd, const char *bytes, size_t size, uint64_t at)
{
    while (size > 0) {
        ssize_t count = pwrite(fd, bytes, size, (off_t)at);

        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return -1;
        bytes += count;
        size -= (size_t)count;
        at += (uint64_t)count;
    }
    return 0;
}

static int copy_part(struct copy *copy, struct err *err)
{
    uint64_t until_ms = clock_mono_ms() + REMOTE_COPIES_STEP_MS;
    char bytes[64 * 1024];

    while (copy->done < copy->size && clock_mono_ms() < until_ms) {
        ssize_t count =
            remote_file_read(copy->file, bytes, sizeof(bytes), copy->done, err);

        if (count < 0)
            return -1;
        if (write_all(copy->fd, bytes, (size_t)count, copy->done) < 0)
            return err_errno(err, "writing a copy of %s", copy->path);
        copy->done += (uint64_t)count;
    }
    if (copy->done == copy->size) {
        remote_file_close(copy->file);
        copy->file = NULL;
    }
    return 0;
}

int remote_copies_step(struct remote_copies_progress *progress,
                       struct remote_copies *copies,
                       struct api_source *source,
                       uint64_t job_id,
                       const char *path,
                       bool is_new,
                       struct err *err)
{
    struct copy *copy = find_copy(copies, job_id, path);
    bool is_old = false;

    if (copy && is_new && !copy->file && check(copy, source, &is_old, err) < 0)
        return -1;
    if (!copy || is_old) {
        copy = take_place(copies);
        if (start(copy, source, job_id, path, err) < 0)
            return -1;
    }
    copy->used = ++copies->uses;
    if (copy->file && copy_part(copy, err) < 0) {
        clear(copy);
        return -1;
    }
    *progress = (struct remote_copies_progress){
        .done = copy->done,
        .total = copy->size,
        .fd = copy->file ? -1 : copy->fd,
    };
    return 0;
}
