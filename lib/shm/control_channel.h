/* control_channel.h - messages between the worker and a process of the operator
 *
 * The operator inherits one end of a SOCK_SEQPACKET pair, the control socket.
 * MUSTER_INJECT_FD contains its number and inode, for example "7:40123". With the inode
 * a process notices that the descriptor was closed and now belongs to another file.
 *
 * Each process that uses an NPU sends HELLO through the control socket, with one end of
 * a new pair: the control channel of this process. On that channel the worker answers
 * CONFIG, with the memory of the ring (ring.h) and an eventfd that wakes the reader of
 * the ring. For one of several ranks, CONFIG also has the page of the barrier
 * (rank_barrier.h) and the eventfd of that.
 *
 * Before a replay, a thread sends PREPARE on the channel of its process, with one end
 * of another pair. Only this thread waits on that pair for the DECISION. Threads
 * therefore need no lock, and no thread receives the answer for another one.
 *
 * A message is exactly one of these structs, in the byte order of the host. The
 * receiver calls control_message_fits() before it reads any field. */
#ifndef LIB_SHM_CONTROL_CHANNEL_H
#define LIB_SHM_CONTROL_CHANNEL_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/shm/ring.h"

#define CONTROL_ENV "MUSTER_INJECT_FD"

enum {
    CONTROL_MAGIC = 0x4a4e494d, /* "MINJ" */
    CONTROL_VERSION = 6,
    CONTROL_PASSES_MAX = 16,
    CONTROL_EVENTS_MAX = 10,
    CONTROL_FDS_MAX = 4,
    CONTROL_ANSWER_MS = 5000, /* longest wait of a process for CONFIG or DECISION */
};

enum control_kind {
    CONTROL_HELLO = 1, /* process to worker, with its channel */
    CONTROL_CONFIG,    /* worker to process, with the descriptors of enum config_fd */
    CONTROL_PREPARE,   /* thread to worker, with the socket for the answer */
    CONTROL_DECISION,  /* worker to thread */
    CONTROL_KIND_END
};

struct control_head {
    uint32_t magic;
    uint16_t version;
    uint16_t kind; /* enum control_kind */
    uint32_t size; /* of the whole message */
    uint32_t reserved;
};

/* Sent when a process uses an NPU for the first time. */
struct control_hello {
    struct control_head head;
    uint32_t pid;
    uint32_t parent_pid;
    char program[128];
};

enum control_flag {
    CONTROL_RESTORE_OFF = 1, /* for tests: memory is not restored between passes */
    CONTROL_RANGES = 2,      /* replay marked ranges, but no single launches */
};

/* The descriptors of a CONFIG message. The barrier is missing without other ranks, and
 * its eventfd when all ranks are on this host. */
enum config_fd { CONFIG_RING, CONFIG_RING_WAKE, CONFIG_BARRIER, CONFIG_BARRIER_WAKE };

struct control_config {
    struct control_head head;
    uint32_t flags; /* enum control_flag */
    uint32_t rank;  /* in the gang; of the first card when a process has several */
    uint32_t world; /* number of ranks in the gang */
    uint32_t ring_lanes;
    uint64_t ring_bytes; /* size of lane 0 of the ring */
    uint64_t start;      /* identifies this start of the program; equal on all ranks */
};

/* The subject of a PREPARE. */
enum control_about {
    CONTROL_LAUNCH,        /* a launch, or the first segment of a marked range */
    CONTROL_LATER_SEGMENT, /* a later segment of a range whose first one is replayed */
    CONTROL_RANGE_NAME, /* whether ranges of this name are selected; fills only `kernel`
                         */
};

/* Asks whether a launch is replayed, and how. */
struct control_prepare {
    struct control_head head;
    uint64_t launch; /* number in the process, from 1; counts all launches */
    uint64_t snapshot_bytes;
    uint32_t device; /* logical number, as the driver counts */
    uint32_t device_visible;
    uint32_t chip;
    uint32_t core_count;
    uint32_t block_dim;
    uint32_t order; /* earlier launches of this kernel on this device */
    uint32_t thread;
    uint32_t simulated;
    uint32_t launch_kind; /* enum launch_kind; 0: the runtime reports it later */
    uint32_t about;       /* enum control_about */
    uint64_t group;       /* key of the communicator; 0: a launch of one card */
    uint64_t sequence;    /* number of the operation in the communicator, from 1 */
    char soc[32];
    char kernel[256];
    char ranges[384]; /* names of the open ranges, one per line, the latest first */
};

enum control_answer {
    CONTROL_PROFILE = 1,
    CONTROL_PASS,        /* do not replay this launch; ask again at the next one */
    CONTROL_PASS_KERNEL, /* do not replay kernels of this name any more */
    CONTROL_PASS_GROUP,  /* do not replay operations of this communicator any more */
    CONTROL_PASS_ALL,    /* measure nothing in this process any more */
};

/* One counter pass: the event of each counter slot. */
struct control_pass {
    uint32_t event_count; /* slots in use: 8 or 10; 0: no counters */
    uint16_t aic[CONTROL_EVENTS_MAX];
    uint16_t aiv[CONTROL_EVENTS_MAX];
};

struct control_decision {
    struct control_head head;
    uint64_t launch;
    uint32_t answer;     /* enum control_answer */
    uint32_t warmups;    /* executions after the first one and before the passes */
    uint32_t pass_count; /* entries of `pass`; each pass also reads the task log */
    uint32_t has_l2;     /* 1: read the L2 counters */
    uint32_t l2_alone;   /* 1: in a pass of their own; 0: in the first counter pass */
    uint32_t sync_ms;    /* longest time of one execution */
    uint32_t barrier_ms; /* longest wait of a rank for the other ranks */
    /* Application replay: number of the only execution, from 1: the counter passes, the
     * L2 counters, the one without counters. 0: no application replay */
    uint32_t once;
    uint32_t share_permille; /* tolerance for shared passes (pass_sharing.h); 0: off */
    uint32_t partial;        /* 1: count only the part that the kernel marks */
    uint32_t plain; /* 1: a last execution without counters measures the duration */
    uint32_t reserved;
    uint16_t l2_events[8];
    char metrics[128]; /* requested metrics, copied to the launch record */
    struct control_pass pass[CONTROL_PASSES_MAX];
};

union control_message {
    struct control_head head;
    struct control_hello hello;
    struct control_config config;
    struct control_prepare prepare;
    struct control_decision decision;
};

static_assert(sizeof(struct control_head) == 16, "channel head");
static_assert(sizeof(struct control_hello) == 152, "hello");
static_assert(sizeof(struct control_config) == 48, "config");
static_assert(sizeof(struct control_prepare) == 760, "prepare");
static_assert(sizeof(struct control_pass) == 44, "pass");
static_assert(sizeof(struct control_decision) == 920, "decision");

/* Clears the message and fills its head. */
void control_message_init(union control_message *message, enum control_kind kind);
/* Returns true for a complete message of `kind` with all counts in range. Ends its
 * texts with a null byte. */
bool control_message_fits(union control_message *message,
                          size_t received,
                          enum control_kind kind);

/* Creates a connected pair of sockets, close-on-exec. Returns 0, or -1 with errno. */
int control_pair(int ends[2]);

/* Sends one message with its descriptors; the sender still owns them. Never blocks and
 * never raises a signal. Returns 0, or -1 with errno. */
int control_send(int socket,
                 const union control_message *message,
                 const int *fds,
                 size_t fd_count);

/* Receives one message. The caller owns the received descriptors, which are
 * close-on-exec; the other entries of `fds` are -1. Never blocks. Returns the number of
 * bytes, 0 when the other end is closed, or -1 with errno. */
ssize_t
control_receive(int socket, union control_message *message, int fds[CONTROL_FDS_MAX]);

/* Waits until a message arrives or the other end closes. Returns false after the time.
 */
bool control_wait(int socket, int timeout_ms);

#endif
