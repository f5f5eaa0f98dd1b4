/* bench_csv.c - speed of csv_read with typed columns
 *
 * The floor is a loop that reads the same file and only searches the ends of fields.
 * The second figure compares two threads with one. */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/csv_read.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/bench/ratio.h"
#include "tests/bench/two.h"

enum { ROWS = 400000, PIECE = 256 * 1024 };

static const struct csv_column columns[] = {
    {"Device_id", CSV_U64, false},   {"Op Name", CSV_TEXT, false},
    {"Task ID", CSV_U64, false},     {"Start", CSV_DOUBLE, false},
    {"Duration", CSV_DOUBLE, false}, {"Blocks", CSV_U64, false},
    {"Shapes", CSV_TEXT, false},     {"Stream", CSV_U64, false},
};

struct sums {
    uint64_t rows, ids, fields;
    double time;
};

/* Creates the file in memory, so that no disk is measured. */
static int csv_file(void)
{
    int fd = memfd_create("csv", MFD_CLOEXEC);
    struct text csv = {0};

    text_add(&csv, "Device_id,Op Name,Task ID,Start,Duration,Blocks,Shapes,Stream\n");
    for (uint64_t i = 0; i < ROWS; i++)
        text_printf(&csv,
                    "%" PRIu64 ",MatmulAllReduce_%" PRIu64 ",%" PRIu64
                    ",1732166400%06" PRIu64 ".%03" PRIu64 ",%" PRIu64 ".25,%" PRIu64
                    ",1024;1024;512,%" PRIu64 "\n",
                    i % 8, i % 97, i, i, i % 1000, i % 4096, i % 48, i % 33);
    if (fd < 0 || write(fd, csv.bytes, csv.length) != (ssize_t)csv.length)
        exit(1);
    text_clear(&csv);
    return fd;
}

/* Opens the file again, because each reader needs a file position of its own. */
static int open_again(int fd)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        exit(1);
    return fd;
}

static int
add_up(void *arg, const struct csv_value *values, uint64_t line, struct err *e)
{
    struct sums *sums = arg;

    (void)line, (void)e;
    sums->rows++;
    sums->ids += values[2].u64;
    sums->time += values[4].f64;
    return 0;
}

static void *read_typed(void *arg)
{
    int fd = open_again(*(int *)arg);
    struct sums sums = {0};
    struct err err;

    if (csv_read_fd("bench.csv", fd, columns, COUNT(columns), add_up, &sums, &err) <
            0 ||
        sums.rows != ROWS || sums.ids != (uint64_t)ROWS * (ROWS - 1) / 2)
        exit(1);
    close(fd);
    return NULL;
}

static double ours(void *arg)
{
    uint64_t start = clock_mono_ns();

    read_typed(arg);
    return (double)(clock_mono_ns() - start);
}

/* Returns the number of fields in the complete lines from at to end. */
static uint64_t count_fields(const char *at, const char *end)
{
    uint64_t count = 0;

    while (at < end) {
        const char *feed = memchr(at, '\n', (size_t)(end - at)), *comma;

        while ((comma = memchr(at, ',', (size_t)(feed - at)))) {
            count++;
            at = comma + 1;
        }
        count++;
        at = feed + 1;
    }
    return count;
}

/* The floor: finds the end of every field and converts none. */
static double by_memchr(void *arg)
{
    uint64_t start = clock_mono_ns(), fields = 0;
    int fd = open_again(*(int *)arg);
    char *window = xmalloc(PIECE);
    size_t kept = 0;
    ssize_t got;

    while ((got = read(fd, window + kept, PIECE - kept)) > 0) {
        size_t size = kept + (size_t)got;
        const char *last = memrchr(window, '\n', size);

        fields += count_fields(window, last + 1);
        kept = (size_t)(window + size - (last + 1));
        memmove(window, last + 1, kept);
    }
    free(window);
    close(fd);
    if (fields != (uint64_t)(ROWS + 1) * COUNT(columns))
        exit(1);
    return (double)(clock_mono_ns() - start);
}

static double one_thread(void *arg)
{
    uint64_t start = clock_mono_ns();

    read_typed(arg);
    read_typed(arg);
    return (double)(clock_mono_ns() - start);
}

static double two_threads(void *arg)
{
    uint64_t start = clock_mono_ns();
    pthread_t other;

    if (pthread_create(&other, NULL, read_typed, arg) != 0)
        exit(1);
    read_typed(arg);
    pthread_join(other, NULL);
    return (double)(clock_mono_ns() - start);
}

int main(void)
{
    int fd = csv_file();
    double ratio = ratio_median(by_memchr, ours, &fd);

    ratio_print("CSV in, 8 typed columns", ratio, "read() and a memchr per field",
                ">= 0.8", ratio >= 0.8);
    ratio = ratio_median(one_thread, two_threads, &fd);
    ratio_print("CSV in, two threads", ratio, "one thread reads both", ">= 1.7",
                ratio >= 1.7);
    two_print("CSV in, two threads: this machine");
    close(fd);
    return 0;
}
