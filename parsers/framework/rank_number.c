#include "parsers/framework/rank_number.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "parsers/framework/profiler_info.h"

enum { RANK_MAX = 1 << 20 };

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Reads the digits at `text`. Returns -1 when there are none or too many. */
static int64_t read_digits(const char *text)
{
    char digits[16];
    size_t length = strspn(text, "0123456789");
    uint64_t value;

    if (length == 0 || length >= sizeof(digits))
        return -1;
    memcpy(digits, text, length);
    digits[length] = '\0';
    return num_parse_u64(digits, &value) && value <= RANK_MAX ? (int64_t)value : -1;
}

/* Reads the number between the last _ and the ending of a file's name. */
static int64_t number_of_file(const char *path)
{
    const char *name = path ? last_part(path) : "";
    const char *dash = strrchr(name, '_');

    return dash ? read_digits(dash + 1) : -1;
}

static int64_t rank_of_info_name(const struct rank_folder *folder)
{
    return number_of_file(folder->files[RANK_INFO]);
}

static int64_t rank_of_database(const struct rank_folder *folder)
{
    return number_of_file(folder->files[RANK_DATABASE]);
}

static int64_t rank_of_info(const struct rank_folder *folder)
{
    struct profiler_info info;
    struct err err;

    if (!folder->files[RANK_INFO] ||
        profiler_info_read(&info, folder->files[RANK_INFO], &err) < 0)
        return -1;
    return info.rank;
}

static int64_t rank_of_metadata(const struct rank_folder *folder)
{
    struct profiler_metadata metadata;
    struct err err;
    int64_t rank;

    if (!folder->files[RANK_METADATA] ||
        profiler_metadata_read(&metadata, folder->files[RANK_METADATA], &err) < 0)
        return -1;
    rank = metadata.rank;
    profiler_metadata_clear(&metadata);
    return rank;
}

/* Reads rank_id of device_<id>/info.json.<id>, which msprof writes. */
static int64_t rank_of_msprof(const struct rank_folder *folder)
{
    DIR *entries = opendir(folder->path);
    struct dirent *entry;
    int64_t rank = -1;

    while (entries && (entry = readdir(entries))) {
        struct profiler_info info;
        struct err err;
        char *path;

        if (!text_matches(entry->d_name, "device_*"))
            continue;
        path = xasprintf("%s/%s/info.json.%s", folder->path, entry->d_name,
                         entry->d_name + strlen("device_"));
        if (profiler_info_read(&info, path, &err) == 0 && rank < 0)
            rank = info.rank;
        free(path);
    }
    if (entries)
        closedir(entries);
    return rank;
}

/* Reads rank<number> or rank_<number> in the name of the folder. */
static int64_t rank_of_folder(const struct rank_folder *folder)
{
    const char *at = last_part(folder->path);
    int64_t rank = -1;

    while (rank < 0 && (at = strcasestr(at, "rank"))) {
        at += strlen("rank");
        rank = read_digits(at + (*at == '_'));
    }
    return rank;
}

static const struct {
    const char *name;
    int64_t (*find)(const struct rank_folder *folder);
} sources[] = {
    {"the name of profiler_info", rank_of_info_name},
    {"the name of the database", rank_of_database},
    {"rank_id in profiler_info", rank_of_info},
    {"distributed_args in profiler_metadata", rank_of_metadata},
    {"rank_id in info.json", rank_of_msprof},
    {"the name of the folder", rank_of_folder},
};

int64_t rank_number_find(const struct rank_folder *folder, struct text *warnings)
{
    int64_t rank = -1;
    size_t first = 0;

    for (size_t i = 0; i < COUNT(sources); i++) {
        int64_t found = sources[i].find(folder);

        if (found < 0)
            continue;
        if (rank < 0) {
            rank = found;
            first = i;
        } else if (rank != found) {
            text_printf(
                warnings,
                "%s: rank %lld by %s, but %lld by %s; it is analysed as rank %lld\n",
                folder->path, (long long)rank, sources[first].name, (long long)found,
                sources[i].name, (long long)rank);
        }
    }
    return rank;
}

/* Returns the time stamp in the name of the folder, or NULL: the third part from the
 * end of *_ascend_pt, the second from the end of PROF_*. */
static const char *stamp_of(const char *path)
{
    const char *name = last_part(path);
    int parts = text_has_prefix(name, "PROF_") ? 2 : 3;
    const char *at = name + strlen(name);

    while (at > name && parts > 0)
        parts -= *--at == '_';
    if (parts > 0)
        return NULL;
    at++;
    return isdigit((unsigned char)*at) ? at : NULL;
}

static int compare_ranks(const void *a, const void *b)
{
    const struct rank_folder *left = a, *right = b;

    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return strcmp(left->path, right->path);
}

static void give_numbers(struct rank_folders *folders)
{
    int64_t next = 0;

    for (size_t i = 0; i < folders->count; i++)
        if (folders->rows[i].rank >= next)
            next = folders->rows[i].rank + 1;
    for (size_t i = 0; i < folders->count; i++) {
        if (folders->rows[i].rank >= 0)
            continue;
        folders->rows[i].rank = next++;
        if (folders->count > 1)
            text_printf(&folders->warnings,
                        "%s: no file names its rank; it is analysed as rank %lld\n",
                        folders->rows[i].path, (long long)folders->rows[i].rank);
    }
}

/* Removes one of two folders of the same rank: the older one, or the second one. */
static void remove_repeated(struct rank_folders *folders)
{
    for (size_t i = 1; i < folders->count;) {
        const struct rank_folder *first = &folders->rows[i - 1], *second = first + 1;
        const char *a = stamp_of(first->path), *b = stamp_of(second->path);
        bool keep_second = a && b && strcmp(b, a) > 0;

        if (first->rank != second->rank) {
            i++;
            continue;
        }
        text_printf(&folders->warnings, "%s: left out, because %s is rank %lld too%s\n",
                    keep_second ? first->path : second->path,
                    keep_second ? second->path : first->path, (long long)first->rank,
                    a && b
                        ? " and newer"
                        : "; the names have no time stamps, so the first one is used");
        rank_list_remove(folders, keep_second ? i - 1 : i);
    }
}

void rank_number_finish(struct rank_folders *folders)
{
    if (folders->count == 0)
        return;
    give_numbers(folders);
    qsort(folders->rows, folders->count, sizeof(*folders->rows), compare_ranks);
    remove_repeated(folders);
}
