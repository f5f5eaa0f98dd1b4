/* bench_ring.c - speed of writing records into the ring of inject, on one core
 *
 * Only the writing is measured, because inject only writes; the ring is emptied outside
 * of the measurement. The floor is a copy of the same bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/shm/ring.h"
#include "tests/bench/ratio.h"

enum { RECORD = 112, BATCH = 16000, ROUNDS = 60, LEAST_PER_SECOND = 10 * 1000 * 1000 };

struct bench {
    struct ring writer, reader;
    uint8_t *target;
    double records_per_second; /* in the last run of ours() */
};

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void give_up(const char *reason)
{
    fprintf(stderr, "bench_ring: %s\n", reason);
    exit(1);
}

static void empty(struct bench *bench)
{
    static uint8_t payload[RING_FRAME_MAX];
    struct ring_frame frame;
    int count = 0;

    while (ring_take(&bench->reader, &frame, payload) == RING_TAKEN)
        count++;
    if (count != BATCH)
        give_up("the ring has fewer records than were written");
}

static double ours(void *arg)
{
    struct bench *bench = arg;
    uint8_t record[RECORD] = {1};
    struct iovec piece = {record, sizeof(record)};
    double spent = 0;

    for (int round = 0; round < ROUNDS; round++) {
        double start = now_s();

        for (int i = 0; i < BATCH; i++)
            if (!ring_put(&bench->writer, 0, 1, (uint64_t)i, &piece, 1))
                give_up("the ring is full");
        spent += now_s() - start;
        empty(bench);
    }
    bench->records_per_second = (double)BATCH * ROUNDS / spent;
    return spent;
}

static double copies(void *arg)
{
    struct bench *bench = arg;
    uint8_t record[RECORD] = {1};
    double start = now_s();

    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < BATCH; i++) {
            memcpy(bench->target + i * (RECORD + 16), record, sizeof(record));
            __asm__ volatile("" ::: "memory");
        }
    return now_s() - start;
}

int main(void)
{
    struct bench bench = {.target = calloc(BATCH, RECORD + 16)};
    int memory = ring_memory(RING_BYTES, 1);
    double ratio;
    char of[64];

    if (!bench.target || memory < 0 || ring_map(&bench.writer, memory, RING_BYTES, 1) ||
        ring_map(&bench.reader, memory, RING_BYTES, 1))
        give_up("cannot create the ring");
    close(memory);
    ours(&bench);
    ratio = ratio_median(ours, copies, &bench);
    snprintf(of, sizeof(of), "copying the bytes; %.1f M records/s",
             bench.records_per_second / 1e6);
    ratio_print("ring.write", ratio, of, ">= 10 M/s",
                bench.records_per_second >= LEAST_PER_SECOND);
    ring_unmap(&bench.writer);
    ring_unmap(&bench.reader);
    free(bench.target);
    return 0;
}
