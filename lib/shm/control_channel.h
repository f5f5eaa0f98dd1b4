/* control_channel.h - what the worker and a process of the operator say to each other
 *
 * The operator inherits one end of a SOCK_SEQPACKET pair, the rendezvous; its number
 * and inode stand in MUSTER_INJECT_FD as "7:40123", so that a descriptor which was
 * closed and given to another file is not mistaken for it. The rendezvous only carries
 * HELLO, one from each process that uses an NPU, with one end of a fresh pair: the
 * process's own channel. On that the worker answers CONFIG, with the memory of the ring
 * (ring.h) and the bell that wakes the ring's reader; and, where the process is one of
 * several ranks, the page where they meet (meeting.h) and the bell of that.
 *
 * Before a launch is replayed a thread asks PREPARE on the channel of its process and
 * hands along one end of one more pair, where it alone waits for the DECISION: threads
 * need no lock to ask, and an answer cannot reach the wrong one.
 *
 * A message is one of these structs, whole, in the byte order of the host both live on.
 * The receiver believes no field before control_message_fits() said yes. */
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
    CONTROL_VERSION = 3,
    CONTROL_PASSES_MAX = 16,
    CONTROL_EVENTS_MAX = 10,
    CONTROL_FDS_MAX = 4,
    CONTROL_ANSWER_MS = 5000, /* how long a process waits for CONFIG or DECISION */
};

enum control_kind {
    CONTROL_HELLO = 1, /* process to worker, with its channel */
    CONTROL_CONFIG,    /* worker to process, with what enum config_fd says */
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

/* a process uses an NPU for the first time */
struct control_hello {
    struct control_head head;
    uint32_t pid;
    uint32_t parent_pid;
    char program[128];
};

enum control_flag {
    CONTROL_RESTORE_OFF = 1, /* tests only: memory is not put back between replays */
    CONTROL_RANGES = 2,      /* marked ranges are replayed, and no launch by itself */
};

/* The last ones may be missing: no other ranks, or all of them on this host. */
enum config_fd { CONFIG_RING, CONFIG_BELL, CONFIG_MEETING, CONFIG_MEETING_BELL };

struct control_config {
    struct control_head head;
    uint32_t flags; /* enum control_flag */
    uint32_t rank;  /* of the run; with threads, of the first card */
    uint32_t world; /* ranks of the run */
    uint32_t reserved;
    uint64_t ring_bytes; /* of the ring's data */
    uint64_t start;      /* of this program start, alike on all ranks */
};

/* may this launch be replayed, and how */
struct control_prepare {
    struct control_head head;
    uint64_t launch; /* from 1, in the process: every launch counts, profiled or not */
    uint64_t snapshot_bytes;
    uint32_t device; /* logical, as the driver counts */
    uint32_t device_visible;
    uint32_t chip;
    uint32_t core_count;
    uint32_t block_dim;
    uint32_t order; /* launches of this kernel on this device before it */
    uint32_t thread;
    uint32_t simulated;
    uint32_t launch_kind; /* enum launch_kind, or 0: the runtime knows */
    uint32_t reserved;
    uint64_t group;    /* key of the communicator; 0: it is this card's alone */
    uint64_t sequence; /* of the operation in the group, from 1 */
    char soc[32];
    char kernel[256];
    char ranges[384]; /* the program's open ranges, the latest first, a line each */
};

enum control_answer {
    CONTROL_PROFILE = 1,
    CONTROL_PASS,        /* not this launch; ask again at the next one */
    CONTROL_PASS_KERNEL, /* no launch of a kernel of this name any more */
    CONTROL_PASS_GROUP,  /* no operation of this group any more */
    CONTROL_PASS_ALL,    /* nothing in this process any more */
};

/* one counter pass: what each slot of the counters counts */
struct control_pass {
    uint32_t event_count; /* slots in use: 8 or 10; 0 counts nothing */
    uint16_t aic[CONTROL_EVENTS_MAX];
    uint16_t aiv[CONTROL_EVENTS_MAX];
};

struct control_decision {
    struct control_head head;
    uint64_t launch;
    uint32_t answer;     /* enum control_answer */
    uint32_t warmups;    /* executions before the first pass, besides the first */
    uint32_t pass_count; /* of `pass`; the task log is on in the last one */
    uint32_t has_l2;     /* 1: the L2 counters are read */
    uint32_t l2_alone;   /* 1: in a pass of their own; 0: in the first counter pass */
    uint32_t sync_ms;    /* the longest that one execution may take */
    uint32_t barrier_ms; /* the longest that a rank waits for the others */
    uint32_t
        once; /* application replay: only this pass, from 1, and no other execution */
    uint32_t
        share_permille; /* like ranks share the passes (share.h); 0: each has all */
    uint32_t reserved;
    uint16_t l2_events[8];
    char metrics[128]; /* what was asked for, as the launch record keeps it */
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
static_assert(sizeof(struct control_decision) == 912, "decision");

/* Clears the message and fills its head. */
void control_message_init(union control_message *message, enum control_kind kind);
/* A message of `kind`, complete, whose counts are in range and texts end. */
bool control_message_fits(union control_message *message,
                          size_t received,
                          enum control_kind kind);

/* A connected pair, close-on-exec. 0 or -1 with errno. */
int control_pair(int ends[2]);

/* Sends one message with its descriptors, which stay the sender's. Never blocks, never
 * raises a signal. 0 or -1 with errno. */
int control_send(int socket,
                 const union control_message *message,
                 const int *fds,
                 size_t fd_count);

/* Takes one message; descriptors that came with it are yours, close-on-exec, and -1
 * where none came. Bytes received, 0 at the end, -1 with errno. Never blocks. */
ssize_t
control_receive(int socket, union control_message *message, int fds[CONTROL_FDS_MAX]);

/* Waits until there is something to receive, or the other end has gone. */
bool control_wait(int socket, int timeout_ms);

#endif
