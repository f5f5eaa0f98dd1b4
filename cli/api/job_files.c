#include "cli/api/job_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/view/row_output.h"
#include "lib/base/file_below.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"

enum { ROWS_DEFAULT = 1000, ROWS_MOST = 10000, ID_SIZE = 17 };

struct file_list {
    uint64_t after, limit, count;
    char point[32]; /* prefix of the paths, or "" */
    const char *id; /* of the file to send; NULL: all are listed */
    char *found;    /* path of the file with this id */
    int top;        /* folder of the job; -1: it does not exist */
    struct text *out;
};

static void make_id(char id[ID_SIZE], const char *path)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (; *path; path++)
        hash = (hash ^ (unsigned char)*path) * 0x100000001b3;
    snprintf(id, ID_SIZE, "%016" PRIx64, hash);
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
write_file(struct file_list *list, const char *path, const char *id, uint32_t rank)
{
    static const struct row_output_column columns[] = {
        {"id", CELL_TEXT}, {"path", CELL_TEXT}, {"rank", CELL_U64}, {"size", CELL_U64}};
    uint64_t size = 0;
    bool has_size = find_size(list, path, &size);
    const struct cell cells[] = {
        {.kind = CELL_TEXT, .text = id},
        {.kind = CELL_TEXT, .text = path},
        {.kind = CELL_U64, .u64 = rank},
        {.kind = CELL_U64, .u64 = size, .none = !has_size}, /* null: it is missing */
    };

    text_add(list->out, list->count > list->after ? "," : "");
    row_output_json(list->out, columns, COUNT(columns), cells);
}

static void add_file(struct file_list *list, const char *path, uint32_t rank)
{
    char id[ID_SIZE];

    if (!text_has_prefix(path, list->point))
        return;
    make_id(id, path);
    if (list->id) {
        if (!list->found && strcmp(id, list->id) == 0)
            list->found = xstrdup(path);
        return;
    }
    if (list->count >= list->after && list->count - list->after < list->limit)
        write_file(list, path, id, rank);
    list->count++;
}

static int add_output(const struct store_output *output, void *list, struct err *err)
{
    char *path = xasprintf("p%" PRIu64 "/r%" PRIu32 "/%s", output->point,
                           output->repeat, output->path);

    (void)err;
    add_file(list, path, output->rank);
    free(path);
    return 0;
}

/* Opens the folder of the job and passes the paths of its files to the list. */
static int read_files(struct file_list *list,
                      struct row_source *source,
                      const struct http_request *request,
                      struct err *err)
{
    static const char *const reports[] = {"report.html", "report.json", "junit.xml"};
    const struct store_output first = {.path = ""};
    struct store *store = row_source_store(source);
    uint64_t job_id;
    char *key;

    list->top = -1;
    if (!store)
        return err_set(err, ERR_NOT_FOUND,
                       "files are read from a store; start muster serve with --out DIR "
                       "on the host of the coordinator, or use muster fetch");
    if (http_part_u64(request, 0, &job_id, err) < 0 ||
        store_job_key(&key, store, job_id, err) < 0)
        return -1;
    char *folder = xasprintf("%s/%s", row_source_out(source), key);
    list->top = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    free(key);
    for (size_t i = 0; i < COUNT(reports); i++) {
        uint64_t size;

        if (find_size(list, reports[i], &size))
            add_file(list, reports[i], 0);
    }
    return store_each_output_after(store, job_id, &first, UINT32_MAX, add_output, list,
                                   err);
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
    uint64_t point = UINT64_MAX;

    if (http_arguments_check(request, known, err) < 0 ||
        http_argument_u64(request, "point", &point, err) < 0 ||
        http_argument_u64(request, "limit", &list.limit, err) < 0 ||
        http_argument_u64(request, "after", &list.after, err) < 0)
        return -1;
    if (list.limit == 0 || list.limit > ROWS_MOST)
        return err_set(err, ERR_INPUT, "argument limit is not between 1 and %d",
                       ROWS_MOST);
    if (http_argument(request, "point"))
        snprintf(list.point, sizeof(list.point), "p%" PRIu64 "/", point);
    text_add(list.out, "{\"schema\":\"muster.files.v1\",\"rows\":[");
    int result = read_files(&list, source, request, err);
    text_add(list.out, "]}\n");
    close_list(&list);
    response->type = "application/json";
    response->rows = list.count;
    response->has_rows = true;
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

int job_files_find(struct row_source *source,
                   const struct http_request *request,
                   int *folder,
                   char **path,
                   struct err *err)
{
    struct file_list list = {.id = request->parts[1]};
    int result = read_files(&list, source, request, err);

    if (result == 0 && (!list.found || list.top < 0))
        result = err_set(err, ERR_NOT_FOUND, "the job has no file with this id");
    if (result == 0) {
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

int job_files_send(struct row_source *source,
                   const struct http_request *request,
                   struct http_response *response,
                   struct err *err)
{
    static const char *const known[] = {NULL};
    struct file_list list = {.id = request->parts[1]};
    struct stat status;
    int result = -1;

    if (http_arguments_check(request, known, err) < 0)
        return -1;
    if (read_files(&list, source, request, err) < 0)
        goto end;
    if (!list.found || list.top < 0) {
        err_set(err, ERR_NOT_FOUND, "the job has no file with this id");
        goto end;
    }
    if (file_below_open(&response->fd, list.top, list.found, err) < 0)
        goto end;
    if (fstat(response->fd, &status) < 0) {
        err_errno(err, "reading %s", list.found);
        goto end;
    }
    response->size = (uint64_t)status.st_size;
    response->type = "application/octet-stream";
    response->file_name = name_of(list.found);
    result = 0;

end:
    close_list(&list);
    return result;
}
