#include "lib/query/file_rows.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file_below.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/format/crc.h"
#include "lib/store/store.h"

struct page {
    int top; /* folder of the job; -1: it does not exist */
    row_fn *fn;
    void *arg;
};

/* Opens the folder of a job. Sets *top to -1 when the job has no folder. */
static int open_top(int *top,
                    struct store *store,
                    const char *out,
                    uint64_t job_id,
                    struct err *err)
{
    char *key;

    if (store_job_key(&key, store, job_id, err) < 0)
        return -1;
    char *folder = xasprintf("%s/%s", out, key);
    *top = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result = *top < 0 && errno != ENOENT ? err_errno(err, "%s", folder) : 0;
    free(folder);
    free(key);
    return result;
}

static void close_top(int top)
{
    if (top >= 0)
        close(top);
}

/* Fills size, or `missing`, from the file on the disk. */
static void look_up(const struct page *page, struct msg_file_row *row)
{
    struct stat status;
    struct err ignored;
    int fd;

    row->missing = true;
    if (page->top < 0 || file_below_open(&fd, page->top, row->path, &ignored) < 0)
        return;
    if (fstat(fd, &status) == 0) {
        row->missing = false;
        row->size = (uint64_t)status.st_size;
    }
    close(fd);
}

static int add_output(const struct store_output *output, void *arg, struct err *err)
{
    const struct page *page = arg;
    char *path = xasprintf("p%" PRIu64 "/r%" PRIu32 "/%s", output->point,
                           output->repeat, output->path);
    struct msg_file_row row = {.path = path,
                               .place = output->place,
                               .rank = output->rank,
                               .name = output->path};

    (void)err;
    look_up(page, &row);
    page->fn(MSG_FILE_ROW, &row, page->arg);
    free(path);
    return 0;
}

static int is_report(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !text_has_suffix(entry->d_name, ".new");
}

/* Lists the regular files of the job's folder, without its sub-folders. */
static int list_reports(const struct page *page, struct err *err)
{
    struct dirent **entries;
    int count;

    if (page->top < 0)
        return 0;
    count = scandirat(page->top, ".", &entries, is_report, alphasort);
    if (count < 0)
        return err_errno(err, "reading the folder of the job");
    for (int i = 0; i < count; i++) {
        struct msg_file_row row = {.path = entries[i]->d_name,
                                   .name = entries[i]->d_name};

        look_up(page, &row);
        if (!row.missing && i < MSG_FILES_PAGE)
            page->fn(MSG_FILE_ROW, &row, page->arg);
        free(entries[i]);
    }
    free(entries);
    return 0;
}

int file_rows(struct store *store,
              const char *out,
              const struct msg_list_files *request,
              row_fn *fn,
              void *arg,
              struct err *err)
{
    const struct store_output after = {.place = request->place,
                                       .rank = (uint32_t)request->rank,
                                       .path = request->after};
    struct page page = {.fn = fn, .arg = arg};

    if (open_top(&page.top, store, out, request->job_id, err) < 0)
        return -1;
    int result =
        request->reports
            ? list_reports(&page, err)
            : store_each_output_after(store, request->job_id, &after, request->point,
                                      MSG_FILES_PAGE, add_output, &page, err);
    close_top(page.top);
    return result;
}

/* Reads until the piece is full or the file ends. */
static ssize_t read_piece(int fd, char *bytes, uint64_t from)
{
    size_t done = 0;

    while (done < MSG_FILES_PIECE) {
        ssize_t got =
            pread(fd, bytes + done, MSG_FILES_PIECE - done, (off_t)(from + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -1 : (ssize_t)done;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static int fill_piece(struct msg_file_piece *piece,
                      char *bytes,
                      int fd,
                      const struct msg_read_file *request,
                      struct err *err)
{
    struct stat status;
    ssize_t size = 0;

    if (fstat(fd, &status) < 0)
        return err_errno(err, "%s", request->path);
    if (request->from <= INT64_MAX - MSG_FILES_PIECE)
        size = read_piece(fd, bytes, request->from);
    if (size < 0)
        return err_errno(err, "reading %s", request->path);
    *piece = (struct msg_file_piece){
        .from = request->from,
        .size = (uint64_t)size,
        .crc = crc32c(0, bytes, (size_t)size),
        .file_size = (uint64_t)status.st_size,
        .changed_wall_ns = (uint64_t)status.st_mtim.tv_sec * 1000000000 +
                           (uint64_t)status.st_mtim.tv_nsec,
    };
    piece->same = request->have == piece->size && request->crc == piece->crc;
    if (!piece->same)
        piece->data = (struct bytes){bytes, (size_t)size};
    return 0;
}

int file_rows_piece(struct msg_file_piece *piece,
                    char *bytes,
                    struct store *store,
                    const char *out,
                    const struct msg_read_file *request,
                    struct err *err)
{
    int top, fd;

    if (open_top(&top, store, out, request->job_id, err) < 0)
        return -1;
    *piece = (struct msg_file_piece){.from = request->from, .missing = true};
    if (top < 0)
        return 0;
    int result = file_below_open(&fd, top, request->path, err);
    close_top(top);
    if (result < 0)
        return err->code == ERR_NOT_FOUND ? 0 : -1;
    result = fill_piece(piece, bytes, fd, request, err);
    close(fd);
    return result;
}
