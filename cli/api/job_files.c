#include "cli/api/job_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/api/remote_file.h"
#include "cli/view/row_output.h"
#include "lib/base/file_below.h"
#include "lib/base/mem.h"
#include "lib/query/file_rows.h"
#include "lib/store/store.h"

enum { ROWS_DEFAULT = 1000, ROWS_MOST = 10000, HASH_DIGITS = 16, ID_SIZE = 40 };

struct file_list {
    uint64_t after, limit, count;
    uint64_t point;  /* number + 1; 0: files of all points and of the job */
    const char *id;  /* of the file to send; NULL: all are listed */
    char *found;     /* path of the file with this id */
    bool is_partial; /* files behind the page were not counted */
    int top;         /* folder of the job; -1: it does not exist */
    struct text *out;
};

/* Returns the number of the point of a path + 1; 0 for a file of the job. */
static uint64_t point_of(const char *path)
{
    char *end;
    uint64_t point = path[0] == 'p' ? strtoull(path + 1, &end, 10) : 0;

    return path[0] == 'p' && end > path + 1 && *end == '/' ? point + 1 : 0;
}

/* The hash of the path, then the point, so that a search reads the files of one point.
 */
static void make_id(char id[ID_SIZE], const char *path)
{
    uint64_t hash = 0xcbf29ce484222325, point = point_of(path);

    for (; *path; path++)
        hash = (hash ^ (unsigned char)*path) * 0x100000001b3;
    snprintf(id, ID_SIZE, "%016" PRIx64 "%" PRIx64, hash, point);
}

/* Lets the list find the file with this id. */
static int set_id(struct file_list *list, const char *id, struct err *err)
{
    size_t length = strspn(id, "0123456789abcdef");

    if (id[length] || length <= HASH_DIGITS || length > HASH_DIGITS + 16)
        return err_set(err, ERR_NOT_FOUND, "the job has no file with this id");
    list->id = id;
    list->point = strtoull(id + HASH_DIGITS, NULL, 16);
    return 0;
}

static bool find_size(const struct file_list *list, const char *path, uint64_t *size)
{
    struct stat status;
    struct err ignored;
    bool found = false;
    int fd;

    if (list->top < 0 || file_below_open(&fd, list->top, path, &ignored) < 0)
        return false;
    if (fstat(fd, &status) == 0) {
        *size = (uint64_t)status.st_size;
        found = true;
    }
    close(fd);
    return found;
}

static void
write_file(struct file_list *list, const char *id, const struct msg_file_row *file)
{
    static const struct row_output_column columns[] = {
        {"id", CELL_TEXT}, {"path", CELL_TEXT}, {"rank", CELL_U64}, {"size", CELL_U64}};
    const struct cell cells[] = {
        {.kind = CELL_TEXT, .text = id},
        {.kind = CELL_TEXT, .text = file->path},
        {.kind = CELL_U64, .u64 = file->rank},
        {.kind = CELL_U64, .u64 = file->size, .none = file->missing},
    };

    text_add(list->out, list->count > list->after ? "," : "");
    row_output_json(list->out, columns, COUNT(columns), cells);
}

/* Takes a file. `is_looked_up`: its size is known. */
static void
add_file(struct file_list *list, const struct msg_file_row *file, bool is_looked_up)
{
    struct msg_file_row row = *file;
    char id[ID_SIZE];

    if (list->point && point_of(row.path) != list->point)
        return;
    make_id(id, row.path);
    if (list->id) {
        if (!list->found && strcmp(id, list->id) == 0)
            list->found = xstrdup(row.path);
        return;
    }
    if (list->count >= list->after && list->count - list->after < list->limit) {
        if (!is_looked_up)
            row.missing = !find_size(list, row.path, &row.size);
        write_file(list, id, &row);
    }
    list->count++;
}

static int add_output(const struct store_output *output, void *list, struct err *err)
{
    char *path = xasprintf("p%" PRIu64 "/r%" PRIu32 "/%s", output->point,
                           output->repeat, output->path);
    const struct msg_file_row row = {.path = path, .rank = output->rank};

    (void)err;
    add_file(list, &row, false);
    free(path);
    return 0;
}

static void add_report(enum message_type type, const void *row, void *list)
{
    (void)type;
    add_file(list, row, true);
}

/* Opens the folder of the job and passes the paths of its files to the list. */
static int list_store(struct file_list *list,
                      struct row_source *source,
                      uint64_t job_id,
                      struct err *err)
{
    const struct msg_list_files reports = {.job_id = job_id, .reports = true};
    const struct store_output first = {.path = ""};
    struct store *store = row_source_store(source);
    const char *out = row_source_out(source);
    char *key;

    if (store_job_key(&key, store, job_id, err) < 0)
        return -1;
    char *folder = xasprintf("%s/%s", out, key);
    list->top = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    free(key);
    if (!list->point && file_rows(store, out, &reports, add_report, list, err) < 0)
        return -1;
    return store_each_output_after(store, job_id, &first, list->point, UINT32_MAX,
                                   add_output, list, err);
}

/* One page of the files that a coordinator lists. */
struct file_page {
    struct file_list *list;
    uint64_t place, rank, rows;
    char *name;
};

static void add_row(const void *message, void *arg)
{
    const struct msg_file_row *row = message;
    struct file_page *page = arg;

    add_file(page->list, row, true);
    page->rows++;
    page->place = row->place;
    page->rank = row->rank;
    free(page->name);
    page->name = xstrdup(row->name);
}

static bool is_done(struct file_list *list)
{
    if (list->id)
        return list->found != NULL;
    list->is_partial = !list->point && list->count > list->after &&
                       list->count - list->after >= list->limit;
    return list->is_partial;
}

static int list_client(struct file_list *list,
                       struct client *client,
                       uint64_t job_id,
                       struct err *err)
{
    struct file_page page = {.list = list, .name = xstrdup("")};
    struct msg_list_files request = {
        .job_id = job_id, .reports = true, .after = "", .point = list->point};
    int result = list->point ? 0
                             : client_each(client, MSG_LIST_FILES, &request,
                                           MSG_FILE_ROW, add_row, &page, err);

    request.reports = false;
    page.place = page.rank = 0;
    page.name[0] = '\0';
    for (page.rows = 1; result == 0 && page.rows > 0 && !is_done(list);) {
        char *after = xstrdup(page.name);

        request.after = after;
        request.place = page.place;
        request.rank = page.rank;
        page.rows = 0;
        result = client_each(client, MSG_LIST_FILES, &request, MSG_FILE_ROW, add_row,
                             &page, err);
        free(after);
    }
    free(page.name);
    return result;
}

static int read_files(struct file_list *list,
                      struct row_source *source,
                      uint64_t job_id,
                      struct err *err)
{
    struct client *client = row_source_client(source);

    list->top = -1;
    return client ? list_client(list, client, job_id, err)
                  : list_store(list, source, job_id, err);
}

static void close_list(struct file_list *list)
{
    if (list->top >= 0)
        close(list->top);
    free(list->found);
}

int job_files_answer(struct row_source *source,
                     const struct http_request *request,
                     struct http_response *response,
                     struct err *err)
{
    static const char *const known[] = {"point", "limit", "after", NULL};
    struct file_list list = {.limit = ROWS_DEFAULT, .out = &response->body};
    uint64_t job_id, point = 0;

    if (http_arguments_check(request, known, err) < 0 ||
        http_part_u64(request, 0, &job_id, err) < 0 ||
        http_argument_u64(request, "point", &point, err) < 0 ||
        http_argument_u64(request, "limit", &list.limit, err) < 0 ||
        http_argument_u64(request, "after", &list.after, err) < 0)
        return -1;
    if (list.limit == 0 || list.limit > ROWS_MOST)
        return err_set(err, ERR_INPUT, "argument limit is not between 1 and %d",
                       ROWS_MOST);
    if (http_argument(request, "point"))
        list.point = point + 1;
    text_add(list.out, "{\"schema\":\"muster.files.v1\",\"rows\":[");
    int result = read_files(&list, source, job_id, err);
    text_add(list.out, "]}\n");
    close_list(&list);
    response->type = "application/json";
    response->rows = list.count;
    response->has_rows = !list.is_partial;
    return result;
}

/* A name for the browser: the path with _ instead of slashes. */
static char *name_of(const char *path)
{
    char *name = xstrdup(path);

    for (char *at = name; *at; at++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-",
                    *at))
            *at = '_';
    return name;
}

/* Finds the file of the request. The caller closes the list, also after an error. */
static int find_file(struct file_list *list,
                     struct row_source *source,
                     const struct http_request *request,
                     uint64_t *job_id,
                     struct err *err)
{
    list->top = -1;
    if (http_part_u64(request, 0, job_id, err) < 0 ||
        set_id(list, request->parts[1], err) < 0 ||
        read_files(list, source, *job_id, err) < 0)
        return -1;
    if (!list->found || (!row_source_client(source) && list->top < 0))
        return err_set(err, ERR_NOT_FOUND, "the job has no file with this id");
    return 0;
}

int job_files_find(struct row_source *source,
                   const struct http_request *request,
                   int *folder,
                   char **path,
                   struct err *err)
{
    struct file_list list = {.after = 0};
    uint64_t job_id;
    int result = find_file(&list, source, request, &job_id, err);

    *folder = -1;
    if (result == 0 && list.top >= 0) {
        const char *name;

        result = file_below_folder(folder, &name, list.top, list.found, false, err);
    }
    if (result == 0) {
        *path = list.found;
        list.found = NULL;
    }
    close_list(&list);
    return result;
}

static int send_local(const struct file_list *list,
                      struct http_response *response,
                      struct err *err)
{
    struct stat status;

    if (file_below_open(&response->fd, list->top, list->found, err) < 0)
        return -1;
    if (fstat(response->fd, &status) < 0)
        return err_errno(err, "reading %s", list->found);
    response->size = (uint64_t)status.st_size;
    return 0;
}

static ssize_t read_remote(void *file, void *bytes, size_t size, uint64_t at)
{
    struct err ignored; /* the connection ends, so the client has too few bytes */

    return remote_file_read(file, bytes, size, at, &ignored);
}

static void close_remote(void *file)
{
    remote_file_close(file);
}

static int send_remote(const struct file_list *list,
                       struct api_source *source,
                       uint64_t job_id,
                       struct http_response *response,
                       struct err *err)
{
    static const struct http_pieces pieces = {read_remote, close_remote};
    struct remote_file *file;

    if (remote_file_open(&file, source, job_id, list->found, err) < 0)
        return -1;
    response->pieces = &pieces;
    response->pieces_arg = file;
    response->size = remote_file_size(file);
    response->tag = xasprintf("\"%" PRIx64 "-%" PRIx64 "\"", response->size,
                              remote_file_changed_ns(file));
    return 0;
}

int job_files_send(struct api_source *source,
                   const struct http_request *request,
                   struct http_response *response,
                   struct err *err)
{
    static const char *const known[] = {NULL};
    struct row_source *rows = api_source_get(source, err);
    struct file_list list = {.top = -1};
    uint64_t job_id;
    int result = -1;

    if (!rows || http_arguments_check(request, known, err) < 0)
        return -1;
    if (find_file(&list, rows, request, &job_id, err) == 0)
        result = list.top >= 0 ? send_local(&list, response, err)
                               : send_remote(&list, source, job_id, response, err);
    if (result == 0) {
        response->type = "application/octet-stream";
        response->file_name = name_of(list.found);
    }
    close_list(&list);
    return result;
}
