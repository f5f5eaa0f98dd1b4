#include "sim/tests/ranks.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define RANKS_MAX 8

struct common {
    HcclRootInfo root;
    sem_t is_there;
    int wrong[RANKS_MAX];
    uint32_t ranks;
    rank_fn *fn;
};

struct thread {
    pthread_t id;
    struct common *common;
    uint32_t rank;
};

static int run(struct common *common, struct rank *rank)
{
    int wrong;

    WRONG_UNLESS(!aclrtSetDevice((int32_t)rank->rank));
    if (rank->rank == 0) {
        WRONG_UNLESS(!HcclGetRootInfo(&common->root));
        for (uint32_t i = 1; i < rank->ranks; i++)
            sem_post(&common->is_there);
    } else {
        sem_wait(&common->is_there);
    }
    WRONG_UNLESS(!aclrtCreateStream(&rank->stream));
    WRONG_UNLESS(
        !HcclCommInitRootInfo(rank->ranks, &common->root, rank->rank, &rank->comm));
    wrong = common->fn(rank);
    WRONG_UNLESS(!HcclCommDestroy(rank->comm));
    WRONG_UNLESS(!aclrtDestroyStream(rank->stream));
    WRONG_UNLESS(!aclrtResetDevice((int32_t)rank->rank));
    return wrong;
}

static void run_one(struct common *common, uint32_t number)
{
    struct rank rank = {.rank = number, .ranks = common->ranks};

    common->wrong[number] = run(common, &rank);
}

static void *run_thread(void *arg)
{
    struct thread *thread = arg;

    run_one(thread->common, thread->rank);
    return NULL;
}

static void run_threads(struct common *common)
{
    struct thread threads[RANKS_MAX];

    for (uint32_t i = 0; i < common->ranks; i++) {
        threads[i].common = common;
        threads[i].rank = i;
        pthread_create(&threads[i].id, NULL, run_thread, &threads[i]);
    }
    for (uint32_t i = 0; i < common->ranks; i++)
        pthread_join(threads[i].id, NULL);
}

/* Threads have a process of their own too, so that this one can fork again. */
static void run_threads_apart(struct common *common)
{
    pid_t pid = fork();
    int status;

    if (pid == 0) {
        run_threads(common);
        _exit(0);
    }
    waitpid(pid, &status, 0);
}

static void run_processes(struct common *common)
{
    pid_t pids[RANKS_MAX];
    int status;

    for (uint32_t i = 0; i < common->ranks; i++) {
        pids[i] = fork();
        if (pids[i] == 0) {
            run_one(common, i);
            _exit(0);
        }
    }
    for (uint32_t i = 0; i < common->ranks; i++)
        waitpid(pids[i], &status, 0);
}

int ranks_run(enum ranks_where where, uint32_t ranks, rank_fn *fn)
{
    struct common *common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int wrong = 0;

    if (common == MAP_FAILED || sem_init(&common->is_there, 1, 0))
        return -1;
    common->ranks = ranks;
    common->fn = fn;
    for (uint32_t i = 0; i < ranks; i++)
        common->wrong[i] = -1; /* of who does not come back */
    if (where == RANKS_THREADS)
        run_threads_apart(common);
    else
        run_processes(common);
    for (uint32_t i = 0; i < ranks && !wrong; i++)
        wrong = common->wrong[i];
    munmap(common, sizeof(*common));
    return wrong;
}
