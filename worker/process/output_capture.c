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
    READS_A_TURN = 16,
    PIPE_READS = (1 << 20) / READ_BYTES + 1, /* a pipe can be made so large */
};

struct output_capture {
    struct reactor *reactor;
    char *path;
    int in, file;
    bool holds, has_marks;
    bool watched; /* a pipe that nobody may read on is not listened to */
    bool closed;  /* what comes is for the next file */
    char held[4096];
    size_t held_bytes, file_bytes;
    char tail[256];
    size_t tail_bytes;
    struct text rest; /* heard, and not known whose it is: from a mark on */
};

static void on_readable(void *arg)
{
    output_capture_read(arg);
}

static void watch(struct output_capture *printed, bool on)
{
    if (printed->in < 0 || printed->watched == on)
        return;
    if (on)
        reactor_on_fd(printed->reactor, printed->in, on_readable, printed);
    else
        reactor_off_fd(printed->reactor, printed->in);
    printed->watched = on;
}

struct output_capture *
output_capture_create(struct reactor *reactor,
                      const struct output_capture_options *options)
{
    struct output_capture *printed = xcalloc(1, sizeof(*printed));

    printed->reactor = reactor;
    printed->in = options->in;
    printed->path = xstrdup(options->file);
    printed->holds = options->holds;
    printed->has_marks = options->has_marks;
    printed->file = -1;
    watch(printed, true);
    return printed;
}

static void end_pipe(struct output_capture *printed)
{
    watch(printed, false);
    if (printed->in >= 0)
        close(printed->in);
    printed->in = -1;
}

void output_capture_destroy(struct output_capture *printed)
{
    if (!printed)
        return;
    end_pipe(printed);
    if (printed->file >= 0)
        close(printed->file);
    text_clear(&printed->rest);
    free(printed->path);
    free(printed);
}

/* Where it goes */

static void keep_tail(struct output_capture *printed, const char *bytes, size_t size)
{
    size_t room = sizeof(printed->tail);

    if (size >= room) {
        memcpy(printed->tail, bytes + size - room, room);
        printed->tail_bytes = room;
        return;
    }
    if (printed->tail_bytes + size > room) {
        size_t keep = room - size;

        memmove(printed->tail, printed->tail + printed->tail_bytes - keep, keep);
        printed->tail_bytes = keep;
    }
    memcpy(printed->tail + printed->tail_bytes, bytes, size);
    printed->tail_bytes += size;
}

static bool make_file(struct output_capture *printed)
{
    if (printed->file < 0) {
        printed->file =
            open(printed->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
        if (printed->file >= 0 &&
            fd_write_all(printed->file, printed->held, printed->held_bytes) == 0)
            printed->file_bytes = printed->held_bytes;
    }
    return printed->file >= 0;
}

static bool hold(struct output_capture *printed, const char *bytes, size_t size)
{
    if (!printed->holds || printed->file >= 0 ||
        size > sizeof(printed->held) - printed->held_bytes)
        return false;
    memcpy(printed->held + printed->held_bytes, bytes, size);
    printed->held_bytes += size;
    return true;
}

static void put(struct output_capture *printed, const char *bytes, size_t size)
{
    size_t room = FILE_MAX - printed->file_bytes;

    if (size == 0)
        return;
    keep_tail(printed, bytes, size);
    if (hold(printed, bytes, size))
        return;
    room = size < room ? size : room;
    if (room > 0 && make_file(printed) && fd_write_all(printed->file, bytes, room) == 0)
        printed->file_bytes += room;
}

/* Marks */

static void skip(struct output_capture *printed, size_t size)
{
    struct text *rest = &printed->rest;

    if (size == 0)
        return;
    memmove(rest->bytes, rest->bytes + size, rest->length - size);
    rest->length -= size;
}

/* Puts what stands in front of the first mark, or of what may become one. */
static void put_known(struct output_capture *printed)
{
    if (printed->closed)
        return;
    size_t size = mark_find(text_get(&printed->rest), printed->rest.length);

    put(printed, text_get(&printed->rest), size);
    skip(printed, size);
}

/* The number of the mark that the rest begins with. */
static bool at_mark(const struct output_capture *printed, uint64_t *number)
{
    return mark_read(text_get(&printed->rest), printed->rest.length, number);
}

static void take(struct output_capture *printed, const char *bytes, size_t size)
{
    if (!printed->has_marks || (!printed->closed && printed->rest.length == 0 &&
                                mark_find(bytes, size) == size)) {
        put(printed, bytes, size);
        return;
    }
    text_add_bytes(&printed->rest, bytes, size);
    put_known(printed);
}

/* False: there is no more now, or never. */
static bool read_some(struct output_capture *printed)
{
    char bytes[READ_BYTES];
    ssize_t size;

    if (printed->in < 0)
        return false;
    size = read(printed->in, bytes, sizeof(bytes));
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (size <= 0) {
        end_pipe(printed);
        put(printed, text_get(&printed->rest), printed->rest.length);
        text_reset(&printed->rest);
        return false;
    }
    take(printed, bytes, (size_t)size);
    return true;
}

void output_capture_read(struct output_capture *printed)
{
    uint64_t number;

    for (int i = 0; i < READS_A_TURN && !printed->closed; i++)
        if (at_mark(printed, &number) || !read_some(printed))
            break;
    watch(printed, !printed->closed && !at_mark(printed, &number));
}

/* The mark was printed before we were told of it, so it is in the pipe: unless the
 * program has closed what it prints to, or others print there without an end. */
void output_capture_read_to(struct output_capture *printed, uint64_t mark, bool more)
{
    uint64_t number;

    for (int reads = 0; reads < PIPE_READS;) {
        if (!at_mark(printed, &number)) {
            reads = read_some(printed) ? reads + 1 : PIPE_READS;
            continue;
        }
        skip(printed, MARK_BYTES);
        printed->closed = more && number == mark;
        if (number == mark)
            return;
        put_known(printed); /* of one that nobody waited for */
    }
}

void output_capture_into(struct output_capture *printed, const char *file)
{
    if (printed->file >= 0)
        close(printed->file);
    printed->file = -1;
    printed->file_bytes = printed->tail_bytes = printed->held_bytes = 0;
    free(printed->path);
    printed->path = xstrdup(file);
    printed->closed = false;
    put_known(printed);
    watch(printed, true);
}

void output_capture_keep(struct output_capture *printed)
{
    if (printed->held_bytes > 0)
        make_file(printed);
}

bool output_capture_has_file(const struct output_capture *printed)
{
    return printed->file >= 0;
}

/* Words */

/* Characters as they are; anything else, however much of it, is one '?'. */
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

void output_capture_last_words(const struct output_capture *printed,
                               char *out,
                               size_t size)
{
    size_t end = printed->tail_bytes, start;

    while (end > 0 &&
           (printed->tail[end - 1] == '\n' || printed->tail[end - 1] == '\r'))
        end--;
    for (start = end; start > 0 && printed->tail[start - 1] != '\n';)
        start--;
    copy_readable(out, size, printed->tail + start, printed->tail + end);
}
