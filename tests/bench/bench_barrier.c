/* bench_barrier.c - latency and spread of the barrier between ranks of one host
 *
 * N processes wait for each other in many rounds, in four ways: the page of
 * lib/shm/rank_barrier.h, a bare futex barrier, a ZeroMQ star, and MPI_Barrier of Open
 * MPI, when it is installed. The latency of a round is the time from the last arrival
 * to the last release; its spread is the time from the first release to the last. */
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
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <zmq.h>

#include "lib/shm/rank_barrier.h"
#include "tests/bench/ratio.h"

enum {
    RANKS_MAX = 64,
    ROUNDS = 360,
    WARM = 40,
    WARM_SPIN = 4000,
    PAIRS = 5,
    MPI_PAIRS = 3
};

struct stamp {
    uint64_t arrived, released;
};

struct shared {
    _Atomic uint32_t arrivals, finished; /* of the futex barrier */
    _Atomic uint32_t ready;
    struct stamp stamps[RANKS_MAX][ROUNDS];
};

struct figures {
    double latency_p50, latency_p99, spread_p50, spread_p99; /* ns */
};

/* Ranks on cores of their own need some milliseconds until the system gave each one a
 * core. Their rounds are short, so they need more rounds before the first one counts.
 */
static uint32_t warm_rounds;

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

static void give_up(const char *reason)
{
    fprintf(stderr, "bench_barrier: %s\n", reason);
    exit(1);
}

/* Four kinds of barriers: join() runs before the first round, wait() in each round. */

static void join_page(uint32_t rank, uint32_t ranks)
{
    struct barrier_membership member = {1, ranks, rank, rank, rank, (uint32_t)getpid()};

    if (barrier_join(&page, &member, &place) < 0)
        give_up("cannot join the barrier page");
}

static void wait_on_page(uint32_t round)
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

static void join_futex(uint32_t rank, uint32_t ranks)
{
    (void)rank;
    ranks_now = ranks;
}

static void wait_at_futex(uint32_t round)
{
    if (atomic_fetch_add(&shared->arrivals, 1) + 1 == (round + 1) * ranks_now) {
        atomic_store(&shared->finished, round + 1);
        syscall(SYS_futex, &shared->finished, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
        return;
    }
    for (uint32_t finished; (finished = atomic_load(&shared->finished)) <= round;)
        syscall(SYS_futex, &shared->finished, FUTEX_WAIT, finished, NULL, NULL, 0);
}

static void join_star(uint32_t rank, uint32_t ranks)
{
    (void)rank;
    (void)ranks;
    context = zmq_ctx_new();
    dealer = zmq_socket(context, ZMQ_DEALER);
    if (zmq_connect(dealer, address) < 0)
        give_up("cannot connect to the centre of the star");
}

static void wait_at_star(uint32_t round)
{
    char byte = 0;

    (void)round;
    if (zmq_send(dealer, &byte, 1, 0) < 0 || zmq_recv(dealer, &byte, 1, 0) < 0)
        give_up("cannot exchange messages with the centre of the star");
}

/* The centre of the star receives one message of each rank, then answers all. */
static void run_centre(uint32_t ranks)
{
    void *router;
    char ids[RANKS_MAX][64], byte;
    int sizes[RANKS_MAX];

    context = zmq_ctx_new();
    router = zmq_socket(context, ZMQ_ROUTER);
    if (zmq_bind(router, address) < 0)
        give_up("cannot bind the socket of the star");
    atomic_fetch_add(&shared->ready, 1);
    for (uint32_t round = 0; round < warm_rounds + ROUNDS; round++) {
        for (uint32_t i = 0; i < ranks; i++) {
            sizes[i] = zmq_recv(router, ids[i], sizeof(ids[i]), 0);
            if (sizes[i] < 0 || zmq_recv(router, &byte, 1, 0) < 0)
                give_up("the centre of the star cannot receive");
        }
        for (uint32_t i = 0; i < ranks; i++) {
            zmq_send(router, ids[i], (size_t)sizes[i], ZMQ_SNDMORE);
            zmq_send(router, &byte, 1, 0);
        }
    }
    zmq_close(router);
    zmq_ctx_term(context);
}

struct barrier_kind {
    const char *name;
    void (*join)(uint32_t rank, uint32_t ranks);
    void (*wait)(uint32_t round);
    void (*centre)(uint32_t ranks); /* runs in a further process; may be NULL */
};

static const struct barrier_kind on_page = {"page", join_page, wait_on_page, NULL};
static const struct barrier_kind futex = {"futex", join_futex, wait_at_futex, NULL};
static const struct barrier_kind star = {"zeromq", join_star, wait_at_star, run_centre};

static long cores(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN);
}

static uint64_t late_rank_ns; /* rank 0 computes so long before it arrives */

static void compute(uint64_t ns)
{
    uint64_t end_ns = now_ns() + ns;

    while (ns && now_ns() < end_ns)
        ;
}

static void run_rank(const struct barrier_kind *kind, uint32_t rank, uint32_t ranks)
{
    kind->join(rank, ranks);
    atomic_fetch_add(&shared->ready, 1);
    while (atomic_load(&shared->ready) < ranks + (kind->centre != NULL))
        usleep(200);
    for (uint32_t round = 0; round < warm_rounds; round++)
        kind->wait(round);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct stamp *stamp = &shared->stamps[rank][i];

        if (rank == 0)
            compute(late_rank_ns);
        stamp->arrived = now_ns();
        kind->wait(warm_rounds + i);
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
    static uint64_t latency[ROUNDS], spread[ROUNDS];
    const size_t count = ROUNDS;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t arrived = 0, first = UINT64_MAX, last = 0;

        for (uint32_t i = 0; i < ranks; i++) {
            const struct stamp *stamp = &shared->stamps[i][round];

            arrived = stamp->arrived > arrived ? stamp->arrived : arrived;
            first = stamp->released < first ? stamp->released : first;
            last = stamp->released > last ? stamp->released : last;
        }
        latency[round] = last - arrived;
        spread[round] = last - first;
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

static void run_child(const struct barrier_kind *kind, uint32_t number, uint32_t ranks)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (number < ranks)
        run_rank(kind, number, ranks);
    else
        kind->centre(ranks);
    _exit(0);
}

static struct figures run(const struct barrier_kind *kind, uint32_t ranks)
{
    uint32_t processes = ranks + (kind->centre != NULL);
    int memory = barrier_memory(1, ranks, ranks), status, bad = 0;

    warm_rounds = ranks <= cores() ? WARM_SPIN : WARM;
    atomic_store(&shared->arrivals, 0);
    atomic_store(&shared->finished, 0);
    atomic_store(&shared->ready, 0);
    snprintf(address, sizeof(address), "ipc://@muster-bench-%d", (int)getpid());
    if (memory < 0 || barrier_map(&page, memory, -1) < 0)
        give_up("cannot create the barrier page");
    close(memory);
    for (uint32_t i = 0; i < processes; i++)
        if (fork() == 0)
            run_child(kind, i, ranks);
    for (uint32_t i = 0; i < processes; i++)
        bad |= wait(&status) < 0 || status != 0;
    barrier_unmap(&page);
    if (bad)
        give_up(kind->name);
    return figures_of(ranks);
}

/* The time of a core that the ranks of a run used. */
static double cpu_ns(void)
{
    struct rusage usage;

    getrusage(RUSAGE_CHILDREN, &usage);
    return 1e9 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e3 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Runs mpi_barrier, which prints the same four figures. Returns false when it or mpirun
 * is not installed. */
static bool run_mpi(uint32_t ranks, struct figures *out)
{
    char command[2048], self[512];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    FILE *pipe;
    bool read_all;

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
    read_all = fscanf(pipe, "%lf %lf %lf %lf", &out->latency_p50, &out->latency_p99,
                      &out->spread_p50, &out->spread_p99) == 4;
    return pclose(pipe) == 0 && read_all;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof(values[0]), ratio_order);
    return values[count / 2];
}

static void print(const char *figure,
                  uint32_t ranks,
                  double ratio,
                  const char *of,
                  const char *budget,
                  bool holds)
{
    char name[64];

    snprintf(name, sizeof(name), "barrier.%s.%u", figure, ranks);
    ratio_print(name, ratio, of, budget, holds);
}

static void compare_with_floors(uint32_t ranks)
{
    double to_futex[PAIRS], to_star[PAIRS], to_spread[PAIRS], ratio;

    for (int i = 0; i < PAIRS; i++) {
        struct figures ours = run(&on_page, ranks), floor = run(&futex, ranks);
        struct figures zeromq = run(&star, ranks);

        to_futex[i] = ours.latency_p50 / floor.latency_p50;
        to_star[i] = ours.latency_p50 / zeromq.latency_p50;
        to_spread[i] = ours.spread_p50 / floor.spread_p50;
    }
    ratio = median(to_futex, PAIRS);
    print("latency", ranks, ratio, "a bare futex barrier", "<= 1.3", ratio <= 1.3);
    ratio = median(to_star, PAIRS);
    print("latency.star", ranks, ratio, "a ZeroMQ star", "<= 0.5", ratio <= 0.5);
    ratio = median(to_spread, PAIRS);
    print("spread", ranks, ratio, "the spread of a bare futex barrier", "<= 1.5",
          ratio <= 1.5);
}

/* Rank 0 computes before it arrives. The time that the waiting ranks use is taken from
 * it when there are more ranks than cores. */
static void compare_use_of_cores(uint32_t ranks)
{
    double to_futex[PAIRS], ratio;

    late_rank_ns = 300000;
    for (int i = 0; i < PAIRS; i++) {
        double start = cpu_ns(), middle;

        run(&on_page, ranks);
        middle = cpu_ns();
        run(&futex, ranks);
        to_futex[i] = (middle - start) / (cpu_ns() - middle);
    }
    late_rank_ns = 0;
    ratio = median(to_futex, PAIRS);
    print("cpu", ranks, ratio, "the time of the cores with a bare futex barrier",
          "<= 1.2", ratio <= 1.2);
}

/* Ranks with a core of their own spin for a bounded time, and MPI spins too. With more
 * ranks only those of MPI spin, so only the spread from eight ranks on has a budget. */
static bool compare_with_mpi(uint32_t ranks)
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
    print("latency.mpi", ranks, ratio, "MPI_Barrier of Open MPI, yielding",
          ranks <= cores() ? "<= 3" : "none", ranks > cores() || ratio <= 3);
    ratio = median(spread, MPI_PAIRS);
    print("spread99.mpi", ranks, ratio, "the 99 % spread of MPI_Barrier",
          ranks <= cores() ? "<= 1"
          : ranks == 8     ? "< 1"
                           : "none",
          ranks <= cores() ? ratio <= 1 : ranks != 8 || ratio < 1);
    return true;
}

int main(void)
{
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        give_up("cannot allocate shared memory");
    for (uint32_t ranks = 2; ranks <= RANKS_MAX; ranks *= 2)
        compare_with_floors(ranks);
    compare_use_of_cores((uint32_t)(2 * cores() < RANKS_MAX ? 2 * cores() : RANKS_MAX));
    for (uint32_t ranks = 2; ranks <= RANKS_MAX; ranks *= 2)
        if (!compare_with_mpi(ranks)) {
            ratio_skip("barrier.latency.mpi", "Open MPI is not installed");
            break;
        }
    return 0;
}
