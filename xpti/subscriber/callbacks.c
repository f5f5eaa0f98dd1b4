/* callbacks.c - from a notification to a record
 *
 * An event of a known object with a known text takes no lock except that of the ring.
 * Otherwise records about the object and the text are written first, one thread at a
 * time. A signal handler can interrupt a callback of its own thread: its events wait
 * until that callback ends, and only those that need a lock are lost. */
#include "xpti/subscriber/callbacks.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

#include "inject/base/short_lock.h"
#include "inject/base/thread.h"
#include "lib/capture/format/records.h"
#include "xpti/subscriber/details.h"
#include "xpti/subscriber/object_numbers.h"
#include "xpti/subscriber/objects.h"
#include "xpti/subscriber/output.h"
#include "xpti/subscriber/streams.h"
#include "xpti/subscriber/text_numbers.h"

enum { WAITING_MAX = 8 };

/* State of a thread. The counters are changed by signal handlers of this thread. */
static __thread struct {
    volatile sig_atomic_t depth; /* 1: in a callback; more: in a signal handler */
    volatile sig_atomic_t waiting_count;
    volatile sig_atomic_t lost;
    struct record_xpti_event waiting[WAITING_MAX];
} own;

static struct short_lock lock; /* of names and objects */
static void (*on_connect)(void);

struct notification {
    unsigned stream;
    uint16_t type;
    struct xpti_event *object;
    uint64_t instance;
    const void *user;
};

void callbacks_on_connect(void (*fn)(void))
{
    on_connect = fn;
}

void callbacks_reset(void)
{
    short_lock_release(&lock);
    own.depth = own.waiting_count = own.lost = 0;
}

static bool is_creation(uint16_t type)
{
    return type == XPTI_NODE_CREATE || type == XPTI_QUEUE_CREATE ||
           type == XPTI_GRAPH_CREATE;
}

/* Fills object and text from the tables. Returns false when one of them is unknown. */
static bool fill_known(struct record_xpti_event *event,
                       const struct notification *is,
                       uint16_t type,
                       uint32_t *text)
{
    size_t length;
    const char *name = details_text(type, is->user, &length);

    *text = name ? text_numbers_find(name, length) : 0;
    if (is_creation(type) || type == XPTI_EDGE_CREATE)
        return false;
    event->object = is->object ? object_numbers_find(object_key(is->object)) : 0;
    return (!is->object || event->object) && (!name || length == 0 || *text);
}

static void fill_edge(struct record_xpti_event *event, struct xpti_event *edge)
{
    event->object = objects_number_of_uid(edge->source);
    event->target = objects_number_of_uid(edge->target);
}

/* Fills object and text, and writes their records. The caller holds the lock. */
static void fill_new(struct record_xpti_event *event,
                     const struct notification *is,
                     uint16_t type,
                     uint32_t *text)
{
    size_t length;
    const char *name = details_text(type, is->user, &length);

    if (name && length > 0)
        *text = text_numbers_add(name, length);
    if (!is->object)
        return;
    if (type == XPTI_EDGE_CREATE) {
        fill_edge(event, is->object);
        return;
    }
    event->object = objects_number(is->object, type == XPTI_NODE_CREATE);
    if (type == XPTI_NODE_CREATE || type == XPTI_QUEUE_CREATE)
        event->size = details_queue();
}

/* Connects a new child process, and writes what comes first in a shard. */
static bool connect_again(void)
{
    if (output_is_open())
        return true;
    if (!output_open())
        return false;
    on_connect();
    return true;
}

static bool fill_with_lock(struct record_xpti_event *event,
                           const struct notification *is,
                           uint16_t type,
                           uint32_t *text)
{
    int saved = errno;
    bool good;

    short_lock_acquire(&lock);
    good = connect_again();
    if (good)
        fill_new(event, is, type, text);
    short_lock_release(&lock);
    errno = saved;
    return good;
}

static bool is_call(uint16_t type)
{
    return type == XPTI_CALL_BEGIN || type == XPTI_CALL_END ||
           type == XPTI_FUNCTION_BEGIN || type == XPTI_FUNCTION_END;
}

/* Returns true when the filter leaves the event out. An edge needs both nodes. */
static bool is_left_out(const struct record_xpti_event *event, uint32_t text)
{
    return (is_call(event->type) && text & (uint32_t)TEXT_LEFT_OUT) ||
           event->object & OBJECT_LEFT_OUT ||
           (event->type == XPTI_EDGE_CREATE && event->target & OBJECT_LEFT_OUT);
}

/* Returns false when nothing is recorded. `is_nested`: without locks. */
static bool
fill(struct record_xpti_event *event, const struct notification *is, bool is_nested)
{
    const uint16_t type = details_type(is->type, streams_kind(is->stream));
    uint32_t text = 0;

    *event = (struct record_xpti_event){
        .time_ns = thread_quick_ns(),
        .instance = is->instance,
        .thread = thread_number(),
        .type = type,
        .stream = (uint16_t)(is->stream + 1),
    };
    if (!output_is_open() || !fill_known(event, is, type, &text)) {
        if (is_nested)
            own.lost++;
        if (is_nested || !fill_with_lock(event, is, type, &text))
            return false;
    }
    details_fill(event, type, is->user);
    event->text = text & ~(uint32_t)TEXT_LEFT_OUT;
    return !is_left_out(event, text);
}

static void keep_waiting(const struct notification *is)
{
    const sig_atomic_t at = own.waiting_count;

    if (at == WAITING_MAX)
        own.lost++;
    else if (fill(&own.waiting[at], is, true))
        own.waiting_count = at + 1;
}

/* Writes the events of signal handlers. A handler may add more at any time; it sees
 * the count before or after it is taken. */
static void write_waiting(void)
{
    const struct record_drop drop = {RECORD_XPTI_EVENT, DROP_INTERRUPTED,
                                     (uint64_t)own.lost};

    while (own.waiting_count > 0) {
        struct record_xpti_event event = own.waiting[0];

        for (int i = 1; i < own.waiting_count; i++)
            own.waiting[i - 1] = own.waiting[i];
        own.waiting_count--;
        output_write_event(event.time_ns, &event, sizeof(event));
    }
    if (drop.count > 0) {
        own.lost = 0;
        output_write(RECORD_DROP, &drop, sizeof(drop));
    }
}

static void record(unsigned stream,
                   uint16_t type,
                   struct xpti_event *object,
                   uint64_t instance,
                   const void *user)
{
    const struct notification is = {stream, type, object, instance, user};
    struct record_xpti_event event;

    if (atomic_load_explicit(&output_state_now, memory_order_relaxed) == OUTPUT_OFF)
        return;
    if (own.depth > 0) {
        if (own.depth == 1) { /* a handler inside a handler's callback is lost */
            own.depth++;
            keep_waiting(&is);
            own.depth--;
        }
        return;
    }
    own.depth = 1;
    atomic_signal_fence(memory_order_seq_cst);
    if (fill(&event, &is, false))
        output_write_event(event.time_ns, &event, sizeof(event));
    if (__builtin_expect(own.waiting_count > 0 || own.lost > 0, 0))
        write_waiting();
    atomic_signal_fence(memory_order_seq_cst);
    own.depth = 0;
}

#define CALLBACK(stream)                                                               \
    static void on_stream_##stream(uint16_t type, struct xpti_event *parent,           \
                                   struct xpti_event *object, uint64_t instance,       \
                                   const void *user)                                   \
    {                                                                                  \
        (void)parent;                                                                  \
        record(stream, type, object, instance, user);                                  \
    }

CALLBACK(0)
CALLBACK(1)
CALLBACK(2)
CALLBACK(3)
CALLBACK(4)
CALLBACK(5)
CALLBACK(6)
CALLBACK(7)
CALLBACK(8)
CALLBACK(9)
CALLBACK(10)
CALLBACK(11)
CALLBACK(12)
CALLBACK(13)
CALLBACK(14)
CALLBACK(15)

xpti_callback_fn *callbacks_get(unsigned stream)
{
    static xpti_callback_fn *const callbacks[STREAMS_MAX] = {
        on_stream_0,  on_stream_1,  on_stream_2,  on_stream_3,
        on_stream_4,  on_stream_5,  on_stream_6,  on_stream_7,
        on_stream_8,  on_stream_9,  on_stream_10, on_stream_11,
        on_stream_12, on_stream_13, on_stream_14, on_stream_15,
    };

    return callbacks[stream];
}
