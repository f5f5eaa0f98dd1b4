#include "cli/api/trace_answer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/api/job_files.h"
#include "lib/base/mem.h"

/* Opens the file through the descriptor of its folder, so that no link in its path is
 * followed. */
static int open_file(struct view_file **file,
                     struct trace_files *files,
                     struct row_source *source,
                     const char *key,
                     const struct http_request *request,
                     struct err *err)
{
    char *path = NULL, *opened;
    int folder, result;

    if (job_files_find(source, request, &folder, &path, err) < 0)
        return -1;
    const char *slash = strrchr(path, '/');
    opened = xasprintf("/proc/self/fd/%d/%s", folder, slash ? slash + 1 : path);
    result = trace_files_open(file, files, key, opened, path, err);
    close(folder);
    free(opened);
    free(path);
    return result;
}

static void put_state(struct json_write *json,
                      const char *schema,
                      const struct view_timeline_progress *progress,
                      bool is_ready)
{
    json_write_key(json, "schema");
    json_write_text(json, schema);
    json_write_key(json, "state");
    json_write_text(json, is_ready ? "ready" : "reading");
    json_write_key(json, "done");
    json_write_u64(json, progress->done);
    json_write_key(json, "total");
    json_write_u64(json, progress->total);
}

/* The list of lanes is the first request of a page: it opens a file that was written
 * again. The others use the open one. */
static int get_file(struct view_file **file,
                    struct trace_files *files,
                    struct row_source *source,
                    bool is_first,
                    const struct http_request *request,
                    struct err *err)
{
    char *key = xasprintf("%s/%s", request->parts[0], request->parts[1]);
    int result = 0;

    *file = is_first ? NULL : trace_files_find(files, key);
    if (!*file)
        result = open_file(file, files, source, key, request, err);
    free(key);
    return result;
}

int trace_answer(struct trace_files *files,
                 struct row_source *source,
                 trace_part_fn *part_fn,
                 const char *schema,
                 const struct http_request *request,
                 struct http_response *response,
                 struct err *err)
{
    struct view_timeline_progress progress;
    struct json_write json = {0};
    struct trace_part part = {.request = request, .json = &json};
    int result = 0;

    if (get_file(&part.file, files, source, part_fn == trace_part_lanes, request, err) <
            0 ||
        trace_files_read(&part.index, files, part.file, &progress, err) < 0)
        return -1;
    json_write_to_text(&json, &response->body);
    json_write_object(&json);
    put_state(&json, schema, &progress, part.index != NULL);
    if (part.index) {
        result = part_fn(&part, err);
    } else {
        json_write_key(&json, "rows");
        json_write_array(&json);
        json_write_array_end(&json);
    }
    if (result == 0) {
        json_write_object_end(&json);
        json_write_line(&json);
    }
    json_write_clear(&json);
    response->type = "application/json";
    response->rows = part.rows;
    response->has_rows = part_fn == trace_part_search;
    return result;
}
