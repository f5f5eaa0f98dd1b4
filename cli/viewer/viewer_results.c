#include "cli/viewer/viewer_results.h"

#include <errno.h>
#include <fts.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/viewer/viewer.h"

enum { FILES_MAX = 200000, DEPTH_MAX = 12 };

struct list {
    struct viewer_file *files;
    size_t count, room;
};

static void add(struct list *list, char *shown, const char *path)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->files = xreallocarray(list->files, list->room, sizeof(*list->files));
    }
    list->files[list->count++] = (struct viewer_file){shown, xstrdup(path)};
}

static void clear(struct list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free((char *)(uintptr_t)list->files[i].shown);
        free((char *)(uintptr_t)list->files[i].path);
    }
    free(list->files);
}

static bool is_result(const char *name)
{
    return strcmp(name, "visualize_data.bin") == 0;
}

static bool is_viewable(const char *name)
{
    return text_has_suffix(name, ".bin") || strcmp(name, "trace.json") == 0;
}

/* Adds the files below a folder whose names pass, each shown below `prefix`. */
static int add_folder(struct list *list,
                      const char *folder,
                      const char *prefix,
                      bool (*passes)(const char *name),
                      struct err *err)
{
    char *root = xstrdup(folder), *roots[] = {root, NULL};
    FTSENT *entry;
    FTS *fts;

    for (size_t n = strlen(root); n > 1 && root[n - 1] == '/'; n--)
        root[n - 1] = '\0';
    fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    if (!fts) {
        free(root);
        return err_errno(err, "reading %s", folder);
    }
    while ((entry = fts_read(fts)) && list->count < FILES_MAX) {
        const char *below = entry->fts_path + strlen(root);

        if (entry->fts_info == FTS_D && entry->fts_level > DEPTH_MAX)
            fts_set(fts, entry, FTS_SKIP);
        if (entry->fts_info == FTS_F && passes(entry->fts_name))
            add(list, xasprintf("%s%s%s", prefix, *below == '/' ? "" : "/", below),
                entry->fts_path);
    }
    fts_close(fts);
    free(root);
    return 0;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

int viewer_results_check(const struct viewer_sources *sources, struct err *err)
{
    struct stat status;

    if (sources->browse && stat(sources->browse, &status) < 0)
        return err_errno(err, "--browse: reading %s", sources->browse);
    if (sources->browse && !S_ISDIR(status.st_mode))
        return err_set(err, ERR_INPUT, "--browse: %s is not a folder", sources->browse);
    for (char **file = sources->given; *file; file++) {
        if (stat(*file, &status) < 0)
            return err_errno(err, "reading %s", *file);
        if (!S_ISREG(status.st_mode))
            return err_set(err, ERR_INPUT,
                           "%s is not a file; pass --browse DIR for a folder", *file);
        for (char **other = sources->given; other < file; other++)
            if (strcmp(name_of(*other), name_of(*file)) == 0)
                return err_set(err, ERR_INPUT,
                               "%s and %s have the same name; pass --browse DIR for "
                               "files of several folders",
                               *other, *file);
    }
    return 0;
}

int viewer_results_list(struct viewer *viewer,
                        const struct viewer_sources *sources,
                        struct err *err)
{
    struct list list = {0};
    int result = -1;

    if (add_folder(&list, sources->out, "", is_result, err) < 0 ||
        (sources->browse &&
         add_folder(&list, sources->browse, "/browse", is_viewable, err) < 0))
        goto end;
    for (char **file = sources->given; *file; file++) {
        char *real = realpath(*file, NULL); /* the viewer opens no symbolic link */

        add(&list, xasprintf("/files/%s", name_of(*file)), real ? real : *file);
        free(real);
    }
    result = viewer_set_files(viewer, list.files, list.count, err);

end:
    clear(&list);
    return result;
}
