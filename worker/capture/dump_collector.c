#include "worker/capture/dump_collector.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/base/text.h"
#include "lib/capture/format/records.h"
#include "lib/capture/format/writer.h"
#include "worker/capture/profile_folder.h"

enum { PIECES_PER_TURN = 32, WAIT_MS = 50, FILES_MAX = 4096, LISTED_MAX = 1 << 16 };

struct found {
    char *path;
    dev_t device;
    ino_t inode;
    off_t bytes;
    struct timespec modified;
};

struct file_list {
    struct found *items;
    size_t count, room;
};

struct dump_collector {
    struct reactor *reactor;
    struct reactor_timer *timer;
    struct dump_collector_options options;
    struct record_run_rank rank;
    struct record_simulation simulation; /* if options.simulation is set */
    char *also;                          /* NULL: none */
    char *wanted;                        /* the pattern of the job file */
    char *pattern;                       /* absolute, for glob() */
    char *folder;
    struct file_list before, files;
    struct dump_collector_totals totals;
    size_t at; /* index in `files` */
    int fd;    /* of that file; -1: not open */
    struct record_dump_file file;
    uint64_t offset;
    struct capture_writer writer;
    uint8_t *group;
    uint8_t *piece; /* a record with its bytes */
};

static void note_error(struct dump_collector *collector, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void note_error(struct dump_collector *collector, const char *fmt, ...)
{
    va_list args;

    if (collector->totals.error[0])
        return;
    va_start(args, fmt);
    vsnprintf(collector->totals.error, sizeof(collector->totals.error), fmt, args);
    va_end(args);
}

/* Returns the pattern below the folder, whose own characters match only themselves. */
static char *make_pattern(const struct dump_collector_options *options)
{
    struct text out = {0};

    for (const char *c = options->folder; options->pattern[0] != '/' && *c; c++) {
        if (strchr("*?[\\", *c))
            text_add_char(&out, '\\');
        text_add_char(&out, *c);
    }
    if (options->pattern[0] != '/')
        text_add_char(&out, '/');
    for (const char *c = options->pattern; *c; c++) {
        if (c[0] == '%' && c[1] == 'r') {
            text_printf(&out, "%" PRIu32, options->rank->rank);
            c++;
        } else {
            text_add_char(&out, *c);
        }
    }
    return text_take(&out);
}

static void clear_list(struct file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].path);
    free(list->items);
    *list = (struct file_list){0};
}

static int by_path(const void *left, const void *right)
{
    const struct found *a = left, *b = right;

    return strcmp(a->path, b->path);
}

/* Adds a path to the list; returns -1 when the list is full. */
static int add_path(const char *path, void *arg)
{
    struct file_list *list = arg;

    if (list->count == LISTED_MAX)
        return -1;
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 64;
        list->items = xreallocarray(list->items, list->room, sizeof(*list->items));
    }
    list->items[list->count++] = (struct found){.path = xstrdup(path)};
    return 0;
}

static bool is_folder(const char *path)
{
    struct stat is;

    return lstat(path, &is) == 0 && S_ISDIR(is.st_mode);
}

/* Returns the paths that match the pattern now, sorted; their other members are 0. A
 * folder that matches stands for the files of the profile in it. */
static int list_paths(struct file_list *list,
                      const struct dump_collector *collector,
                      struct err *err)
{
    glob_t paths;
    int result = 0;

    *list = (struct file_list){0};
    if (glob(collector->pattern, GLOB_NOSORT, NULL, &paths) != 0)
        return 0;
    for (size_t i = 0; result == 0 && i < paths.gl_pathc; i++)
        result = collector->options.kind == DUMP_PROFILE && is_folder(paths.gl_pathv[i])
                     ? profile_folder_each(paths.gl_pathv[i], add_path, list)
                     : add_path(paths.gl_pathv[i], list);
    globfree(&paths);
    if (result < 0) {
        clear_list(list);
        return err_set(err, ERR_LIMIT,
                       "more than %d files match %s; use an empty folder or a narrower "
                       "pattern",
                       LISTED_MAX, collector->wanted);
    }
    if (list->count > 0)
        qsort(list->items, list->count, sizeof(*list->items), by_path);
    return 0;
}

/* Reads the state of a file. Returns false when the file is gone. */
static bool read_state(struct found *file)
{
    struct stat is;

    if (lstat(file->path, &is) < 0)
        return false;
    file->device = is.st_dev;
    file->inode = is.st_ino;
    file->bytes = is.st_size;
    file->modified = is.st_mtim;
    return true;
}

static bool is_same(const struct found *a, const struct found *b)
{
    return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
           a->modified.tv_sec == b->modified.tv_sec &&
           a->modified.tv_nsec == b->modified.tv_nsec;
}

/* Fills `files` with those that are new or have changed since the program started. Both
 * lists are sorted, so each file is looked at once. Stops above FILES_MAX. */
static void list_new(struct dump_collector *collector)
{
    struct file_list *files = &collector->files, now;
    size_t old = 0;
    struct err err;

    if (list_paths(&now, collector, &err) < 0) {
        note_error(collector, "%s", err.text);
        return;
    }
    files->items = xcalloc((now.count < FILES_MAX ? now.count : FILES_MAX) + 2,
                           sizeof(*files->items));
    for (size_t i = 0; i < now.count && files->count <= FILES_MAX; i++) {
        const struct file_list *before = &collector->before;
        struct found *file = &now.items[i];
        int order = -1;

        while (old < before->count &&
               (order = strcmp(before->items[old].path, file->path)) < 0)
            old++;
        if (!read_state(file) ||
            (old < before->count && order == 0 && is_same(&before->items[old], file)))
            continue;
        files->items[files->count++] = *file;
        file->path = NULL; /* `files` owns it now */
    }
    clear_list(&now);
}

static void flush(struct dump_collector *collector)
{
    uint32_t number = capture_writer_group(&collector->writer);
    uint32_t blocks = capture_writer_blocks(&collector->writer);
    const void *bytes;
    size_t size;

    if (!capture_writer_finish(&collector->writer, &bytes, &size))
        return;
    collector->totals.groups++;
    collector->totals.blocks += blocks;
    collector->options.on_group(collector->options.arg, collector->rank.rank << 16,
                                number, bytes, size);
}

static void
put(struct dump_collector *collector, unsigned kind, const void *record, size_t size)
{
    if (capture_put(&collector->writer, kind, record, size, 0) != CAPTURE_PUT_FULL)
        return;
    flush(collector);
    capture_put(&collector->writer, kind, record, size, 0);
}

/* Returns the path below the working directory, or the whole path. */
static const char *short_name(const struct dump_collector *collector, const char *path)
{
    size_t length = strlen(collector->folder);

    return strncmp(path, collector->folder, length) == 0 && path[length] == '/'
               ? path + length + 1
               : path;
}

/* Returns true for the file that the job names besides the pattern. */
static bool names_also(const struct dump_collector *collector, const char *path)
{
    return collector->also && strcmp(path, collector->also) == 0;
}

/* A program could link to a file that its account may not read. The file that the job
 * names may belong to another account, but then it is read with the rights of the
 * program only. */
static bool
may_read(const struct dump_collector *collector, const struct stat *is, bool is_also)
{
    const uid_t owner = collector->options.owner;

    return is->st_uid == owner || (is_also && owner == geteuid());
}

/* Opens the next file and writes its first record. Returns false with an error. */
static bool open_file(struct dump_collector *collector)
{
    const char *path = collector->files.items[collector->at].path;
    const bool is_also = names_also(collector, path);
    const char *name = short_name(collector, path);
    struct record_dump_file *file = &collector->file;
    struct stat is;

    if (strlen(name) >= sizeof(file->name)) {
        note_error(collector, "the name of the dump %.120s has more than %zu bytes",
                   name, sizeof(file->name) - 1);
        return false;
    }
    collector->fd =
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (is_also ? 0 : O_NOFOLLOW));
    if (collector->fd < 0 || fstat(collector->fd, &is) < 0) {
        note_error(collector, "dump %.160s: %s", name, strerror(errno));
        return false;
    }
    if (!S_ISREG(is.st_mode) || !may_read(collector, &is, is_also)) {
        note_error(collector, "dump %.160s: %s", name,
                   S_ISREG(is.st_mode) ? "it belongs to another account"
                                       : "it is not a regular file");
        return false;
    }
    *file = (struct record_dump_file){
        .file = (uint32_t)collector->totals.files,
        .kind = collector->options.kind,
        .bytes = (uint64_t)is.st_size,
        .modified_wall_ns =
            (uint64_t)is.st_mtim.tv_sec * 1000000000u + (uint64_t)is.st_mtim.tv_nsec,
    };
    strcpy(file->name, name);
    put(collector, RECORD_DUMP_FILE, file, sizeof(*file));
    collector->offset = 0;
    collector->totals.files++;
    return true;
}

static void close_file(struct dump_collector *collector)
{
    if (collector->fd >= 0)
        close(collector->fd);
    collector->fd = -1;
    collector->at++;
}

/* Reads one piece of the open file. Returns false at its end. */
static bool read_piece(struct dump_collector *collector)
{
    uint64_t left = collector->file.bytes - collector->offset;
    size_t wanted = left < RECORD_PIECE_MAX ? (size_t)left : RECORD_PIECE_MAX;
    struct record_dump_piece head = {.file = collector->file.file,
                                     .offset = collector->offset};
    size_t padded;
    ssize_t got;

    if (left == 0)
        return false;
    got = pread(collector->fd, collector->piece + sizeof(head), wanted,
                (off_t)collector->offset);
    if (got <= 0) {
        note_error(collector,
                   "dump %.100s: only %" PRIu64 " of %" PRIu64 " bytes can be read: %s",
                   collector->file.name, collector->offset, collector->file.bytes,
                   got < 0 ? strerror(errno) : "it was cut");
        return false;
    }
    head.bytes = (uint32_t)got;
    padded = ((size_t)got + 7) & ~(size_t)7;
    memset(collector->piece + sizeof(head) + got, 0, padded - (size_t)got);
    head.length = (uint32_t)(sizeof(head) + padded);
    memcpy(collector->piece, &head, sizeof(head));
    put(collector, RECORD_DUMP_PIECE, collector->piece, head.length);
    collector->offset += (uint64_t)got;
    collector->totals.bytes += (uint64_t)got;
    return true;
}

static void finish(struct dump_collector *collector)
{
    capture_writer_mark_last(&collector->writer);
    flush(collector);
    collector->options.on_finished(collector->options.arg);
}

static void on_turn(void *arg)
{
    struct dump_collector *collector = arg;
    bool has_room = collector->options.has_room(collector->options.arg);

    for (int i = 0;
         has_room && i < PIECES_PER_TURN && collector->at < collector->files.count; i++)
        if ((collector->fd < 0 && !open_file(collector)) || !read_piece(collector))
            close_file(collector);
    collector->timer = NULL;
    if (collector->at == collector->files.count)
        finish(collector);
    else
        collector->timer = reactor_once(collector->reactor, has_room ? 0 : WAIT_MS,
                                        on_turn, collector);
}

int dump_collector_create(struct dump_collector **out,
                          struct reactor *reactor,
                          const struct dump_collector_options *options,
                          struct err *err)
{
    struct dump_collector *collector = xcalloc(1, sizeof(*collector));
    /* names that glob() returns begin with the folder as it is written here */
    char *folder = realpath(options->folder, NULL);

    if (!folder) {
        free(collector);
        return err_errno(err, "working directory %s", options->folder);
    }
    collector->reactor = reactor;
    collector->options = *options;
    collector->rank = *options->rank;
    collector->folder = folder;
    collector->options.folder = folder;
    collector->wanted = xstrdup(options->pattern);
    collector->also = options->also ? xstrdup(options->also) : NULL;
    if (options->simulation)
        collector->simulation = *options->simulation;
    collector->pattern = make_pattern(&collector->options);
    collector->fd = -1;
    if (list_paths(&collector->before, collector, err) < 0) {
        dump_collector_destroy(collector);
        return err_wrap(err, "listing files that exist before the start");
    }
    for (size_t i = 0; i < collector->before.count; i++)
        read_state(&collector->before.items[i]);
    *out = collector;
    return 0;
}

void dump_collector_destroy(struct dump_collector *collector)
{
    if (!collector)
        return;
    if (collector->timer)
        reactor_cancel(collector->reactor, collector->timer);
    if (collector->fd >= 0)
        close(collector->fd);
    clear_list(&collector->before);
    clear_list(&collector->files);
    free(collector->wanted);
    free(collector->also);
    free(collector->pattern);
    free(collector->folder);
    free(collector->group);
    free(collector->piece);
    free(collector);
}

void dump_collector_start(struct dump_collector *collector)
{
    const char *key =
        collector->options.kind == DUMP_PROFILE ? "profile.collect" : "profile.dump";

    list_new(collector);
    if (collector->files.count == 0 && collector->options.nothing)
        note_error(collector, "%s", collector->options.nothing);
    else if (collector->files.count == 0)
        note_error(collector, "the program wrote no file that matches %s '%.120s'; %s",
                   key, collector->wanted,
                   collector->before.count ? "older files are not collected"
                                           : "check the pattern and the program");
    if (collector->files.count > FILES_MAX) {
        note_error(collector,
                   "the program wrote more than %d files that match %s, at "
                   "most %d are collected; use a narrower pattern",
                   FILES_MAX, key, FILES_MAX);
        clear_list(&collector->files);
    }
    if (collector->also && collector->files.count > 0)
        collector->files.items[collector->files.count++].path =
            xstrdup(collector->also);
    collector->group = xmalloc(CAPTURE_GROUP_MAX);
    collector->piece = xmalloc(sizeof(struct record_dump_piece) + RECORD_PIECE_MAX + 8);
    capture_writer_init(&collector->writer, collector->group, CAPTURE_GROUP_MAX,
                        collector->rank.run_id, collector->rank.rank << 16, 0, 0);
    put(collector, RECORD_RUN_RANK, &collector->rank, sizeof(collector->rank));
    if (collector->options.simulation)
        put(collector, RECORD_SIMULATION, &collector->simulation,
            sizeof(collector->simulation));
    collector->timer = reactor_once(collector->reactor, 0, on_turn, collector);
}

const struct dump_collector_totals *
dump_collector_totals(const struct dump_collector *collector)
{
    return &collector->totals;
}
