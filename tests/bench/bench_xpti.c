/* bench_xpti.c - cost of a trace event of SYCL, with our dispatcher and subscriber
 *
 * The program is a producer with the proxy of the simulated one. A thread plays the
 * worker. The ring is emptied outside of the measurement. */
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/shm/control_channel.h"
#include "sim/xpti/proxy.h"
#include "tests/bench/ratio.h"

enum {
    EVENTS = 40 * 1000,
    ROUNDS = 40,

    THREADS = 4,
    TASK_BEGIN = 10,
    UNUSED_TYPE = 8,
    EMPTY_TYPE = 20, /* with a callback that does nothing */
    STARTS = 20
};

#define START_ONLY "start"

static struct ring reader;
static int channel;
static uint8_t stream;
static struct event *node;

static void give_up(const char *reason)
{
    fprintf(stderr, "bench_xpti: %s\n", reason);
    exit(2);
}

static double now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Gives a ring to the process that sent a hello. The first one is this process. */
static void answer_one(void)
{
    union control_message message;
    int fds[CONTROL_FDS_MAX], given[2],
        memory = ring_memory(RING_BYTES, RING_LANES_MAX);
    ssize_t size = control_receive(channel, &message, fds);

    if (size <= 0 || memory < 0 ||
        (!reader.shared && ring_map(&reader, memory, RING_BYTES, RING_LANES_MAX) < 0))
        give_up("the subscriber sent no hello");
    control_message_init(&message, CONTROL_CONFIG);
    message.config.ring_bytes = RING_BYTES;
    message.config.ring_lanes = RING_LANES_MAX;
    given[CONFIG_RING] = memory;
    given[CONFIG_RING_WAKE] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (control_send(fds[0], &message, given, 2) < 0)
        give_up("cannot send the configuration");
    close(memory); /* fds[0] stays open until the end */
    close(given[CONFIG_RING_WAKE]);
}

static void *answer(void *arg)
{
    while (control_wait(channel, 1000 * CONTROL_ANSWER_MS))
        answer_one();
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

/* Starts tracing as a runtime does, and creates one node. */
static void start_trace(void)
{
    struct place place = {.name = "Add", .file = "app.cpp", .line = 1};
    const struct proxy *proxy = proxy_get();
    uint64_t instance;

    if (!proxy_open(PROXY_YEAR))
        return;
    proxy->framework_initialize();
    stream = proxy->register_stream("sycl");
    proxy->initialize("sycl", 8, 1, "sycl 8.1");
    node = proxy->make_event("Add", &place, 2, 1, &instance);
    proxy->notify(stream, 4, NULL, node, instance, "command_group_node[0x1]");
}

static void open_all(void)
{
    pthread_t thread;
    struct stat is;
    char text[64];
    int ends[2];

    if (control_pair(ends) < 0 || fstat(ends[1], &is) < 0 ||
        fcntl(ends[1], F_SETFD, 0) < 0)
        give_up("cannot create the control channel");
    channel = ends[0];
    snprintf(text, sizeof(text), "%d:%llu", ends[1], (unsigned long long)is.st_ino);
    setenv(CONTROL_ENV, text, 1);
    setenv("XPTI_FRAMEWORK_DISPATCHER", DISPATCHER, 1);
    setenv("XPTI_SUBSCRIBERS", SUBSCRIBER, 1);
    if (pthread_create(&thread, NULL, answer, NULL) != 0)
        give_up("cannot start a thread");
    start_trace();
    if (!proxy_is_open)
        give_up("tracing is off");
}

/* Returns the nanoseconds of an event of the type. */
static double event_ns(uint16_t type, bool is_open)
{
    const struct proxy *proxy = proxy_get();
    volatile bool *open = &proxy_is_open;
    double start;

    *open = is_open;
    start = now_ns();
    for (int i = 0; i < EVENTS; i++)
        if (*open)
            proxy->notify(stream, type, NULL, node, (uint64_t)i, NULL);
    start = now_ns() - start;
    *open = true;
    return start / EVENTS;
}

/* Returns the nanoseconds over a program without XPTI. */
static double added(uint16_t type)
{
    double best[2] = {1e9, 1e9};

    for (int round = 0; round < ROUNDS; round++)
        for (int open = 0; open < 2; open++) {
            double ns = event_ns(type, open);

            best[open] = ns < best[open] ? ns : best[open];
            if (empty() != (open && type == TASK_BEGIN ? EVENTS : 0))
                give_up("the ring has another number of events than were sent");
        }
    return best[1] - best[0];
}

static void do_nothing(uint16_t type,
                       struct event *parent,
                       struct event *object,
                       uint64_t instance,
                       const void *user)
{
    (void)type, (void)parent, (void)object, (void)instance, (void)user;
}

static double one(void *arg)
{
    (void)arg;
    return 1;
}

static double unwatched(void *arg)
{
    (void)arg;
    return added(UNUSED_TYPE);
}

static double empty_callback(void *arg)
{
    (void)arg;
    return added(EMPTY_TYPE);
}

static double recorded(void *arg)
{
    (void)arg;
    return added(TASK_BEGIN);
}

static void *send_part(void *arg)
{
    for (int i = 0; i < EVENTS / THREADS; i++)
        proxy_get()->notify(stream, TASK_BEGIN, NULL, node, (uint64_t)i, NULL);
    return arg;
}

/* Returns the best time of EVENTS events on this number of threads. */
static double spent_on(int count)
{
    double best = 1e18;

    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];
        double start = now_ns();

        for (int i = 0; i < THREADS; i++) {
            if (pthread_create(&threads[i], NULL, send_part, NULL) != 0)
                give_up("cannot start a thread");
            if (count == 1)
                pthread_join(threads[i], NULL);
        }
        for (int i = 0; i < THREADS && count > 1; i++)
            pthread_join(threads[i], NULL);
        start = now_ns() - start;
        best = start < best ? start : best;
        if (empty() != EVENTS)
            give_up("the ring has fewer events than were sent");
    }
    return best;
}

static double one_by_one(void *arg)
{
    (void)arg;
    return spent_on(1);
}

static double together(void *arg)
{
    (void)arg;
    return spent_on(THREADS);
}

/* Returns the shortest time in ms of this program, which only starts a trace. */
static double process_ms(char *const *env)
{
    char *const argv[] = {"/proc/self/exe", START_ONLY, NULL};
    double best = 1e18;

    for (int round = 0; round < STARTS; round++) {
        double start = now_ns();
        int status;
        pid_t child;

        if (posix_spawn(&child, argv[0], NULL, NULL, argv, env) != 0 ||
            waitpid(child, &status, 0) != child || status != 0)
            give_up("cannot start a program");
        start = now_ns() - start;
        best = start < best ? start : best;
    }
    return best / 1e6;
}

static double started(void *arg)
{
    char *const none[] = {NULL};

    (void)arg;
    return process_ms(environ) - process_ms(none);
}

int main(int argc, char **argv)
{
    const bool scales = sysconf(_SC_NPROCESSORS_ONLN) >= THREADS;
    double ns, ratio, ms;

    if (argc > 1 && strcmp(argv[1], START_ONLY) == 0) {
        start_trace();
        return 0;
    }
    open_all();
    if (empty() == 0)
        give_up("the subscriber recorded nothing");
    ns = ratio_median(unwatched, one, NULL);
    ratio_print("xpti: event without a subscriber, ns", ns, "1 ns over no XPTI", "<= 2",
                ns <= 2);
    proxy_get()->register_callback(stream, EMPTY_TYPE, do_nothing);
    ns = ratio_median(empty_callback, one, NULL);
    ratio_print("xpti: event with an empty callback, ns", ns, "1 ns over no XPTI",
                "<= 15", ns <= 15);
    ns = ratio_median(recorded, one, NULL);
    ratio_print("xpti: recorded event, ns", ns, "1 ns over no XPTI", "<= 60", ns <= 60);
    ratio = ratio_median(one_by_one, together, NULL);
    ratio_print("xpti: 4 threads at once", ratio, "one thread after the other",
                scales ? ">= 3" : ">= 1", ratio >= (scales ? 3 : 1));
    ms = ratio_median(started, one, NULL);
    ratio_print("xpti: start of a program, ms", ms, "1 ms over no XPTI", "<= 5",
                ms <= 5);
    return 0;
}
