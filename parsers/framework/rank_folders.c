#include "parsers/framework/rank_folders.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
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

static void
add_folder(struct rank_folders *folders, const char *path, const char *output)
{
    struct rank_folder folder = {.path = xstrdup(path), .output = xstrdup(output)};

    for (enum rank_file file = RANK_KERNELS; file <= RANK_COMM_MATRIX; file++)
        find_file(&folder, file, &folders->warnings);
    find_by_pattern(&folder.files[RANK_INFO], path, "profiler_info*.json");
    find_by_pattern(&folder.files[RANK_DATABASE], output,
                    "ascend_pytorch_profiler*.db");
    find_by_pattern(&folder.files[RANK_DATABASE], output,
                    "ascend_mindspore_profiler*.db");
    folder.files[RANK_METADATA] = existing(path, rank_file_name(RANK_METADATA));
    folder.rank = rank_number_find(&folder, &folders->warnings);
    rank_list_add(folders, &folder);
}

struct walk {
    struct rank_folders *folders;
    const char *path;
    int depth;
};

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
    const char *name = last_part(walk->path);
    struct newest newest = {
        .folder = walk->path, .pattern = "kernel_details.csv", .slices = ""};

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
    each_name(walk->path, consider_file, &newest);
    newest.pattern = "op_summary_*.csv";
    each_name(walk->path, consider_file, &newest);
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
        if (!S_ISDIR(facts.st_mode)) {
            err_set(err, ERR_INPUT,
                    "%s is a file; name the folder that holds it, because the analysis "
                    "reads several files",
                    paths[i]);
            goto fail;
        }
        walk_path(folders, paths[i]);
    }
    rank_number_finish(folders);
    if (folders->count > 0)
        return 0;
    err_set(
        err, ERR_NOT_FOUND,
        "%s has no captures of a profiler; a rank is a folder *_ascend_pt with "
        "ASCEND_PROFILER_OUTPUT, a folder PROF_*, or a folder with kernel_details.csv",
        paths[0]);

fail:
    rank_list_clear(folders);
    return -1;
}
