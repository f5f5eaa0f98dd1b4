/* torch_like.c - a program that uses the cards like a Python framework
 *
 * A launcher starts one process per rank (fork and exec) and distributes the root info.
 * A rank opens the libraries by their file names and forks a helper that never uses a
 * card, like a data loader. Its own thread issues the operators while the first thread
 * continues. A step consists of a fused operator, a collective on a second stream
 * ordered by an event, and a kernel of one card. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "torch_like_api.h"

#define RANKS_MAX 64
#define M         8
#define N         16
#define K         4
#define ELEMENTS  (M * N)
#define RANK_FD   3 /* the launcher's socket in the process of a rank */

static const struct torch_like_api *api;
static uint32_t rank, ranks = 2, steps = 3;

static void check(int status, const char *call)
{
    if (!status)
        return;
    fprintf(stderr, "torch_like: rank %u: error %d: %s\n", rank, status, call);
    exit(1);
}
#define DO(name, ...) check(api->name(__VA_ARGS__), #name)

/* Work items from the first thread to the issuing thread. */
struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    void (*work)(void);
    int ending;
};

static struct queue queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL,
                             0};
static aclrtStream compute, communicate;
static aclrtEvent computed;
static HcclComm comm;
static char group[COMM_NAME_MAX_LENGTH];
static aclTensor *x1, *x2, *product;
static void *device[4]; /* x1, x2, product, gradient */
static int32_t card;

/* one, two and three as 16-bit floats */
static const uint16_t halves[] = {0x3C00, 0x4000, 0x4200};

static void *put(const void *host, size_t size)
{
    void *memory = NULL;

    DO(aclrtMalloc, &memory, size, ACL_MEM_MALLOC_HUGE_FIRST);
    DO(aclrtMemcpy, memory, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE);
    return memory;
}

static aclTensor *as_tensor(void *memory, int64_t rows, int64_t columns)
{
    const int64_t dims[2] = {rows, columns};

    return api->aclCreateTensor(dims, 2, ACL_FLOAT16, NULL, 0, ACL_FORMAT_ND, dims, 2,
                                memory);
}

static void select_card(void)
{
    uint32_t cards = 0;

    DO(aclInit, NULL);
    DO(aclrtGetDeviceCount, &cards);
    card = cards == 1 ? 0 : (int32_t)rank;
    DO(aclrtSetDevice, card);
}

static void open_card(const HcclRootInfo *root)
{
    uint16_t left[M * K], right[K * N], out[ELEMENTS];
    float gradient[ELEMENTS];

    DO(HcclCommInitRootInfo, ranks, root, rank, &comm);
    DO(HcclGetCommName, comm, group);
    DO(aclrtCreateStream, &compute);
    DO(aclrtCreateStream, &communicate);
    DO(aclrtCreateEventExWithFlag, &computed, ACL_EVENT_SYNC);
    for (int i = 0; i < M * K; i++)
        left[i] = halves[i % 3];
    for (int i = 0; i < K * N; i++)
        right[i] = halves[(i + (int)rank) % 2];
    memset(out, 0, sizeof(out));
    for (int i = 0; i < ELEMENTS; i++)
        gradient[i] = (float)(rank + 1);
    device[0] = put(left, sizeof(left));
    device[1] = put(right, sizeof(right));
    device[2] = put(out, sizeof(out));
    device[3] = put(gradient, sizeof(gradient));
    x1 = as_tensor(device[0], M, K);
    x2 = as_tensor(device[1], K, N);
    product = as_tensor(device[2], M, N);
}

static void close_card(void)
{
    api->aclDestroyTensor(x1);
    api->aclDestroyTensor(x2);
    api->aclDestroyTensor(product);
    for (int i = 0; i < 4; i++)
        DO(aclrtFree, device[i]);
    DO(aclrtDestroyEvent, computed);
    DO(aclrtDestroyStream, compute);
    DO(aclrtDestroyStream, communicate);
    DO(HcclCommDestroy, comm);
    DO(aclrtResetDevice, card);
}

/* Runs the kernel of add_custom, which doubles the gradient of this rank. */
static void launch_kernel(void)
{
    struct {
        void *x, *y, *z, *count_at;
        uint32_t count;
    } args = {device[3], device[3], device[3], NULL, ELEMENTS};
    aclrtPlaceHolderInfo count = {offsetof(__typeof__(args), count_at),
                                  offsetof(__typeof__(args), count)};
    const char *slash;
    aclrtBinHandle binary;
    aclrtFuncHandle function;
    char self[2048] = "", path[4096];

    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
        check(errno, "readlink");
    slash = strrchr(self, '/');
    snprintf(path, sizeof(path), "%.*s/../kernels/add_custom.o", (int)(slash - self),
             self);
    DO(aclrtBinaryLoadFromFile, path, NULL, &binary);
    DO(aclrtBinaryGetFunction, binary, "add_custom", &function);
    DO(aclrtLaunchKernelWithHostArgs, function, 2, compute, NULL, &args, sizeof(args),
       &count, 1);
    DO(aclrtSynchronizeStream, compute);
    DO(aclrtBinaryUnLoad, binary);
}

static void step(void)
{
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    void *workspace = NULL;

    DO(aclnnMatmulAllReduceGetWorkspaceSize, x1, x2, NULL, group, "sum", 0, 1, product,
       &size, &executor);
    if (size > 0)
        DO(aclrtMalloc, &workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    DO(aclnnMatmulAllReduce, workspace, size, executor, compute);
    launch_kernel();
    DO(aclrtRecordEvent, computed, compute);
    DO(aclrtStreamWaitEvent, communicate, computed);
    DO(HcclAllReduce, device[3], device[3], ELEMENTS, HCCL_DATA_TYPE_FP32,
       HCCL_REDUCE_MAX, comm, communicate);
    DO(aclrtSynchronizeStream, communicate);
    if (workspace)
        DO(aclrtFree, workspace);
}

static void *issue(void *arg)
{
    (void)arg;
    DO(aclrtSetDevice, card);
    pthread_mutex_lock(&queue.mutex);
    while (!queue.ending || queue.work) {
        if (queue.work) {
            pthread_mutex_unlock(&queue.mutex);
            queue.work();
            pthread_mutex_lock(&queue.mutex);
            queue.work = NULL;
            pthread_cond_broadcast(&queue.moved);
        } else {
            pthread_cond_wait(&queue.moved, &queue.mutex);
        }
    }
    pthread_mutex_unlock(&queue.mutex);
    DO(aclrtResetDevice, card);
    return NULL;
}

static void run_steps(void)
{
    pthread_t thread;

    check(pthread_create(&thread, NULL, issue, NULL), "pthread_create");
    pthread_mutex_lock(&queue.mutex);
    for (uint32_t i = 0; i < steps; i++) {
        while (queue.work)
            pthread_cond_wait(&queue.moved, &queue.mutex);
        queue.work = step;
        pthread_cond_broadcast(&queue.moved);
    }
    queue.ending = 1;
    pthread_cond_broadcast(&queue.moved);
    pthread_mutex_unlock(&queue.mutex);
    pthread_join(thread, NULL);
}

/* Starts a helper like a data loader: it has the libraries in its memory and never
 * calls them. */
static pid_t start_helper(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    return pid;
}

static size_t count_wrong(uint64_t *checksum)
{
    uint16_t out[ELEMENTS];
    float gradient[ELEMENTS], expected = (float)ranks;
    size_t wrong = 0;

    DO(aclrtMemcpy, out, sizeof(out), device[2], sizeof(out),
       ACL_MEMCPY_DEVICE_TO_HOST);
    DO(aclrtMemcpy, gradient, sizeof(gradient), device[3], sizeof(gradient),
       ACL_MEMCPY_DEVICE_TO_HOST);
    for (uint32_t i = 0; i < steps; i++)
        expected *= 2; /* doubled, then the largest of all ranks */
    *checksum = 0xCBF29CE484222325u;
    for (int row = 0; row < M; row++)
        for (int j = 0; j < N; j++) {
            int sum = 0, mantissa, exponent;

            for (uint32_t other = 0; other < ranks; other++)
                for (int i = 0; i < K; i++)
                    sum += ((row * K + i) % 3 + 1) * ((i * N + j + (int)other) % 2 + 1);
            /* decodes an integer up to 2048 from its 16 bits */
            exponent = (out[row * N + j] >> 10) - 25;
            mantissa = (out[row * N + j] & 0x3FF) | 0x400;
            wrong +=
                (exponent >= 0 ? mantissa << exponent : mantissa >> -exponent) != sum;
            wrong += gradient[row * N + j] != expected;
            *checksum = (*checksum ^ out[row * N + j]) * 0x100000001B3u;
        }
    return wrong;
}

static int run_rank(void)
{
    HcclRootInfo root;
    uint64_t checksum;
    size_t wrong;
    pid_t helper;
    int status = 0;

    api = torch_like_api();
    if (!api)
        return 1;
    select_card();
    if (rank == 0) {
        DO(HcclGetRootInfo, &root);
        if (send(RANK_FD, &root, sizeof(root), MSG_NOSIGNAL) != sizeof(root))
            check(errno, "send");
    }
    if (recv(RANK_FD, &root, sizeof(root), MSG_WAITALL) != sizeof(root))
        check(1, "the root info");
    open_card(&root);
    helper = start_helper();
    run_steps();
    wrong = count_wrong(&checksum);
    close_card();
    DO(aclFinalize);
    if (helper < 0 || waitpid(helper, &status, 0) != helper || status)
        wrong++;
    if (rank == 0)
        printf("torch_like steps=%u ranks=%u checksum=%016" PRIx64
               " wrong=%zu result=%s\n",
               steps, ranks, checksum, wrong, wrong ? "wrong" : "ok");
    return wrong ? 1 : 0;
}

static void exec_rank(char **argv, uint32_t number, int fd)
{
    char text[16], count[16], of_steps[16], self[2048] = "";
    char *const args[] = {argv[0], (char *)"--as-rank", text, count, of_steps, NULL};

    snprintf(text, sizeof(text), "%u", number);
    snprintf(count, sizeof(count), "%u", ranks);
    snprintf(of_steps, sizeof(of_steps), "%u", steps);
    if (fd != RANK_FD)
        dup2(fd, RANK_FD);
    else
        fcntl(fd, F_SETFD, 0);
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) > 0)
        execv(self, args);
    _exit(127);
}

static int launch_ranks(char **argv)
{
    int sockets[RANKS_MAX], bad = 0, status;
    pid_t pids[RANKS_MAX];
    HcclRootInfo root;

    for (uint32_t i = 0; i < ranks; i++) {
        int pair[2];

        if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
            return 1;
        sockets[i] = pair[0];
        pids[i] = fork();
        if (pids[i] == 0)
            exec_rank(argv, i, pair[1]);
        close(pair[1]);
    }
    /* end of file when rank 0 died: the others get one as well */
    if (recv(sockets[0], &root, sizeof(root), MSG_WAITALL) == sizeof(root))
        for (uint32_t i = 0; i < ranks; i++)
            send(sockets[i], &root, sizeof(root), MSG_NOSIGNAL);
    for (uint32_t i = 0; i < ranks; i++)
        close(sockets[i]);
    for (uint32_t i = 0; i < ranks; i++)
        if (pids[i] < 0 || waitpid(pids[i], &status, 0) != pids[i] || status)
            bad = 1;
    return bad;
}

static uint32_t number_of(const char *text, uint32_t max)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (end == text || *end || value > max) {
        fprintf(stderr, "torch_like: bad number: %s (see --help)\n", text);
        exit(2);
    }
    return (uint32_t)value;
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "--as-rank")) {
        rank = number_of(argv[2], RANKS_MAX);
        ranks = number_of(argv[3], RANKS_MAX);
        steps = number_of(argv[4], 10);
        return run_rank();
    }
    for (int i = 1; i < argc; i += 2) {
        if (!strcmp(argv[i], "--ranks") && argv[i + 1]) {
            ranks = number_of(argv[i + 1], RANKS_MAX);
        } else if (!strcmp(argv[i], "--steps") && argv[i + 1]) {
            steps = number_of(argv[i + 1], 10);
        } else {
            int help = !strcmp(argv[i], "--help");

            fprintf(help ? stdout : stderr,
                    "usage: torch_like [--ranks N] [--steps N]\n"
                    "one process per rank; the libraries are loaded with dlopen\n");
            return help ? 0 : 2;
        }
    }
    return ranks ? launch_ranks(argv) : 2;
}
