/* sensitive.c - a program that launches kernels and is sensitive to changes by a
 * library
 *
 *   errno: checks errno after each successful call
 *   signals: a timer interrupts the launching thread often; the handler and the mask
 * must not change, and the signals must arrive on this thread forks: forks children
 * while threads launch: some exec, some exit, some are spawned closes: closes all
 * descriptors that it did not open, and reuses their numbers stdin: prints whether its
 * standard input is open after a launch exits: exits while another thread launches
 *   crowds: other threads allocate and free memory all the time
 *   cramped: has more memory than can be copied, on the card and on the host
 *   frugal: counts the heap allocations of its thread after the last measured launch
 *
 * The output must be the same with and without inject. */
#include <acl/acl.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 500, LAUNCHES = 12, THREADS = 3, CHILDREN = 24, BURST = 50, ODD = 77 };
enum { LARGE = 512 << 20, SPARE = 256 << 20 };

extern char **environ;

/* Heap allocations on this thread by any library. */
static _Thread_local unsigned long allocations;
#ifndef __SANITIZE_ADDRESS__
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}
#endif

/* Arguments of accumulate_inplace: output += input. */
struct arguments {
    void *input, *output;
    void *count_address;
    uint32_t count, pad;
};

static aclrtFuncHandle accumulate;
static atomic_int errors, alarms, elsewhere;
static pthread_t first;

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "sensitive: %s\n", what);
    exit(1);
}

/* Counts successful calls that change errno. */
#define CALL(call)                                                                     \
    do {                                                                               \
        errno = ODD;                                                                   \
        need((call) == 0, #call);                                                      \
        if (errno != ODD)                                                              \
            atomic_fetch_add(&errors, 1);                                              \
    } while (0)

static void *upload(const void *values, size_t size)
{
    void *memory;

    CALL(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
    CALL(aclrtMemcpy(memory, size, values, size, ACL_MEMCPY_HOST_TO_DEVICE));
    return memory;
}

static long launch_and_check(int launches)
{
    aclrtPlaceHolderInfo holder = {offsetof(struct arguments, count_address),
                                   offsetof(struct arguments, count)};
    struct arguments arguments = {.count = COUNT};
    float values[COUNT];
    aclrtStream stream;
    long wrong = 0;

    for (int i = 0; i < COUNT; i++)
        values[i] = (float)i;
    CALL(aclrtSetDevice(0));
    CALL(aclrtCreateStream(&stream));
    arguments.input = upload(values, sizeof(values));
    arguments.output = upload(values, sizeof(values));
    for (int i = 0; i < launches; i++)
        CALL(aclrtLaunchKernelWithHostArgs(accumulate, 4, stream, NULL, &arguments,
                                           sizeof(arguments), &holder, 1));
    CALL(aclrtSynchronizeStream(stream));
    CALL(aclrtMemcpy(values, sizeof(values), arguments.output, sizeof(values),
                     ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < COUNT; i++)
        wrong += values[i] != (float)i * (float)(launches + 1);
    CALL(aclrtFree(arguments.input));
    CALL(aclrtFree(arguments.output));
    CALL(aclrtDestroyStream(stream));
    return wrong;
}

static void on_alarm(int signal)
{
    (void)signal;
    atomic_fetch_add(&alarms, 1);
    if (!pthread_equal(pthread_self(), first))
        atomic_fetch_add(&elsewhere, 1);
}

static void try_signals(void)
{
    struct sigaction action = {.sa_handler = on_alarm}, after;
    struct itimerval often = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
    sigset_t mine, now;
    long wrong;

    first = pthread_self();
    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR2);
    pthread_sigmask(SIG_SETMASK, &mine, NULL);
    need(sigaction(SIGALRM, &action, NULL) == 0, "sigaction"); /* no SA_RESTART */
    need(setitimer(ITIMER_REAL, &often, NULL) == 0, "setitimer");
    wrong = launch_and_check(LAUNCHES);
    while (atomic_load(&alarms) == 0)
        pause();
    need(setitimer(ITIMER_REAL, &never, NULL) == 0, "setitimer");
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    sigaction(SIGALRM, NULL, &after);
    printf("signals: wrong %ld, elsewhere %d, mask %d, handler %d\n", wrong,
           atomic_load(&elsewhere), sigismember(&now, SIGUSR2) == 1,
           after.sa_handler == on_alarm);
}

static void *launch_in_thread(void *arg)
{
    (void)arg;
    return (void *)launch_and_check(LAUNCHES);
}

static pid_t make_child(int i)
{
    char *const argv[] = {"/bin/true", NULL};
    pid_t pid = -1;

    if (i % 3 == 2) {
        need(posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) == 0, "spawn");
        return pid;
    }
    pid = fork();
    if (pid == 0 && i % 3 == 1)
        execv(argv[0], argv);
    if (pid == 0)
        _exit(0);
    return pid;
}

static void try_forks(void)
{
    pthread_t threads[THREADS];
    pid_t children[CHILDREN];
    long wrong = 0;
    int bad = 0;

    for (int i = 0; i < THREADS; i++)
        need(pthread_create(&threads[i], NULL, launch_in_thread, NULL) == 0, "thread");
    for (int i = 0; i < CHILDREN; i++)
        children[i] = make_child(i);
    for (int i = 0; i < CHILDREN; i++) {
        int status = -1;

        waitpid(children[i], &status, 0);
        bad += status != 0;
    }
    for (int i = 0; i < THREADS; i++) {
        void *one;

        pthread_join(threads[i], &one);
        wrong += (long)one;
    }
    printf("forks: wrong %ld, bad children %d\n", wrong, bad);
}

/* A library that still writes to its old descriptor would write into this file. */
static void try_closes(void)
{
    char path[] = "/tmp/sensitive-XXXXXX";
    int file = mkstemp(path), last = -1;
    struct stat is;
    long wrong = launch_and_check(1);

    need(file >= 0, "a file");
    unlink(path);
    need(dup2(file, 3) == 3, "dup2");
    for (int number = 4; number < 5000; number++)
        close(number);
    for (int i = 0; i < 400; i++)
        last = dup(3);
    wrong += launch_and_check(LAUNCHES);
    need(fstat(3, &is) == 0, "fstat");
    printf("closes: wrong %ld, last %d, bytes in our file %lld\n", wrong, last,
           (long long)is.st_size);
}

/* The first launches are measured. Later ones must allocate nothing. */
static void try_frugal(void)
{
    unsigned long before;
    long wrong = launch_and_check(LAUNCHES);

    before = allocations;
    for (int i = 0; i < LAUNCHES; i++)
        wrong += launch_and_check(LAUNCHES);
    printf("frugal: wrong %ld, allocations %lu\n", wrong, allocations - before);
}

static void *take_and_give_back(void *stop)
{
    void *blocks[BURST];

    CALL(aclrtSetDevice(0));
    while (!atomic_load((atomic_int *)stop)) {
        for (int i = 0; i < BURST; i++)
            CALL(aclrtMalloc(&blocks[i], 64, ACL_MEM_MALLOC_HUGE_FIRST));
        for (int i = 0; i < BURST; i++)
            CALL(aclrtFree(blocks[i]));
    }
    return NULL;
}

static void try_crowds(void)
{
    pthread_t threads[THREADS];
    atomic_int stop = 0;
    long wrong = 0;

    for (int i = 0; i < THREADS; i++)
        need(pthread_create(&threads[i], NULL, take_and_give_back, &stop) == 0,
             "thread");
    for (int i = 0; i < LAUNCHES; i++)
        wrong += launch_and_check(LAUNCHES);
    atomic_store(&stop, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("crowds: wrong %ld\n", wrong);
}

/* Limits the address space, so that the host has no room for the card's memory. */
static void try_cramped(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    struct rlimit limit;
    unsigned long pages;
    void *large;
    long wrong;

    CALL(aclrtMalloc(&large, LARGE, ACL_MEM_MALLOC_HUGE_FIRST));
    need(file && fscanf(file, "%lu", &pages) == 1 && getrlimit(RLIMIT_AS, &limit) == 0,
         "size");
    fclose(file);
    limit.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) + SPARE;
    need(setrlimit(RLIMIT_AS, &limit) == 0, "limit");
    wrong = launch_and_check(LAUNCHES);
    CALL(aclrtFree(large));
    printf("cramped: wrong %ld\n", wrong);
}

static void try_stdin(void)
{
    long wrong = launch_and_check(LAUNCHES);

    printf("stdin: wrong %ld, open %d\n", wrong, fcntl(STDIN_FILENO, F_GETFD) >= 0);
}

static void *launch_for_ever(void *arg)
{
    for (;;)
        launch_and_check(LAUNCHES);
    return arg;
}

static void try_exits(void)
{
    pthread_t thread;
    long wrong;

    need(pthread_create(&thread, NULL, launch_for_ever, NULL) == 0, "thread");
    wrong = launch_and_check(LAUNCHES);
    printf("exits: wrong %ld\n", wrong);
    fflush(stdout);
    _exit(7);
}

int main(int argc, char **argv)
{
    const char *way = argc == 3 ? argv[1] : "";
    aclrtBinHandle binary;

    need(argc == 3, "usage: sensitive WAY KERNEL");
    CALL(aclInit(NULL));
    CALL(aclrtSetDevice(0));
    need(aclrtBinaryLoadFromFile(argv[2], NULL, &binary) == 0, "binary");
    CALL(aclrtBinaryGetFunction(binary, "accumulate_inplace", &accumulate));
    if (strcmp(way, "signals") == 0)
        try_signals();
    else if (strcmp(way, "forks") == 0)
        try_forks();
    else if (strcmp(way, "closes") == 0)
        try_closes();
    else if (strcmp(way, "crowds") == 0)
        try_crowds();
    else if (strcmp(way, "cramped") == 0)
        try_cramped();
    else if (strcmp(way, "frugal") == 0)
        try_frugal();
    else if (strcmp(way, "stdin") == 0)
        try_stdin();
    else if (strcmp(way, "exits") == 0)
        try_exits();
    else
        printf("errno: wrong %ld\n", launch_and_check(LAUNCHES));
    need(aclrtBinaryUnLoad(binary) == 0, "unload");
    CALL(aclrtResetDevice(0));
    printf("errno changed %d times\n",
           strcmp(way, "errno") == 0 ? atomic_load(&errors) : 0);
    return 0;
}
