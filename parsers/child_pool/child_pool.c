#include "parsers/child_pool/child_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"

enum {
    READ_BYTES = 64 * 1024,
    HEAP_BYTES = 32 << 20,
    LIMIT_MIN = 256 << 20, /* a lower limit has no room for memory in advance */
    OUTPUT_MAX = 64 << 20, /* a child with more output for one item is killed */
    NO_ITEM = 0,
};

struct child_pool_position {
    _Atomic size_t item;       /* index + 1; NO_ITEM: between two items */
    _Atomic uint64_t since_ms; /* start of the item */
    _Atomic uint32_t step;
};

/* Memory that parent and children share. */
struct shared {
    _Atomic size_t next; /* first item that no child has taken */
    struct child_pool_position positions[CHILD_POOL_MAX];
};

struct frame { /* precedes each output in the pipe */
    uint64_t index;
    uint64_t size;
    uint32_t is_error; /* the output is the text of an error that stops all work */
    uint32_t code;
};

struct child {
    pid_t pid; /* 0: none */
    int fd;
    bool is_late;  /* killed because of the time limit */
    bool is_noisy; /* killed because of too much output */
    struct text received;
};

struct result {
    bool is_complete;
    struct text output;
};

struct child_pool {
    const struct child_pool_work *work;
    struct shared *shared;
    struct child children[CHILD_POOL_MAX];
    struct result *results; /* one per item */
    size_t delivered;       /* items whose output was passed to on_output() */
    uint64_t next_tick_ms;
    struct err *err;
    bool failed;
};

void child_pool_set_step(struct child_pool_position *position, uint32_t step)
{
    atomic_store(&position->step, step);
}

size_t child_pool_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : count > CHILD_POOL_MAX ? CHILD_POOL_MAX : (size_t)count;
}

/* Exits when the parent no longer reads. */
static void send_frame(int fd, const struct frame *frame, const char *bytes)
{
    if (fd_write_all(fd, frame, sizeof(*frame)) < 0 ||
        fd_write_all(fd, bytes, frame->size) < 0)
        _exit(1);
}

static void run_item(const struct child_pool *pool,
                     size_t index,
                     struct child_pool_position *position,
                     int fd,
                     struct text *output)
{
    struct err err = {0};

    text_reset(output);
    atomic_store(&position->step, 0);
    atomic_store(&position->since_ms, clock_mono_ms());
    atomic_store(&position->item, index + 1);
    if (pool->work->run(index, position, output, pool->work->arg, &err) < 0) {
        send_frame(fd,
                   &(struct frame){.size = strlen(err.text),
                                   .is_error = 1,
                                   .code = (uint32_t)err.code},
                   err.text);
        _exit(0);
    }
    send_frame(fd, &(struct frame){.index = index, .size = output->length},
               text_get(output));
    atomic_store(&position->item, NO_ITEM);
}

/* Main function of a child: repeats the lost item, if any, then takes further items. */
static void
child_main(const struct child_pool *pool, size_t slot, size_t lost_item, int fd)
{
    struct child_pool_position *position = &pool->shared->positions[slot];
    struct text output = {0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    mem_disable_trim();
    if (!pool->work->memory_bytes || pool->work->memory_bytes >= LIMIT_MIN)
        mem_use_large_pages(HEAP_BYTES);
    for (size_t i = 0; i < CHILD_POOL_MAX; i++)
        if (pool->children[i].pid && i != slot)
            close(pool->children[i].fd);
    if (lost_item != NO_ITEM)
        run_item(pool, lost_item - 1, position, fd, &output);
    for (;;) {
        size_t index = atomic_fetch_add(&pool->shared->next, 1);

        if (index >= pool->work->count)
            _exit(0);
        run_item(pool, index, position, fd, &output);
    }
}

static int
start_child(struct child_pool *pool, size_t slot, size_t lost_item, struct err *err)
{
    struct child *child = &pool->children[slot];
    pid_t parent = getpid();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_errno(err, "creating the pipe to a child process");
    atomic_store(&pool->shared->positions[slot].item, lost_item);
    atomic_store(&pool->shared->positions[slot].since_ms, clock_mono_ms());
    child->pid = fork();
    if (child->pid == 0) {
        close(ends[0]);
        if (getppid() == parent)
            child_main(pool, slot, lost_item, ends[1]);
        _exit(1);
    }
    close(ends[1]);
    if (child->pid < 0) {
        child->pid = 0;
        close(ends[0]);
        err_errno(err, "starting a child process");
        err->code = ERR_NO_RESOURCE; /* the only reasons of a failed fork() */
        return -1;
    }
    child->fd = ends[0];
    child->is_late = child->is_noisy = false;
    return 0;
}

static void stop_work(struct child_pool *pool, const struct err *err)
{
    if (!pool->failed)
        *pool->err = *err;
    pool->failed = true;
}

/* Delivers outputs in the order of the items, up to the first incomplete one. */
static void deliver(struct child_pool *pool)
{
    for (; pool->delivered < pool->work->count &&
           pool->results[pool->delivered].is_complete;
         pool->delivered++) {
        struct text *output = &pool->results[pool->delivered].output;

        pool->work->on_output(pool->delivered, text_get(output), output->length,
                              pool->work->arg);
        text_clear(output);
    }
}

static void
take_error(struct child_pool *pool, const struct frame *frame, const char *text)
{
    struct err err;

    err_set(&err, (enum err_code)frame->code, "%.*s", (int)frame->size, text);
    stop_work(pool, &err);
}

/* Takes all complete frames from the received bytes. */
static void take_results(struct child_pool *pool, struct child *child)
{
    size_t at = 0;

    while (child->received.length - at >= sizeof(struct frame)) {
        struct frame frame;
        const char *bytes = child->received.bytes + at + sizeof(frame);

        memcpy(&frame, child->received.bytes + at, sizeof(frame));
        if (child->received.length - at - sizeof(frame) < frame.size)
            break;
        if (frame.is_error) {
            take_error(pool, &frame, bytes);
        } else if (frame.index < pool->work->count) {
            text_add_bytes(&pool->results[frame.index].output, bytes, frame.size);
            pool->results[frame.index].is_complete = true;
        }
        at += sizeof(frame) + frame.size;
    }
    memmove(child->received.bytes, child->received.bytes + at,
            child->received.length - at);
    child->received.length -= at;
}

static void why_lost(char out[64], const struct child *child, int status)
{
    if (child->is_late)
        snprintf(out, 64, "time limit exceeded");
    else if (WIFSIGNALED(status))
        snprintf(out, 64, "signal %d", WTERMSIG(status));
    else
        snprintf(out, 64, "exit code %d", WEXITSTATUS(status));
}

/* Returns true when a signal from outside killed the child, so that its item is not the
 * reason. */
static bool was_killed(const struct child *child, int status)
{
    return WIFSIGNALED(status) &&
           (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGTERM) &&
           !child->is_late && !child->is_noisy;
}

/* Handles the end of a child. Its item is lost unless the result is complete. */
static void reap_child(struct child_pool *pool, size_t slot)
{
    struct child *child = &pool->children[slot];
    struct child_pool_position *position = &pool->shared->positions[slot];
    size_t item = atomic_load(&position->item);
    size_t lost_item = NO_ITEM;
    char why[64];
    struct err err;
    int status = 0;

    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(child->fd);
    child->pid = 0;
    text_clear(&child->received);
    if (pool->failed)
        return;
    if (pool->work->stops_when_killed && was_killed(child, status)) {
        err_set(&err, ERR_NO_RESOURCE,
                "a process of the parser was killed by signal %d, probably because "
                "memory ran out",
                WTERMSIG(status));
        stop_work(pool, &err);
        return;
    }
    if (item != NO_ITEM && !pool->results[item - 1].is_complete) {
        why_lost(why, child, status);
        if (pool->work->on_lost(item - 1, atomic_load(&position->step), why,
                                &pool->results[item - 1].output, pool->work->arg))
            lost_item = item;
        else
            pool->results[item - 1].is_complete = true;
    }
    if ((lost_item != NO_ITEM ||
         atomic_load(&pool->shared->next) < pool->work->count) &&
        start_child(pool, slot, lost_item, &err) < 0)
        stop_work(pool, &err);
}

static void read_child(struct child_pool *pool, size_t slot)
{
    struct child *child = &pool->children[slot];
    ssize_t got =
        read(child->fd, text_reserve(&child->received, READ_BYTES), READ_BYTES);

    if (got < 0 && errno == EINTR)
        return;
    if (got <= 0) {
        reap_child(pool, slot);
        return;
    }
    child->received.length += (size_t)got;
    take_results(pool, child);
    if (child->received.length > OUTPUT_MAX) {
        child->is_noisy = true;
        kill(child->pid, SIGKILL);
    }
}

/* Kills children that exceed the time limit. Returns the milliseconds until the next
 * child would exceed it, for poll(). */
static int kill_late_children(struct child_pool *pool)
{
    uint64_t now = clock_mono_ms(), limit = pool->work->limit_ms;
    uint64_t wait = INT32_MAX;

    if (!limit)
        return -1;
    for (size_t i = 0; i < CHILD_POOL_MAX; i++) {
        struct child *child = &pool->children[i];
        struct child_pool_position *position = &pool->shared->positions[i];
        uint64_t since = atomic_load(&position->since_ms);
        uint64_t spent = now > since ? now - since : 0;

        if (!child->pid)
            continue;
        if (atomic_load(&position->item) == NO_ITEM)
            spent = 0;
        if (spent >= limit && !child->is_late) {
            child->is_late = true;
            kill(child->pid, SIGKILL);
        } else if (!child->is_late && limit - spent < wait) {
            wait = limit - spent;
        }
    }
    return (int)wait;
}

/* Calls on_tick() for the items in work. Returns the time for poll(), at most `wait`; a
 * negative one means no limit. */
static int tick(struct child_pool *pool, int wait)
{
    const struct child_pool_work *work = pool->work;
    uint64_t now = clock_mono_ms();

    if (!work->on_tick)
        return wait;
    if (now >= pool->next_tick_ms) {
        pool->next_tick_ms = now + work->tick_ms;
        for (size_t i = 0; i < CHILD_POOL_MAX; i++) {
            struct child_pool_position *position = &pool->shared->positions[i];
            size_t item = atomic_load(&position->item);
            uint64_t since = atomic_load(&position->since_ms);

            if (pool->children[i].pid && item != NO_ITEM)
                work->on_tick(item - 1, atomic_load(&position->step),
                              now > since ? now - since : 0, work->arg);
        }
    }
    now = pool->next_tick_ms - now;
    return wait < 0 || now < (uint64_t)wait ? (int)now : wait;
}

static size_t
list_children(const struct child_pool *pool, struct pollfd *list, size_t *slots)
{
    size_t count = 0;

    for (size_t i = 0; i < CHILD_POOL_MAX; i++)
        if (pool->children[i].pid) {
            list[count] = (struct pollfd){pool->children[i].fd, POLLIN, 0};
            slots[count++] = i;
        }
    return count;
}

static void read_all_children(struct child_pool *pool)
{
    struct pollfd list[CHILD_POOL_MAX];
    size_t slots[CHILD_POOL_MAX], count;

    while ((count = list_children(pool, list, slots))) {
        if (pool->failed)
            for (size_t i = 0; i < count; i++)
                kill(pool->children[slots[i]].pid, SIGKILL);
        if (poll(list, count, tick(pool, kill_late_children(pool))) < 0)
            continue; /* interrupted */
        for (size_t i = 0; i < count; i++)
            if (list[i].revents)
                read_child(pool, slots[i]);
        deliver(pool);
    }
}

int child_pool_run(const struct child_pool_work *work, struct err *err)
{
    struct child_pool pool = {
        .work = work, .next_tick_ms = clock_mono_ms() + work->tick_ms, .err = err};
    size_t most = work->parallel < 1                ? 1
                  : work->parallel > CHILD_POOL_MAX ? CHILD_POOL_MAX
                                                    : work->parallel;
    struct err problem;

    if (!work->count)
        return 0;
    pool.shared = mmap(NULL, sizeof(*pool.shared), PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pool.shared == MAP_FAILED)
        return err_errno(err, "mapping memory to share with child processes");
    pool.results = xcalloc(work->count, sizeof(*pool.results));
    for (size_t i = 0; i < most && i < work->count; i++)
        if (start_child(&pool, i, NO_ITEM, &problem) < 0) {
            if (i == 0)
                stop_work(&pool, &problem);
            break; /* fewer children are enough */
        }
    read_all_children(&pool);
    /* items of children that died before they stored their position */
    while (!pool.failed && pool.delivered < work->count) {
        if (start_child(&pool, 0, pool.delivered + 1, &problem) < 0)
            stop_work(&pool, &problem);
        read_all_children(&pool);
    }
    munmap(pool.shared, sizeof(*pool.shared));
    for (size_t i = 0; i < work->count; i++)
        text_clear(&pool.results[i].output);
    free(pool.results);
    return pool.failed ? -1 : 0;
}
