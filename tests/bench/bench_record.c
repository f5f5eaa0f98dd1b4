/* bench_record.c - cost of a call that the inject library records
 *
 * Measured calls are a mark of the program, an allocation and a release, each compared
 * with the direct call. INJECT is the path of the library; TOY/lib64 has a runtime
 * whose functions do nothing (toy_acl.c). A thread plays the worker and answers the
 * hello of inject. The ring is emptied outside of the measurement. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/shm/control_channel.h"
#include "tests/bench/ratio.h"

enum { BATCH = 10 * 1000, ROUNDS = 100, BLOCK = 1 << 20 };

typedef int malloc_fn(void **out, size_t size, int policy);
typedef int free_fn(void *address);
typedef void function(void);

static struct ring reader;
static function *mem[6];
static function **slots[6] = {NULL, &mem[1], &mem[2], &mem[3], &mem[4], &mem[5]};
static int channel;

static void give_up(const char *reason)
{
    fprintf(stderr, "bench_record: %s\n", reason);
    exit(2);
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Answers as a worker does. The thread then stays until the end, because locks are
 * cheaper in a process of one thread and an operator has several. */
static void *answer(void *arg)
{
    union control_message message;
    int fds[CONTROL_FDS_MAX], given[2], memory = ring_memory(RING_BYTES, 1);
    ssize_t size = control_wait(channel, CONTROL_ANSWER_MS)
                       ? control_receive(channel, &message, fds)
                       : -1;

    if (size <= 0 || memory < 0 || ring_map(&reader, memory, RING_BYTES, 1) < 0)
        give_up("inject sent no hello");
    control_message_init(&message, CONTROL_CONFIG);
    message.config.ring_bytes = RING_BYTES;
    message.config.ring_lanes = 1;
    message.config.world = 1;
    given[CONFIG_RING] = memory;
    given[CONFIG_RING_WAKE] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (control_send(fds[0], &message, given, 2) < 0)
        give_up("cannot send the configuration");
    control_wait(fds[0], 1000 * CONTROL_ANSWER_MS); /* until the process ends */
    return arg;
}

static unsigned empty(void)
{
    static uint8_t payload[RING_FRAME_MAX];
    struct ring_frame frame;
    unsigned count = 0;

    while (ring_take(&reader, &frame, payload) == RING_TAKEN)
        count++;
    return count;
}

struct calls {
    malloc_fn *allocate[2]; /* direct, through the hook */
    free_fn *release[2];
};

static struct calls calls;
static void *blocks[BATCH];

/* Each function runs one batch. The runtime of toy_acl.c returns the address of its
 * out-pointer as the allocated address. */
static void allocate_all(int hooked)
{
    for (int i = 0; i < BATCH; i++)
        calls.allocate[hooked](&blocks[i], BLOCK, 0);
}

static void release_all(int hooked)
{
    for (int i = 0; i < BATCH; i++)
        calls.release[hooked](&blocks[i]);
}

static void end_heaps(int hooked)
{
    void (*end)(void *, void *) = (void (*)(void *, void *))mem[2];

    for (uintptr_t i = 0; i < BATCH && hooked; i++)
        end(NULL, (void *)(i + 1));
    for (uintptr_t i = 0; i < BATCH && !hooked; i++)
        calls.release[0]((void *)(i + 1));
}

/* Returns the nanoseconds that the hook adds to a call. undo runs after each batch,
 * outside of the measurement. */
static double added(void (*batch)(int), void (*undo)(int))
{
    double best[2] = {1e9, 1e9};

    for (int round = 0; round < ROUNDS; round++)
        for (int hooked = 0; hooked < 2; hooked++) {
            double start, spent;

            start = now_ns();
            batch(hooked);
            spent = (now_ns() - start) / BATCH;
            best[hooked] = spent < best[hooked] ? spent : best[hooked];
            if (empty() != (hooked ? BATCH : 0))
                give_up("the ring has fewer records than calls");
            if (undo)
                undo(hooked);
            empty();
        }
    return best[1] - best[0];
}

static double one(void *arg)
{
    (void)arg;
    return 1;
}

static double heaps(void *arg)
{
    (void)arg;
    return added(end_heaps, NULL);
}

static double takes(void *arg)
{
    (void)arg;
    return added(allocate_all, release_all);
}

static void take_unseen(int hooked)
{
    allocate_all(hooked);
}

static double gives(void *arg)
{
    (void)arg;
    allocate_all(1);
    empty();
    return added(release_all, take_unseen);
}

static int get_table(int module, function ****table, unsigned *size)
{
    if (module != 3)
        return 1;
    *table = slots;
    *size = 6;
    return 0;
}

static void open_all(void)
{
    void *toy, *inject;
    pthread_t thread;
    struct stat is;
    char text[64];
    int ends[2];

    if (control_pair(ends) < 0 || fstat(ends[1], &is) < 0)
        give_up("cannot create the control channel");
    channel = ends[0];
    snprintf(text, sizeof(text), "%d:%llu", ends[1], (unsigned long long)is.st_ino);
    setenv(CONTROL_ENV, text, 1);
    setenv("ASCEND_HOME_PATH", TOY, 1);
    if (pthread_create(&thread, NULL, answer, NULL) != 0)
        give_up("cannot start a thread");
    toy = dlopen(TOY "/lib64/libascendcl.so", RTLD_NOW);
    inject = dlopen(INJECT, RTLD_NOW);
    if (!toy || !inject)
        give_up(dlerror());
    calls.allocate[0] = (malloc_fn *)dlsym(toy, "aclrtMalloc");
    calls.allocate[1] = (malloc_fn *)dlsym(inject, "aclrtMalloc");
    calls.release[0] = (free_fn *)dlsym(toy, "aclrtFree");
    calls.release[1] = (free_fn *)dlsym(inject, "aclrtFree");
    ((int (*)(int (*)(int, function ****, unsigned *)))dlsym(
        inject, "InitInjectionMstx"))(get_table);
    if (calls.allocate[1](&blocks[0], BLOCK, 0) != 0 || !reader.shared ||
        empty() != 1 || calls.release[1](&blocks[0]) != 0 || empty() != 1 || !mem[2])
        give_up("inject records no calls");
}

int main(void)
{
    static const struct {
        const char *name;
        double (*ours)(void *arg);
        double most_ns;
        const char *budget;
    } lines[] = {
        {"inject: a recorded call, ns", heaps, 25, "<= 25"},
        /* These calls also update a table and wait for a replay in progress. */
        {"inject: recorded allocation, ns", takes, 65, "<= 65"},
        {"inject: recorded release, ns", gives, 65, "<= 65"},
    };

    open_all();
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        double ns = ratio_median(lines[i].ours, one, NULL);

        ratio_print(lines[i].name, ns, "1 ns over a direct call", lines[i].budget,
                    ns <= lines[i].most_ns);
    }
    return 0;
}
