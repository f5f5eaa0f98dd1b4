#include "parsers/iree/output/iree_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/iree/output/iree_write.h"

enum { FILES_MAX = 16, NAME_BYTES = 64 };

struct files {
    const char *folder;
    struct file_new *files[FILES_MAX];
    char names[FILES_MAX][NAME_BYTES];
    size_t count;
};

/* Opens the next file. Returns its descriptor, or -1. */
static int open_file(struct files *files, const char *name, struct err *err)
{
    char *path = xasprintf("%s/%s", files->folder, name);
    int result = file_new_create(&files->files[files->count], path, err);

    free(path);
    if (result < 0)
        return -1;
    snprintf(files->names[files->count], NAME_BYTES, "%s", name);
    return file_new_fd(files->files[files->count++]);
}

static int
write_files(struct files *files, const struct iree_dump *dump, struct err *err)
{
    char name[NAME_BYTES];
    int fd;

    for (const struct iree_table *table = iree_tables; table->name; table++) {
        if (!iree_table_has_rows(table, dump))
            continue;
        snprintf(name, sizeof(name), "%s.csv", table->name);
        if ((fd = open_file(files, name, err)) < 0 ||
            iree_write_csv(table, dump, fd, err) < 0)
            return -1;
    }
    if ((fd = open_file(files, "iree.json", err)) < 0 ||
        iree_write_json(dump, fd, err) < 0)
        return -1;
    if (!iree_has_times(dump))
        return 0;
    fd = open_file(files, "trace.json", err);
    return fd < 0 ? -1 : iree_write_trace(dump, fd, err);
}

int iree_folder_write(const struct iree_dump *dump,
                      const char *folder,
                      iree_file_fn *fn,
                      void *arg,
                      struct err *err)
{
    struct files files = {.folder = folder};
    int folder_fd = -1, result = -1;

    if (folder_create(folder, err) == 0 && folder_hold(&folder_fd, folder, err) == 0)
        result = write_files(&files, dump, err);
    if (result == 0)
        result = file_new_commit_all(files.files, files.count, err);
    for (size_t i = 0; i < files.count; i++)
        if (result < 0)
            file_new_abandon(&files.files[i]);
        else
            fn(files.names[i], arg);
    if (folder_fd >= 0)
        close(folder_fd);
    return result < 0 ? err_wrap(err, "%s", folder) : 0;
}
