/* bench_sim_launch.c - processor time of launching an empty kernel in the simulator
 *
 * Profiling is off. The time is the sum over all threads of the process. KERNEL is a
 * file with a kernel named probe_empty. The floor is the least work of an asynchronous
 * launch: an allocated block passes through a locked queue to another thread, which
 * frees it. */
#include <acl/acl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/bench/ratio.h"

enum {
    LAUNCHES = 100 * 1000,
    PAIRS_OF_CALLS = 5000,
    QUEUE = 4096,
    LAUNCHES_PER_SECOND = 100 * 1000
};

struct program {
    aclrtStream stream;
    aclrtFuncHandle kernel;
    uint32_t blocks;
};

static double cpu_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void need(int error, const char *step)
{
    if (!error)
        return;
    fprintf(stderr, "bench_sim_launch: %s failed: %d\n", step, error);
    exit(1);
}

static void launch(const struct program *program)
{
    uint64_t args[4] = {0};

    need(aclrtLaunchKernelWithHostArgs(program->kernel, program->blocks,
                                       program->stream, NULL, args, sizeof(args), NULL,
                                       0),
         "launch");
}

/* Returns the processor time per launch, in seconds. */
static double launches(void *arg)
{
    double start = cpu_s();

    for (int i = 0; i < LAUNCHES; i++)
        launch(arg);
    need(aclrtSynchronizeStream(((struct program *)arg)->stream), "synchronise");
    return (cpu_s() - start) / LAUNCHES;
}

static double launches_one_by_one(void *arg)
{
    double start = cpu_s();

    for (int i = 0; i < PAIRS_OF_CALLS; i++) {
        launch(arg);
        need(aclrtSynchronizeStream(((struct program *)arg)->stream), "synchronise");
    }
    return (cpu_s() - start) / PAIRS_OF_CALLS;
}

/* The floor: blocks that pass through a queue. */
struct piece {
    struct piece *next;
    char bytes[128];
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct piece *first, **last;
    int count;
    int left; /* blocks that the other thread has not received yet */
} queue = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *take_all(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&queue.mutex);
    while (queue.left > 0) {
        struct piece *piece = queue.first;

        if (!piece) {
            pthread_cond_wait(&queue.changed, &queue.mutex);
            continue;
        }
        queue.first = piece->next;
        if (!queue.first)
            queue.last = &queue.first;
        queue.left--;
        if (queue.count-- == QUEUE)
            pthread_cond_signal(&queue.changed);
        pthread_mutex_unlock(&queue.mutex);
        free(piece);
        pthread_mutex_lock(&queue.mutex);
    }
    pthread_mutex_unlock(&queue.mutex);
    return NULL;
}

static void enqueue(struct piece *piece)
{
    pthread_mutex_lock(&queue.mutex);
    while (queue.count == QUEUE)
        pthread_cond_wait(&queue.changed, &queue.mutex);
    piece->next = NULL;
    *queue.last = piece;
    queue.last = &piece->next;
    if (queue.count++ == 0)
        pthread_cond_signal(&queue.changed);
    pthread_mutex_unlock(&queue.mutex);
}

static double pieces(void *arg)
{
    double start = cpu_s();
    pthread_t thread;

    (void)arg;
    queue.last = &queue.first;
    queue.left = LAUNCHES;
    need(pthread_create(&thread, NULL, take_all, NULL), "thread");
    for (int i = 0; i < LAUNCHES; i++) {
        struct piece *piece = malloc(sizeof(*piece));

        need(!piece, "memory");
        memset(piece->bytes, i, sizeof(piece->bytes));
        enqueue(piece);
    }
    pthread_join(thread, NULL);
    return (cpu_s() - start) / LAUNCHES;
}

static double budget_s(void *arg)
{
    (void)arg;
    return 1.0 / LAUNCHES_PER_SECOND;
}

int main(void)
{
    struct program program = {.blocks = 1};
    aclrtBinHandle binary;
    double ratio;

    need(aclInit(NULL), "init");
    need(aclrtSetDevice(0), "device");
    need(aclrtCreateStream(&program.stream), "stream");
    need(aclrtBinaryLoadFromFile(KERNEL, NULL, &binary), "binary");
    need(aclrtBinaryGetFunction(binary, "probe_empty", &program.kernel), "kernel");
    launches(&program); /* warm-up */

    ratio = ratio_median(launches, budget_s, &program);
    ratio_print("simulated launches", 1 / ratio, "100,000 per second and core",
                ">= 1.0", ratio <= 1.0);
    program.blocks = 24;
    ratio = ratio_median(launches, budget_s, &program);
    ratio_print("simulated launches, 24 blocks", 1 / ratio,
                "100,000 per second and core", ">= 1.0", ratio <= 1.0);
    program.blocks = 1;
    ratio = ratio_median(launches, pieces, &program);
    ratio_print("a simulated launch", ratio, "a block through a queue", "<= 12",
                ratio <= 12);
    ratio = ratio_median(launches_one_by_one, budget_s, &program);
    ratio_print("simulated launches, each synchronised", 1 / ratio,
                "100,000 per second and core", ">= 0.1", ratio <= 10);
    need(aclrtResetDeviceForce(0), "reset");
    return 0;
}
