#include "base/csv_read.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_read.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/source.h"
#include "base/text.h"

enum { WINDOW_BYTES = 256 * 1024 };

struct reader {
    const char *name;
    struct source source;
    char *window, *at, *end; /* [at, end) is not read yet; end[0] is writable */
    size_t room;
    bool drained;
    uint64_t line; /* of the row that is being read */
    const struct csv_column *columns;
    size_t count;
    size_t fields;         /* in the header */
    size_t *wanted;        /* per field of the header: which column, or `count` */
    bool open_header;      /* it ends in a comma */
    struct csv_value *row; /* per column */
    struct err *err;
};

static int fail_row(struct reader *reader, enum err_code code, const char *what)
{
    return err_set(reader->err, code, "%s:%llu: %s", reader->name,
                   (unsigned long long)reader->line, what);
}

/* 1 with more bytes behind `end`, 0 at the end of the input, -1 when it failed. What
 * was at `at` stays there, though `at` may move. */
static int refill(struct reader *reader)
{
    size_t kept = (size_t)(reader->end - reader->at);

    if (reader->drained)
        return 0;
    if (kept >= CSV_ROW_MAX)
        return fail_row(reader, ERR_LIMIT, "the row is longer than a mebibyte");
    memmove(reader->window, reader->at, kept);
    if (kept == reader->room) {
        reader->room *= 2;
        reader->window = xrealloc(reader->window, reader->room + 1);
    }
    reader->at = reader->window;
    reader->end = reader->window + kept;
    ssize_t got = source_read(&reader->source, reader->end, reader->room - kept);
    if (got < 0)
        return err_errno(reader->err, "%s", reader->name);
    reader->drained = got == 0;
    reader->end += got;
    return got > 0;
}

/* Where the row at `at` ends: its line feed, or the end of the input. Line feeds in
 * quotes do not count. `quoted` tells whether there are quotes at all. NULL with err,
 * or at the end of the input. */
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

/* The text inside the quotes at `at`, in place; *next is behind the closing one. NULL
 * when that is missing. */
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

/* Cuts the next field off the row [*at, end); *at is behind its comma, or NULL behind
 * the last field. NULL when the quotes are wrong. */
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

static void trim(char **start, size_t *length, bool number)
{
    while (*length && (**start == '\t' || (number && **start == ' '))) {
        (*start)++;
        (*length)--;
    }
    while (*length &&
           ((*start)[*length - 1] == '\t' || (number && (*start)[*length - 1] == ' ')))
        (*length)--;
    (*start)[*length] = '\0'; /* over a comma, a quote, or the end of the row */
}

static bool quick_u64(const char *text, size_t length, uint64_t *value)
{
    uint64_t number = 0;

    if (length == 0 || length > 19) /* 19 digits cannot overflow */
        return num_parse_u64(text, value);
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';

        if (digit > 9)
            return false;
        number = number * 10 + digit;
    }
    *value = number;
    return true;
}

static bool convert(enum csv_kind kind, struct csv_value *value, size_t length)
{
    switch (kind) {
    case CSV_U64:
        return quick_u64(value->text, length, &value->u64);
    case CSV_I64:
        if (quick_u64(value->text, length, &value->u64) && value->u64 <= INT64_MAX)
            return true; /* the same bits */
        return num_parse_i64(value->text, &value->i64);
    case CSV_DOUBLE:
        return json_number_double(value->text, &value->f64);
    default:
        return true;
    }
}

static bool is_nothing(const char *text, size_t length, enum csv_kind kind)
{
    return length == 0 || (kind != CSV_TEXT && text[0] == 'N' &&
                           (strcmp(text, "NA") == 0 || strcmp(text, "N/A") == 0));
}

static int take_field(struct reader *reader, size_t which, char *start, size_t length)
{
    static const char *const wanted[] = {"a text", "a whole number from 0 on",
                                         "a whole number", "a number"};
    const struct csv_column *column = &reader->columns[which];
    struct csv_value *value = &reader->row[which];

    trim(&start, &length, column->kind != CSV_TEXT);
    value->text = start;
    value->there = !is_nothing(start, length, column->kind);
    if (value->there && !convert(column->kind, value, length))
        return err_set(reader->err, ERR_INPUT, "%s:%llu:%s: '%.40s' is not %s",
                       reader->name, (unsigned long long)reader->line, column->name,
                       start, wanted[column->kind]);
    return 0;
}

/* As many fields as the header has; one more is fine when it is the empty one behind a
 * last comma, and so is one less when the header ends in such. */
static bool count_is_right(const struct reader *reader, size_t fields, bool empty_last)
{
    return fields == reader->fields || (fields == reader->fields + 1 && empty_last) ||
           (fields + 1 == reader->fields && reader->open_header);
}

static int take_row(struct reader *reader, char *end, bool quoted)
{
    char *at = reader->at;
    size_t field = 0, length = 0;

    if (memchr(at, '\0', (size_t)(end - at)))
        return fail_row(reader, ERR_INPUT, "the row has a NUL in it");

    for (size_t i = 0; i < reader->count; i++)
        reader->row[i] = (struct csv_value){.text = ""};
    for (; at; field++) {
        char *start = cut_field(&at, end, quoted, &length);

        if (!start)
            return fail_row(reader, ERR_INPUT, "something stands behind a quote");
        if (field < reader->fields && reader->wanted[field] < reader->count &&
            take_field(reader, reader->wanted[field], start, length) < 0)
            return -1;
    }
    if (!count_is_right(reader, field, length == 0))
        return err_set(reader->err, ERR_INPUT,
                       "%s:%llu: %zu fields, the header has %zu", reader->name,
                       (unsigned long long)reader->line, field, reader->fields);
    return 0;
}

static int take_name(struct reader *reader, const char *name)
{
    if (reader->fields == CSV_COLUMNS_MAX)
        return fail_row(reader, ERR_LIMIT, "too many columns");
    size_t which = 0;
    while (which < reader->count && strcmp(reader->columns[which].name, name) != 0)
        which++;
    for (size_t i = 0; which < reader->count && i < reader->fields; i++)
        if (reader->wanted[i] == which)
            return err_set(reader->err, ERR_INPUT, "%s:%llu: two columns '%s'",
                           reader->name, (unsigned long long)reader->line, name);
    reader->wanted[reader->fields++] = which;
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
            return fail_row(reader, ERR_INPUT, "something stands behind a quote");
        trim(&start, &length, true);
        names[reader->fields] = start;
        if (take_name(reader, start) < 0)
            return -1;
    }
    names[reader->fields] = NULL;
    for (size_t which = 0; which < reader->count; which++) {
        const char *name = reader->columns[which].name;
        size_t i = 0;

        while (i < reader->fields && reader->wanted[i] != which)
            i++;
        if (i < reader->fields || reader->columns[which].optional)
            continue;
        const char *nearest = text_nearest(name, names);
        return err_set(reader->err, ERR_INPUT, "%s:%llu: no column '%s'%s%s%s",
                       reader->name, (unsigned long long)reader->line, name,
                       nearest ? "; is it '" : "", nearest ? nearest : "",
                       nearest ? "'?" : "");
    }
    return 0;
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

static int read_rows(struct reader *reader, csv_row_fn *fn, void *arg)
{
    bool header = true, quoted;
    int more = 0;
    char *end;

    if (skip_mark(reader) < 0)
        return -1;
    while ((end = find_row_end(reader, &quoted, &more))) {
        char *behind = end < reader->end ? end + 1 : end;
        uint64_t feeds = quoted ? count_feeds(reader->at, behind) : 1;

        if (end > reader->at && end[-1] == '\r')
            end--;
        if (end > reader->at) {
            if ((header ? take_header(reader, end, quoted)
                        : take_row(reader, end, quoted)) < 0)
                return -1;
            if (!header && fn(arg, reader->row, reader->line, reader->err) < 0)
                return -1;
            header = false;
        }
        reader->at = behind;
        reader->line += feeds;
    }
    if (more < 0)
        return -1;
    if (header)
        return fail_row(reader, ERR_INPUT, "the header is missing");
    return 0;
}

static int run(struct reader *reader, csv_row_fn *fn, void *arg)
{
    reader->line = 1;
    reader->room = WINDOW_BYTES;
    reader->window = reader->at = reader->end = xmalloc(reader->room + 1);
    reader->wanted = xcalloc(CSV_COLUMNS_MAX, sizeof(*reader->wanted));
    reader->row = xcalloc(reader->count, sizeof(*reader->row));
    int result = read_rows(reader, fn, arg);
    free(reader->row);
    free(reader->wanted);
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
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return err_errno(err, "%s", path);
    int result = csv_read_fd(path, fd, columns, count, fn, arg, err);
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
    struct reader reader = {
        .name = name,
        .source = {-1, bytes, size},
        .columns = columns,
        .count = count,
        .err = err
    };

    return run(&reader, fn, arg);
}
