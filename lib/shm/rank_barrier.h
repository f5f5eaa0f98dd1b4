/* rank_barrier.h - barrier for the ranks of one gang on one host, in shared memory
 *
 * All ranks of the gang on this host map one page, and so does the worker that connects
 * the host to the others. Each communicator has a group in the page, and each of its
 * ranks is a member of that group.
 *
 * The ranks of a group wait for each other at stages. A stage is the n-th operation of
 * the group and a step in it. One compare-and-swap writes the outcome of a stage:
 * released, finished, or the reason of an abort and the rank that caused it. The last
 * rank to arrive writes it. A rank whose time limit ends also writes it. A rank that
 * arrives later reads it. All ranks therefore return the same outcome, and none depends
 * on another live process: the page has no lock that a killed rank could hold.
 *
 * When the group has ranks on other hosts, the last rank of this host wakes the worker.
 * The worker asks the other hosts and writes the outcome with the time of the release.
 *
 * Any program that maps the page may overwrite it. Values from the page are therefore
 * never used as an index, a length or a pointer, and each wait ends by its own clock.
 */
#ifndef LIB_SHM_RANK_BARRIER_H
#define LIB_SHM_RANK_BARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BARRIER_GROUPS_MAX = 64,      /* communicators at the same time */
    BARRIER_MEMBERS_MAX = 64,     /* ranks of a communicator on this host */
    BARRIER_RANKS_MAX = 4094,     /* ranks of a communicator on all hosts */
    BARRIER_RANK_UNKNOWN = 0xfff, /* culprit of an abort without a known cause */
    BARRIER_STEPS_MAX = 0xffff,
    BARRIER_WHAT_MAX = 64,
};

/* The report of a rank when it arrives, and the outcome of a stage. */
enum barrier_reason {
    BARRIER_RELEASED,      /* all ranks arrived and agree */
    BARRIER_FINISHED,      /* the same, and the launch is finished */
    BARRIER_NOT_WANTED,    /* the rank does not replay this operation */
    BARRIER_MISMATCH,      /* the rank arrived with another operation */
    BARRIER_NO_ROOM,       /* no memory for the snapshot */
    BARRIER_NOT_ARMED,     /* the counters did not start */
    BARRIER_NOT_RESTORED,  /* the memory was not restored */
    BARRIER_KERNEL_FAILED, /* the kernel ended with an error */
    BARRIER_KERNEL_STUCK,  /* the kernel did not end */
    BARRIER_DATA_LOST,     /* the driver lost counter data */
    BARRIER_LATE,          /* the rank did not arrive in time */
    BARRIER_GONE,          /* the process of the rank ended */
    BARRIER_LEFT,          /* the rank left the group */
    BARRIER_NO_ANSWER,     /* no answer from the other hosts */
    BARRIER_CARDS_BUSY,    /* another group used the cards too long */
    BARRIER_ENDED,         /* the attempt of the gang ended */
    BARRIER_STOPPED,       /* the rank stopped on request */
    BARRIER_EARLIER_WORK,  /* earlier work of the card did not end */
    BARRIER_DEADLOCK, /* the rank waits in another group for a rank that waits here */
    BARRIER_REASON_END
};

/* A stage: number of the operation in its group, from 1, and step in it. The stages of
 * a group only grow. */
static inline uint64_t barrier_stage(uint64_t sequence, uint32_t step)
{
    return (sequence & 0xfffffff) << 16 | (step & BARRIER_STEPS_MAX);
}

static inline uint64_t barrier_sequence(uint64_t stage)
{
    return stage >> 16;
}

static inline uint32_t barrier_step(uint64_t stage)
{
    return (uint32_t)(stage & BARRIER_STEPS_MAX);
}

struct barrier_page;

struct rank_barrier {
    struct barrier_page *shared;
    int wake_fd; /* eventfd of the worker that reaches other hosts; -1: one host */
};

/* Creates the page for a gang of `world` ranks on `hosts` hosts, `ranks_here` of them
 * on this one. Returns a descriptor, or -1 with errno. */
int barrier_memory(uint32_t hosts, uint32_t world, uint32_t ranks_here);
/* Returns 0, or -1 with errno. The caller may close `memory` afterwards. It keeps
 * `wake_fd` open as long as the page is mapped. */
int barrier_map(struct rank_barrier *barrier, int memory, int wake_fd);
void barrier_unmap(struct rank_barrier *barrier); /* an empty barrier is allowed */

/* A rank of a communicator. */
struct barrier_membership {
    uint64_t key;  /* of the communicator: not 0, equal on all its ranks */
    uint32_t size; /* ranks of the communicator */
    uint32_t rank; /* number in the communicator */
    uint32_t world_rank;
    uint32_t device; /* on this host; groups that share a device take turns */
    uint32_t pid;
};

/* The position of a rank in the page. */
struct barrier_place {
    uint64_t key;
    uint32_t group, member;
};

/* Returns 0, or -1 when the page is full or the communicator has another size in it. */
int barrier_join(struct rank_barrier *barrier,
                 const struct barrier_membership *membership,
                 struct barrier_place *place);
void barrier_leave(struct rank_barrier *barrier, const struct barrier_place *place);

struct barrier_arrival {
    uint64_t stage;
    uint64_t fingerprint; /* of the operation: equal on all ranks */
    enum barrier_reason
        reason;       /* RELEASED: ready to continue; FINISHED: ready to end */
    const char *what; /* name of the operation; read at step 0 only */
    /* Input of outcome->likeness: the kernel, its duration and the tolerance. */
    uint64_t likeness; /* equal for ranks that run the same kernel; 0: not compared */
    uint64_t took_ns;
    uint32_t permille;
};

/* Whether the ranks measure the same kernel alike. */
enum barrier_likeness {
    BARRIER_NOT_COMPARED,
    BARRIER_ALIKE,
    BARRIER_OTHER_KERNELS,   /* kernel, blocks or arguments differ */
    BARRIER_NO_DURATION,     /* a rank could not measure its duration */
    BARRIER_OTHER_DURATIONS, /* the durations differ by more than the tolerance */
};

struct barrier_outcome {
    enum barrier_reason reason;
    uint32_t culprit;     /* rank of the communicator, or BARRIER_RANK_UNKNOWN */
    uint64_t arrived_ns;  /* monotonic, as all times here */
    uint64_t planned_ns;  /* planned time of the release */
    uint64_t released_ns; /* time at which this rank continued */
    /* Clock of rank 0's host against this one, as known when the release was planned.
     */
    int64_t root_offset_ns;
    uint64_t root_uncertainty_ns;
    enum barrier_likeness likeness;
    uint64_t least_ns, most_ns; /* shortest and longest duration; 0: not known */
};

static inline bool barrier_is_released(const struct barrier_outcome *outcome)
{
    return outcome->reason == BARRIER_RELEASED || outcome->reason == BARRIER_FINISHED;
}

/* Waits for all other ranks, at most about `limit_ms`. A rank that arrives with the
 * reason of an abort does not wait. */
void barrier_wait(struct rank_barrier *barrier,
                  const struct barrier_place *place,
                  const struct barrier_arrival *arrival,
                  uint32_t limit_ms,
                  struct barrier_outcome *outcome);

/* Returns how much longer than this host another host may wait for an outcome that this
 * host has already read; 0 with one host. */
uint32_t barrier_remote_delay_ms(const struct rank_barrier *barrier);

/* Reports that this rank does not replay the operation (step 0), without a wait. With
 * `notify_hosts` the other hosts receive the report too. */
void barrier_decline(struct rank_barrier *barrier,
                     const struct barrier_place *place,
                     const struct barrier_arrival *arrival,
                     bool notify_hosts);

/* Writes the cause of an abort as text, for example
 * `rank 3 is at Add (launch 12), ranks 0-2 at MatmulAllReduce (launch 12)`. */
void barrier_describe(const struct rank_barrier *barrier,
                      const struct barrier_place *place,
                      uint64_t stage,
                      const struct barrier_outcome *outcome,
                      char *text,
                      size_t size);

/* The workers of the host use the functions below. */

/* Ends each wait for a rank whose process ended. */
void barrier_mark_process_ended(struct rank_barrier *barrier, uint32_t pid);
void barrier_mark_rank_ended(struct rank_barrier *barrier, uint32_t world_rank);
/* Ends all present and future waits with the reason `why`. */
void barrier_end(struct rank_barrier *barrier,
                 enum barrier_reason why,
                 uint32_t world_rank);

/* Stores the offset of this host's clock to the clock of rank 0's host. */
void barrier_set_clock(struct rank_barrier *barrier,
                       int64_t offset_ns,
                       uint64_t uncertainty_ns);

struct barrier_view_member {
    uint32_t rank, world_rank;
    uint64_t fingerprint;
    enum barrier_reason reason;
    char what[BARRIER_WHAT_MAX];
};

/* The state of a group: the ranks of this host at its highest stage. */
struct barrier_view {
    uint64_t key, stage;
    uint32_t size;
    bool complete; /* all known ranks of this host arrived */
    bool decided;
    struct barrier_outcome outcome; /* when decided: reason and culprit only */
    uint32_t count;
    struct barrier_view_member members[BARRIER_MEMBERS_MAX];
};

/* Returns false when there is no such group or no rank arrived yet. */
bool barrier_read_group(const struct rank_barrier *barrier,
                        uint32_t group,
                        struct barrier_view *view);
/* Writes the outcome of a stage, unless the stage has one: then returns false.
 * planned_ns 0 means now. */
bool barrier_decide(struct rank_barrier *barrier,
                    uint64_t key,
                    uint64_t stage,
                    enum barrier_reason reason,
                    uint32_t culprit,
                    uint64_t planned_ns);

/* Converts a rank of the gang to its number in a group, or BARRIER_RANK_UNKNOWN. */
uint32_t
barrier_rank_in(const struct rank_barrier *barrier, uint64_t key, uint32_t world_rank);
/* Converts back. Works for ranks of this host, and for a group of the whole gang. */
uint32_t
barrier_world_rank(const struct rank_barrier *barrier, uint64_t key, uint32_t rank);

/* Returns the name of a reason in records and texts: `late`, `gone` ... */
const char *barrier_reason_name(enum barrier_reason reason);

#endif
