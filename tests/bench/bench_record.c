/* bench_record.c - what a call costs that the guest records: a mark of the program, and
 * memory that it takes and gives back, each against the call itself
 *
 * GUEST is the library, TOY/lib64 has a runtime without cost (toy_acl.c). A worker's
 * part is played by a thread that answers the guest's greeting; the ring is emptied
 * while no clock runs. */
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
static int rendezvous;

static void give_up(const char *what)
{
    fprintf(stderr, "bench_record: %s\n", what);
    exit(2);
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Says what a worker says, and stays: a process of one thread has cheaper locks. */
static void *answer(void *arg)
{
    union control_message message;
    int fds[CONTROL_FDS_MAX], given[2], memory = ring_memory(RING_BYTES);
    ssize_t size = control_wait(rendezvous, CONTROL_ANSWER_MS)
                       ? control_receive(rendezvous, &message, fds)
                       : -1;

    if (size <= 0 || memory < 0 || ring_map(&reader, memory, RING_BYTES) < 0)
        give_up("no greeting");
    control_message_init(&message, CONTROL_CONFIG);
    message.config.ring_bytes = RING_BYTES;
    message.config.world = 1;
    given[CONFIG_RING] = memory;
    given[CONFIG_RING_WAKE] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (control_send(fds[0], &message, given, 2) < 0)
        give_up("no answer");
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
    malloc_fn *take[2]; /* direct, through the hook */
    free_fn *give[2];
};

static struct calls calls;
static void *blocks[BATCH];

/* Each runs one batch; the toy gives the place of the answer as the address. */
static void take_all(int hooked)
{
    for (int i = 0; i < BATCH; i++)
        calls.take[hooked](&blocks[i], BLOCK, 0);
}

static void give_all(int hooked)
{
    for (int i = 0; i < BATCH; i++)
        calls.give[hooked](&blocks[i]);
}

static void end_heaps(int hooked)
{
    void (*end)(void *, void *) = (void (*)(void *, void *))mem[2];

    for (uintptr_t i = 0; i < BATCH && hooked; i++)
        end(NULL, (void *)(i + 1));
    for (uintptr_t i = 0; i < BATCH && !hooked; i++)
        calls.give[0]((void *)(i + 1));
}

/* Nanoseconds that the hook adds to a call; after each batch `undo` runs unmeasured. */
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
                give_up("records are missing");
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
    return added(take_all, give_all);
}

static void take_unseen(int hooked)
{
    take_all(hooked);
}

static double gives(void *arg)
{
    (void)arg;
    take_all(1);
    empty();
    return added(give_all, take_unseen);
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
    void *toy, *guest;
    pthread_t thread;
    struct stat is;
    char text[64];
    int ends[2];

    if (control_pair(ends) < 0 || fstat(ends[1], &is) < 0)
        give_up("no channel");
    rendezvous = ends[0];
    snprintf(text, sizeof(text), "%d:%llu", ends[1], (unsigned long long)is.st_ino);
    setenv(CONTROL_ENV, text, 1);
    setenv("ASCEND_HOME_PATH", TOY, 1);
    if (pthread_create(&thread, NULL, answer, NULL) != 0)
        give_up("no thread");
    toy = dlopen(TOY "/lib64/libascendcl.so", RTLD_NOW);
    guest = dlopen(GUEST, RTLD_NOW);
    if (!toy || !guest)
        give_up(dlerror());
    calls.take[0] = (malloc_fn *)dlsym(toy, "aclrtMalloc");
    calls.take[1] = (malloc_fn *)dlsym(guest, "aclrtMalloc");
    calls.give[0] = (free_fn *)dlsym(toy, "aclrtFree");
    calls.give[1] = (free_fn *)dlsym(guest, "aclrtFree");
    ((int (*)(int (*)(int, function ****, unsigned *)))dlsym(
        guest, "InitInjectionMstx"))(get_table);
    if (calls.take[1](&blocks[0], BLOCK, 0) != 0 || !reader.shared || empty() != 1 ||
        calls.give[1](&blocks[0]) != 0 || empty() != 1 || !mem[2])
        give_up("nothing is recorded");
}

int main(void)
{
    static const struct {
        const char *name;
        double (*ours)(void *arg);
        double wanted_ns;
        const char *budget;
    } lines[] = {
        {"inject: a recorded call, ns", heaps, 25, "<= 25"},
        /* these are kept in a table as well, and wait for a replay that is on */
        {"inject: recorded allocation, ns", takes, 65, "<= 65"},
        {"inject: recorded release, ns", gives, 65, "<= 65"},
    };

    open_all();
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        double ns = ratio_median(lines[i].ours, one, NULL);

        ratio_print(lines[i].name, ns, "1 ns over a direct call", lines[i].budget,
                    ns <= lines[i].wanted_ns);
    }
    return 0;
}
