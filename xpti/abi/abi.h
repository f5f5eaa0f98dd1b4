/* abi.h - the XPTI interface between producer, dispatcher and subscriber
 *
 * A producer calls the functions of dispatch.h. The dispatcher calls a subscriber's
 * callbacks. The layouts are those of the System V ABI on 64-bit Linux. */
#ifndef XPTI_ABI_ABI_H
#define XPTI_ABI_ABI_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xpti_result {
    XPTI_SUCCESS = 0,
    XPTI_FALSE = 1,
    XPTI_FAIL = (int)0x80004001,
    XPTI_NOT_IMPLEMENTED = (int)0x80004002,
    XPTI_DUPLICATE = (int)0x80004003,
    XPTI_NOT_FOUND = (int)0x80004004,
    XPTI_UNDELETE = (int)0x80004005,
    XPTI_INVALID_ARGUMENT = (int)0x80004006,
};

/* What a function returns in place of the number of a text or stream. */
#define XPTI_NO_TEXT UINT32_MAX
enum { XPTI_NO_STREAM = UINT8_MAX };

/* An even number is a begin or a single event, the next odd number is its end. */
enum xpti_trace_type {
    XPTI_GRAPH_CREATE = 2,
    XPTI_NODE_CREATE = 4,
    XPTI_EDGE_CREATE = 6,
    XPTI_REGION_BEGIN = 8,
    XPTI_REGION_END = 9,
    XPTI_TASK_BEGIN = 10,
    XPTI_TASK_END = 11,
    XPTI_BARRIER_BEGIN = 12,
    XPTI_BARRIER_END = 13,
    XPTI_LOCK_BEGIN = 14,
    XPTI_LOCK_END = 15,
    XPTI_SIGNAL = 16,
    XPTI_TRANSFER_BEGIN = 18,
    XPTI_TRANSFER_END = 19,
    XPTI_THREAD_BEGIN = 20,
    XPTI_THREAD_END = 21,
    XPTI_WAIT_BEGIN = 22,
    XPTI_WAIT_END = 23,
    XPTI_FUNCTION_BEGIN = 24,
    XPTI_FUNCTION_END = 25,
    XPTI_METADATA = 26,
    XPTI_CALL_BEGIN = 28, /* function_with_args */
    XPTI_CALL_END = 29,
    XPTI_CALL_END_2021 = 31, /* of the oldest producers */
    XPTI_ALLOC_BEGIN = 32,
    XPTI_ALLOC_END = 33,
    XPTI_RELEASE_BEGIN = 34,
    XPTI_RELEASE_END = 35,
    XPTI_OFFLOAD_CONSTRUCT = 36,
    XPTI_OFFLOAD_DESTRUCT = 37,
    XPTI_OFFLOAD_ASSOCIATE = 38,
    XPTI_OFFLOAD_RELEASE = 39,
    XPTI_OFFLOAD_ACCESSOR = 40,
    XPTI_QUEUE_CREATE = 42,
    XPTI_QUEUE_DESTROY = 43,
    XPTI_DIAGNOSTICS = 126,
    XPTI_TYPE_COUNT = 128,  /* of the standard types */
    XPTI_TYPE_OF_TOOL = 128 /* bit: a tool has defined the type; high byte: its tool */
};

enum xpti_event_type {
    XPTI_EVENT_GRAPH = 1,
    XPTI_EVENT_ALGORITHM,
    XPTI_EVENT_BARRIER,
    XPTI_EVENT_SCHEDULER,
    XPTI_EVENT_ASYNC,
    XPTI_EVENT_LOCK,
    XPTI_EVENT_OFFLOAD_READ,
    XPTI_EVENT_OFFLOAD_WRITE,
    XPTI_EVENT_OFFLOAD_OBJECT,
    XPTI_EVENT_OFFLOAD_ACCESSOR,
};

enum xpti_activity {
    XPTI_ACTIVE = 1,
    XPTI_OVERHEAD = 2,
    XPTI_BACKGROUND = 4,
    XPTI_SLEEP = 8
};

/* Types of metadata values; of a text without a null byte at its end. */
enum xpti_value_type {
    XPTI_VALUE_BINARY,
    XPTI_VALUE_TEXT,
    XPTI_VALUE_SIGNED,
    XPTI_VALUE_UNSIGNED,
    XPTI_VALUE_FLOATING,
    XPTI_VALUE_BOOLEAN,
};

enum xpti_payload_flag {
    XPTI_HAS_NAME = 1,
    XPTI_HAS_FILE = 2,
    XPTI_HAS_CODE = 4,
    XPTI_HAS_LINE = 8,
    XPTI_HAS_COLUMN = 16,
    XPTI_HAS_STACK = 32,
    XPTI_IS_REGISTERED = 0x8000,
    XPTI_HAS_HASH = 0x20000,
};

/* A place in the program. */
struct xpti_payload {
    const char *name;
    const char *stack_trace; /* "caller->callee", or NULL */
    const char *file;
    uint32_t line, column;
    const void *code;
    uint64_t internal;
    uint64_t flags; /* enum xpti_payload_flag */
    uint64_t p1;    /* number of the file's text << 32 | line */
    uint64_t p2;    /* number of the stack's text << 32 | number of the name's text */
    uint64_t p3;
};

/* The metadata of an event: the members of libstdc++'s std::unordered_map with uint32_t
 * keys and int32_t values. `first` and `count` are all that a reader needs. */
struct xpti_map_node {
    struct xpti_map_node *next;
    uint32_t key;  /* number of a text */
    int32_t value; /* number of an object */
};

struct xpti_map {
    struct xpti_map_node **buckets;
    size_t bucket_count;
    struct xpti_map_node *first;
    size_t count;
    float load;
    size_t next_resize;
    struct xpti_map_node *single; /* the only bucket: its predecessor, &first */
};

enum xpti_event_flag {
    XPTI_HAS_UID = 1,
    XPTI_HAS_SOURCE = 2,
    XPTI_HAS_TARGET = 4,
    XPTI_HAS_EVENT_TYPE = 8,
    XPTI_HAS_ACTIVITY = 16,
    XPTI_HAS_PAYLOAD = 32,
};

/* An object that events name. A subscriber must not read behind `metadata`: with
 * another C++ library the map has another size. */
struct xpti_event {
    uint64_t uid; /* its own address; only unique among live objects */
    uint64_t data;
    uint64_t instance; /* visits of the place, from 1 */
    uint16_t event_type;
    uint16_t activity;
    uint32_t unused;
    uint64_t source; /* of an edge: uid of its source node */
    uint64_t target;
    struct xpti_payload *payload;
    struct xpti_map metadata;
    void *user;
    uint64_t flags; /* enum xpti_event_flag */
};

/* A metadata value. Functions return it by value, through a hidden pointer. */
struct xpti_object {
    size_t size;
    const char *data;
    uint8_t type; /* enum xpti_value_type */
};

/* User data of a call with arguments. */
struct xpti_call {
    uint32_t function;
    const char *name;
    const void *const *args; /* one pointer per parameter */
    const int32_t *result;   /* NULL at the begin */
    const void *extra;
};

/* User data of an allocation. */
struct xpti_memory {
    uint64_t object; /* handle of the memory object */
    uint64_t address;
    uint64_t size;
    uint64_t guard;
    uint64_t reserved;
};

/* User data of offload memory objects. */
struct xpti_buffer {
    uint64_t user;
    uint64_t host;
    const char *element;
    uint32_t element_size;
    uint32_t dimensions;
    uint64_t range[3];
};

struct xpti_optional {
    uint32_t value;
    uint8_t present;
};

struct xpti_image {
    uint64_t user;
    uint64_t host;
    uint32_t dimensions;
    uint64_t range[3];
    uint32_t format;
    struct xpti_optional more[3];
};

struct xpti_accessor {
    uint64_t buffer;
    uint64_t accessor;
    uint32_t target;
    uint32_t mode;
};

struct xpti_association {
    uint64_t user;
    uint64_t platform;
};

/* Values of the metadata keys `enqueue_kernel_data` and `argN`. */
struct xpti_enqueue {
    uint64_t global[3];
    uint64_t local[3];
    uint64_t offset[3];
    uint64_t arguments;
};

struct xpti_argument {
    int32_t kind;
    const void *pointer;
    int32_t size;
    int32_t index;
};

static_assert(sizeof(struct xpti_payload) == 80, "payload");
static_assert(offsetof(struct xpti_payload, flags) == 48, "payload flags");
static_assert(sizeof(struct xpti_map) == 56, "metadata");
static_assert(offsetof(struct xpti_map, first) == 16, "first metadata node");
static_assert(offsetof(struct xpti_map, count) == 24, "metadata count");
static_assert(offsetof(struct xpti_map_node, value) == 12, "metadata value");
static_assert(sizeof(struct xpti_event) == 128, "event");
static_assert(offsetof(struct xpti_event, source) == 32, "source");
static_assert(offsetof(struct xpti_event, payload) == 48, "payload of an event");
static_assert(offsetof(struct xpti_event, metadata) == 56, "metadata of an event");
static_assert(sizeof(struct xpti_object) == 24, "object");
static_assert(sizeof(struct xpti_call) == 40, "call");
static_assert(sizeof(struct xpti_memory) == 40, "memory");
static_assert(sizeof(struct xpti_buffer) == 56, "buffer");
static_assert(sizeof(struct xpti_image) == 80, "image");
static_assert(sizeof(struct xpti_accessor) == 24, "accessor");
static_assert(sizeof(struct xpti_association) == 16, "association");
static_assert(sizeof(struct xpti_enqueue) == 80, "enqueue");
static_assert(sizeof(struct xpti_argument) == 24, "argument");

typedef void xpti_callback_fn(uint16_t type,
                              struct xpti_event *parent,
                              struct xpti_event *object,
                              uint64_t instance,
                              const void *user);

/* What a subscriber exports. The first two are required. */
typedef void
xpti_init_fn(unsigned major, unsigned minor, const char *version, const char *stream);
typedef void xpti_finish_fn(const char *stream);
enum xpti_detail { XPTI_DETAIL_NONE, XPTI_BASIC, XPTI_NORMAL, XPTI_VERBOSE };
typedef bool xpti_detail_fn(const char *stream, uint8_t *level); /* enum xpti_detail */

#define XPTI_INIT   "xptiTraceInit"
#define XPTI_FINISH "xptiTraceFinish"
#define XPTI_DETAIL "xptiQuerySubscriberStreamDetailLevel"

#endif
