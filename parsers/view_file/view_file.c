#include "parsers/view_file/view_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"

ssize_t view_file_pread(int fd, void *bytes, size_t size, uint64_t at)
{
    ssize_t count;

    do
        count = pread(fd, bytes, size, (off_t)at);
    while (count < 0 && errno == EINTR);
    return count;
}

int view_file_read(const struct view_file *file,
                   uint64_t at,
                   void *bytes,
                   size_t size,
                   struct err *err)
{
    size_t done = 0;

    while (done < size) {
        ssize_t count =
            view_file_pread(file->fd, (char *)bytes + done, size - done, at + done);

        if (count < 0)
            return err_errno(err, "cannot read %s", file->shown);
        if (count == 0)
            return err_set(err, ERR_CONFLICT,
                           "%s was cut while it was open; open it again", file->shown);
        done += (size_t)count;
    }
    return 0;
}

static int read_source_path(const struct view_file *file,
                            struct view_block *block,
                            uint64_t at,
                            struct err *err)
{
    char path[BIN_CODE_PATH_BYTES + 1];

    if (view_file_read(file, at, path, BIN_CODE_PATH_BYTES, err) < 0)
        return -1;
    path[BIN_CODE_PATH_BYTES] = '\0';
    block->path = xstrdup(path);
    return 0;
}

static void add_block(struct view_file *file, const struct view_block *block)
{
    if ((file->count & (file->count - 1)) == 0) /* full at each power of two */
        file->blocks = xreallocarray(file->blocks, file->count ? 2 * file->count : 1,
                                     sizeof(*file->blocks));
    file->blocks[file->count++] = *block;
}

/* Reads the heads of all blocks up to the end or to the first damage. */
static int read_blocks(struct view_file *file, struct err *err)
{
    uint64_t at = 0, size = (uint64_t)file->size;
    uint8_t head[BIN_HEAD_BYTES];

    while (at < size && file->count < VIEW_BLOCKS_MAX) {
        struct bin_block block = {.index = file->count, .offset = at};
        struct view_block new = {0};

        if (size - at < BIN_HEAD_BYTES) {
            snprintf(file->problem, sizeof(file->problem),
                     "%" PRIu64 " extra bytes after the last block are no block head",
                     size - at);
            return 0;
        }
        if (view_file_read(file, at, head, sizeof(head), err) < 0)
            return -1;
        at += BIN_HEAD_BYTES;
        if (!bin_read_head(head, size - at, &block, file->problem))
            return 0;
        new.type = block.type;
        new.version = block.version;
        if (block.type == BIN_CODE) {
            if (read_source_path(file, &new, at, err) < 0)
                return -1;
            at += BIN_CODE_PATH_BYTES;
        }
        new.at = at;
        new.size = block.size;
        add_block(file, &new);
        at += block.content_size;
    }
    if (at < size)
        snprintf(file->problem, sizeof(file->problem), "more than %d blocks",
                 VIEW_BLOCKS_MAX);
    return 0;
}

/* A trace.json of one operator: its header before the events names the kind of trace.
 */
static bool is_operator_trace(const struct view_file *file)
{
    char start[4096];
    ssize_t count = view_file_pread(file->fd, start, sizeof(start) - 1, 0);
    char *list;

    if (count < 2)
        return false;
    start[count] = '\0';
    list = strchr(start, '[');
    if (list)
        *list = '\0';
    return *start == '{' && strstr(start, "\"profilingType\"") && strstr(start, "op") &&
           strstr(start, "\"traceEvents\"");
}

/* Accepts a file that begins with the head of a block, or with the header of a trace.
 */
static int read_format(struct view_file *file, const char *path, struct err *err)
{
    uint8_t head[BIN_HEAD_BYTES] = {0};
    ssize_t count = view_file_pread(file->fd, head, sizeof(head), 0);

    if (count == BIN_HEAD_BYTES && head[10] == BIN_MAGIC && head[11] == BIN_MAGIC) {
        if (read_blocks(file, err) < 0)
            return -1;
        if (!file->count)
            return err_set(err, ERR_INPUT, "%s has no complete block: %s", file->shown,
                           file->problem);
        return 0;
    }
    if (text_has_suffix(path, ".json") && is_operator_trace(file)) {
        add_block(file, &(struct view_block){.type = BIN_TRACE,
                                             .version = BIN_MAGIC,
                                             .size = (uint64_t)file->size});
        return 0;
    }
    return err_set(err, ERR_INPUT,
                   "%s is no visualize_data.bin and no trace.json of an operator",
                   file->shown);
}

/* Takes the descriptor, also when it fails. `path` has the suffix of the name. */
static int take_file(struct view_file **out,
                     int fd,
                     const char *path,
                     const char *shown,
                     struct err *err)
{
    struct view_file *file = xcalloc(1, sizeof(*file));
    struct stat status;

    file->shown = xstrdup(shown);
    file->fd = fd;
    if (file->fd < 0 || fstat(file->fd, &status) < 0) {
        err_errno(err, "cannot open %s", shown);
        goto fail;
    }
    if (!S_ISREG(status.st_mode)) {
        err_set(err, ERR_INPUT, "%s is no regular file", shown);
        goto fail;
    }
    file->device = status.st_dev;
    file->inode = status.st_ino;
    file->size = status.st_size;
    file->changed = status.st_mtim;
    if (read_format(file, path, err) < 0)
        goto fail;
    *out = file;
    return 0;

fail:
    view_file_close(file);
    return -1;
}

int view_file_open(struct view_file **out,
                   const char *path,
                   const char *shown,
                   struct err *err)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

    return take_file(out, fd, path, shown, err);
}

int view_file_open_copy(struct view_file **out,
                        int fd,
                        const char *shown,
                        struct err *err)
{
    return take_file(out, fcntl(fd, F_DUPFD_CLOEXEC, 0), shown, shown, err);
}

void view_file_close(struct view_file *file)
{
    if (!file)
        return;
    if (file->fd >= 0)
        close(file->fd);
    for (size_t i = 0; i < file->count; i++)
        free(file->blocks[i].path);
    free(file->blocks);
    free(file->shown);
    free(file);
}

static bool is_unchanged(const struct view_file *file, const struct stat *status)
{
    return status->st_size == file->size &&
           status->st_mtim.tv_sec == file->changed.tv_sec &&
           status->st_mtim.tv_nsec == file->changed.tv_nsec;
}

bool view_file_is(const struct view_file *file, const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0 && status.st_dev == file->device &&
           status.st_ino == file->inode && is_unchanged(file, &status);
}

bool view_file_is_copy(const struct view_file *file, int fd)
{
    struct stat status;

    return fstat(fd, &status) == 0 && status.st_dev == file->device &&
           status.st_ino == file->inode && is_unchanged(file, &status);
}

int view_file_check(const struct view_file *file, struct err *err)
{
    struct stat status;

    if (fstat(file->fd, &status) < 0)
        return err_errno(err, "cannot read %s", file->shown);
    if (!is_unchanged(file, &status))
        return err_set(err, ERR_CONFLICT, "%s changed while it was open; open it again",
                       file->shown);
    return 0;
}

const struct view_block *view_block_find(const struct view_file *file, unsigned type)
{
    for (size_t i = 0; i < file->count; i++)
        if (file->blocks[i].type == type)
            return &file->blocks[i];
    return NULL;
}

const struct view_block *view_block_source(const struct view_file *file,
                                           const char *path)
{
    for (size_t i = file->count; i > 0; i--)
        if (file->blocks[i - 1].path && strcmp(file->blocks[i - 1].path, path) == 0)
            return &file->blocks[i - 1];
    return NULL;
}
