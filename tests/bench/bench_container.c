/* bench_container.c - speed of one core that writes groups of a capture, and reads them
 *
 * Writing computes the checksums and appends each group to a file, without fsync().
 * Reading verifies all checksums. The floor is a pass over the same memory. Times are
 * processor times, because the machine may be busy. */
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/capture/capture_reader.h"
#include "lib/capture/format/records.h"
#include "lib/capture/format/writer.h"
#include "tests/bench/ratio.h"

enum { CAPTURE_BYTES = 64 << 20, PIECE = 32 << 10 };

struct capture {
    uint8_t *bytes, *group;
    size_t size;
    double write_rate, read_rate; /* MB/s, of the last run */
};

static void stop(const char *reason)
{
    fprintf(stderr, "bench_container: %s\n", reason);
    exit(1);
}

static double busy_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void append(struct capture *capture, struct capture_writer *writer, int file)
{
    const void *bytes;
    size_t size;

    if (!capture_writer_finish(writer, &bytes, &size) ||
        write(file, bytes, size) != (ssize_t)size)
        stop("cannot append a group");
    capture->size += size;
}

static double write_capture(void *arg)
{
    static uint8_t piece[sizeof(struct record_channel_bytes) + PIECE] = {1};
    char path[] = "/tmp/bench_container.XXXXXX";
    struct capture *capture = arg;
    struct capture_writer writer;
    int file = mkstemp(path);
    double start;

    if (file < 0 || unlink(path) < 0)
        stop("cannot create a file in /tmp");
    store_u32(piece, sizeof(piece));
    capture->size = 0;
    capture_writer_init(&writer, capture->group, CAPTURE_GROUP_MAX, 9, 0, 0, 0);
    start = busy_ns();
    while (capture->size < CAPTURE_BYTES)
        if (capture_put(&writer, RECORD_CHANNEL_BYTES, piece, sizeof(piece), 1) !=
            CAPTURE_PUT_DONE)
            append(capture, &writer, file);
    start = busy_ns() - start;
    capture->write_rate = (double)capture->size / start * 1000;
    if (pread(file, capture->bytes, capture->size, 0) != (ssize_t)capture->size)
        stop("cannot read the file");
    close(file);
    return start;
}

static double read_capture(void *arg)
{
    struct capture *capture = arg;
    double start = busy_ns();
    struct capture_reader *reader =
        capture_reader_create(capture->bytes, capture->size);
    struct capture_block block;
    size_t payload = 0;

    while (capture_reader_next(reader, &block))
        payload += block.payload_bytes;
    if (capture_reader_counts(reader)->problems || payload < capture->size / 10 * 9)
        stop("the capture is not whole");
    capture_reader_destroy(reader);
    start = busy_ns() - start;
    capture->read_rate = (double)capture->size / start * 1000;
    return start;
}

static double add_words(void *arg)
{
    const struct capture *capture = arg;
    double start = busy_ns();
    uint64_t sum = 0;

    for (size_t at = 0; at + 8 <= capture->size; at += 8)
        sum += load_u64(capture->bytes + at);
    *(volatile uint64_t *)&(uint64_t){0} = sum;
    return busy_ns() - start;
}

int main(void)
{
    struct capture capture = {
        .bytes = xmalloc(CAPTURE_BYTES + CAPTURE_GROUP_MAX),
        .group = xmalloc(CAPTURE_GROUP_MAX),
    };

    ratio_median(write_capture, add_words, &capture);
    ratio_print("capture: groups written, MB/s", capture.write_rate, "one core",
                ">= 1000", capture.write_rate >= 1000);
    ratio_median(read_capture, add_words, &capture);
    ratio_print("capture: groups read, MB/s", capture.read_rate, "one core", ">= 500",
                capture.read_rate >= 500);
    free(capture.bytes);
    free(capture.group);
    return 0;
}
