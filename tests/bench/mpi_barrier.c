/* mpi_barrier.c - the four figures of bench_barrier.c for MPI_Barrier, in nanoseconds
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 400, WARM = 40 };

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
    static uint64_t stamps[2 * ROUNDS], latency[ROUNDS - WARM], spread[ROUNDS - WARM];
    const int count = ROUNDS - WARM;
    uint64_t *all = NULL;
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < ROUNDS; round++) {
        stamps[2 * round] = now_ns();
        MPI_Barrier(MPI_COMM_WORLD);
        stamps[2 * round + 1] = now_ns();
    }
    if (rank == 0)
        all = malloc(sizeof(stamps) * (size_t)ranks);
    MPI_Gather(stamps, 2 * ROUNDS, MPI_UINT64_T, all, 2 * ROUNDS, MPI_UINT64_T, 0,
               MPI_COMM_WORLD);
    for (int round = WARM; rank == 0 && all && round < ROUNDS; round++) {
        uint64_t arrived = 0, first = UINT64_MAX, last = 0;

        for (int i = 0; i < ranks; i++) {
            const uint64_t *stamp = &all[(2 * ROUNDS) * i + 2 * round];

            arrived = stamp[0] > arrived ? stamp[0] : arrived;
            first = stamp[1] < first ? stamp[1] : first;
            last = stamp[1] > last ? stamp[1] : last;
        }
        latency[round - WARM] = last - arrived;
        spread[round - WARM] = last - first;
    }
    if (rank == 0) {
        qsort(latency, (size_t)count, sizeof(latency[0]), by_value);
        qsort(spread, (size_t)count, sizeof(spread[0]), by_value);
        printf("%llu %llu %llu %llu\n", (unsigned long long)latency[count / 2],
               (unsigned long long)latency[count * 99 / 100],
               (unsigned long long)spread[count / 2],
               (unsigned long long)spread[count * 99 / 100]);
        free(all);
    }
    MPI_Finalize();
    return 0;
}
