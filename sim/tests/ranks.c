#include "sim/tests/ranks.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
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
    enum ranks_where where;
    char table[64]; /* path */
    rank_fn *fn;
};

struct thread {
    pthread_t id;
    struct common *common;
    uint32_t rank;
};

uint32_t ranks_host(uint32_t rank, uint32_t ranks)
{
    return rank >= ranks / 2;
}

/* Tests run in parallel and use the same ports, so each needs its own addresses. */
void ranks_address(char *text, uint32_t host)
{
    static pid_t own;

    if (!own)
        own = getpid(); /* first called by the process that forks the others */
    snprintf(text, 32, "127.%d.%d.%u", own >> 8 & 0x7F, own & 0xFF, host + 1);
}

static bool is_by_table(const struct common *common)
{
    return common->where == RANKS_HOSTS || common->where == RANKS_HOST_THREADS;
}

static int write_table(struct common *common)
{
    const char *folder = getenv("TMPDIR");
    int fd;

    snprintf(common->table, sizeof(common->table), "%.40s/npu_sim_ranks_XXXXXX",
             folder ? folder : "/tmp");
    fd = mkstemp(common->table);
    if (fd < 0)
        return -1;
    dprintf(fd, "{\"status\":\"completed\",\"version\":\"1.0\","
                "\"server_count\":\"2\",\"server_list\":[");
    for (uint32_t rank = 0; rank < common->ranks; rank++) {
        uint32_t host = ranks_host(rank, common->ranks);
        char ip[32];

        ranks_address(ip, host);
        if (rank == 0 || host != ranks_host(rank - 1, common->ranks))
            dprintf(fd, "%s{\"server_id\":\"%s\",\"device\":[", rank ? "]}," : "", ip);
        else
            dprintf(fd, ",");
        dprintf(fd, "{\"device_id\":\"%u\",\"rank_id\":\"%u\"}", rank, rank);
    }
    dprintf(fd, "]}]}");
    return close(fd);
}

static int get_root(struct common *common, const struct rank *rank)
{
    if (rank->rank == 0) {
        WRONG_UNLESS(!HcclGetRootInfo(&common->root));
        for (uint32_t i = 1; i < rank->ranks; i++)
            sem_post(&common->is_there);
    } else {
        sem_wait(&common->is_there);
    }
    return 0;
}

static int come_together(struct common *common, struct rank *rank)
{
    if (is_by_table(common)) {
        WRONG_UNLESS(!HcclCommInitClusterInfo(common->table, rank->rank, &rank->comm));
        return 0;
    }
    WRONG_UNLESS(!get_root(common, rank));
    WRONG_UNLESS(
        !HcclCommInitRootInfo(rank->ranks, &common->root, rank->rank, &rank->comm));
    return 0;
}

static int run(struct common *common, struct rank *rank)
{
    int wrong;

    WRONG_UNLESS(!aclrtSetDevice((int32_t)rank->rank));
    WRONG_UNLESS(!aclrtCreateStream(&rank->stream));
    wrong = come_together(common, rank);
    if (wrong)
        return wrong;
    wrong = common->fn(rank);
    WRONG_UNLESS(!HcclCommDestroy(rank->comm));
    WRONG_UNLESS(!aclrtDestroyStream(rank->stream));
    WRONG_UNLESS(!aclrtResetDevice((int32_t)rank->rank));
    return wrong;
}

/* Puts the process on a host of its own, which has an address. */
static void move_to_host(const struct common *common, uint32_t rank)
{
    uint32_t host = ranks_host(rank, common->ranks);
    char ip[32];

    ranks_address(ip, host);
    setenv("HCCL_IF_IP", ip, 1);
    setenv("NPU_SIM_HOST", host ? "one" : "zero", 1);
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

/* Runs the threads in a child process, so that this process can fork again. */
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
            if (common->where == RANKS_HOST_ROOT)
                move_to_host(common, i);
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
    common->where = where;
    common->fn = fn;
    if (is_by_table(common) && write_table(common))
        return -1;
    for (uint32_t i = 0; i < ranks; i++)
        common->wrong[i] = -1; /* stays -1 for a rank that dies */
    if (where == RANKS_HOST_ROOT)
        ranks_address((char[32]){0}, 0);
    if (where == RANKS_THREADS || where == RANKS_HOST_THREADS)
        run_threads_apart(common);
    else
        run_processes(common);
    for (uint32_t i = 0; i < ranks && !wrong; i++)
        wrong = common->wrong[i];
    if (common->table[0])
        unlink(common->table);
    munmap(common, sizeof(*common));
    return wrong;
}
