#include "lib/base/csv_read.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/byte_source.h"
#include "lib/base/csv_marks.h"
#include "lib/base/csv_read_internal.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

enum {
    WINDOW_BYTES = 128 * 1024,
    WINDOW_BEHIND = CSV_MARKS_BEHIND,
};

/* The destination of a field of the header. */
struct target {
    struct csv_value *value; /* NULL: the column was not requested */
    enum csv_kind kind;
};

/* A field of the header that was requested. */
struct wanted {
    size_t field;
    char **start; /* of the field in a plain row; the next one follows */
    struct target to;
};

struct reader {
    const char *name;
    struct byte_source source;
    char *window, *at, *end; /* [at, end) is unread; NULs follow */
    size_t room;
    bool drained;
    char **starts; /* first byte of each field of a plain row; one more entry follows */
    uint64_t line; /* of the current row */
    const struct csv_column *columns;
    size_t count;
    size_t fields;          /* in the header */
    struct target *targets; /* per field of the header */
    struct wanted *wanted;  /* the requested fields in the order of the header */
    size_t wanted_count;
    bool open_header;      /* the header ends with a comma */
    struct csv_value *row; /* per column */
    csv_bad_row_fn *bad;   /* gets damaged rows, or NULL: they end the reading */
    struct err *err;
};

static int fail_row(struct reader *reader, enum err_code code, const char *what)
{
    return err_set(reader->err, code, "%s:%llu: %s", reader->name,
                   (unsigned long long)reader->line, what);
}

/* Reads more bytes after `end`. Returns 1, 0 at the end of the input, or -1 on an
 * error. `at` may move together with its bytes. */
static int refill(struct reader *reader)
{
    size_t kept = (size_t)(reader->end - reader->at);

    if (reader->drained)
        return 0;
    if (kept >= CSV_ROW_MAX)
        return fail_row(reader, ERR_LIMIT,
                        "the row is longer than 1 MiB; a closing quote may be missing");
    memmove(reader->window, reader->at, kept);
    if (kept == reader->room) {
        reader->room *= 2;
        reader->window = xrealloc(reader->window, reader->room + WINDOW_BEHIND);
    }
    reader->at = reader->window;
    reader->end = reader->window + kept;
    ssize_t got = byte_source_read(&reader->source, reader->end, reader->room - kept);
    if (got < 0)
        return err_errno(reader->err, "%s", reader->name);
    reader->drained = got == 0;
    reader->end += got;
    memset(reader->end, '\0', WINDOW_BEHIND);
    return got > 0;
}

/* Returns the end of the row at `at`: its line feed outside of quotes, or the end of
 * the input. Sets `quoted` when the row has quotes. Returns NULL with err, or at the
 * end of the input. */
static char *find_row_end(struct reader *reader, bool *quoted, int *more)
{
    size_t seen = 0;
    bool inside = false;

    *quoted = false;
    for (;;) {
        char *from = reader->at + seen;
        char *feed = memchr(from, '\n', (size_t)(reader->end - from));
        char *to = feed ? feed : reader->end;

        for (char *quote = from; (quote = memchr(quote, '"', (size_t)(to - quote)));
             quote++) {
            inside = !inside;
            *quoted = true;
        }
        if (feed && !inside)
            return feed;
        seen = (size_t)(to - reader->at) + (feed ? 1 : 0);
        if (feed)
            continue;
        *more = refill(reader);
        if (*more < 0)
            return NULL;
        if (*more == 0 && inside) {
            *more = fail_row(reader, ERR_INPUT, "the closing quote is missing");
            return NULL;
        }
        if (*more == 0)
            return reader->at == reader->end ? NULL : reader->end;
    }
}

/* Returns the text inside the quotes at `at`, in place; *next is after the closing
 * quote. Returns NULL when the closing quote is missing. */
static char *unquote(char *at, char *end, char **next, size_t *length)
{
    char *start = at + 1, *out = start;

    for (at = start; at < end; at++) {
        if (*at == '"' && (at + 1 == end || at[1] != '"')) {
            *next = at + 1;
            *length = (size_t)(out - start);
            return start;
        }
        at += *at == '"';
        *out++ = *at;
    }
    return NULL;
}

/* Takes the next field of the row [*at, end). *at is then after the comma, or NULL
 * after the last field. Returns NULL when the quotes are wrong. */
static char *cut_field(char **at, char *end, bool quoted, size_t *length)
{
    char *start = *at, *comma;

    while (quoted && start < end && *start == '\t')
        start++;
    if (quoted && start < end && *start == '"') {
        char *next;

        start = unquote(start, end, &next, length);
        while (start && next < end && (*next == '\t' || *next == ' '))
            next++;
        if (!start || (next < end && *next != ','))
            return NULL;
        *at = next < end ? next + 1 : NULL;
        return start;
    }
    comma = memchr(start, ',', (size_t)(end - start));
    *length = (size_t)((comma ? comma : end) - start);
    *at = comma ? comma + 1 : NULL;
    return start;
}

static int take_field(struct reader *reader, size_t field, char *start, size_t length)
{
    const struct target *to = &reader->targets[field];

    if (csv_value_take(to->value, to->kind, start, length))
        return 0;
    return err_set(reader->err, ERR_INPUT, "%s:%llu:%s: '%.40s' is not %s",
                   reader->name, (unsigned long long)reader->line,
                   reader->columns[to->value - reader->row].name, to->value->text,
                   csv_kind_name(to->kind));
}

/* Checks the number of fields against the header. One more is accepted when it is
 * empty, after a last comma; one less when the header ends with a comma. */
static bool count_is_right(const struct reader *reader, size_t fields, bool empty_last)
{
    return fields == reader->fields || (fields == reader->fields + 1 && empty_last) ||
           (fields + 1 == reader->fields && reader->open_header);
}

/* Returns the number of fields of the row [at, end) without changing it, or 0 when its
 * quotes are wrong. */
static size_t count_fields(const char *at, const char *end)
{
    size_t fields = 1;

    for (;;) {
        while (at < end && *at == '\t')
            at++;
        if (at < end && *at == '"') {
            do {
                at = memchr(at + 1, '"', (size_t)(end - at - 1));
                if (!at)
                    return 0;
                at++;
            } while (at < end && *at == '"');
            while (at < end && (*at == '\t' || *at == ' '))
                at++;
            if (at < end && *at != ',')
                return 0;
        } else {
            const char *field = at, *comma = memchr(at, ',', (size_t)(end - at));

            at = comma ? comma : end;
            if (memchr(field, '\n', (size_t)(at - field)))
                return 0;
        }
        if (at == end)
            return fields;
        at++;
        fields++;
    }
}

static void forget_row(struct reader *reader)
{
    for (size_t i = 0; i < reader->count; i++)
        reader->row[i] = (struct csv_value){.text = ""};
}

static int take_row(struct reader *reader, char *end, bool quoted)
{
    char *at = reader->at;
    size_t field = 0, length = 0;

    if (memchr(at, '\0', (size_t)(end - at)))
        return fail_row(reader, ERR_INPUT, "the row contains a NUL byte");

    forget_row(reader);
    for (; at; field++) {
        char *start = cut_field(&at, end, quoted, &length);

        if (!start)
            return fail_row(reader, ERR_INPUT, "there is text after a closing quote");
        if (field < reader->fields && reader->targets[field].value &&
            take_field(reader, field, start, length) < 0)
            return -1;
    }
    if (!count_is_right(reader, field, length == 0))
        return err_set(reader->err, ERR_INPUT,
                       "%s:%llu: the row has %zu fields, the header has %zu",
                       reader->name, (unsigned long long)reader->line, field,
                       reader->fields);
    return 0;
}

static int key_read_name(struct reader *reader, const char *name)
{
    if (reader->fields == CSV_COLUMNS_MAX)
        return fail_row(reader, ERR_LIMIT, "the header has too many columns");
    struct target *to = &reader->targets[reader->fields++];
    for (size_t i = 0; i < reader->count && !to->value; i++)
        if (strcmp(reader->columns[i].name, name) == 0)
            *to = (struct target){&reader->row[i], reader->columns[i].kind};
    for (const struct target *it = reader->targets; to->value && it < to; it++)
        if (it->value == to->value)
            return err_set(reader->err, ERR_INPUT, "%s:%llu: column '%s' appears twice",
                           reader->name, (unsigned long long)reader->line, name);
    reader->open_header = *name == '\0';
    return 0;
}

static int take_header(struct reader *reader, char *end, bool quoted)
{
    const char *names[CSV_COLUMNS_MAX + 1];
    char *at = reader->at;
    size_t length;

    while (at) {
        char *start = cut_field(&at, end, quoted, &length);

        if (!start)
            return fail_row(reader, ERR_INPUT, "there is text after a closing quote");
        csv_value_trim(&start, &length, true);
        names[reader->fields] = start;
        if (key_read_name(reader, start) < 0)
            return -1;
    }
    names[reader->fields] = NULL;
    for (size_t i = 0; i < reader->fields; i++)
        if (reader->targets[i].value)
            reader->wanted[reader->wanted_count++] =
                (struct wanted){i, reader->starts + i, reader->targets[i]};
    for (size_t which = 0; which < reader->count; which++) {
        const char *name = reader->columns[which].name;
        size_t i = 0;

        while (i < reader->fields && reader->targets[i].value != &reader->row[which])
            i++;
        if (i < reader->fields || reader->columns[which].optional)
            continue;
        const char *nearest = text_nearest(name, names);
        return err_set(reader->err, ERR_INPUT, "%s:%llu: column '%s' is missing%s%s%s",
                       reader->name, (unsigned long long)reader->line, name,
                       nearest ? "; is it '" : "", nearest ? nearest : "",
                       nearest ? "'?" : "");
    }
    return 0;
}

static int take_quoted(struct reader *reader, size_t field, char *start, char *end)
{
    size_t length;
    char *next, *text = unquote(start, end, &next, &length);

    return text ? take_field(reader, field, text, length)
                : fail_row(reader, ERR_INPUT, "there is text after a closing quote");
}

/* Takes the requested fields of a row whose first fields were cut. */
static int take_wanted(struct reader *reader)
{
    const struct wanted *end = reader->wanted + reader->wanted_count;

    for (const struct wanted *wanted = reader->wanted; wanted < end; wanted++) {
        char *text = wanted->start[0];
        size_t length = (size_t)(wanted->start[1] - text) - 1; /* without the mark */

        if (*text == '"') {
            if (take_quoted(reader, wanted->field, text, text + length) < 0)
                return -1;
        } else if (!csv_value_quick(wanted->to.value, wanted->to.kind, text, length) &&
                   take_field(reader, wanted->field, text, length) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Reads plain rows from `at` on, up to a row that needs read_row() or does not end
 * inside the window. */
static int take_plain_rows(struct reader *reader, csv_row_fn *fn, void *arg)
{
    struct csv_marks marks = csv_marks_from(reader->at);
    const size_t fields = reader->fields;
    const size_t first =
        reader->wanted_count ? reader->wanted[reader->wanted_count - 1].field + 1 : 1;
    char **starts = reader->starts, *feed;

    for (;;) {
        starts[0] = reader->at;
        feed = csv_marks_cut(&marks, starts, first, fields);
        if (!feed)
            return 0;
        if (first == fields && feed > starts[0] && feed[-1] == '\r')
            starts[first]--;
        if (fields == 1 && starts[1] == starts[0] + 1)
            return 0; /* an empty line */
        if (take_wanted(reader) < 0) {
            if (!reader->bad)
                return -1;
            reader->bad(arg, reader->err->text);
        } else if (fn(arg, reader->row, reader->line, reader->err) < 0) {
            return -1;
        }
        reader->at = feed + 1;
        reader->line++;
    }
}

static uint64_t count_feeds(const char *at, const char *end)
{
    uint64_t feeds = 0;

    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        feeds++;
    }
    return feeds;
}

static int skip_mark(struct reader *reader)
{
    int more = 1;

    while (reader->end - reader->at < 3 && (more = refill(reader)) > 0)
        continue;
    if (more < 0)
        return -1;
    if (reader->end - reader->at >= 3 && memcmp(reader->at, "\xef\xbb\xbf", 3) == 0)
        reader->at += 3;
    return 0;
}

/* Reads a row of any form that ends at `end`. */
static int take_any_row(struct reader *reader, char *end, bool quoted)
{
    return reader->fields ? take_row(reader, end, quoted)
                          : take_header(reader, end, quoted);
}

/* Passes the line at `at` to the callback for damaged rows and goes to the next line.
 * Returns -1 when there is no such callback or the error has another cause. */
static int pass_bad_line(struct reader *reader, void *arg)
{
    enum err_code code = reader->err->code;
    char *feed = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));

    if (!reader->bad || !reader->fields || (code != ERR_INPUT && code != ERR_LIMIT) ||
        (!feed && !reader->drained))
        return -1;
    reader->bad(arg, reader->err->text);
    reader->at = feed ? feed + 1 : reader->end;
    reader->line++;
    return 0;
}

/* Returns true when a row of several lines is no row, as after a lost quote. The check
 * comes before take_row(), which changes the bytes. */
static bool is_several_rows(struct reader *reader, const char *end)
{
    size_t fields;

    if (!reader->bad || !reader->fields ||
        !memchr(reader->at, '\n', (size_t)(end - reader->at)))
        return false;
    fields = count_fields(reader->at, end);
    if (fields > 0 && count_is_right(reader, fields, true))
        return false;
    fail_row(reader, ERR_INPUT, "the quotes are wrong");
    return true;
}

static int read_rows(struct reader *reader, csv_row_fn *fn, void *arg)
{
    bool header = true, quoted;
    int more = 0;
    char *end;

    if (skip_mark(reader) < 0)
        return -1;
    for (;;) {
        end = find_row_end(reader, &quoted, &more);
        if (end ? quoted && is_several_rows(reader, end) : more < 0) {
            if (pass_bad_line(reader, arg) < 0)
                return -1;
            continue;
        }
        if (!end)
            break;
        char *behind = end < reader->end ? end + 1 : end;
        uint64_t feeds = quoted ? count_feeds(reader->at, behind) : 1;

        if (end > reader->at && end[-1] == '\r')
            end--;
        if (end > reader->at) {
            if (take_any_row(reader, end, quoted) < 0) {
                if (!reader->bad || header)
                    return -1;
                reader->bad(arg, reader->err->text);
                reader->at = behind;
                reader->line += feeds;
                continue;
            }
            if (!header && fn(arg, reader->row, reader->line, reader->err) < 0)
                return -1;
            header = false;
        }
        reader->at = behind;
        reader->line += feeds;
        if (!header && take_plain_rows(reader, fn, arg) < 0)
            return -1;
    }
    if (header)
        return fail_row(reader, ERR_INPUT, "the header is missing");
    return 0;
}

static int run(struct reader *reader, csv_row_fn *fn, void *arg)
{
    reader->line = 1;
    reader->room = WINDOW_BYTES;
    reader->window = reader->at = reader->end =
        xcalloc(1, reader->room + WINDOW_BEHIND);
    reader->targets = xcalloc(CSV_COLUMNS_MAX, sizeof(*reader->targets));
    reader->wanted = xcalloc(CSV_COLUMNS_MAX, sizeof(*reader->wanted));
    reader->starts = xcalloc(CSV_COLUMNS_MAX + 1, sizeof(*reader->starts));
    reader->row = xcalloc(reader->count, sizeof(*reader->row));
    forget_row(reader); /* columns that the header lacks have no value */
    int result = read_rows(reader, fn, arg);
    free(reader->row);
    free(reader->starts);
    free(reader->wanted);
    free(reader->targets);
    free(reader->window);
    return result;
}

int csv_read_fd(const char *name,
                int fd,
                const struct csv_column *columns,
                size_t count,
                csv_row_fn *fn,
                void *arg,
                struct err *err)
{
    struct reader reader = {.name = name,
                            .source = {.fd = fd},
                            .columns = columns,
                            .count = count,
                            .err = err};

    return run(&reader, fn, arg);
}

int csv_read_file(const char *path,
                  const struct csv_column *columns,
                  size_t count,
                  csv_row_fn *fn,
                  void *arg,
                  struct err *err)
{
    int fd;

    if (file_open(&fd, path, err) < 0)
        return -1;
    int result = csv_read_fd(path, fd, columns, count, fn, arg, err);
    close(fd);
    return result;
}

int csv_read_good_rows(const char *path,
                       const struct csv_column *columns,
                       size_t count,
                       csv_row_fn *fn,
                       csv_bad_row_fn *bad,
                       void *arg,
                       struct err *err)
{
    int fd;

    if (file_open(&fd, path, err) < 0)
        return -1;
    struct reader reader = {.name = path,
                            .source = {.fd = fd},
                            .columns = columns,
                            .count = count,
                            .bad = bad,
                            .err = err};
    int result = run(&reader, fn, arg);
    close(fd);
    return result;
}

int csv_read_memory(const char *name,
                    const void *bytes,
                    size_t size,
                    const struct csv_column *columns,
                    size_t count,
                    csv_row_fn *fn,
                    void *arg,
                    struct err *err)
{
    struct reader reader = {.name = name,
                            .source = {-1, bytes, size},
                            .columns = columns,
                            .count = count,
                            .err = err};

    return run(&reader, fn, arg);
}
