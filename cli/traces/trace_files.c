#include "cli/traces/trace_files.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"

struct trace_files {
    struct {
        char *key;
        struct view_file *file;
    } open[TRACE_FILES_MAX];
    size_t count;
    uint64_t uses;
};

struct trace_files *trace_files_create(void)
{
    return xcalloc(1, sizeof(struct trace_files));
}

static void close_at(struct trace_files *files, size_t at)
{
    free(files->open[at].key);
    view_timeline_drop(files->open[at].file);
    view_file_close(files->open[at].file);
    files->open[at] = files->open[--files->count];
}

void trace_files_destroy(struct trace_files *files)
{
    if (!files)
        return;
    while (files->count)
        close_at(files, 0);
    free(files);
}

/* Returns the place of the key, or the number of open files. */
static size_t place_of(const struct trace_files *files, const char *key)
{
    size_t at = 0;

    while (at < files->count && strcmp(files->open[at].key, key) != 0)
        at++;
    return at;
}

struct view_file *trace_files_find(struct trace_files *files, const char *key)
{
    size_t at = place_of(files, key);
    struct err changed;

    if (at == files->count)
        return NULL;
    if (view_file_check(files->open[at].file, &changed) < 0) {
        close_at(files, at);
        return NULL;
    }
    return files->open[at].file;
}

/* Closes the trace that is used longest ago, except `file`. */
static void close_oldest(struct trace_files *files, const struct view_file *file)
{
    size_t oldest = files->count;

    for (size_t i = 0; i < files->count; i++)
        if (files->open[i].file != file &&
            (oldest == files->count ||
             files->open[i].file->used < files->open[oldest].file->used))
            oldest = i;
    if (oldest < files->count)
        close_at(files, oldest);
}

/* Keeps the file under the key, instead of an older one. */
static void
keep(struct trace_files *files, size_t at, const char *key, struct view_file *file)
{
    if (at < files->count)
        close_at(files, at);
    if (files->count == TRACE_FILES_MAX)
        close_oldest(files, NULL);
    files->open[files->count].key = xstrdup(key);
    files->open[files->count++].file = file;
}

int trace_files_open(struct view_file **file,
                     struct trace_files *files,
                     const char *key,
                     const char *path,
                     const char *shown,
                     struct err *err)
{
    size_t at = place_of(files, key);

    if (at < files->count && view_file_is(files->open[at].file, path)) {
        *file = files->open[at].file;
        return 0;
    }
    if (view_file_open(file, path, shown, err) < 0)
        return -1;
    keep(files, at, key, *file);
    return 0;
}

int trace_files_open_copy(struct view_file **file,
                          struct trace_files *files,
                          const char *key,
                          int fd,
                          const char *shown,
                          struct err *err)
{
    size_t at = place_of(files, key);

    if (at < files->count && view_file_is_copy(files->open[at].file, fd)) {
        *file = files->open[at].file;
        return 0;
    }
    if (view_file_open_copy(file, fd, shown, err) < 0)
        return -1;
    keep(files, at, key, *file);
    return 0;
}

static void limit_memory(struct trace_files *files, const struct view_file *file)
{
    for (;;) {
        size_t bytes = 0;

        for (size_t i = 0; i < files->count; i++)
            if (files->open[i].file != file)
                bytes += view_timeline_bytes(files->open[i].file);
        if (bytes <= TRACE_FILES_BYTES)
            return;
        close_oldest(files, file);
    }
}

int trace_files_read(const struct trace_index **index,
                     struct trace_files *files,
                     struct view_file *file,
                     struct view_timeline_progress *progress,
                     struct err *err)
{
    uint64_t until_ms = clock_mono_ms() + TRACE_FILES_STEP_MS;

    file->used = ++files->uses;
    *index = NULL;
    do
        *progress = view_timeline_step(file);
    while (progress->state == VIEW_TIMELINE_READING && clock_mono_ms() < until_ms);
    limit_memory(files, file);
    return progress->state == VIEW_TIMELINE_READING
               ? 0
               : view_timeline_get(index, file, err);
}
