#include "cli/fetch/fetch.h"

#include <stdlib.h>
#include <string.h>

#include "cli/fetch/file_kinds.h"
#include "cli/fetch/local_copy.h"
#include "lib/base/mem.h"
#include "lib/capture/format/crc.h"

/* A file on its way. It is freed when all of its requests are answered. */
struct transfer {
    struct local_copy *copy;
    char *path;
    uint64_t size;
    uint64_t changed_wall_ns; /* of the first piece; 0: none yet */
    unsigned waiting;         /* requests without an answer */
    bool all_asked;
    bool missing, changed; /* its further pieces are not needed */
    bool cut;              /* the user has stopped the transfer */
};

struct page_row {
    char *path, *name;
    uint64_t size, place, rank;
    bool missing;
};

struct fetch {
    struct fetch_counts *counts;
    struct fetch_source *source;
    const struct fetch_request *request;
    struct wanted_piece { /* a ring of requests without an answer */
        struct transfer *transfer;
        uint64_t from, have, crc;
    } pieces[FETCH_WINDOW];
    size_t first, count;
    struct page_row rows[MSG_FILES_PAGE];
    size_t row_count;
    bool too_many; /* rows in the page */
};

static bool is_stopped(const struct fetch *fetch)
{
    return *fetch->request->stop != 0;
}

/* Tests stop the process here, to kill it or to let others work meanwhile. */
#ifdef MUSTER_TEST_SWITCHES
static void test_stop_at_piece(void)
{
    static unsigned long pieces;
    const char *stop = getenv("MUSTER_TEST_STOP_FETCH");

    if (stop && ++pieces == strtoul(stop, NULL, 10))
        raise(SIGSTOP);
}
#else
static void test_stop_at_piece(void)
{
}
#endif

/* Answers */

static int end_transfer(struct fetch *fetch, struct transfer *transfer, struct err *err)
{
    struct fetch_counts *counts = fetch->counts;
    bool written = false;
    int result = 0;

    if (transfer->cut) {
        return 0;
    } else if (transfer->missing) {
        counts->missing++;
    } else if (transfer->changed) {
        counts->changed++;
    } else {
        result = local_copy_finish(transfer->copy, transfer->size,
                                   transfer->changed_wall_ns, &written, err);
        counts->written += written;
        counts->bytes += transfer->size;
    }
    return result;
}

static void free_transfer(struct transfer *transfer)
{
    local_copy_close(transfer->copy);
    free(transfer->path);
    free(transfer);
}

static uint64_t expected_size(const struct transfer *transfer, uint64_t from)
{
    uint64_t left = transfer->size - from;

    return left < MSG_FILES_PIECE ? left : MSG_FILES_PIECE;
}

/* Returns true when the file is another one than at the first piece. */
static bool has_changed(struct transfer *transfer,
                        const struct wanted_piece *wanted,
                        const struct msg_file_piece *piece)
{
    if (!transfer->changed_wall_ns)
        transfer->changed_wall_ns = piece->changed_wall_ns;
    return piece->file_size != transfer->size ||
           piece->changed_wall_ns != transfer->changed_wall_ns ||
           piece->size != expected_size(transfer, wanted->from);
}

static int store_piece(struct fetch *fetch,
                       const struct transfer *transfer,
                       const struct wanted_piece *wanted,
                       const struct msg_file_piece *piece,
                       struct err *err)
{
    bool whole = piece->same
                     ? piece->size == wanted->have && piece->crc == wanted->crc
                     : piece->size == piece->data.size &&
                           piece->crc == crc32c(0, piece->data.data, piece->data.size);

    if (!whole || piece->from != wanted->from)
        return err_set(err, ERR_INPUT,
                       "%s: the checksum of the bytes at %llu is wrong; repeat the "
                       "command",
                       transfer->path, (unsigned long long)wanted->from);
    if (piece->same)
        return local_copy_keep(transfer->copy, wanted->from, wanted->have, err);
    fetch->counts->fetched_bytes += piece->data.size;
    return local_copy_write(transfer->copy, wanted->from, piece->data.data,
                            piece->data.size, err);
}

static int take_answer(struct fetch *fetch, struct err *err)
{
    const struct wanted_piece *wanted = &fetch->pieces[fetch->first];
    struct transfer *transfer = wanted->transfer;
    const struct msg_file_piece *piece;
    int result = 0;

    if (fetch->source->answer(fetch->source->self, &piece, err) < 0)
        return -1;
    transfer->missing |= piece->missing;
    transfer->changed |= !piece->missing && has_changed(transfer, wanted, piece);
    if (!transfer->missing && !transfer->changed)
        result = store_piece(fetch, transfer, wanted, piece, err);
    if (result < 0)
        return -1;
    fetch->first = (fetch->first + 1) % FETCH_WINDOW;
    fetch->count--;
    transfer->waiting--;
    test_stop_at_piece();
    if (fetch->request->progress)
        fetch->request->progress(fetch->counts);
    if (transfer->waiting > 0 || !transfer->all_asked)
        return 0;
    result = end_transfer(fetch, transfer, err);
    free_transfer(transfer);
    return result;
}

static int take_all_answers(struct fetch *fetch, struct err *err)
{
    while (fetch->count > 0)
        if (take_answer(fetch, err) < 0)
            return -1;
    return 0;
}

/* After an error: frees the transfers whose answers are not read any more. */
static void drop_pieces(struct fetch *fetch)
{
    for (; fetch->count > 0; fetch->count--) {
        struct transfer *transfer = fetch->pieces[fetch->first].transfer;

        fetch->first = (fetch->first + 1) % FETCH_WINDOW;
        if (--transfer->waiting == 0)
            free_transfer(transfer);
    }
}

/* Requests */

static int
ask(struct fetch *fetch, struct transfer *transfer, uint64_t from, struct err *err)
{
    char bytes[MSG_FILES_PIECE];
    struct wanted_piece wanted = {transfer, from, 0, 0};

    wanted.have = local_copy_read(transfer->copy, from, bytes, sizeof(bytes));
    wanted.crc = crc32c(0, bytes, wanted.have);
    const struct msg_read_file request = {.job_id = fetch->request->job_id,
                                          .path = transfer->path,
                                          .from = from,
                                          .have = wanted.have,
                                          .crc = wanted.crc};
    if (fetch->source->ask(fetch->source->self, &request, err) < 0)
        return -1;
    fetch->pieces[(fetch->first + fetch->count) % FETCH_WINDOW] = wanted;
    fetch->count++;
    transfer->waiting++;
    return 0;
}

/* Asks for all pieces of a file; its last answer ends the transfer. An empty file has
 * one piece without bytes. */
static int ask_for_file(struct fetch *fetch, struct transfer *transfer, struct err *err)
{
    uint64_t from = 0;

    for (;;) {
        if (fetch->count == FETCH_WINDOW && take_answer(fetch, err) < 0)
            return -1;
        bool is_last = transfer->size - from <= MSG_FILES_PIECE;
        transfer->cut = !is_last && is_stopped(fetch);
        transfer->all_asked =
            is_last || transfer->cut || transfer->missing || transfer->changed;
        if (ask(fetch, transfer, from, err) < 0)
            return -1;
        if (transfer->all_asked)
            return 0;
        from += MSG_FILES_PIECE;
    }
}

static int fetch_file(struct fetch *fetch, const struct page_row *row, struct err *err)
{
    struct transfer *transfer;
    struct local_copy *copy;

    fetch->counts->files++;
    if (row->missing) {
        fetch->counts->missing++;
        return 0;
    }
    if (local_copy_open(&copy, fetch->request->top, row->path, err) < 0)
        return -1;
    transfer = xcalloc(1, sizeof(*transfer));
    transfer->copy = copy;
    transfer->path = xstrdup(row->path);
    transfer->size = row->size;
    int result = ask_for_file(fetch, transfer, err);
    if (result < 0 && transfer->waiting == 0)
        free_transfer(transfer);
    return result;
}

/* Pages */

static void clear_page(struct fetch *fetch)
{
    while (fetch->row_count > 0) {
        free(fetch->rows[--fetch->row_count].path);
        free(fetch->rows[fetch->row_count].name);
    }
}

static void keep_row(const void *message, void *arg)
{
    const struct msg_file_row *row = message;
    struct fetch *fetch = arg;

    if (fetch->row_count == MSG_FILES_PAGE) {
        fetch->too_many = true;
        return;
    }
    fetch->rows[fetch->row_count++] = (struct page_row){.path = xstrdup(row->path),
                                                        .name = xstrdup(row->name),
                                                        .size = row->size,
                                                        .place = row->place,
                                                        .rank = row->rank,
                                                        .missing = row->missing};
}

static int
read_page(struct fetch *fetch, const struct msg_list_files *request, struct err *err)
{
    clear_page(fetch);
    if (fetch->source->list(fetch->source->self, request, keep_row, fetch, err) < 0)
        return -1;
    if (fetch->too_many)
        return err_set(err, ERR_LIMIT, "a page of files has more than %d rows",
                       MSG_FILES_PAGE);
    return 0;
}

static int fetch_page(struct fetch *fetch, struct err *err)
{
    for (size_t i = 0; i < fetch->row_count && !is_stopped(fetch); i++)
        if (file_kinds_match(fetch->request->kinds, fetch->rows[i].path) &&
            fetch_file(fetch, &fetch->rows[i], err) < 0)
            return -1;
    return take_all_answers(fetch, err);
}

static int fetch_reports(struct fetch *fetch, struct err *err)
{
    const struct msg_list_files request = {
        .job_id = fetch->request->job_id, .reports = true, .after = ""};

    if (!(fetch->request->kinds & FILE_KIND_REPORT))
        return 0;
    if (read_page(fetch, &request, err) < 0)
        return -1;
    return fetch_page(fetch, err);
}

static bool is_behind(const struct page_row *row, const struct msg_list_files *last)
{
    if (row->place != last->place)
        return row->place > last->place;
    if (row->rank != last->rank)
        return row->rank > last->rank;
    return strcmp(row->name, last->after) > 0;
}

static int fetch_outputs(struct fetch *fetch, struct err *err)
{
    struct msg_list_files request = {.job_id = fetch->request->job_id, .after = ""};
    char *after = xstrdup("");
    int result = 0;

    if (fetch->request->kinds == FILE_KIND_REPORT) {
        free(after);
        return 0;
    }
    while (result == 0 && !is_stopped(fetch)) {
        result = read_page(fetch, &request, err);
        if (result < 0 || fetch->row_count == 0)
            break;
        const struct page_row *last = &fetch->rows[fetch->row_count - 1];
        if (!is_behind(last, &request)) { /* would never end */
            result = err_set(err, ERR_INPUT, "the list of files does not advance at %s",
                             last->path);
            break;
        }
        free(after);
        after = xstrdup(last->name);
        request.place = last->place;
        request.rank = last->rank;
        request.after = after;
        result = fetch_page(fetch, err);
    }
    free(after);
    return result;
}

int fetch_files(struct fetch_counts *counts,
                struct fetch_source *source,
                const struct fetch_request *request,
                struct err *err)
{
    struct fetch *fetch = xcalloc(1, sizeof(*fetch));

    *counts = (struct fetch_counts){0};
    fetch->counts = counts;
    fetch->source = source;
    fetch->request = request;
    int result = fetch_reports(fetch, err);
    if (result == 0)
        result = fetch_outputs(fetch, err);
    counts->interrupted = is_stopped(fetch);
    drop_pieces(fetch);
    clear_page(fetch);
    free(fetch);
    return result;
}
