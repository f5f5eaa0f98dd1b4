#include "ranks.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILE_WAIT_S 60
#define SYNC_MS     60000
#define OWN_OPTIONS 8
#define ROWS_MAX    32

static struct {
    uint32_t threads, ranks, rank;
    const char *file;
    uint32_t late_rank, late_ms, skip_rank, crash_rank, at;
} how = {0, 0, RANKS_MAX, NULL, RANKS_MAX, 1000, RANKS_MAX, RANKS_MAX, 0};

static const struct ranks_program *operation;

/* shared by forked ranks */
struct hand_over {
    HcclRootInfo root;
    sem_t is_there;
    uint64_t checksums[RANKS_MAX], wrong[RANKS_MAX];
};

void ranks_check(HcclResult result, const char *call)
{
    if (!result)
        return;
    fprintf(stderr, "error %d: %s: %s\n", result, call, HcclGetErrorString(result));
    exit(1);
}

static void pause_ms(uint32_t ms)
{
    struct timespec left;

    left.tv_sec = ms / 1000;
    left.tv_nsec = (long)(ms % 1000) * 1000000;
    while (nanosleep(&left, &left))
        ;
}

int ranks_may_launch(const struct rank *rank, uint32_t launch)
{
    if (launch != how.at)
        return 1;
    if (rank->rank == how.crash_rank)
        raise(SIGKILL);
    if (rank->rank == how.late_rank)
        pause_ms(how.late_ms);
    return rank->rank != how.skip_rank;
}

void *ranks_workspace(uint64_t bytes)
{
    void *workspace = NULL;

    if (bytes > 0)
        CHECK(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return workspace;
}

void ranks_finish(const struct rank *rank, void *workspace)
{
    CHECK(aclrtSynchronizeStreamWithTimeout(rank->stream, SYNC_MS));
    if (workspace)
        CHECK(aclrtFree(workspace));
}

/* One card per rank, or the only card that is visible to this process. */
static int32_t card_of(uint32_t rank)
{
    uint32_t cards = 0;

    CHECK(aclrtGetDeviceCount(&cards));
    return cards == 1 ? 0 : (int32_t)rank;
}

static void run_rank(struct rank *rank)
{
    HCHECK(HcclGetCommName(rank->comm, rank->group));
    CHECK(aclrtCreateStream(&rank->stream));
    operation->run(rank);
    CHECK(aclrtDestroyStream(rank->stream));
}

static void *run_thread(void *arg)
{
    struct rank *rank = (struct rank *)arg;

    CHECK(aclrtSetDevice((int32_t)rank->rank));
    run_rank(rank);
    CHECK(aclrtResetDevice((int32_t)rank->rank));
    return NULL;
}

static int print_result(uint32_t count,
                        const char *which,
                        const uint64_t *checksums,
                        const uint64_t *wrong,
                        uint32_t filled)
{
    uint64_t checksum = checksums[0], bad = wrong[0];
    char shape[200], all[320];

    for (uint32_t i = 1; i < filled; i++) {
        checksum = checksum * 0x100000001B3u ^ checksums[i];
        bad += wrong[i];
    }
    operation->describe(shape, sizeof(shape));
    snprintf(all, sizeof(all), "%s ranks=%u%s", shape, count, which);
    return program_result_of(operation->name, all, checksum, (size_t)bad);
}

/* As in the public samples: the first thread opens all cards, then one thread per card
 * runs. */
static int run_threads(void)
{
    struct rank all[RANKS_MAX];
    pthread_t threads[RANKS_MAX];
    int32_t devices[RANKS_MAX];
    HcclComm comms[RANKS_MAX];
    uint64_t checksums[RANKS_MAX], wrong[RANKS_MAX];
    int code;

    memset(all, 0, sizeof(all));
    CHECK(aclInit(NULL));
    for (uint32_t i = 0; i < how.threads; i++) {
        devices[i] = (int32_t)i;
        CHECK(aclrtSetDevice(devices[i]));
    }
    HCHECK(HcclCommInitAll(how.threads, devices, comms));
    for (uint32_t i = 0; i < how.threads; i++) {
        all[i].rank = i;
        all[i].count = how.threads;
        all[i].comm = comms[i];
        if (pthread_create(&threads[i], NULL, run_thread, &all[i])) {
            fprintf(stderr, "cannot start the thread of rank %u\n", i);
            exit(1);
        }
    }
    for (uint32_t i = 0; i < how.threads; i++) {
        pthread_join(threads[i], NULL);
        checksums[i] = all[i].checksum;
        wrong[i] = all[i].wrong;
    }
    for (uint32_t i = 0; i < how.threads; i++)
        HCHECK(HcclCommDestroy(comms[i]));
    code = print_result(how.threads, "", checksums, wrong, how.threads);
    for (uint32_t i = 0; i < how.threads; i++)
        CHECK(aclrtResetDevice(devices[i]));
    CHECK(aclFinalize());
    return code;
}

static void run_process(struct rank *rank, int32_t device)
{
    run_rank(rank);
    HCHECK(HcclCommDestroy(rank->comm));
    CHECK(aclrtResetDevice(device));
    CHECK(aclFinalize());
}

static int run_fork(struct hand_over *common, uint32_t number)
{
    struct rank rank;
    int32_t device;

    memset(&rank, 0, sizeof(rank));
    rank.rank = number;
    rank.count = how.ranks;
    CHECK(aclInit(NULL));
    device = card_of(number);
    CHECK(aclrtSetDevice(device));
    if (number == 0) {
        HCHECK(HcclGetRootInfo(&common->root));
        for (uint32_t i = 1; i < how.ranks; i++)
            sem_post(&common->is_there);
    } else {
        sem_wait(&common->is_there);
    }
    HCHECK(HcclCommInitRootInfo(rank.count, &common->root, rank.rank, &rank.comm));
    run_process(&rank, device);
    common->checksums[number] = rank.checksum;
    common->wrong[number] = rank.wrong;
    return rank.wrong ? 1 : 0;
}

/* Forks before the first runtime call, because a child of a process with open cards
 * cannot use the runtime. */
static int run_forks(void)
{
    struct hand_over *common =
        (struct hand_over *)mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pids[RANKS_MAX];
    int bad = 0, status = 0;

    if (common == MAP_FAILED || sem_init(&common->is_there, 1, 0))
        return 1;
    for (uint32_t i = 0; i < how.ranks; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            exit(run_fork(common, i));
    }
    for (uint32_t i = 0; i < how.ranks; i++) {
        if (pids[i] < 0 || waitpid(pids[i], &status, 0) != pids[i] || status != 0)
            bad = 1;
        if (bad && i == 0)
            for (uint32_t k = 1; k < how.ranks; k++)
                sem_post(
                    &common->is_there); /* releases ranks that wait for the root info */
    }
    if (!bad)
        bad = print_result(how.ranks, "", common->checksums, common->wrong, how.ranks);
    munmap(common, sizeof(*common));
    return bad;
}

static int write_root(const HcclRootInfo *root)
{
    char path[4096];
    FILE *file;
    int bad;

    snprintf(path, sizeof(path), "%s.%d", how.file, (int)getpid());
    file = fopen(path, "w");
    if (!file)
        return -1;
    bad = fwrite(root, sizeof(*root), 1, file) != 1;
    bad |= fclose(file) != 0;
    return bad ? -1 : rename(path, how.file);
}

static int read_root(HcclRootInfo *root)
{
    for (int i = 0; i < FILE_WAIT_S * 200; i++) {
        FILE *file = fopen(how.file, "r");
        size_t got = file ? fread(root, sizeof(*root), 1, file) : 0;

        if (file)
            fclose(file);
        if (got == 1)
            return 0;
        pause_ms(5);
    }
    return -1;
}

static void init_by_file(struct rank *rank)
{
    HcclRootInfo root;
    int bad;

    if (rank->rank == 0)
        HCHECK(HcclGetRootInfo(&root));
    bad = rank->rank == 0 ? write_root(&root) : read_root(&root);
    if (bad) {
        fprintf(stderr, "%s: cannot write or read the root info in %s\n",
                operation->name, how.file);
        exit(1);
    }
    HCHECK(HcclCommInitRootInfo(rank->count, &root, rank->rank, &rank->comm));
    if (rank->rank == 0)
        unlink(
            how.file); /* all ranks have read it: they have joined the communicator */
}

static int run_one(const char *table)
{
    struct rank rank;
    uint64_t wrong;
    int32_t device;
    char which[32];

    memset(&rank, 0, sizeof(rank));
    rank.rank = how.rank;
    rank.count = how.ranks;
    CHECK(aclInit(NULL));
    device = card_of(how.rank);
    CHECK(aclrtSetDevice(device));
    if (table) {
        HCHECK(HcclCommInitClusterInfo(table, rank.rank, &rank.comm));
        HCHECK(HcclGetRankSize(rank.comm, &rank.count));
    } else {
        init_by_file(&rank);
    }
    run_process(&rank, device);
    wrong = rank.wrong;
    snprintf(which, sizeof(which), " rank=%u", rank.rank);
    return print_result(rank.count, which, &rank.checksum, &wrong, 1);
}

/* Reads rank and rank table from the environment that the launcher set. */
static const char *table_of_environment(void)
{
    const char *table = getenv("RANK_TABLE_FILE"), *rank = getenv("RANK_ID");
    char *end;

    if (how.threads || how.ranks || how.file || !table || !rank)
        return NULL;
    how.rank = (uint32_t)strtoul(rank, &end, 10);
    if (end == rank || *end)
        how.rank = RANKS_MAX;
    return table;
}

static int refuse(const char *why)
{
    fprintf(stderr, "%s: %s (see --help)\n", operation->name, why);
    return 2;
}

int ranks_main(const struct ranks_program *program,
               const struct option_row *rows,
               size_t count,
               char **argv)
{
    const struct option_row own[] = {
        {"--threads", &how.threads, 0, RANKS_MAX,
         "number of ranks, started as threads"},
        {"--ranks", &how.ranks, 0, RANKS_MAX, "number of ranks, started as processes"},
        {"--rank", &how.rank, 0, RANKS_MAX, "run only this rank of --ranks"},
        {"--late", &how.late_rank, 0, RANKS_MAX, "this rank starts launch --at late"},
        {"--late-ms", &how.late_ms, 0, 3600000, "delay in milliseconds"},
        {"--skip", &how.skip_rank, 0, RANKS_MAX, "this rank skips launch --at"},
        {"--crash", &how.crash_rank, 0, RANKS_MAX,
         "this rank crashes before launch --at"},
        {"--at", &how.at, 0, 1u << 20, "index of the launch, from 0"},
    };
    struct option_row all[ROWS_MAX];
    const char *table;

    operation = program;
    memcpy(all, rows, count * sizeof(*rows));
    memcpy(all + count, own, sizeof(own));
    how.file = program_text("--rank-file", argv);
    program_options(program->name, program->summary, all, count + OWN_OPTIONS, argv);
    if (how.threads && (how.ranks || how.file))
        return refuse(
            "--threads cannot be combined with --ranks, --rank or --rank-file");
    if ((how.rank < RANKS_MAX) != (how.file != NULL) ||
        (how.file && how.rank >= how.ranks))
        return refuse("--rank needs --ranks and --rank-file");
    table = table_of_environment();
    if (table && how.rank >= RANKS_MAX)
        return refuse("RANK_ID must be a number below 64");
    if (table || how.file)
        return run_one(table);
    if (how.ranks)
        return run_forks();
    if (!how.threads)
        how.threads = 2;
    return run_threads();
}
