#include "cli/viewer/viewer_results.h"

#include <errno.h>
#include <fts.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/viewer/viewer.h"

enum { FILES_MAX = 200000, DEPTH_MAX = 12 };

struct list {
    struct viewer_file *files;
    size_t count, room;
};

static void add(struct list *list, const char *shown, const char *path)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->files = xreallocarray(list->files, list->room, sizeof(*list->files));
    }
    list->files[list->count++] = (struct viewer_file){xstrdup(shown), xstrdup(path)};
}

static void clear(struct list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free((char *)(uintptr_t)list->files[i].shown);
        free((char *)(uintptr_t)list->files[i].path);
    }
    free(list->files);
}

int viewer_results_list(struct viewer *viewer, const char *out, struct err *err)
{
    char *root = xstrdup(out), *roots[] = {root, NULL};
    struct list list = {0};
    int result = -1;
    FTSENT *entry;
    FTS *fts;

    for (size_t n = strlen(root); n > 1 && root[n - 1] == '/'; n--)
        root[n - 1] = '\0';
    fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    if (!fts) {
        err_errno(err, "reading %s", out);
        goto end;
    }
    while ((entry = fts_read(fts)) && list.count < FILES_MAX) {
        if (entry->fts_info == FTS_D && entry->fts_level > DEPTH_MAX)
            fts_set(fts, entry, FTS_SKIP);
        if (entry->fts_info == FTS_F &&
            strcmp(entry->fts_name, "visualize_data.bin") == 0)
            add(&list, entry->fts_path + strlen(root), entry->fts_path);
    }
    fts_close(fts);
    result = viewer_set_files(viewer, list.files, list.count, err);

end:
    clear(&list);
    free(root);
    return result;
}
