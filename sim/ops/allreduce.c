/* allreduce.c - computes the sum over all ranks: a collective without a kernel
 *
 * Ranks are threads of this process, processes that it forks, or processes started
 * separately. The latter pass the root info through a file, or get rank and rank table
 * from their environment. */
#include <hccl/hccl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

#define RANKS_MAX   64
#define FILE_WAIT_S 60

static uint32_t n = 16384, launches = 1, threads, ranks, own_rank = RANKS_MAX;
static const char *rank_file;

/* shared by forked ranks */
struct hand_over {
    HcclRootInfo root;
    sem_t is_there;
};

struct rank {
    uint32_t rank, count;
    HcclComm comm;
    float *output;
    size_t wrong;
    pthread_t thread;
};

static void hccl_check(HcclResult result, const char *call)
{
    if (!result)
        return;
    fprintf(stderr, "error %d: %s: %s\n", result, call, HcclGetErrorString(result));
    exit(1);
}
#define HCHECK(call) hccl_check(call, #call)

/* One card per rank, or the only card that is visible to this process. */
static void select_card(uint32_t rank)
{
    uint32_t cards = 0;

    CHECK(aclrtGetDeviceCount(&cards));
    CHECK(aclrtSetDevice(cards == 1 ? 0 : (int32_t)rank));
}

/* Before the communicator is created: input and output; afterwards: the check. */
static void run_rank(struct rank *rank)
{
    size_t size = n * sizeof(float);
    float *input = program_alloc(size);
    void *from, *into;
    aclrtStream stream;

    for (uint32_t i = 0; i < n; i++)
        input[i] = program_value(rank->rank, i);
    from = program_upload(input, size);
    into = program_upload(NULL, size);
    CHECK(aclrtCreateStream(&stream));
    for (uint32_t i = 0; i < launches; i++)
        HCHECK(HcclAllReduce(from, into, n, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM,
                             rank->comm, stream));
    CHECK(aclrtSynchronizeStream(stream));
    rank->output = program_alloc(size);
    program_download(rank->output, into, size);
    for (uint32_t i = 0; i < n; i++) {
        float sum = 0;

        for (uint32_t other = 0; other < rank->count; other++)
            sum += program_value(other, i);
        rank->wrong += rank->output[i] != sum;
    }
    CHECK(aclrtFree(from));
    CHECK(aclrtFree(into));
    CHECK(aclrtDestroyStream(stream));
    free(input);
}

static int print_result(const struct rank *rank, size_t wrong, const char *which)
{
    char shape[80];

    snprintf(shape, sizeof(shape), "n=%u ranks=%u%s launches=%u", n, rank->count, which,
             launches);
    return program_result("allreduce", shape, rank->output, n * sizeof(float), wrong);
}

static void *run_thread(void *arg)
{
    struct rank *rank = arg;

    CHECK(aclrtSetDevice((int32_t)rank->rank));
    run_rank(rank);
    HCHECK(HcclCommDestroy(rank->comm));
    CHECK(aclrtResetDevice((int32_t)rank->rank));
    return NULL;
}

static int run_threads(void)
{
    struct rank all[RANKS_MAX] = {0};
    int32_t devices[RANKS_MAX];
    HcclComm comms[RANKS_MAX];
    size_t wrong = 0;
    int code;

    CHECK(aclInit(NULL));
    for (uint32_t i = 0; i < threads; i++)
        devices[i] = (int32_t)i;
    HCHECK(HcclCommInitAll(threads, devices, comms));
    for (uint32_t i = 0; i < threads; i++) {
        all[i] = (struct rank){.rank = i, .count = threads, .comm = comms[i]};
        if (pthread_create(&all[i].thread, NULL, run_thread, &all[i])) {
            fprintf(stderr, "cannot start the thread of rank %u\n", i);
            exit(1);
        }
    }
    for (uint32_t i = 0; i < threads; i++) {
        pthread_join(all[i].thread, NULL);
        wrong += all[i].wrong;
    }
    code = print_result(&all[0], wrong, "");
    for (uint32_t i = 0; i < threads; i++)
        free(all[i].output);
    CHECK(aclFinalize());
    return code;
}

/* Runs one rank on its communicator. */
static int run_process(struct rank *rank, const char *which)
{
    int32_t device;
    int code = 0;

    CHECK(aclrtGetDevice(&device));
    run_rank(rank);
    HCHECK(HcclCommDestroy(rank->comm));
    CHECK(aclrtResetDevice(device));
    if (which[0] || rank->rank == 0)
        code = print_result(rank, rank->wrong, which);
    else
        code = rank->wrong ? 1 : 0;
    free(rank->output);
    return code;
}

static int run_fork(struct hand_over *common, uint32_t number)
{
    struct rank rank = {.rank = number, .count = ranks};
    int code;

    CHECK(aclInit(NULL));
    select_card(number);
    if (number == 0) {
        HCHECK(HcclGetRootInfo(&common->root));
        for (uint32_t i = 1; i < ranks; i++)
            sem_post(&common->is_there);
    } else {
        sem_wait(&common->is_there);
    }
    HCHECK(HcclCommInitRootInfo(rank.count, &common->root, rank.rank, &rank.comm));
    code = run_process(&rank, "");
    CHECK(aclFinalize());
    return code;
}

/* Forks before the first runtime call, because a child of a process with open cards
 * cannot use the runtime. */
static int run_forks(void)
{
    struct hand_over *common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pids[RANKS_MAX];
    int bad = 0, status;

    if (common == MAP_FAILED || sem_init(&common->is_there, 1, 0))
        return 1;
    for (uint32_t i = 0; i < ranks; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            exit(run_fork(common, i));
    }
    for (uint32_t i = 0; i < ranks; i++) {
        if (pids[i] < 0 || waitpid(pids[i], &status, 0) != pids[i] || status != 0)
            bad = 1;
        if (bad && i == 0)
            for (uint32_t k = 1; k < ranks; k++)
                sem_post(
                    &common->is_there); /* releases ranks that wait for the root info */
    }
    munmap(common, sizeof(*common));
    return bad;
}

static int write_root(const HcclRootInfo *root)
{
    char path[4096];
    FILE *file;
    int bad;

    snprintf(path, sizeof(path), "%s.%d", rank_file, (int)getpid());
    file = fopen(path, "w");
    if (!file)
        return -1;
    bad = fwrite(root, sizeof(*root), 1, file) != 1;
    bad |= fclose(file) != 0;
    return bad ? -1 : rename(path, rank_file);
}

static int read_root(HcclRootInfo *root)
{
    struct timespec pause = {.tv_nsec = 5000000};

    for (int i = 0; i < FILE_WAIT_S * 200; i++) {
        FILE *file = fopen(rank_file, "r");
        size_t got = file ? fread(root, sizeof(*root), 1, file) : 0;

        if (file)
            fclose(file);
        if (got == 1)
            return 0;
        nanosleep(&pause, NULL);
    }
    return -1;
}

static int run_one(void)
{
    struct rank rank = {.rank = own_rank, .count = ranks};
    HcclRootInfo root;
    char which[32];
    int code, bad;

    snprintf(which, sizeof(which), " rank=%u", own_rank);
    CHECK(aclInit(NULL));
    select_card(own_rank);
    if (own_rank == 0)
        HCHECK(HcclGetRootInfo(&root));
    bad = own_rank == 0 ? write_root(&root) : read_root(&root);
    if (bad) {
        fprintf(stderr, "allreduce: cannot write or read the root info in %s\n",
                rank_file);
        return 1;
    }
    HCHECK(HcclCommInitRootInfo(rank.count, &root, rank.rank, &rank.comm));
    code = run_process(&rank, which);
    if (own_rank == 0)
        unlink(
            rank_file); /* all ranks have read it: they have joined the communicator */
    CHECK(aclFinalize());
    return code;
}

/* Runs one rank, whose launcher wrote a rank table and set RANK_ID. */
static int run_of_table(const char *table)
{
    const char *id = getenv("RANK_ID"), *size = getenv("RANK_SIZE");
    struct rank rank = {0};
    char which[32];
    int code;

    rank.rank = id ? (uint32_t)strtoul(id, NULL, 10) : 0;
    rank.count = size ? (uint32_t)strtoul(size, NULL, 10) : 0;
    if (rank.rank >= rank.count || rank.count > RANKS_MAX) {
        fprintf(stderr, "allreduce: RANK_TABLE_FILE needs RANK_ID and RANK_SIZE too\n");
        return 2;
    }
    snprintf(which, sizeof(which), " rank=%u", rank.rank);
    CHECK(aclInit(NULL));
    select_card(rank.rank);
    HCHECK(HcclCommInitClusterInfo(table, rank.rank, &rank.comm));
    code = run_process(&rank, which);
    CHECK(aclFinalize());
    return code;
}

/* --rank-file is the only option with a text value. */
static void take_rank_file(char **argv)
{
    for (char **at = argv + 1; *at; at++)
        if (!strcmp(*at, "--rank-file") && at[1]) {
            rank_file = at[1];
            for (; at[2]; at++)
                at[0] = at[2];
            at[0] = NULL;
            return;
        }
}

int main(int argc, char **argv)
{
    const struct option_row rows[] = {
        {"--n", &n, 1, 1u << 26, "elements"},
        {"--launches", &launches, 1, 1u << 20, "number of reductions"},
        {"--threads", &threads, 0, RANKS_MAX, "number of ranks, started as threads"},
        {"--ranks", &ranks, 0, RANKS_MAX, "number of ranks, started as processes"},
        {"--rank", &own_rank, 0, RANKS_MAX, "run only this rank of --ranks"},
    };

    (void)argc;
    take_rank_file(argv);
    program_options(
        "allreduce",
        "sum over all ranks; with --rank, --rank-file FILE passes the root "
        "info; without these options RANK_TABLE_FILE, RANK_ID and RANK_SIZE "
        "of the environment are used",
        rows, sizeof(rows) / sizeof(rows[0]), argv);
    if (threads && (ranks || rank_file)) {
        fprintf(stderr, "allreduce: --threads cannot be combined with --ranks, --rank "
                        "or --rank-file (see --help)\n");
        return 2;
    }
    if ((own_rank < RANKS_MAX) != (rank_file != NULL) ||
        (rank_file && own_rank >= ranks)) {
        fprintf(stderr, "allreduce: --rank needs --ranks and --rank-file\n");
        return 2;
    }
    if (rank_file)
        return run_one();
    if (ranks)
        return run_forks();
    if (!threads && getenv("RANK_TABLE_FILE"))
        return run_of_table(getenv("RANK_TABLE_FILE"));
    if (!threads)
        threads = 2;
    return run_threads();
}
