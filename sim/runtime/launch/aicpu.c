#include "sim/runtime/launch/aicpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/card/card.h"
#include "sim/runtime/exported.h"
#include "sim/runtime/failure.h"
#include "sim/runtime/stream/outside.h"
#include "sim/runtime/stream/own_thread.h"
#include "sim/runtime/stream/stream.h"
#include "sim/runtime/stream/turn.h"

#define ARGS_MAX    (4u << 20)
#define HOLDERS_MAX 1024
#define BLOCKS_MAX  65535
#define NAME_MAX    1024
#define START_NS    2000 /* modelled overhead of the start and of the end message */
#define GRACE_MS    2000 /* a kernel must return this soon after its time limit */
#define STACK       (1u << 20)

/* One run of a kernel. The thread of the stream and that of the kernel share it; the
 * last one frees it. */
struct job {
    uint32_t holders;
    uint32_t blocks;
    bool over; /* the kernel must return: time limit reached, or stream aborted */
    bool done;
    aclError error; /* set by the kernel */
    uint32_t result;
    uint64_t spent_ns;
    uint64_t from, to; /* ticks, set by the kernel; 0: not set */
    struct npu_sim_turn turn;
    char library[NAME_MAX], kernel[NAME_MAX];
    npu_sim_aicpu_fn *entry;
    uint64_t args[];
};

struct aicpu_task {
    struct task task;
    struct aicpu_launch *launch; /* one heap block with all data that it points to */
};

static _Thread_local struct job *running;
static _Thread_local uint32_t running_block;

static void let_go(struct job *job)
{
    if (__atomic_sub_fetch(&job->holders, 1, __ATOMIC_ACQ_REL) == 0)
        free(job);
}

static void *run_kernel(void *arg)
{
    struct job *job = arg;
    uint32_t result = 0;

    running = job;
    if (!job->entry)
        job->entry = aicpu_find(job->library, job->kernel);
    if (!job->entry)
        result = UINT32_MAX;
    for (uint32_t block = 0; !result && block < job->blocks; block++) {
        running_block = block;
        result = job->entry(job->args);
    }
    wait_lock();
    job->result = result;
    __atomic_store_n(&job->done, true, __ATOMIC_RELEASE);
    wait_wake_all();
    wait_unlock();
    let_go(job);
    return NULL;
}

static bool start(struct job *job)
{
    job->holders++;
    if (own_thread_start(NULL, STACK, run_kernel, job) == 0)
        return true;
    job->holders--;
    return false;
}

/* Waits for the kernel. After the time limit, waits GRACE_MS more for its return. */
static aclError watch(struct job *job, struct stream *stream, uint32_t timeout_ms)
{
    bool limited = timeout_ms != AICPU_NO_LIMIT;
    struct timespec deadline = wait_deadline(timeout_ms);
    aclError error = 0;

    wait_lock();
    while (!job->done && !stream_is_aborted(stream) && !error)
        if (!wait_once(limited ? &deadline : NULL) && !job->done)
            error = ACL_ERROR_RT_AICPU_TIMEOUT;
    __atomic_store_n(&job->over, true, __ATOMIC_RELEASE);
    deadline = wait_deadline(GRACE_MS);
    while (!job->done && wait_once(&deadline))
        ;
    if (!error && job->done && job->result && !stream_is_aborted(stream))
        error = job->error ? job->error : ACL_ERROR_RT_AICPU_EXCEPTION;
    wait_unlock();
    return error;
}

static void report(const struct aicpu_task *task, struct stream *stream, aclError error)
{
    aclrtExceptionInfo info = {
        .task = task->task.id,
        .stream = stream_id(stream),
        .thread = (uint32_t)syscall(SYS_gettid),
        .device = (uint32_t)stream_device(stream),
        .code = (uint32_t)error,
    };

    failure_report(&info);
}

static struct job *job_create(const struct aicpu_launch *launch)
{
    struct job *job = calloc(1, sizeof(*job) + launch->args_size);

    if (!job)
        return NULL;
    job->holders = 1;
    job->blocks = launch->blocks;
    job->entry = launch->entry;
    if (!job->entry) {
        strcpy(job->library, launch->library);
        strcpy(job->kernel, launch->kernel);
    }
    if (launch->args_size > 0)
        memcpy(job->args, launch->args, launch->args_size);
    for (size_t i = 0; i < launch->holder_count; i++) {
        void *data = (char *)job->args + launch->holders[i].dataOffset;

        memcpy((char *)job->args + launch->holders[i].addrOffset, &data, sizeof(data));
    }
    return job;
}

/* Writes the task to the log. The kernel sets its times or the time that it spends. */
static void
log_task(const struct job *job, const struct card_task *task, struct stream *stream)
{
    uint64_t spent_ns = START_NS + __atomic_load_n(&job->spent_ns, __ATOMIC_RELAXED);
    uint64_t from = stream_time(stream)->now;
    uint64_t to = from + npu_sim_ticks_of_ns(spent_ns);

    if (__atomic_load_n(&job->done, __ATOMIC_ACQUIRE) && job->to > 0) {
        from = job->from;
        to = job->to;
    }
    npu_sim_card_log_span(stream_card(stream), task, from, to);
    stream_time_follow(stream_time(stream), to);
}

static aclError run_task(struct task *head, struct stream *stream)
{
    struct aicpu_task *task = (struct aicpu_task *)head;
    struct job *job = job_create(task->launch);
    const struct card_task logged = {stream_id(stream), head->id, CARD_TASK_AI_CPU};
    aclError error;

    if (!job)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    job->turn = (struct npu_sim_turn){stream, head->id, &job->over};
    error = start(job) ? watch(job, stream, task->launch->timeout_ms)
                       : ACL_ERROR_RT_AICPU_EXCEPTION;
    log_task(job, &logged, stream);
    let_go(job);
    if (error)
        report(task, stream, error);
    return error;
}

static void end_task(struct task *head)
{
    free(((struct aicpu_task *)head)->launch);
}

static aclError check(const struct aicpu_launch *launch)
{
    size_t size = launch->args_size;

    if (launch->blocks == 0 || launch->blocks > BLOCKS_MAX || size > ARGS_MAX ||
        (size > 0 && !launch->args) || launch->holder_count > HOLDERS_MAX ||
        (launch->holder_count > 0 && !launch->holders))
        return ACL_ERROR_RT_PARAM_INVALID;
    if (!launch->entry && (!launch->library || strlen(launch->library) >= NAME_MAX ||
                           !launch->kernel || strlen(launch->kernel) >= NAME_MAX ||
                           !launch->library[0] || !launch->kernel[0]))
        return ACL_ERROR_RT_PARAM_INVALID;
    for (size_t i = 0; i < launch->holder_count; i++)
        if (size < sizeof(void *) ||
            launch->holders[i].addrOffset > size - sizeof(void *) ||
            launch->holders[i].dataOffset >= size)
            return ACL_ERROR_RT_PARAM_INVALID;
    return 0;
}

static char *append(char *at, const void **pointer, size_t bytes)
{
    if (bytes > 0)
        memcpy(at, *pointer, bytes);
    *pointer = bytes > 0 ? at : NULL;
    return at + bytes;
}

/* Copies the launch into one heap block. A model runs the task many times, each time as
 * a new job. */
static struct aicpu_launch *launch_copy(const struct aicpu_launch *launch)
{
    size_t holders = launch->holder_count * sizeof(*launch->holders);
    size_t library = launch->entry ? 0 : strlen(launch->library) + 1;
    size_t kernel = launch->entry ? 0 : strlen(launch->kernel) + 1;
    struct aicpu_launch *copy =
        malloc(sizeof(*copy) + holders + launch->args_size + library + kernel);
    char *at = (char *)(copy + 1);

    if (!copy)
        return NULL;
    *copy = *launch;
    at = append(at, (const void **)&copy->holders, holders);
    at = append(at, &copy->args, launch->args_size);
    at = append(at, (const void **)&copy->library, library);
    append(at, (const void **)&copy->kernel, kernel);
    return copy;
}

aclError aicpu_launch(aclrtStream handle, const struct aicpu_launch *launch)
{
    struct aicpu_task *task;
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (!error)
        error = check(launch);
    if (error)
        return error;
    task = task_create(sizeof(*task), run_task);
    if (!task)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    task->launch = launch_copy(launch);
    if (!task->launch) {
        free(task);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    task->task.end = end_task;
    return stream_submit(stream, (void **)&task);
}

EXPORTED uint32_t npu_sim_aicpu_block(void)
{
    return running_block;
}

EXPORTED uint32_t npu_sim_aicpu_blocks(void)
{
    return running ? running->blocks : 0;
}

EXPORTED bool npu_sim_aicpu_must_end(void)
{
    return running && __atomic_load_n(&running->over, __ATOMIC_ACQUIRE);
}

EXPORTED void npu_sim_aicpu_fail(int32_t error)
{
    if (running && !running->error)
        running->error = error;
}

EXPORTED void npu_sim_aicpu_spend(uint64_t ns)
{
    if (running)
        __atomic_add_fetch(&running->spent_ns, ns, __ATOMIC_RELAXED);
}

EXPORTED void npu_sim_aicpu_place(uint64_t from_ticks, uint64_t to_ticks)
{
    if (!running)
        return;
    running->from = from_ticks;
    running->to = to_ticks;
}

EXPORTED const struct npu_sim_turn *npu_sim_aicpu_turn(void)
{
    return running ? &running->turn : NULL;
}
