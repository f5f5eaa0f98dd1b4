#include "parsers/viewer/viewer.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/view_file/view_timeline.h"
#include "parsers/viewer/viewer_internal.h"

enum { UNUSED_FILES_MAX = 16 };

struct viewer *viewer_create(void)
{
    return xcalloc(1, sizeof(struct viewer));
}

static void free_entries(struct viewer_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(entries[i].shown);
        free(entries[i].path);
    }
    free(entries);
}

static void close_file(struct view_file *file)
{
    view_timeline_drop(file);
    view_file_close(file);
}

void viewer_destroy(struct viewer *viewer)
{
    if (!viewer)
        return;
    for (size_t i = 0; i < viewer->open_count; i++)
        close_file(viewer->open[i]);
    free(viewer->open);
    free_entries(viewer->entries, viewer->entry_count);
    free(viewer);
}

static int order_of_entries(const void *left, const void *right)
{
    const struct viewer_entry *a = left, *b = right;

    return strcmp(a->shown, b->shown);
}

/* Returns true for "/a/b": absolute, no empty part, no "." and no "..". */
static bool is_shown_path(const char *path)
{
    if (*path != '/' || strlen(path) > VIEWER_PATH_MAX)
        return false;
    while (*path == '/') {
        size_t length = strcspn(++path, "/");

        if (length == 0 || (length <= 2 && strncmp(path, "..", length) == 0))
            return false;
        path += length;
    }
    return true;
}

/* Checks the sorted list. */
static int
check_entries(const struct viewer_entry *entries, size_t count, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(entries[i].shown);

        if (!is_shown_path(entries[i].shown))
            return err_set(err, ERR_INPUT,
                           "'%.120s' is no absolute path without empty parts, . and ..",
                           entries[i].shown);
        if (i && strcmp(entries[i - 1].shown, entries[i].shown) == 0)
            return err_set(err, ERR_INPUT, "'%.120s' occurs twice", entries[i].shown);
        for (size_t k = i + 1; k < count; k++) { /* paths with this one as a prefix */
            if (strncmp(entries[k].shown, entries[i].shown, length) != 0)
                break;
            if (entries[k].shown[length] == '/')
                return err_set(err, ERR_INPUT, "'%.120s' is a file and a folder",
                               entries[i].shown);
        }
    }
    return 0;
}

int viewer_set_files(struct viewer *viewer,
                     const struct viewer_file *files,
                     size_t count,
                     struct err *err)
{
    struct viewer_entry *entries = xcalloc(count, sizeof(*entries));

    for (size_t i = 0; i < count; i++)
        entries[i] =
            (struct viewer_entry){xstrdup(files[i].shown), xstrdup(files[i].path)};
    if (count)
        qsort(entries, count, sizeof(*entries), order_of_entries);
    if (check_entries(entries, count, err) < 0) {
        free_entries(entries, count);
        return err_wrap(err, "list of files");
    }
    free_entries(viewer->entries, viewer->entry_count);
    viewer->entries = entries;
    viewer->entry_count = count;
    return 0;
}

const struct viewer_entry *viewer_find(const struct viewer *viewer, const char *shown)
{
    struct viewer_entry key = {.shown = (char *)(uintptr_t)shown};

    return viewer->entry_count ? bsearch(&key, viewer->entries, viewer->entry_count,
                                         sizeof(key), order_of_entries)
                               : NULL;
}

/* Returns the open file of an entry, unless another file has its path now. */
static struct view_file *find_open(const struct viewer *viewer,
                                   const struct viewer_entry *entry)
{
    for (size_t i = 0; i < viewer->open_count; i++)
        if (strcmp(viewer->open[i]->shown, entry->shown) == 0 &&
            view_file_is(viewer->open[i], entry->path))
            return viewer->open[i];
    return NULL;
}

int viewer_use(struct view_file **file,
               struct viewer *viewer,
               const char *shown,
               struct err *err)
{
    const struct viewer_entry *entry = viewer_find(viewer, shown);

    if (!entry)
        return err_set(err, ERR_NOT_FOUND, "'%.200s' is not in the list of files",
                       shown);
    *file = find_open(viewer, entry);
    if (!*file) {
        if (view_file_open(file, entry->path, entry->shown, err) < 0)
            return -1;
        if (viewer->open_count == viewer->open_room) {
            viewer->open_room = viewer->open_room ? 2 * viewer->open_room : 16;
            viewer->open =
                xreallocarray(viewer->open, viewer->open_room, sizeof(*viewer->open));
        }
        viewer->open[viewer->open_count++] = *file;
    }
    (*file)->users++;
    (*file)->used = ++viewer->uses;
    return 0;
}

void viewer_leave(struct view_file **file)
{
    if (*file)
        (*file)->users--;
    *file = NULL;
}

/* Closes the files without users, but for the last ones used. */
static void close_unused(struct viewer *viewer)
{
    for (;;) {
        size_t unused = 0, oldest = 0;

        for (size_t i = 0; i < viewer->open_count; i++) {
            if (viewer->open[i]->users)
                continue;
            if (!unused++ || viewer->open[i]->used < viewer->open[oldest]->used)
                oldest = i;
        }
        if (unused <= UNUSED_FILES_MAX)
            return;
        close_file(viewer->open[oldest]);
        viewer->open[oldest] = viewer->open[--viewer->open_count];
    }
}

void viewer_trim(struct viewer *viewer)
{
    close_unused(viewer);
    for (;;) {
        struct view_file *oldest = NULL;
        size_t bytes = 0;

        for (size_t i = 0; i < viewer->open_count; i++) {
            struct view_file *file = viewer->open[i];

            if (file->used == viewer->uses || !view_timeline_bytes(file))
                continue; /* the file in use, or nothing to drop */
            bytes += view_timeline_bytes(file);
            if (!oldest || file->used < oldest->used)
                oldest = file;
        }
        if (bytes <= VIEWER_CACHE_BYTES)
            return;
        view_timeline_drop(oldest);
    }
}
