/* bench_parse.c - counter records in: against a loop that checks nothing, and
 * two processes against one */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "parsers/inputs/pmu.h"
#include "parsers/inputs/sample.h"
#include "tests/bench/ratio.h"

enum { BLOCKS = 24, PASSES = 10, LAUNCHES = 3000 };

struct input {
    struct schedule plan;
    struct text bytes; /* of one pass */
};

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

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
    double start = now_s();

    parse(arg, LAUNCHES);
    return now_s() - start;
}

/* What cannot be left out when nothing is checked: each record's key, cycles and
 * counters, into a table that is known to fit. */
static double floor_loop(void *arg)
{
    const struct input *input = arg;
    double start = now_s();

    for (int n = 0; n < LAUNCHES; n++) {
        size_t records = input->bytes.length / PMU_RECORD_BYTES;
        uint64_t *table = malloc(records * PASSES * 9 * sizeof(*table));

        for (size_t i = 0; i < PASSES; i++)
            for (size_t k = 0; k < records; k++) {
                const char *record = input->bytes.bytes + k * PMU_RECORD_BYTES;
                size_t kind = load_u16(record + 20) & 1;
                size_t row = load_u16(record + 30) * 3u + kind + load_u16(record + 28);
                uint64_t *cells = table + (row * PASSES + i) * 9;

                cells[8] = load_u64(record + 32);
                for (size_t slot = 0; slot < 8; slot++)
                    cells[slot] = load_u64(record + 48 + 8 * slot);
            }
        __asm__ volatile("" : : "r"(table) : "memory"); /* somebody may read it */
        free(table);
    }
    return now_s() - start;
}

/* The same work in so many processes. */
static double in_processes(const struct input *input, int count)
{
    double start = now_s();
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
    return now_s() - start;
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

    if (schedule_full(CHIP_A2, &input.plan, &err) < 0)
        return 1;
    for (uint16_t block = 0; block < BLOCKS; block++)
        for (uint16_t i = 0; i < 3; i++)
            sample_a2(&input.bytes, &(struct sample_block){
                                        .block = block,
                                        .is_aiv = i > 0,
                                        .sub_block = i == 2,
                                        .cycles = 1000u + i,
                                        .slots = {1, 2, 3, 4, 5, 6, 7, 8}
            });
    ratio = ratio_median(floor_loop, ours, &input);
    ratio_print("parse_counters", ratio, "a loop that checks nothing", ">= 0.15",
                ratio >= 0.15);
    ratio = ratio_median(one, two, &input);
    ratio_print("parse_two_processes", ratio, "one process", ">= 1.7", ratio >= 1.7);
    text_clear(&input.bytes);
    return 0;
}
