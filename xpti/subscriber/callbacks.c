/* callbacks.c - from a notification to a record
 *
 * An event of a known object with a known text takes no lock except that of the ring.
 * Otherwise records about the object and the text are written first, one thread at a
 * time. A signal handler can interrupt a callback of its own thread: its events wait
 * until that callback ends, and only those that need a lock are lost. */
#include "xpti/subscriber/callbacks.h"

#include <errno.h>
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

enum { WAITING_MAX = 8 }; /* a power of two */

/* State of a thread. Only signal handlers add events and losses, and only the callback
 * that they interrupt takes them, so neither overwrites a count of the other. */
static __thread struct {
    atomic_uint depth;        /* 1: in a callback; more: in a signal handler */
    atomic_uint added, taken; /* events that waited so far, and those written */
    atomic_uint lost, reported;
    struct record_xpti_event waiting[WAITING_MAX];
} own;

/* Only this thread and its signal handlers read the depth, which needs no barrier of
 * the processor. */
static void set_depth(unsigned depth)
{
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&own.depth, depth, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
}

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

bool callbacks_are_running(void)
{
    return own.depth > 0;
}

void callbacks_reset(void)
{
    short_lock_release(&lock);
    set_depth(0);
    own.taken = own.added;
    own.reported = own.lost;
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

/* Connects a new child process, and writes the records that begin its shard. */
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
    const enum stream_kind kind = streams_kind(is->stream);
    const uint16_t type = details_type(is->type, kind);
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
    details_fill(event, type, kind, is->user);
    event->text = text & ~(uint32_t)TEXT_LEFT_OUT;
    return !is_left_out(event, text);
}

static void keep_waiting(const struct notification *is)
{
    const unsigned at = own.added;

    if (at - own.taken == WAITING_MAX)
        own.lost++;
    else if (fill(&own.waiting[at % WAITING_MAX], is, true))
        own.added++;
}

static bool has_waiting(void)
{
    return own.added != own.taken || own.lost != own.reported;
}

/* Writes the events of signal handlers, which may add more at any time. */
static void write_waiting(void)
{
    const unsigned lost = own.lost;
    const struct record_drop drop = {RECORD_XPTI_EVENT, DROP_INTERRUPTED,
                                     lost - own.reported};

    while (own.added != own.taken) {
        struct record_xpti_event event = own.waiting[own.taken % WAITING_MAX];

        own.taken++;
        output_write_event(event.time_ns, &event, sizeof(event));
    }
    if (drop.count > 0) {
        own.reported = lost;
        output_write(RECORD_DROP, &drop, sizeof(drop));
    }
}

/* In a signal handler that interrupted a callback of this thread. */
static void record_nested(const struct notification *is)
{
    if (own.depth > 1) { /* it interrupted another such handler */
        own.lost++;
        return;
    }
    set_depth(2);
    keep_waiting(is);
    set_depth(1);
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
        record_nested(&is);
        return;
    }
    set_depth(1);
    if (fill(&event, &is, false))
        output_write_event(event.time_ns, &event, sizeof(event));
    set_depth(0);
    while (__builtin_expect(has_waiting(), 0)) {
        set_depth(1);
        write_waiting();
        set_depth(0);
    }
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
