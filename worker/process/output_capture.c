#include "worker/process/output_capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/base/text.h"
#include "lib/base/utf8.h"
#include "runner/protocol/mark.h"

enum {
    FILE_MAX = 4 * 1024 * 1024,
    READ_BYTES = 16 * 1024,
    READS_PER_TURN = 16,
    PIPE_READS = (1 << 20) / READ_BYTES + 1, /* reads that empty the largest pipe */
};

struct output_capture {
    struct reactor *reactor;
    char *path;
    int in, file;
    bool holds, has_marks;
    bool watched; /* registered with the reactor */
    bool closed;  /* the output that follows belongs to the next file */
    char held[4096];
    size_t held_bytes, file_bytes;
    char tail[256];
    size_t tail_bytes;
    struct text rest; /* read but not assigned to a file; starts at a possible mark */
};

static void on_readable(void *arg)
{
    output_capture_read(arg);
}

static void watch(struct output_capture *capture, bool on)
{
    if (capture->in < 0 || capture->watched == on)
        return;
    if (on)
        reactor_on_fd(capture->reactor, capture->in, on_readable, capture);
    else
        reactor_off_fd(capture->reactor, capture->in);
    capture->watched = on;
}

struct output_capture *
output_capture_create(struct reactor *reactor,
                      const struct output_capture_options *options)
{
    struct output_capture *capture = xcalloc(1, sizeof(*capture));

    capture->reactor = reactor;
    capture->in = options->in;
    capture->path = xstrdup(options->file);
    capture->holds = options->holds;
    capture->has_marks = options->has_marks;
    capture->file = -1;
    watch(capture, true);
    return capture;
}

static void end_pipe(struct output_capture *capture)
{
    watch(capture, false);
    if (capture->in >= 0)
        close(capture->in);
    capture->in = -1;
}

void output_capture_destroy(struct output_capture *capture)
{
    if (!capture)
        return;
    end_pipe(capture);
    if (capture->file >= 0)
        close(capture->file);
    text_clear(&capture->rest);
    free(capture->path);
    free(capture);
}

/* The file */

static void keep_tail(struct output_capture *capture, const char *bytes, size_t size)
{
    size_t room = sizeof(capture->tail);

    if (size >= room) {
        memcpy(capture->tail, bytes + size - room, room);
        capture->tail_bytes = room;
        return;
    }
    if (capture->tail_bytes + size > room) {
        size_t keep = room - size;

        memmove(capture->tail, capture->tail + capture->tail_bytes - keep, keep);
        capture->tail_bytes = keep;
    }
    memcpy(capture->tail + capture->tail_bytes, bytes, size);
    capture->tail_bytes += size;
}

static bool make_file(struct output_capture *capture)
{
    if (capture->file < 0) {
        capture->file =
            open(capture->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
        if (capture->file >= 0 &&
            fd_write_all(capture->file, capture->held, capture->held_bytes) == 0)
            capture->file_bytes = capture->held_bytes;
    }
    return capture->file >= 0;
}

static bool hold(struct output_capture *capture, const char *bytes, size_t size)
{
    if (!capture->holds || capture->file >= 0 ||
        size > sizeof(capture->held) - capture->held_bytes)
        return false;
    memcpy(capture->held + capture->held_bytes, bytes, size);
    capture->held_bytes += size;
    return true;
}

static void put(struct output_capture *capture, const char *bytes, size_t size)
{
    size_t room = FILE_MAX - capture->file_bytes;

    if (size == 0)
        return;
    keep_tail(capture, bytes, size);
    if (hold(capture, bytes, size))
        return;
    room = size < room ? size : room;
    if (room > 0 && make_file(capture) && fd_write_all(capture->file, bytes, room) == 0)
        capture->file_bytes += room;
}

/* Marks */

static void skip(struct output_capture *capture, size_t size)
{
    struct text *rest = &capture->rest;

    if (size == 0)
        return;
    memmove(rest->bytes, rest->bytes + size, rest->length - size);
    rest->length -= size;
}

/* Writes the bytes before the first mark, or before a possible start of one. */
static void put_before_mark(struct output_capture *capture)
{
    if (capture->closed)
        return;
    size_t size = mark_find(text_get(&capture->rest), capture->rest.length);

    put(capture, text_get(&capture->rest), size);
    skip(capture, size);
}

/* Returns true, with its number, when the rest begins with a mark. */
static bool at_mark(const struct output_capture *capture, uint64_t *number)
{
    return mark_read(text_get(&capture->rest), capture->rest.length, number);
}

static void add_bytes(struct output_capture *capture, const char *bytes, size_t size)
{
    if (!capture->has_marks || (!capture->closed && capture->rest.length == 0 &&
                                mark_find(bytes, size) == size)) {
        put(capture, bytes, size);
        return;
    }
    text_add_bytes(&capture->rest, bytes, size);
    put_before_mark(capture);
}

/* Reads once from the pipe. Returns false when nothing is available or at its end. */
static bool read_some(struct output_capture *capture)
{
    char bytes[READ_BYTES];
    ssize_t size;

    if (capture->in < 0)
        return false;
    size = read(capture->in, bytes, sizeof(bytes));
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (size <= 0) {
        end_pipe(capture);
        put(capture, text_get(&capture->rest), capture->rest.length);
        text_reset(&capture->rest);
        return false;
    }
    add_bytes(capture, bytes, (size_t)size);
    return true;
}

void output_capture_read(struct output_capture *capture)
{
    uint64_t number;

    for (int i = 0; i < READS_PER_TURN && !capture->closed; i++)
        if (at_mark(capture, &number) || !read_some(capture))
            break;
    watch(capture, !capture->closed && !at_mark(capture, &number));
}

/* The runner prints the mark before its message, so the mark is in the pipe, unless the
 * operator closed stdout or another process prints without end. PIPE_READS bounds that.
 */
void output_capture_read_to(struct output_capture *capture, uint64_t mark, bool more)
{
    uint64_t number;

    for (int reads = 0; reads < PIPE_READS;) {
        if (!at_mark(capture, &number)) {
            reads = read_some(capture) ? reads + 1 : PIPE_READS;
            continue;
        }
        skip(capture, MARK_BYTES);
        capture->closed = more && number == mark;
        if (number == mark)
            return;
        put_before_mark(capture); /* output of a point that was discarded */
    }
}

void output_capture_switch_file(struct output_capture *capture, const char *file)
{
    if (capture->file >= 0)
        close(capture->file);
    capture->file = -1;
    capture->file_bytes = capture->tail_bytes = capture->held_bytes = 0;
    free(capture->path);
    capture->path = xstrdup(file);
    capture->closed = false;
    put_before_mark(capture);
    watch(capture, true);
}

void output_capture_keep(struct output_capture *capture)
{
    if (capture->held_bytes > 0)
        make_file(capture);
}

bool output_capture_has_file(const struct output_capture *capture)
{
    return capture->file >= 0;
}

/* The last line */

/* Copies printable characters; each sequence of other bytes becomes one '?'. */
static void copy_readable(char *out, size_t size, const char *at, const char *end)
{
    size_t used = 0;
    bool odd = false;

    while (at < end && used + 4 < size) {
        size_t length = utf8_length(at, end);

        if (length > 1 || (length == 1 && *at >= ' ' && *at != 0x7f)) {
            memcpy(out + used, at, length);
            used += length;
            odd = false;
        } else if (!odd) {
            out[used++] = '?';
            odd = true;
        }
        at += length ? length : 1;
    }
    out[used] = '\0';
}

void output_capture_last_line(const struct output_capture *capture,
                              char *out,
                              size_t size)
{
    size_t end = capture->tail_bytes, start;

    while (end > 0 &&
           (capture->tail[end - 1] == '\n' || capture->tail[end - 1] == '\r'))
        end--;
    for (start = end; start > 0 && capture->tail[start - 1] != '\n';)
        start--;
    copy_readable(out, size, capture->tail + start, capture->tail + end);
}
