/* bench_parse.c - speed of reading counter records
 *
 * Three figures: a plain reader that does the same work, two processes compared with
 * one, and the page faults of each megabyte. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/records/pmu.h"
#include "parsers/records/sample_records.h"
#include "tests/bench/ratio.h"

enum { BLOCKS = 24, PASSES = 10, LAUNCHES = 3000 };

struct input {
    struct counter_schedule plan;
    struct text bytes; /* records of one pass */
};

static volatile uint64_t sink;

static void parse(const struct input *input, int launches)
{
    for (int n = 0; n < launches; n++) {
        struct pmu *pmu = pmu_create(CHIP_A2);
        struct pmu_notes notes;
        struct err err;

        for (size_t i = 0; i < PASSES; i++)
            pmu_add_pass(pmu, &input->plan.passes[i],
                         (const uint8_t *)input->bytes.bytes, input->bytes.length,
                         &notes, &err);
        pmu_finish(pmu);
        sink += pmu_row_count(pmu);
        pmu_destroy(pmu);
    }
}

static double ours(void *arg)
{
    uint64_t start = clock_mono_ns();

    parse(arg, LAUNCHES);
    return (double)(clock_mono_ns() - start);
}

struct plain_row {
    uint16_t block, sub_block, kind;
    uint32_t seen;
    uint64_t cells[PASSES * 9], start, end;
};

/* The plain reader takes the last group of each file, finds rows by linear search, and
 * takes the first record of a row in each pass. */
static size_t plain_group(const uint8_t *bytes, size_t count)
{
    uint32_t last = UINT32_MAX;
    size_t first = 0;

    for (size_t i = 0; i < count; i++, bytes += PMU_RECORD_BYTES) {
        uint16_t stream, task, function = load_u16(bytes) & 63;

        if (function != 0 && function != 0x29)
            continue;
        pmu_decode_ids(load_u16(bytes + 4), load_u16(bytes + 6), &stream, &task);
        uint32_t ids = (uint32_t)stream << 16 | task;
        if (ids != last)
            first = i;
        last = ids;
    }
    return first;
}

static struct plain_row *
plain_find(struct plain_row **rows, size_t *count, const uint8_t *record)
{
    uint16_t block = load_u16(record + 30), sub_block = load_u16(record + 28);
    uint16_t kind = load_u16(record + 20) & 1;

    for (size_t i = 0; i < *count; i++)
        if ((*rows)[i].block == block && (*rows)[i].sub_block == sub_block &&
            (*rows)[i].kind == kind)
            return &(*rows)[i];
    *rows = xreallocarray(*rows, *count + 1, sizeof(**rows));
    struct plain_row *row = &(*rows)[(*count)++];
    *row = (struct plain_row){.block = block, .sub_block = sub_block, .kind = kind};
    return row;
}

static double plain_reader(void *arg)
{
    const struct input *input = arg;
    const uint8_t *bytes = (const uint8_t *)input->bytes.bytes;
    size_t records = input->bytes.length / PMU_RECORD_BYTES;
    uint64_t start = clock_mono_ns();

    for (int n = 0; n < LAUNCHES; n++) {
        struct plain_row *rows = NULL;
        size_t count = 0;

        for (size_t pass = 0; pass < PASSES; pass++)
            for (size_t k = plain_group(bytes, records); k < records; k++) {
                const uint8_t *record = bytes + k * PMU_RECORD_BYTES;
                struct plain_row *row = plain_find(&rows, &count, record);

                row->start = load_u64(record + 112);
                row->end = load_u64(record + 120);
                if (row->seen >> pass & 1)
                    continue;
                for (size_t slot = 0; slot < 8; slot++)
                    row->cells[pass * 9 + slot] = load_u64(record + 48 + 8 * slot);
                row->cells[pass * 9 + 8] = load_u64(record + 32);
                row->seen |= 1u << pass;
            }
        sink += count;
        free(rows);
    }
    return (double)(clock_mono_ns() - start);
}

static long minor_faults(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* Returns the page faults per megabyte of records, without those of the first launch.
 */
static double faults_a_mb(const struct input *input)
{
    double mb = (double)input->bytes.length * PASSES * LAUNCHES / 1e6;
    long before;

    parse(input, 1);
    before = minor_faults();
    parse(input, LAUNCHES);
    return (double)(minor_faults() - before) / mb;
}

/* Runs the same work divided among count processes. Returns the time in ns. */
static double in_processes(const struct input *input, int count)
{
    uint64_t start = clock_mono_ns();
    pid_t children[2];

    for (int i = 0; i < count; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            parse(input, 4 * LAUNCHES / count);
            _exit(0);
        }
    }
    for (int i = 0; i < count; i++)
        waitpid(children[i], NULL, 0);
    return (double)(clock_mono_ns() - start);
}

static double one(void *arg)
{
    return in_processes(arg, 1);
}

static double two(void *arg)
{
    return in_processes(arg, 2);
}

int main(void)
{
    struct input input = {.bytes = {0}};
    struct err err;
    double ratio;

    if (counter_schedule_full(CHIP_A2, &input.plan, &err) < 0)
        return 1;
    for (uint16_t block = 0; block < BLOCKS; block++)
        for (uint16_t i = 0; i < 3; i++)
            sample_a2(&input.bytes,
                      &(struct sample_block){.block = block,
                                             .is_aiv = i > 0,
                                             .sub_block = i == 2,
                                             .cycles = 1000u + i,
                                             .slots = {1, 2, 3, 4, 5, 6, 7, 8}});
    ratio = faults_a_mb(&input);
    ratio_print("counters, page faults a MB", ratio, "1 minor fault per MB of records",
                "<= 20", ratio <= 20);
    ratio = ratio_median(plain_reader, ours, &input);
    ratio_print("counters in", ratio, "a plain reader with linear search", ">= 1",
                ratio >= 1);
    ratio = ratio_median(one, two, &input);
    ratio_print("counters in, two processes", ratio, "one process", ">= 1.7",
                ratio >= 1.7);
    text_clear(&input.bytes);
    return 0;
}
