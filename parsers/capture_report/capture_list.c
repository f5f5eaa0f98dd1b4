#include "parsers/capture_report/capture_list.h"

#include <string.h>

/* A database is listed only where it exists, because the text export replaces it. */
static bool is_listed(const struct rank_folder *folder, enum rank_file file)
{
    return (file != RANK_DATABASE && file != RANK_ANALYSIS_DB) || folder->files[file];
}

/* Returns true when the database has what the file of the text export would have. */
static bool is_in_database(const struct rank_folder *folder, enum rank_file file)
{
    return ((file == RANK_KERNELS || file == RANK_TRACE) &&
            folder->files[RANK_DATABASE]) ||
           ((file == RANK_STEP_TRACE || file == RANK_COMM ||
             file == RANK_COMM_MATRIX) &&
            folder->files[RANK_ANALYSIS_DB]);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

void capture_list_text(struct text *out, const struct rank_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++) {
        const struct rank_folder *folder = &folders->rows[i];

        text_printf(out, "rank %lld  %s\n", (long long)folder->rank, folder->path);
        for (enum rank_file file = 0; file < RANK_FILE_COUNT; file++) {
            const char *path = folder->files[file];

            if (!is_listed(folder, file))
                continue;
            if (path)
                text_printf(out, "  found    %s", last_part(path));
            else if (is_in_database(folder, file))
                text_printf(out, "  missing  %s: read from the database",
                            rank_file_name(file));
            else
                text_printf(out, "  missing  %s: %s", rank_file_name(file),
                            rank_file_purpose(file));
            if (file == RANK_KERNELS && folder->more_kernel_count > 0)
                text_printf(out, " and %zu more slices", folder->more_kernel_count);
            text_add(out, "\n");
        }
    }
}

static void put_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

void capture_list_json(struct json_write *json, const struct rank_folders *folders)
{
    json_write_array(json);
    for (size_t i = 0; i < folders->count; i++) {
        const struct rank_folder *folder = &folders->rows[i];

        json_write_object(json);
        json_write_key(json, "rank");
        json_write_i64(json, folder->rank);
        put_text(json, "path", folder->path);
        json_write_key(json, "files");
        json_write_array(json);
        for (enum rank_file file = 0; file < RANK_FILE_COUNT; file++) {
            if (!is_listed(folder, file))
                continue;
            json_write_object(json);
            put_text(json, "name", rank_file_name(file));
            put_text(json, "path", folder->files[file]);
            put_text(json, "cost",
                     folder->files[file] || is_in_database(folder, file)
                         ? NULL
                         : rank_file_purpose(file));
            json_write_object_end(json);
        }
        json_write_array_end(json);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}
