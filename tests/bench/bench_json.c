/* bench_json.c - speed of json_write for trace events
 *
 * In memory the floor is sprintf() of the same fields. To a file the floor is a
 * formatter for exactly these fields that checks nothing. */
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "tests/bench/ratio.h"

enum {
    EVENTS = 2000, /* fits into the cache, as an output buffer does */
    ROUNDS = 50,
    EVENT_ROOM = 512,
    PIECE = 1 << 20, /* output buffer of the plain formatter, in bytes */
};

struct event {
    char name[40];
    uint64_t start_ns, length_ns;
    unsigned pid, tid;
    double ratio;
};

static struct event events[EVENTS];

static void make_events(void)
{
    uint64_t hash = 1;

    for (size_t i = 0; i < EVENTS; i++) {
        hash = hash * 6364136223846793005u + 1442695040888963407u;
        snprintf(events[i].name, sizeof(events[i].name), "MatmulAllReduce_%u",
                 (unsigned)(hash >> 54));
        events[i].start_ns = 1000000000000u + i * 1000 + (hash >> 50);
        events[i].length_ns = hash >> 44;
        events[i].pid = (unsigned)(hash >> 60);
        events[i].tid = (unsigned)(hash >> 56);
        events[i].ratio = (double)(hash >> 52) / 1000;
    }
}

static void write_event(struct json_write *json, const struct event *event)
{
    json_write_object(json);
    json_write_key(json, "name");
    json_write_text(json, event->name);
    json_write_key(json, "ph");
    json_write_text(json, "X");
    json_write_key(json, "ts");
    json_write_scaled(json, (int64_t)event->start_ns, 3);
    json_write_key(json, "dur");
    json_write_scaled(json, (int64_t)event->length_ns, 3);
    json_write_key(json, "pid");
    json_write_u64(json, event->pid);
    json_write_key(json, "tid");
    json_write_u64(json, event->tid);
    json_write_key(json, "args");
    json_write_object(json);
    json_write_key(json, "ratio");
    json_write_fixed(json, event->ratio, 3);
    json_write_key(json, "length_ns");
    json_write_u64(json, event->length_ns);
    json_write_object_end(json);
    json_write_object_end(json);
}

static void write_events(struct json_write *json, int rounds)
{
    json_write_array(json);
    while (rounds--)
        for (size_t i = 0; i < EVENTS; i++)
            write_event(json, &events[i]);
    json_write_array_end(json);
}

static double to_text(void *arg)
{
    static struct text out; /* static: the pages are touched before the measurement */
    struct json_write json;
    struct err err;

    uint64_t start = clock_mono_ns();
    for (int i = 0; i < ROUNDS; i++) {
        text_reset(&out);
        json_write_to_text(&json, &out);
        write_events(&json, 1);
        json_write_finish(&json, &err);
    }
    *(size_t *)arg = out.length;
    return (double)(clock_mono_ns() - start);
}

static size_t sprintf_events(char *out)
{
    char *at = out;

    *at++ = '[';
    for (size_t i = 0; i < EVENTS; i++) {
        const struct event *it = &events[i];

        at += sprintf(at,
                      "%s{\"name\":\"%s\",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,"
                      "\"pid\":%u,\"tid\":%u,\"args\":{\"ratio\":%.3f,"
                      "\"length_ns\":%" PRIu64 "}}",
                      i ? "," : "", it->name, (double)it->start_ns / 1000,
                      (double)it->length_ns / 1000, it->pid, it->tid, it->ratio,
                      it->length_ns);
    }
    *at++ = ']';
    return (size_t)(at - out);
}

static void must_be_equal(size_t ours, size_t theirs)
{
    if (ours == theirs)
        return;
    fprintf(
        stderr,
        "bench_json: json_write and the floor wrote different texts: %zu, %zu bytes\n",
        ours, theirs);
    exit(1);
}

static double by_sprintf(void *arg)
{
    static char *out;

    if (!out)
        out = xcalloc(EVENTS, EVENT_ROOM);
    uint64_t start = clock_mono_ns();
    for (int i = 0; i < ROUNDS; i++)
        must_be_equal(*(size_t *)arg, sprintf_events(out));
    return (double)(clock_mono_ns() - start);
}

struct file {
    int fd;
    size_t length; /* bytes that json_write wrote */
};

static double to_file(void *arg)
{
    struct file *file = arg;
    struct json_write json;
    struct err err;

    lseek(file->fd, 0, SEEK_SET);
    uint64_t start = clock_mono_ns();
    json_write_to_fd(&json, file->fd);
    write_events(&json, ROUNDS);
    if (json_write_finish(&json, &err) < 0)
        exit(1);
    file->length = (size_t)lseek(file->fd, 0, SEEK_CUR);
    return (double)(clock_mono_ns() - start);
}

/* The plain formatter writes two digits at a time and escapes no text. */
static char *plain_number(char *out, uint64_t value, int at_least)
{
    static char pairs[200];
    char digits[24], *at = digits + sizeof(digits);

    if (!pairs[0])
        for (int i = 0; i < 100; i++) {
            pairs[2 * i] = (char)('0' + i / 10);
            pairs[2 * i + 1] = (char)('0' + i % 10);
        }
    for (; value >= 10; value /= 100)
        memcpy(at -= 2, pairs + 2 * (value % 100), 2);
    if (value || at == digits + sizeof(digits))
        *--at = (char)('0' + value);
    while (digits + sizeof(digits) - at < at_least)
        *--at = '0';
    size_t length = (size_t)(digits + sizeof(digits) - at);
    memcpy(out, at, length);
    return out + length;
}

static char *bare_thousandths(char *out, uint64_t value)
{
    out = plain_number(out, value / 1000, 1);
    *out++ = '.';
    return plain_number(out, value % 1000, 3);
}

#define BARE(out, literal)                                                             \
    (memcpy(out, literal, sizeof(literal) - 1), (out) + sizeof(literal) - 1)

static char *bare_event(char *out, const struct event *event)
{
    size_t length = strlen(event->name);

    out = BARE(out, "{\"name\":\"");
    memcpy(out, event->name, length);
    out = BARE(out + length, "\",\"ph\":\"X\",\"ts\":");
    out = bare_thousandths(out, event->start_ns);
    out = BARE(out, ",\"dur\":");
    out = bare_thousandths(out, event->length_ns);
    out = BARE(out, ",\"pid\":");
    out = plain_number(out, event->pid, 1);
    out = BARE(out, ",\"tid\":");
    out = plain_number(out, event->tid, 1);
    out = BARE(out, ",\"args\":{\"ratio\":");
    out = bare_thousandths(out, (uint64_t)(event->ratio * 1000 + 0.5));
    out = BARE(out, ",\"length_ns\":");
    out = plain_number(out, event->length_ns, 1);
    return BARE(out, "}}");
}

static void write_piece(int fd, const char *bytes, const char *end)
{
    if (write(fd, bytes, (size_t)(end - bytes)) != end - bytes)
        exit(1);
}

static double bare_to_file(void *arg)
{
    const struct file *file = arg;

    lseek(file->fd, 0, SEEK_SET);
    uint64_t start = clock_mono_ns();
    char *piece = xmalloc(PIECE + EVENT_ROOM), *at = piece;
    *at++ = '[';
    for (size_t i = 0; i < (size_t)EVENTS * ROUNDS; i++) {
        if (i)
            *at++ = ',';
        at = bare_event(at, &events[i % EVENTS]);
        if (at - piece >= PIECE) {
            write_piece(file->fd, piece, at);
            at = piece;
        }
    }
    *at++ = ']';
    write_piece(file->fd, piece, at);
    free(piece);
    must_be_equal(file->length, (size_t)lseek(file->fd, 0, SEEK_CUR));
    return (double)(clock_mono_ns() - start);
}

int main(void)
{
    struct file file = {.fd = memfd_create("trace", MFD_CLOEXEC)};
    size_t written = 0;

    make_events();
    to_text(&written);
    by_sprintf(&written);
    double ratio = ratio_median(by_sprintf, to_text, &written);
    ratio_print("trace JSON out", ratio, "sprintf of the same fields", ">= 5",
                ratio >= 5);
    to_file(&file);
    bare_to_file(&file);
    ratio = ratio_median(bare_to_file, to_file, &file);
    ratio_print("trace JSON out, to a file", ratio, "a plain formatter to a file",
                ">= 0.5", ratio >= 0.5);
    close(file.fd);
    return 0;
}
