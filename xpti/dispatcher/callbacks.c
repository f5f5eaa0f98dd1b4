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
    uint16_t count;   /* callbacks, the first of `fns` */
    uint16_t removed; /* callbacks behind them, which are not called any more */
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

static size_t count_all(const struct list *list)
{
    return list ? (size_t)list->count + list->removed : 0;
}

/* Returns the index of a callback or of a removed one, or their number. */
static size_t find_callback(const struct list *list, xpti_callback_fn *fn)
{
    size_t at = 0, all = count_all(list);

    while (at < all && list->fns[at] != fn)
        at++;
    return at;
}

/* Publishes a list in place of the one of the same type. The list of a tool's type is
 * put in front: the first list of a type counts. */
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

/* Returns a copy with room for one callback more, or NULL without memory. */
static struct list *copy_list(const struct list *old, uint16_t type)
{
    const size_t all = count_all(old);
    struct list *list = calloc(1, sizeof(*list) + (all + 1) * sizeof(list->fns[0]));

    if (!list)
        return NULL;
    list->type = type;
    if (old) {
        list->count = old->count;
        list->removed = old->removed;
        memcpy(list->fns, old->fns, all * sizeof(list->fns[0]));
    }
    return list;
}

static void swap(struct list *list, size_t a, size_t b)
{
    xpti_callback_fn *fn = list->fns[a];

    list->fns[a] = list->fns[b];
    list->fns[b] = fn;
}

/* A removed callback is added again in its place, with a result of its own. */
static int32_t add(uint8_t stream, uint16_t type, xpti_callback_fn *fn)
{
    const struct list *old = find_list(stream, type);
    const size_t at = find_callback(old, fn), all = count_all(old);
    struct list *list;

    if (old && at < old->count)
        return XPTI_DUPLICATE;
    if (all == UINT16_MAX)
        return XPTI_FAIL;
    list = copy_list(old, type);
    if (!list)
        return XPTI_FAIL;
    list->fns[at] = fn;
    swap(list, at, list->count);
    list->count++;
    list->removed -= at < all;
    publish(stream, list);
    atomic_fetch_add_explicit(&registered[stream], 1, memory_order_relaxed);
    return at < all ? XPTI_UNDELETE : XPTI_SUCCESS;
}

static int32_t remove_callback(uint8_t stream, uint16_t type, xpti_callback_fn *fn)
{
    const struct list *old = find_list(stream, type);
    const size_t at = find_callback(old, fn);
    struct list *list;

    if (at == count_all(old))
        return XPTI_NOT_FOUND;
    if (at >= old->count)
        return XPTI_DUPLICATE; /* removed before */
    list = copy_list(old, type);
    if (!list)
        return XPTI_FAIL;
    for (size_t i = at; i + 1 < list->count; i++) /* keeps the order of the others */
        swap(list, i, i + 1);
    list->count--;
    list->removed++;
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

/* Empties the list of a type. Returns false when it is empty. */
static bool empty_list(uint8_t stream, uint16_t type)
{
    const struct list *old = find_list(stream, type);
    struct list *list = old && old->count > 0 ? copy_list(old, type) : NULL;

    if (!list)
        return false;
    list->removed += list->count;
    list->count = 0;
    publish(stream, list);
    return true;
}

bool callbacks_remove_stream(uint8_t stream)
{
    const struct list *tool = atomic_load(&tool_lists[stream]);
    bool found = false;

    for (uint16_t type = 0; type < XPTI_TYPE_COUNT; type++)
        found |= empty_list(stream, type);
    for (; tool; tool = tool->other)
        found |= empty_list(stream, tool->type);
    atomic_store(&registered[stream], 0);
    return found;
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
 * nothing is called and no register is saved. The function lies in one cache line. */
__attribute__((aligned(64))) int32_t xptiNotifySubscribers(uint8_t stream,
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

void callbacks_forget(void)
{
    for (size_t stream = 0; stream < STREAMS; stream++) {
        if (!atomic_load(&registered[stream]) && !atomic_load(&tool_lists[stream]))
            continue;
        for (size_t type = 0; type < XPTI_TYPE_COUNT; type++)
            atomic_store(&lists[stream][type], NULL);
        atomic_store(&tool_lists[stream], NULL);
        atomic_store(&registered[stream], 0);
    }
}

void callbacks_reset(void)
{
    callbacks_forget();
    while (all_lists) {
        struct list *older = all_lists->older;

        free(all_lists);
        all_lists = older;
    }
}
