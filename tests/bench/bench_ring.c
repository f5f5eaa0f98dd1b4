/* bench_ring.c - records into the ring of inject, on one core
 *
 * The ring is filled and, while no clock runs, emptied: what the guest pays is the
 * write. Against copying the same bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/shm/ring.h"
#include "tests/bench/ratio.h"

enum { RECORD = 112, BATCH = 16000, ROUNDS = 60, WANTED = 10 * 1000 * 1000 };

struct bench {
    struct ring writer, reader;
    uint8_t *target;
    double a_second; /* records, in the latest run of ours */
};

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void give_up(const char *what)
{
    fprintf(stderr, "bench_ring: %s\n", what);
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
        give_up("records are missing");
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
            if (!ring_put(&bench->writer, 1, (uint64_t)i, &piece, 1))
                give_up("the ring is full");
        spent += now_s() - start;
        empty(bench);
    }
    bench->a_second = (double)BATCH * ROUNDS / spent;
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
    int memory = ring_memory(RING_BYTES);
    double ratio;
    char of[64];

    if (!bench.target || memory < 0 || ring_map(&bench.writer, memory, RING_BYTES) ||
        ring_map(&bench.reader, memory, RING_BYTES))
        give_up("no ring");
    close(memory);
    ours(&bench);
    ratio = ratio_median(ours, copies, &bench);
    snprintf(of, sizeof(of), "copying the bytes; %.1f M records a second",
             bench.a_second / 1e6);
    ratio_print("ring.write", ratio, of, ">= 10 M/s", bench.a_second >= WANTED);
    ring_unmap(&bench.writer);
    ring_unmap(&bench.reader);
    free(bench.target);
    return 0;
}
