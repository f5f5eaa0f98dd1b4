#include "xpti/dispatcher/callbacks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "xpti/abi/dispatch.h"
#include "xpti/dispatcher/state_lock.h"

enum { STREAMS = 256, LOW_BYTES = 256 };

struct list {
    struct list *older; /* all lists that were ever published */
    struct list *other; /* of another tool's type of the stream; see tool_lists */
    uint16_t type;
    uint16_t count;
    xpti_callback_fn *fns[];
};

static atomic_bool callbacks_on;
static struct list *_Atomic lists[STREAMS][XPTI_TYPE_COUNT];
/* Lists of types that tools have defined, linked by `other`. */
static struct list *_Atomic tool_lists[STREAMS];
static atomic_uint registered[STREAMS]; /* callbacks of the stream */
static struct list *all_lists;
/* By stream and low byte of the type; 0: the event has no callback, and tracing is on.
 * A notification of such an event reads nothing else. */
static atomic_uchar busy[STREAMS][LOW_BYTES];
static bool is_filled; /* all of `busy` is 1, because tracing is off */

static const struct list *find_list(uint8_t stream, uint16_t type)
{
    const struct list *list;

    if (type < XPTI_TYPE_COUNT)
        return atomic_load_explicit(&lists[stream][type], memory_order_acquire);
    list = atomic_load_explicit(&tool_lists[stream], memory_order_acquire);
    while (list && list->type != type)
        list = list->other;
    return list;
}

static size_t find_callback(const struct list *list, xpti_callback_fn *fn)
{
    size_t at = 0;

    while (list && at < list->count && list->fns[at] != fn)
        at++;
    return at;
}

/* Publishes a list with room for `count` callbacks in place of `old`. The list of a
 * tool's type is put in front: the first list of a type counts. */
static void publish(uint8_t stream, struct list *list)
{
    list->older = all_lists;
    all_lists = list;
    atomic_store_explicit(&busy[stream][(uint8_t)list->type], 1, memory_order_relaxed);
    if (list->type < XPTI_TYPE_COUNT) {
        atomic_store_explicit(&lists[stream][list->type], list, memory_order_release);
        return;
    }
    list->other = atomic_load_explicit(&tool_lists[stream], memory_order_relaxed);
    atomic_store_explicit(&tool_lists[stream], list, memory_order_release);
}

static struct list *copy_list(const struct list *old, uint16_t type, size_t room)
{
    struct list *list = calloc(1, sizeof(*list) + room * sizeof(list->fns[0]));

    if (!list)
        return NULL;
    list->type = type;
    if (old) {
        list->count = old->count;
        memcpy(list->fns, old->fns,
               (old->count < room ? old->count : room) * sizeof(list->fns[0]));
    }
    return list;
}

static int32_t add(uint8_t stream, uint16_t type, xpti_callback_fn *fn)
{
    const struct list *old = find_list(stream, type);
    size_t count = old ? old->count : 0;
    struct list *list;

    if (find_callback(old, fn) < count)
        return XPTI_DUPLICATE;
    if (count == UINT16_MAX)
        return XPTI_FAIL;
    list = copy_list(old, type, count + 1);
    if (!list)
        return XPTI_FAIL;
    list->fns[list->count++] = fn;
    publish(stream, list);
    atomic_fetch_add_explicit(&registered[stream], 1, memory_order_relaxed);
    return XPTI_SUCCESS;
}

static int32_t remove_callback(uint8_t stream, uint16_t type, xpti_callback_fn *fn)
{
    const struct list *old = find_list(stream, type);
    size_t at = find_callback(old, fn);
    struct list *list;

    if (!old || at == old->count)
        return XPTI_NOT_FOUND;
    list = copy_list(old, type, old->count);
    if (!list)
        return XPTI_FAIL;
    list->count--;
    memmove(list->fns + at, list->fns + at + 1,
            (list->count - at) * sizeof(list->fns[0]));
    publish(stream, list);
    atomic_fetch_sub_explicit(&registered[stream], 1, memory_order_relaxed);
    return XPTI_SUCCESS;
}

int32_t xptiRegisterCallback(uint8_t stream, uint16_t type, xpti_callback_fn *fn)
{
    int32_t result;

    if (!fn)
        return XPTI_INVALID_ARGUMENT;
    if (!state_lock())
        return XPTI_FAIL;
    result = add(stream, type, fn);
    state_unlock();
    return result;
}

int32_t xptiUnregisterCallback(uint8_t stream, uint16_t type, xpti_callback_fn *fn)
{
    int32_t result;

    if (!fn)
        return XPTI_INVALID_ARGUMENT;
    if (!state_lock())
        return XPTI_FAIL;
    result = remove_callback(stream, type, fn);
    state_unlock();
    return result;
}

/* Returns true for types whose notifications may have user data and no object. */
static bool needs_no_object(uint16_t type)
{
    switch (type) {
    case XPTI_FUNCTION_BEGIN:
    case XPTI_FUNCTION_END:
    case XPTI_CALL_BEGIN:
    case XPTI_CALL_END:
    case XPTI_ALLOC_BEGIN:
    case XPTI_ALLOC_END:
    case XPTI_RELEASE_BEGIN:
    case XPTI_RELEASE_END:
    case XPTI_OFFLOAD_CONSTRUCT:
    case XPTI_OFFLOAD_DESTRUCT:
    case XPTI_OFFLOAD_ASSOCIATE:
    case XPTI_OFFLOAD_RELEASE:
    case XPTI_OFFLOAD_ACCESSOR:
    case XPTI_DIAGNOSTICS:
        return true;
    default:
        return false;
    }
}

/* Everything but the most frequent case, which is below. */
static __attribute__((noinline)) int32_t notify(uint8_t stream,
                                                uint16_t type,
                                                struct xpti_event *parent,
                                                struct xpti_event *object,
                                                uint64_t instance,
                                                const void *user)
{
    const struct list *list;

    if (!atomic_load_explicit(&callbacks_on, memory_order_relaxed))
        return XPTI_FALSE;
    if (!object && !(user && needs_no_object(type)))
        return XPTI_INVALID_ARGUMENT;
    list = find_list(stream, type);
    if (!list)
        return XPTI_SUCCESS;
    for (size_t i = 0; i < list->count; i++)
        list->fns[i](type, parent, object, instance, user);
    return XPTI_SUCCESS;
}

/* A runtime sends many more events than a subscriber records: without a callback,
 * nothing is called and no register is saved. */
int32_t xptiNotifySubscribers(uint8_t stream,
                              uint16_t type,
                              struct xpti_event *parent,
                              struct xpti_event *object,
                              uint64_t instance,
                              const void *user)
{
    if (__builtin_expect(object && !atomic_load_explicit(&busy[stream][(uint8_t)type],
                                                         memory_order_relaxed),
                         1))
        return XPTI_SUCCESS;
    return notify(stream, type, parent, object, instance, user);
}

bool callbacks_any(uint8_t stream, uint16_t type)
{
    const struct list *list;

    if (type == 0)
        return atomic_load_explicit(&registered[stream], memory_order_relaxed) > 0;
    list = find_list(stream, type);
    return list && list->count > 0;
}

static void fill_busy(unsigned char value)
{
    for (size_t stream = 0; stream < STREAMS; stream++)
        for (size_t type = 0; type < LOW_BYTES; type++)
            atomic_store_explicit(&busy[stream][type], value, memory_order_relaxed);
    is_filled = value != 0;
}

/* The list of a stream and type counts even when its callbacks were removed. */
static void mark_busy(void)
{
    for (size_t stream = 0; stream < STREAMS; stream++) {
        const struct list *list = atomic_load(&tool_lists[stream]);

        for (size_t type = 0; type < XPTI_TYPE_COUNT; type++)
            if (atomic_load(&lists[stream][type]))
                atomic_store(&busy[stream][type], 1);
        for (; list; list = list->other)
            atomic_store(&busy[stream][(uint8_t)list->type], 1);
    }
}

void callbacks_switch(bool on)
{
    if (!on) {
        fill_busy(1);
    } else if (is_filled) {
        fill_busy(0);
        mark_busy();
    }
    atomic_store(&callbacks_on, on);
}

bool callbacks_are_on(void)
{
    return atomic_load_explicit(&callbacks_on, memory_order_relaxed);
}

void callbacks_reset(void)
{
    for (size_t stream = 0; stream < STREAMS; stream++) {
        if (!atomic_load(&registered[stream]) && !atomic_load(&tool_lists[stream]))
            continue;
        for (size_t type = 0; type < XPTI_TYPE_COUNT; type++)
            atomic_store(&lists[stream][type], NULL);
        atomic_store(&tool_lists[stream], NULL);
        atomic_store(&registered[stream], 0);
    }
    while (all_lists) {
        struct list *older = all_lists->older;

        free(all_lists);
        all_lists = older;
    }
}
