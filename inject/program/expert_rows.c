#include "inject/program/expert_rows.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "inject/base/abi.h"
#include "inject/base/real_dlsym.h"
#include "inject/base/real_functions.h"
#include "inject/base/runtime.h"
#include "inject/session/record_output.h"
#include "lib/capture/format/records.h"

#define PREFIX "MoeDistributeDispatch"

enum {
    RUNS_MAX = 64, /* operators between their two functions */
    NUMBERS_MAX = (RECORD_PIECE_MAX - 64) / 4,
};

struct run {
    const void *executor;
    const void *sums; /* on the card */
    struct record_launch_tokens head;
};

static struct run runs[RUNS_MAX];
static size_t next;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static __thread struct run current __attribute__((tls_model("initial-exec")));

static struct record_launch_tokens head_of(const struct expert_rows_call *call,
                                           uint64_t width)
{
    bool is_shared = call->rank < call->shared_ranks;
    uint64_t own = is_shared ? 1 : call->experts / (call->ranks - call->shared_ranks);

    return (struct record_launch_tokens){
        .rank = (uint32_t)call->rank,
        .ranks = (uint32_t)call->ranks,
        .experts = (uint32_t)own,
        .first_expert =
            is_shared ? 0 : (uint32_t)((call->rank - call->shared_ranks) * own),
        .is_shared = is_shared,
        .row_bytes = width * (call->quantisation ? 1 : 2),
    };
}

static bool is_sound(const struct expert_rows_call *call)
{
    return call->ranks > call->shared_ranks && call->ranks <= UINT16_MAX &&
           call->rank < call->ranks && call->experts <= UINT16_MAX &&
           call->experts >= call->ranks - call->shared_ranks;
}

/* Frees memory of the operator's library, which uses the allocator of the program. */
static void free_dims(int64_t *dims)
{
    void (*release)(void *);
    void *found = real_dlsym(RTLD_DEFAULT, "free");

    memcpy(&release, &found, sizeof(release));
    if (found)
        release(dims);
}

/* Returns the last dimension of a tensor; 0: unknown. */
static uint64_t width_of(const void *tensor)
{
    int (*shape)(const void *, int64_t **, uint64_t *);
    void *found = real_function_lookup(LAYER_OPERATORS, "aclGetViewShape");
    int64_t *dims = NULL;
    uint64_t count = 0, width = 0;

    memcpy(&shape, &found, sizeof(shape));
    if (!tensor || !found || shape(tensor, &dims, &count) != 0)
        return 0;
    if (dims && count > 0)
        width = (uint64_t)dims[count - 1];
    if (dims)
        free_dims(dims);
    return width;
}

static const void *address_of(const void *tensor)
{
    int (*get)(const void *, void **);
    void *found = real_function_lookup(LAYER_OPERATORS, "aclGetRawTensorAddr");
    void *address = NULL;

    memcpy(&get, &found, sizeof(get));
    return tensor && found && get(tensor, &address) == 0 ? address : NULL;
}

void expert_rows_prepare(const void *executor, const struct expert_rows_call *call)
{
    struct run run = {.executor = executor};
    size_t i = 0;

    if (!executor || !is_sound(call))
        return;
    run.sums = address_of(call->sums);
    run.head = head_of(call, width_of(call->x));
    if (!run.sums || (uint64_t)run.head.experts * run.head.ranks > NUMBERS_MAX)
        return;
    pthread_mutex_lock(&lock);
    while (i < RUNS_MAX && runs[i].executor != executor)
        i++;
    if (i == RUNS_MAX)
        i = next++ % RUNS_MAX; /* replaces the oldest */
    runs[i] = run;
    pthread_mutex_unlock(&lock);
}

void expert_rows_begin(const void *executor)
{
    current.executor = NULL;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; executor && i < RUNS_MAX; i++)
        if (runs[i].executor == executor)
            current = runs[i];
    pthread_mutex_unlock(&lock);
}

void expert_rows_end(void)
{
    current.executor = NULL;
}

/* Makes numbers of rows from their running sums. Returns false when they decrease: the
 * operator did not write them. */
static bool take_differences(uint32_t *rows, size_t count)
{
    uint32_t before = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t sum = rows[i];

        if (sum < before || sum > INT32_MAX)
            return false;
        rows[i] = sum - before;
        before = sum;
    }
    return true;
}

void expert_rows_write(const char *kernel, uint64_t launch)
{
    struct record_launch_tokens head = current.head;
    size_t count = (size_t)head.experts * head.ranks;
    size_t bytes = count * sizeof(uint32_t);
    uint32_t *rows;

    if (!current.executor || strncmp(kernel, PREFIX, strlen(PREFIX)) != 0)
        return;
    rows =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (rows == MAP_FAILED)
        return;
    head.launch = launch;
    if (runtime_copy(rows, current.sums, bytes, ABI_COPY_DEVICE_TO_HOST) == 0 &&
        take_differences(rows, count))
        record_output_with_bytes(RECORD_LAUNCH_TOKENS, &head, sizeof(head), rows,
                                 (uint32_t)bytes);
    munmap(rows, bytes);
}
