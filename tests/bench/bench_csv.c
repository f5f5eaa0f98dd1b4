/* bench_csv.c - typed columns read by csv_read, against a bare memchr per field */
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/csv_read.h"
#include "base/mem.h"
#include "base/text.h"
#include "tests/bench/ratio.h"

enum { ROWS = 400000 };

static const struct csv_column columns[] = {
    {"Device_id", CSV_U64,    false},
    {"Op Name",   CSV_TEXT,   false},
    {"Task ID",   CSV_U64,    false},
    {"Start",     CSV_DOUBLE, false},
    {"Duration",  CSV_DOUBLE, false},
    {"Blocks",    CSV_U64,    false},
    {"Shapes",    CSV_TEXT,   false},
    {"Stream",    CSV_U64,    false},
};

struct sums {
    uint64_t rows, ids, fields;
    double time;
};

static struct text csv;

static void make_file(void)
{
    text_add(&csv, "Device_id,Op Name,Task ID,Start,Duration,Blocks,Shapes,Stream\n");
    for (uint64_t i = 0; i < ROWS; i++)
        text_printf(&csv,
                    "%" PRIu64 ",MatmulAllReduce_%" PRIu64 ",%" PRIu64
                    ",1732166400%06" PRIu64 ".%03" PRIu64 ",%" PRIu64 ".25,%" PRIu64
                    ",1024;1024;512,%" PRIu64 "\n",
                    i % 8, i % 97, i, i, i % 1000, i % 4096, i % 48, i % 33);
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

static double ours(void *arg)
{
    struct sums sums = {0};
    struct err err;
    uint64_t start = clock_mono_ns();

    (void)arg;
    if (csv_read_memory("bench.csv", csv.bytes, csv.length, columns, COUNT(columns),
                        add_up, &sums, &err) < 0 ||
        sums.rows != ROWS || sums.ids != (uint64_t)ROWS * (ROWS - 1) / 2)
        exit(1);
    return (double)(clock_mono_ns() - start);
}

/* The floor: every field found, and none read. */
static double by_memchr(void *arg)
{
    const char *at = csv.bytes, *end = at + csv.length;
    volatile uint64_t fields = 0;
    uint64_t start = clock_mono_ns(), count = 0;

    (void)arg;
    while (at < end) {
        const char *feed = memchr(at, '\n', (size_t)(end - at)), *comma;

        while ((comma = memchr(at, ',', (size_t)(feed - at)))) {
            count++;
            at = comma + 1;
        }
        count++;
        at = feed + 1;
    }
    fields = count;
    if (fields != (uint64_t)(ROWS + 1) * COUNT(columns))
        exit(1);
    return (double)(clock_mono_ns() - start);
}

int main(void)
{
    make_file();
    double ratio = ratio_median(by_memchr, ours, NULL);

    ratio_print("CSV in, 8 typed columns", ratio, "a bare memchr per field", ">= 0.8",
                ratio >= 0.8);
    text_clear(&csv);
    return 0;
}
