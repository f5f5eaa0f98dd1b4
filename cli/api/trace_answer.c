#include "cli/api/trace_answer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/api/job_files.h"
#include "lib/base/mem.h"

/* Opens a file through the descriptor of its folder, so that no link in its path is
 * followed. */
static int open_local(struct view_file **file,
                      const struct trace_answer *answer,
                      const char *key,
                      int folder,
                      const char *path,
                      struct err *err)
{
    const char *slash = strrchr(path, '/');
    char *opened = xasprintf("/proc/self/fd/%d/%s", folder, slash ? slash + 1 : path);
    int result = trace_files_open(file, answer->files, key, opened, path, err);

    free(opened);
    return result;
}

/* *file is NULL while the copy is not whole. */
static int open_copy(struct view_file **file,
                     const struct trace_answer *answer,
                     const char *key,
                     const char *path,
                     bool is_first,
                     struct view_timeline_progress *progress,
                     struct err *err)
{
    struct remote_copies_progress copied;
    uint64_t job_id;

    *file = NULL;
    if (http_part_u64(answer->request, 0, &job_id, err) < 0 ||
        remote_copies_step(&copied, answer->copies, answer->source, job_id, path,
                           is_first, err) < 0)
        return -1;
    progress->done = copied.done;
    progress->total = copied.total;
    if (copied.fd < 0)
        return 0;
    return trace_files_open_copy(file, answer->files, key, copied.fd, path, err);
}

static int open_file(struct view_file **file,
                     const struct trace_answer *answer,
                     const char *key,
                     bool is_first,
                     struct view_timeline_progress *progress,
                     struct err *err)
{
    struct row_source *rows = api_source_get(answer->source, err);
    char *path = NULL;
    int folder, result;

    if (!rows || job_files_find(rows, answer->request, &folder, &path, err) < 0)
        return -1;
    result = folder >= 0 ? open_local(file, answer, key, folder, path, err)
                         : open_copy(file, answer, key, path, is_first, progress, err);
    if (folder >= 0)
        close(folder);
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
 * again. The others use the open one. *file is NULL while a copy is made. */
static int get_file(struct view_file **file,
                    const struct trace_answer *answer,
                    bool is_first,
                    struct view_timeline_progress *progress,
                    struct err *err)
{
    char *key =
        xasprintf("%s/%s", answer->request->parts[0], answer->request->parts[1]);
    int result = 0;

    *file = is_first ? NULL : trace_files_find(answer->files, key);
    if (!*file)
        result = open_file(file, answer, key, is_first, progress, err);
    free(key);
    return result;
}

static void put_no_rows(struct json_write *json)
{
    json_write_key(json, "rows");
    json_write_array(json);
    json_write_array_end(json);
}

static int write_part(struct trace_part *part,
                      const struct trace_answer *answer,
                      const struct view_timeline_progress *progress,
                      bool is_ready,
                      struct http_response *response,
                      struct err *err)
{
    struct json_write json = {0};
    int result = 0;

    part->json = &json;
    json_write_to_text(&json, &response->body);
    json_write_object(&json);
    put_state(&json, answer->schema, progress, is_ready);
    if (is_ready)
        result = answer->part(part, err);
    else
        put_no_rows(&json);
    if (result == 0) {
        json_write_object_end(&json);
        json_write_line(&json);
    }
    json_write_clear(&json);
    part->json = NULL;
    response->type = "application/json";
    response->rows = part->rows;
    return result;
}

int trace_answer(const struct trace_answer *answer,
                 struct http_response *response,
                 struct err *err)
{
    struct view_timeline_progress progress = {.done = 0};
    struct trace_part part = {.request = answer->request};

    if (get_file(&part.file, answer, answer->part == trace_part_lanes, &progress, err) <
            0 ||
        (part.file &&
         trace_files_read(&part.index, answer->files, part.file, &progress, err) < 0))
        return -1;
    response->has_rows = answer->part == trace_part_search;
    return write_part(&part, answer, &progress, part.index != NULL, response, err);
}

int trace_answer_block(const struct trace_answer *answer,
                       struct http_response *response,
                       struct err *err)
{
    struct view_timeline_progress progress = {.done = 0};
    struct trace_part part = {.request = answer->request};

    if (get_file(&part.file, answer, true, &progress, err) < 0)
        return -1;
    return write_part(&part, answer, &progress, part.file != NULL, response, err);
}
