/* bench_barrier.c - how fast ranks of one host meet, and how far apart they leave
 *
 * N processes meet again and again: on the page of lib/shm/rank_barrier.h, at a bare
 * futex barrier, through a ZeroMQ star, and with Open MPI's MPI_Barrier where that is
 * installed. A round's latency is from the last arrival to the last release; its spread
 * from the first release to the last one. */
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <zmq.h>

#include "lib/shm/rank_barrier.h"
#include "tests/bench/ratio.h"

enum { RANKS_MAX = 64, ROUNDS = 400, WARM = 40, PAIRS = 5, MPI_PAIRS = 3 };

struct stamp {
    uint64_t arrived, released;
};

struct shared {
    _Atomic uint32_t come, gone; /* of the bare barrier */
    _Atomic uint32_t ready;
    struct stamp stamps[RANKS_MAX][ROUNDS];
};

struct figures {
    double latency_p50, latency_p99, spread_p50, spread_p99; /* ns */
};

static struct shared *shared;
static struct rank_barrier page;
static struct barrier_place place;
static void *context, *dealer;
static char address[64];

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void give_up(const char *what)
{
    fprintf(stderr, "bench_barrier: %s\n", what);
    exit(1);
}

/* The ways to meet: what a rank does before all rounds, and in each. */

static void join_page(uint32_t rank, uint32_t ranks)
{
    struct barrier_membership member = {1, ranks, rank, rank, rank, (uint32_t)getpid()};

    if (barrier_join(&page, &member, &place) < 0)
        give_up("no place at the page");
}

static void meet_on_page(uint32_t round)
{
    struct barrier_arrival arrival = {.stage = barrier_stage(1, round + 1),
                                      .fingerprint = 1,
                                      .reason = BARRIER_RELEASED};
    struct barrier_outcome outcome;

    barrier_wait(&page, &place, &arrival, 20000, &outcome);
    if (!barrier_is_released(&outcome))
        give_up(barrier_reason_name(outcome.reason));
}

static uint32_t ranks_now;

static void join_nothing(uint32_t rank, uint32_t ranks)
{
    (void)rank;
    ranks_now = ranks;
}

static void meet_bare(uint32_t round)
{
    if (atomic_fetch_add(&shared->come, 1) + 1 == (round + 1) * ranks_now) {
        atomic_store(&shared->gone, round + 1);
        syscall(SYS_futex, &shared->gone, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        return;
    }
    for (uint32_t gone; (gone = atomic_load(&shared->gone)) <= round;)
        syscall(SYS_futex, &shared->gone, FUTEX_WAIT, gone, NULL, NULL, 0);
}

static void join_star(uint32_t rank, uint32_t ranks)
{
    (void)rank;
    (void)ranks;
    context = zmq_ctx_new();
    dealer = zmq_socket(context, ZMQ_DEALER);
    if (zmq_connect(dealer, address) < 0)
        give_up("no way to the star's middle");
}

static void meet_at_star(uint32_t round)
{
    char byte = 0;

    (void)round;
    if (zmq_send(dealer, &byte, 1, 0) < 0 || zmq_recv(dealer, &byte, 1, 0) < 0)
        give_up("the star fell");
}

/* The middle of the star: hears all, then answers all. */
static void be_middle(uint32_t ranks)
{
    void *router;
    char ids[RANKS_MAX][64], byte;
    int sizes[RANKS_MAX];

    context = zmq_ctx_new();
    router = zmq_socket(context, ZMQ_ROUTER);
    if (zmq_bind(router, address) < 0)
        give_up("no socket for the star");
    atomic_fetch_add(&shared->ready, 1);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < ranks; i++) {
            sizes[i] = zmq_recv(router, ids[i], sizeof(ids[i]), 0);
            if (sizes[i] < 0 || zmq_recv(router, &byte, 1, 0) < 0)
                give_up("the star's middle");
        }
        for (uint32_t i = 0; i < ranks; i++) {
            zmq_send(router, ids[i], (size_t)sizes[i], ZMQ_SNDMORE);
            zmq_send(router, &byte, 1, 0);
        }
    }
    zmq_close(router);
    zmq_ctx_term(context);
}

struct way {
    const char *name;
    void (*join)(uint32_t rank, uint32_t ranks);
    void (*meet)(uint32_t round);
    void (*middle)(uint32_t ranks); /* one more process, or NULL */
};

static const struct way on_page = {"page", join_page, meet_on_page, NULL};
static const struct way bare = {"futex", join_nothing, meet_bare, NULL};
static const struct way star = {"zeromq", join_star, meet_at_star, be_middle};

static void be_rank(const struct way *way, uint32_t rank, uint32_t ranks)
{
    way->join(rank, ranks);
    atomic_fetch_add(&shared->ready, 1);
    while (atomic_load(&shared->ready) < ranks + (way->middle != NULL))
        usleep(200);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct stamp *stamp = &shared->stamps[rank][round];

        stamp->arrived = now_ns();
        way->meet(round);
        stamp->released = now_ns();
    }
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

static struct figures figures_of(uint32_t ranks)
{
    static uint64_t latency[ROUNDS - WARM], spread[ROUNDS - WARM];
    const size_t count = ROUNDS - WARM;

    for (uint32_t round = WARM; round < ROUNDS; round++) {
        uint64_t arrived = 0, first = UINT64_MAX, last = 0;

        for (uint32_t i = 0; i < ranks; i++) {
            const struct stamp *stamp = &shared->stamps[i][round];

            arrived = stamp->arrived > arrived ? stamp->arrived : arrived;
            first = stamp->released < first ? stamp->released : first;
            last = stamp->released > last ? stamp->released : last;
        }
        latency[round - WARM] = last - arrived;
        spread[round - WARM] = last - first;
    }
    qsort(latency, count, sizeof(latency[0]), by_value);
    qsort(spread, count, sizeof(spread[0]), by_value);
    return (struct figures){
        (double)latency[count / 2],
        (double)latency[count * 99 / 100],
        (double)spread[count / 2],
        (double)spread[count * 99 / 100],
    };
}

static void run_child(const struct way *way, uint32_t number, uint32_t ranks)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (number < ranks)
        be_rank(way, number, ranks);
    else
        way->middle(ranks);
    _exit(0);
}

static struct figures run(const struct way *way, uint32_t ranks)
{
    uint32_t processes = ranks + (way->middle != NULL);
    int memory = barrier_memory(1, RANKS_MAX, RANKS_MAX), status, bad = 0;

    atomic_store(&shared->come, 0);
    atomic_store(&shared->gone, 0);
    atomic_store(&shared->ready, 0);
    snprintf(address, sizeof(address), "ipc://@muster-bench-%d", (int)getpid());
    if (memory < 0 || barrier_map(&page, memory, -1) < 0)
        give_up("no page");
    close(memory);
    for (uint32_t i = 0; i < processes; i++)
        if (fork() == 0)
            run_child(way, i, ranks);
    for (uint32_t i = 0; i < processes; i++)
        bad |= wait(&status) < 0 || status != 0;
    barrier_unmap(&page);
    if (bad)
        give_up(way->name);
    return figures_of(ranks);
}

/* The other program prints the same four figures; false where it is not there. */
static bool run_mpi(uint32_t ranks, struct figures *out)
{
    char command[2048], self[512];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    FILE *pipe;
    bool good;

    if (length < 0)
        return false;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    snprintf(command, sizeof(command),
             "test -x %s/mpi_barrier && mpirun --allow-run-as-root --oversubscribe "
             "--mca mpi_yield_when_idle 1 --mca btl self,vader -np %u %s/mpi_barrier "
             "2>/dev/null",
             self, ranks, self);
    pipe = popen(command, "r");
    if (!pipe)
        return false;
    good = fscanf(pipe, "%lf %lf %lf %lf", &out->latency_p50, &out->latency_p99,
                  &out->spread_p50, &out->spread_p99) == 4;
    return pclose(pipe) == 0 && good;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof(values[0]), ratio_order);
    return values[count / 2];
}

static void tell(const char *what,
                 uint32_t ranks,
                 double ratio,
                 const char *of,
                 const char *budget,
                 bool holds)
{
    char name[64];

    snprintf(name, sizeof(name), "barrier.%s.%u", what, ranks);
    ratio_print(name, ratio, of, budget, holds);
}

static void against_floors(uint32_t ranks)
{
    double to_futex[PAIRS], to_star[PAIRS], to_spread[PAIRS], ratio;

    for (int i = 0; i < PAIRS; i++) {
        struct figures ours = run(&on_page, ranks), floor = run(&bare, ranks);
        struct figures zeromq = run(&star, ranks);

        to_futex[i] = ours.latency_p50 / floor.latency_p50;
        to_star[i] = ours.latency_p50 / zeromq.latency_p50;
        to_spread[i] = ours.spread_p50 / floor.spread_p50;
    }
    ratio = median(to_futex, PAIRS);
    tell("latency", ranks, ratio, "a bare futex barrier", "<= 1.3", ratio <= 1.3);
    ratio = median(to_star, PAIRS);
    tell("latency.star", ranks, ratio, "a ZeroMQ star", "<= 0.5", ratio <= 0.5);
    ratio = median(to_spread, PAIRS);
    tell("spread", ranks, ratio, "the spread of a bare futex barrier", "<= 1.5",
         ratio <= 1.5);
}

/* A yielding MPI burns its cores while it waits: with a core for each rank it is
 * faster. Only the spread at eight ranks has a budget. */
static bool against_mpi(uint32_t ranks)
{
    double latency[MPI_PAIRS], spread[MPI_PAIRS], ratio;

    for (int i = 0; i < MPI_PAIRS; i++) {
        struct figures ours = run(&on_page, ranks), mpi;

        if (!run_mpi(ranks, &mpi))
            return false;
        latency[i] = ours.latency_p50 / mpi.latency_p50;
        spread[i] = ours.spread_p99 / mpi.spread_p99;
    }
    ratio = median(latency, MPI_PAIRS);
    tell("latency.mpi", ranks, ratio, "MPI_Barrier of Open MPI, yielding", "none",
         true);
    ratio = median(spread, MPI_PAIRS);
    tell("spread99.mpi", ranks, ratio, "the 99 % spread of MPI_Barrier",
         ranks == 8 ? "< 1" : "none", ranks != 8 || ratio < 1);
    return true;
}

int main(void)
{
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        give_up("no memory");
    for (uint32_t ranks = 2; ranks <= RANKS_MAX; ranks *= 2)
        against_floors(ranks);
    for (uint32_t ranks = 2; ranks <= RANKS_MAX; ranks *= 2)
        if (!against_mpi(ranks)) {
            ratio_skip("barrier.latency.mpi", "Open MPI is not installed");
            break;
        }
    return 0;
}
