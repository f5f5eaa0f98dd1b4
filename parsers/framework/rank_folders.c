#include "parsers/framework/rank_folders.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/framework/rank_devices.h"
#include "parsers/framework/rank_number.h"

enum { DEPTH_MAX = 10, RANKS_MAX = 1 << 17, STAMP_DIGITS = 14 };

static bool is_folder(const char *path)
{
    struct stat facts;

    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Calls fn with each name in the folder, sorted, without . and .. */
typedef void name_fn(void *arg, const char *name);
static void each_name(const char *folder, name_fn *fn, void *arg)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, compare_names);

    for (int i = 0; i < count; i++) {
        if (strcmp(entries[i]->d_name, ".") != 0 &&
            strcmp(entries[i]->d_name, "..") != 0)
            fn(arg, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

/* Returns the digits of the time stamp before the ending of the name, or "". */
static const char *stamp_of(const char *name)
{
    const char *dot = strrchr(name, '.');

    if (!dot || dot - name < STAMP_DIGITS)
        return "";
    for (int i = 1; i <= STAMP_DIGITS; i++)
        if (!isdigit((unsigned char)dot[-i]))
            return "";
    return dot - STAMP_DIGITS;
}

/* A file of the pattern with the newest time stamp, and its other slices. */
struct newest {
    const char *folder, *pattern, *slices;
    char **paths;
    size_t count;
    char stamp[STAMP_DIGITS + 1];
};

static void forget_paths(struct newest *newest)
{
    for (size_t i = 0; i < newest->count; i++)
        free(newest->paths[i]);
    free(newest->paths);
    newest->paths = NULL;
    newest->count = 0;
}

static void consider_file(void *arg, const char *name)
{
    struct newest *newest = arg;
    const char *stamp = stamp_of(name);
    char shown[STAMP_DIGITS + 1];

    if (!text_matches(name, newest->pattern))
        return;
    text_to_ascii(shown, sizeof(shown), stamp);
    if (newest->count > 0) {
        int order = strcmp(shown, newest->stamp);

        if (order < 0)
            return;
        if (order > 0)
            forget_paths(newest);
        else if (!text_matches(name, newest->slices))
            return;
    }
    strcpy(newest->stamp, shown);
    newest->paths =
        xreallocarray(newest->paths, newest->count + 1, sizeof(*newest->paths));
    newest->paths[newest->count++] = xasprintf("%s/%s", newest->folder, name);
}

/* Returns the path when the file exists, or NULL. */
static char *existing(const char *folder, const char *name)
{
    char *path = xasprintf("%s/%s", folder, name);

    if (file_exists(path))
        return path;
    free(path);
    return NULL;
}

/* Reads only lists of kernels from several slices: a part of a trace would show less
 * work of the host than there was. */
static void
find_file(struct rank_folder *folder, enum rank_file file, struct text *warnings)
{
    struct newest newest = {.folder = folder->output,
                            .pattern = rank_file_msprof_pattern(file),
                            .slices = "*_slice_*"};

    folder->files[file] = existing(folder->output, rank_file_name(file));
    if (!folder->files[file] && (file == RANK_COMM || file == RANK_COMM_MATRIX)) {
        char *analyze = xasprintf("%s/analyze", folder->path); /* of msprof */

        folder->files[file] = existing(analyze, rank_file_name(file));
        free(analyze);
    }
    if (folder->files[file])
        return;
    each_name(folder->output, consider_file, &newest);
    if (newest.count == 0)
        return;
    if (file != RANK_KERNELS && newest.count > 1) {
        text_printf(warnings, "%s: left out, because it is one of %zu slices\n",
                    newest.paths[0], newest.count);
        forget_paths(&newest);
        return;
    }
    folder->files[file] = newest.paths[0];
    if (newest.count > 1) {
        folder->more_kernel_count = newest.count - 1;
        folder->more_kernels =
            xmemdup(newest.paths + 1, folder->more_kernel_count * sizeof(char *));
    }
    free(newest.paths);
}

static void find_by_pattern(char **path, const char *folder, const char *pattern)
{
    struct newest newest = {.folder = folder, .pattern = pattern, .slices = ""};

    if (*path)
        return;
    each_name(folder, consider_file, &newest);
    if (newest.count > 0)
        *path = xstrdup(newest.paths[0]);
    forget_paths(&newest);
}

struct walk {
    struct rank_folders *folders;
    const char *path;
    int depth;
};

/* Adds a rank that is one of several devices of a database. */
static void add_device(struct rank_folders *folders,
                       const struct rank_folder *all,
                       const struct rank_device *device)
{
    struct rank_folder folder = *all;

    folder.path = xstrdup(all->path);
    folder.output = xstrdup(all->output);
    for (size_t i = 0; i < RANK_FILE_COUNT; i++)
        folder.files[i] = all->files[i] ? xstrdup(all->files[i]) : NULL;
    folder.rank = device->rank;
    folder.device = device->device;
    rank_list_add(folders, &folder);
}

/* Adds the ranks of a folder: one, or one per device of its database. */
static void add_ranks(struct rank_folders *folders, struct rank_folder *folder)
{
    struct rank_device devices[RANK_DEVICES_MAX];
    struct err err;
    int count = 0;

    folder->device = -1;
    if (!folder->files[RANK_KERNELS] && folder->files[RANK_DATABASE])
        count = rank_devices_find(devices, folder->files[RANK_DATABASE], &err);
    if (count <= 1) { /* a file that is no database is reported when it is read */
        folder->rank = rank_number_find(folder, &folders->warnings);
        if (folder->rank < 0 && count == 1)
            folder->rank = devices[0].rank;
        rank_list_add(folders, folder);
        return;
    }
    text_printf(&folders->warnings, "%s has %d devices; each is analysed as a rank\n",
                folder->files[RANK_DATABASE], count);
    for (int i = 0; i < count; i++)
        add_device(folders, folder, &devices[i]);
    rank_list_clear_folder(folder);
}

static void find_database(struct rank_folder *folder)
{
    static const char *const patterns[] = {"ascend_pytorch_profiler*.db",
                                           "ascend_mindspore_profiler*.db"};
    char **path = &folder->files[RANK_DATABASE];

    for (size_t i = 0; i < COUNT(patterns); i++)
        find_by_pattern(path, folder->output, patterns[i]);
    find_by_pattern(path, folder->path, "msprof_*.db");
    folder->files[RANK_ANALYSIS_DB] =
        existing(folder->output, rank_file_name(RANK_ANALYSIS_DB));
    if (!folder->files[RANK_ANALYSIS_DB])
        folder->files[RANK_ANALYSIS_DB] =
            existing(folder->path, "analyze/communication_analyzer.db");
}

static void
add_folder(struct rank_folders *folders, const char *path, const char *output)
{
    struct rank_folder folder = {.path = xstrdup(path), .output = xstrdup(output)};

    for (enum rank_file file = RANK_KERNELS; file <= RANK_HOST_OPS; file++)
        find_file(&folder, file, &folders->warnings);
    find_by_pattern(&folder.files[RANK_INFO], path, "profiler_info*.json");
    find_database(&folder);
    folder.files[RANK_METADATA] = existing(path, rank_file_name(RANK_METADATA));
    add_ranks(folders, &folder);
}

/* Adds the ranks of a database that lies alone, such as those of msmonitor. */
static void add_database(struct rank_folders *folders, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct rank_folder folder = {.path = xstrdup(path)};

    folder.output = slash > path ? xstrndup(path, (size_t)(slash - path))
                                 : xstrdup(slash ? "/" : ".");
    folder.files[RANK_DATABASE] = xstrdup(path);
    folder.files[RANK_ANALYSIS_DB] =
        existing(folder.output, rank_file_name(RANK_ANALYSIS_DB));
    add_ranks(folders, &folder);
}

static void add_monitor(void *arg, const char *name)
{
    const struct walk *walk = arg;
    char *path = xasprintf("%s/%s", walk->path, name);

    if (text_matches(name, "msmonitor_*.db"))
        add_database(walk->folders, path);
    free(path);
}

static void walk_folder(struct walk *walk);

static void walk_name(void *arg, const char *name)
{
    const struct walk *above = arg;
    char *path = xasprintf("%s/%s", above->path, name);
    struct walk walk = {above->folders, path, above->depth + 1};
    struct stat facts;

    if (lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
        walk_folder(&walk);
    free(path);
}

/* Adds the folder when it is a rank; otherwise searches its sub-folders. */
static void walk_folder(struct walk *walk)
{
    static const char *const outputs[] = {"ASCEND_PROFILER_OUTPUT",
                                          "mindstudio_profiler_output"};
    static const char *const files[] = {"kernel_details.csv", "op_summary_*.csv",
                                        "ascend_pytorch_profiler*.db",
                                        "ascend_mindspore_profiler*.db", "msprof_*.db"};
    const char *name = last_part(walk->path);
    struct newest newest = {.folder = walk->path, .slices = ""};

    if (walk->folders->count >= RANKS_MAX)
        return;
    for (size_t i = 0; i < COUNT(outputs); i++) {
        char *output = xasprintf("%s/%s", walk->path, outputs[i]);
        bool found = is_folder(output);

        if (found)
            add_folder(walk->folders, walk->path, output);
        free(output);
        if (found)
            return;
    }
    for (size_t i = 0; i < COUNT(files); i++) {
        newest.pattern = files[i];
        each_name(walk->path, consider_file, &newest);
    }
    each_name(walk->path, add_monitor, walk);
    if (newest.count > 0) {
        add_folder(walk->folders, walk->path, walk->path);
    } else if (text_has_suffix(name, "ascend_pt") ||
               text_has_suffix(name, "ascend_ms")) {
        text_printf(
            &walk->folders->warnings,
            "%s: left out, because it has no ASCEND_PROFILER_OUTPUT; analyse the "
            "raw data with the profiler first\n",
            walk->path);
    } else if (walk->depth < DEPTH_MAX) {
        each_name(walk->path, walk_name, walk);
    }
    forget_paths(&newest);
}

/* A path may be the folder with the files; its folder above then has the settings. */
static void walk_path(struct rank_folders *folders, const char *path)
{
    char *trimmed = xstrdup(path);
    size_t length = strlen(trimmed);
    struct walk walk = {folders, trimmed, 0};

    while (length > 1 && trimmed[length - 1] == '/')
        trimmed[--length] = '\0';
    if (strcmp(last_part(trimmed), "ASCEND_PROFILER_OUTPUT") == 0 ||
        strcmp(last_part(trimmed), "mindstudio_profiler_output") == 0) {
        char *above = xasprintf("%s/..", trimmed);

        add_folder(folders, above, trimmed);
        free(above);
    } else {
        walk_folder(&walk);
    }
    free(trimmed);
}

int rank_folders_find(struct rank_folders *folders,
                      char *const *paths,
                      size_t count,
                      struct err *err)
{
    *folders = (struct rank_folders){0};
    for (size_t i = 0; i < count; i++) {
        struct stat facts;

        if (stat(paths[i], &facts) < 0) {
            err_errno(err, "%s", paths[i]);
            goto fail;
        }
        if (S_ISREG(facts.st_mode) && text_has_suffix(paths[i], ".db")) {
            add_database(folders, paths[i]);
        } else if (S_ISDIR(facts.st_mode)) {
            walk_path(folders, paths[i]);
        } else {
            err_set(err, ERR_INPUT,
                    "%s is a file; name the folder that holds it, because the analysis "
                    "reads several files",
                    paths[i]);
            goto fail;
        }
    }
    rank_number_finish(folders);
    if (folders->count > 0)
        return 0;
    err_set(err, ERR_NOT_FOUND,
            "%s has no captures of a profiler; a rank is a folder *_ascend_pt with "
            "ASCEND_PROFILER_OUTPUT, a folder PROF_*, a folder with "
            "kernel_details.csv, or a "
            "database of the profiler",
            paths[0]);

fail:
    rank_list_clear(folders);
    return -1;
}
