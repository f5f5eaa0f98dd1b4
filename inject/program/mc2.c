#include "inject/program/mc2.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum {
    WORDS_CHECKED = 16, /* a context is among the first arguments */
    ALIGN = 16,
};

/* rtAicpuArgsEx_t. Its two layouts differ from `rest` on. */
struct server_args {
    void *args;
    void *holders;
    void *offsets;
    uint32_t args_bytes;
    uint16_t holder_count;
    uint16_t offset_count;
    uint8_t rest[16];
};

_Static_assert(sizeof(struct server_args) == 48, "rtAicpuArgsEx_t");
enum { OLD_SIZE = 40, ENTRY = 8, ON_DEVICE_AT = 40, OLD_ON_DEVICE_AT = 36 };

/* State of one thread. Mapped at its first MC2 operator, so other threads need no
 * memory. */
struct thread_state {
    struct mc2 mc2;
    bool taken; /* the kernel was launched: the next step belongs to another operator */
    bool context; /* the operator requested a context */
    size_t arena_used;
    uint8_t arena[MC2_ARGS_MAX];
};

static __thread struct thread_state *state __attribute__((tls_model("initial-exec")));
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool key_is_good;

static void unmap_state(void *arg)
{
    state = NULL;
    munmap(arg, sizeof(struct thread_state));
}

static void make_key(void)
{
    key_is_good = pthread_key_create(&key, unmap_state) == 0;
}

static void clear_state(struct thread_state *mine)
{
    memset(&mine->mc2, 0, sizeof(mine->mc2));
    mine->mc2.whole = true;
    mine->taken = mine->context = false;
    mine->arena_used = 0;
}

/* Returns the state of this thread and maps it if necessary; NULL without memory. */
static struct thread_state *own_state(void)
{
    void *memory;

    if (state)
        return state;
    pthread_once(&once, make_key);
    memory = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (!key_is_good || pthread_setspecific(key, memory) != 0) {
        munmap(memory, sizeof(*state));
        return NULL;
    }
    state = memory;
    clear_state(state);
    return state;
}

/* Returns the state for a step of an operator whose kernel was not launched yet. */
static struct thread_state *current(void)
{
    struct thread_state *mine = own_state();

    if (mine && mine->taken)
        clear_state(mine);
    return mine;
}

void mc2_reset(void)
{
    if (state)
        clear_state(state);
}

bool mc2_is_pending(void)
{
    return state && !state->taken && state->mc2.group_count > 0;
}

static bool has_group(const struct mc2 *mc2, const void *handle)
{
    for (size_t i = 0; i < mc2->group_count; i++)
        if (mc2->groups[i].handle == handle)
            return true;
    return false;
}

static void add_group(struct mc2 *mc2, const struct comm *comm)
{
    if (has_group(mc2, comm->handle))
        return;
    if (mc2->group_count < MC2_GROUPS_MAX)
        mc2->groups[mc2->group_count++] = *comm;
    else
        mc2->whole = false;
}

/* An AI CPU kernel without an AI Core kernel after it belongs to a failed operator. */
void mc2_on_group(const struct comm *comm)
{
    struct thread_state *mine = current();

    if (!mine)
        return;
    if (mine->mc2.server_count > 0)
        clear_state(mine);
    add_group(&mine->mc2, comm);
}

void mc2_on_context(const void *comm, const void *context)
{
    struct thread_state *mine = current();

    if (!mine)
        return;
    for (size_t i = 0; i < mine->mc2.group_count; i++)
        if (mine->mc2.groups[i].handle == comm)
            mine->mc2.groups[i].context = context;
    mine->context = mine->context || has_group(&mine->mc2, comm);
}

static void add_step(struct mc2 *mc2, const struct mc2_step *step)
{
    if (mc2->step_count < MC2_STEPS_MAX)
        mc2->steps[mc2->step_count++] = *step;
    else
        mc2->whole = false;
}

/* Programs use notifies too. A notify before any communicator request is not a step. */
void mc2_on_notify(enum mc2_step_kind kind,
                   void *notify,
                   void *stream,
                   uint32_t timeout_s)
{
    if (!state || state->taken || state->mc2.group_count == 0)
        return;
    add_step(&state->mc2, &(struct mc2_step){.kind = kind,
                                             .notify = notify,
                                             .stream = stream,
                                             .timeout_s = timeout_s});
}

static void *copy_bytes(struct thread_state *mine, const void *bytes, size_t size)
{
    size_t padded = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    uint8_t *copied = mine->arena + mine->arena_used;

    if (padded > MC2_ARGS_MAX - mine->arena_used)
        return NULL;
    memcpy(copied, bytes, size);
    mine->arena_used += padded;
    return copied;
}

/* Copies the bytes at *at and stores the new address. Nothing to copy counts as
 * success. */
static bool copy_at(struct thread_state *mine, void **at, size_t size)
{
    if (!*at || size == 0)
        return true;
    *at = copy_bytes(mine, *at, size);
    return *at != NULL;
}

static const void *
copy_args(struct thread_state *mine, const void *args, size_t args_bytes)
{
    struct server_args copy = {0};
    bool old = args_bytes <= OLD_SIZE;
    const uint8_t *raw = (const uint8_t *)&copy;

    if (!args || args_bytes > sizeof(copy))
        return NULL;
    memcpy(&copy, args, args_bytes);
    if (raw[old ? OLD_ON_DEVICE_AT : ON_DEVICE_AT])
        return NULL; /* arguments in device memory may be freed before a replay */
    if (!copy_at(mine, &copy.args, copy.args_bytes) ||
        !copy_at(mine, &copy.holders, (size_t)copy.holder_count * ENTRY) ||
        !copy_at(mine, &copy.offsets, (size_t)copy.offset_count * ENTRY))
        return NULL;
    return copy_bytes(mine, &copy, sizeof(copy));
}

void mc2_on_server(const struct mc2_server *call, size_t args_bytes)
{
    struct thread_state *mine = current();
    struct mc2_server *copied;
    struct comm comm;
    struct mc2 *mc2;

    if (!mine)
        return;
    mc2 = &mine->mc2;
    if (comm_find_server(call->stream, &comm))
        add_group(mc2, &comm);
    if (mc2->server_count == MC2_SERVERS_MAX) {
        mc2->whole = false;
        return;
    }
    copied = &mc2->servers[mc2->server_count];
    *copied = *call;
    copied->args = copy_args(mine, call->args, args_bytes);
    mc2->whole = mc2->whole && copied->args;
    add_step(mc2, &(struct mc2_step){.kind = MC2_SERVER,
                                     .stream = call->stream,
                                     .server = (uint32_t)mc2->server_count});
    mc2->server_count++;
}

void mc2_on_other_server(void)
{
    mc2_reset();
}

/* Returns true when the AI CPU stream waits for a notify of this stream, or no notify
 * was recorded. A kernel on another stream belongs to another operator. */
static bool is_ordered_after(const struct mc2 *mc2, const void *stream)
{
    bool ordered = false;

    for (size_t i = 0; i < mc2->step_count; i++) {
        if (mc2->steps[i].kind != MC2_RECORD)
            continue;
        if (mc2->steps[i].stream == stream)
            return true;
        ordered = true;
    }
    return !ordered;
}

/* Adds the communicators of the device whose context is among the arguments. */
static bool
find_contexts(struct mc2 *mc2, int32_t device, const void *words, size_t bytes)
{
    size_t count = bytes / sizeof(uintptr_t);
    bool found = false;

    for (size_t i = 0; i < count && i < WORDS_CHECKED; i++) {
        struct comm comm;
        uintptr_t word;

        memcpy(&word, (const uint8_t *)words + i * sizeof(word), sizeof(word));
        if (word && comm_find_context((const void *)word, device, &comm)) {
            add_group(mc2, &comm);
            found = true;
        }
    }
    return found;
}

static const struct mc2 *
take_windows(struct thread_state *mine, int32_t device, const void *words, size_t bytes)
{
    if (words ? !find_contexts(&mine->mc2, device, words, bytes) : !mine->context) {
        clear_state(mine);
        return NULL;
    }
    mine->mc2.kind = MC2_WINDOWS;
    mine->taken = true;
    return &mine->mc2;
}

const struct mc2 *
mc2_take(int32_t device, void *stream, const void *words, size_t bytes)
{
    struct thread_state *mine;

    if (!state && (!words || !comm_has_any_context()))
        return NULL;
    mine = current();
    if (!mine)
        return NULL;
    if (mine->mc2.server_count == 0)
        return take_windows(mine, device, words, bytes);
    if (!is_ordered_after(&mine->mc2, stream))
        return NULL;
    mine->mc2.kind = MC2_SERVED;
    mine->taken = true;
    return &mine->mc2;
}

static int issue_server(const struct mc2_server *server, const struct mc2_calls *calls)
{
    return calls->server(server->type, server->op, server->blocks, server->args,
                         server->l2_plan, server->stream, server->flags);
}

int mc2_issue(const struct mc2 *mc2, const struct mc2_calls *calls)
{
    int result = 0;

    for (size_t i = 0; i < mc2->step_count && result == 0; i++) {
        const struct mc2_step *step = &mc2->steps[i];

        if (step->kind == MC2_WAIT)
            result = calls->wait(step->notify, step->stream, step->timeout_s);
        else if (step->kind == MC2_RECORD)
            result = calls->record(step->notify, step->stream);
        else
            result = issue_server(&mc2->servers[step->server], calls);
    }
    return result;
}
