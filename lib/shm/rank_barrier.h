/* rank_barrier.h - where the ranks of one host wait for each other
 *
 * One page of shared memory for the ranks of a gang on this host, and for the worker
 * that speaks for them. A communicator is a group of it; a rank of that has a seat.
 * Ranks meet once a *stage*: the n-th operation of the group, and a step of it. A
 * stage ends once, for all, with one word that a single compare-and-swap writes: GO,
 * OVER, or why not and whose fault that is. Who comes later finds that word; who waits
 * longer than its limit writes it. So all leave with the same answer, and nobody needs
 * another one to be alive: there is no lock here that a killed rank could hold.
 *
 * Where the group has ranks on other hosts, the last rank of this host rings the bell
 * of the worker, which asks around and writes the word, with the time of the release.
 *
 * The page belongs to programs that may write anywhere: what is read from it is never
 * an index, a length or a pointer, and every wait ends by its own clock. */
#ifndef LIB_SHM_RANK_BARRIER_H
#define LIB_SHM_RANK_BARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BARRIER_GROUPS_MAX = 64,      /* communicators at a time */
    BARRIER_SEATS_MAX = 64,       /* ranks of one of them on this host */
    BARRIER_RANKS_MAX = 4094,     /* of one of them on all hosts */
    BARRIER_RANK_UNKNOWN = 0xfff, /* as the culprit */
    BARRIER_STEPS_MAX = 0xffff,
    BARRIER_WHAT_MAX = 64,
};

/* Why a rank does not go on, as it says itself or is said of it. */
enum barrier_reason {
    BARRIER_RELEASED,      /* all are here and agree */
    BARRIER_FINISHED,      /* the same, and the launch is done */
    BARRIER_NOT_WANTED,    /* it does not replay this operation */
    BARRIER_MISMATCH,      /* it stands at another operation */
    BARRIER_NO_ROOM,       /* its memory could not be saved */
    BARRIER_NOT_ARMED,     /* its counters do not start */
    BARRIER_NOT_RESTORED,  /* its memory could not be put back */
    BARRIER_KERNEL_FAILED, /* its execution ended with an error */
    BARRIER_KERNEL_STUCK,  /* its execution did not end */
    BARRIER_DATA_LOST,     /* its counters came without something */
    BARRIER_LATE,          /* it did not come in time */
    BARRIER_GONE,          /* its process has ended */
    BARRIER_LEFT,          /* it takes no part any more */
    BARRIER_NO_WORD,       /* other hosts were not heard of */
    BARRIER_CARDS_BUSY,    /* another group kept its cards */
    BARRIER_ENDED,         /* the whole gang was told to end */
    BARRIER_STOPPED,       /* it was asked to leave early */
    BARRIER_EARLIER_WORK,  /* what its card did before does not end */
    BARRIER_CIRCLE,        /* it waits in another group, for one that waits here */
    BARRIER_REASON_END
};

/* A stage: operation of the group, from 1, and step in it. Stages of a group grow. */
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

struct meeting_shared;

struct rank_barrier {
    struct meeting_shared *shared;
    int bell; /* of the worker that speaks for the host; -1: nobody does */
};

/* Anonymous memory for the ranks of one gang on this host: `world` ranks on all
 * `hosts`, `here` of them on this one. A descriptor, or -1 with errno. */
int barrier_memory(uint32_t hosts, uint32_t world, uint32_t here);
/* 0 or -1 with errno. The memory's descriptor may be closed afterwards; the bell is
 * borrowed. */
int barrier_map(struct rank_barrier *meeting, int memory, int bell);
void barrier_unmap(struct rank_barrier *meeting); /* an empty one is welcome */

/* A rank of a communicator. */
struct barrier_membership {
    uint64_t key;  /* of the communicator: not 0, alike on all its ranks */
    uint32_t size; /* ranks of the communicator */
    uint32_t rank; /* in it */
    uint32_t world_rank;
    uint32_t device; /* of this host, to keep groups apart that share one */
    uint32_t pid;
};

struct barrier_place {
    uint64_t key;
    uint32_t group, seat;
};

/* 0 or -1: no place, or the communicator is known with another size. */
int barrier_join(struct rank_barrier *meeting,
                 const struct barrier_membership *member,
                 struct barrier_place *place);
void barrier_leave(struct rank_barrier *meeting, const struct barrier_place *place);

struct barrier_arrival {
    uint64_t stage;
    uint64_t fingerprint;       /* of the operation: alike on all ranks */
    enum barrier_reason reason; /* GO: this rank goes on; OVER: and has then ended */
    const char *what;           /* the operation's name; read at step 0 only */
    /* For verdict->alike: what has to be the same, what may differ, and by how much. */
    uint64_t likeness; /* 0: there is nothing to compare */
    uint64_t took_ns;
    uint32_t permille;
};

struct barrier_outcome {
    enum barrier_reason reason;
    uint32_t culprit;     /* rank of the communicator, or BARRIER_RANK_UNKNOWN */
    uint64_t arrived_ns;  /* monotonic, as all of these */
    uint64_t planned_ns;  /* when all were to go on */
    uint64_t released_ns; /* when this one did */
    /* What was known of the root's clock when the plan was made: see below. */
    int64_t root_offset_ns;
    uint64_t root_uncertainty_ns;
    bool alike; /* all are of this host, and all are like each other */
};

static inline bool barrier_is_go(const struct barrier_outcome *verdict)
{
    return verdict->reason == BARRIER_RELEASED || verdict->reason == BARRIER_FINISHED;
}

/* Waits for all others, `limit_ms` at most. A rank that says why it cannot go on does
 * not wait. */
void barrier_meet(struct rank_barrier *meeting,
                  const struct barrier_place *place,
                  const struct barrier_arrival *arrival,
                  uint32_t limit_ms,
                  struct barrier_outcome *verdict);

/* How much later than here the ranks of another host may give up, who wait for a word
 * that reached us; 0: there are no others. */
uint32_t barrier_word_ms(const struct rank_barrier *meeting);

/* Says that this rank does not replay the operation (step 0), and waits for nobody.
 * `loud`: other hosts are told as well. */
void barrier_decline(struct rank_barrier *meeting,
                     const struct barrier_place *place,
                     const struct barrier_arrival *arrival,
                     bool loud);

/* For people: `rank 3 is at Add (launch 12), ranks 0-2 at MatmulAllReduce (launch 12)`.
 */
void barrier_tell(const struct rank_barrier *meeting,
                  const struct barrier_place *place,
                  uint64_t stage,
                  const struct barrier_outcome *verdict,
                  char *text,
                  size_t size);

/* For the workers of the host. */

/* The process has ended: who waits for one of its ranks need not any more. */
void barrier_mark_gone(struct rank_barrier *meeting, uint32_t pid);
void barrier_mark_rank_gone(struct rank_barrier *meeting, uint32_t world_rank);
/* All that wait, and all that will: there are no meetings any more. */
void barrier_end(struct rank_barrier *meeting,
                 enum barrier_reason why,
                 uint32_t world_rank);

/* How far this host's clock is from the root's, and how well that is known. */
void barrier_set_clock(struct rank_barrier *meeting,
                       int64_t offset_ns,
                       uint64_t uncertainty_ns);

struct barrier_view_seat {
    uint32_t rank, world_rank;
    uint64_t fingerprint;
    enum barrier_reason reason;
    char what[BARRIER_WHAT_MAX];
};

/* A group as it stands: who of this host is at the highest stage. */
struct barrier_view {
    uint64_t key, stage;
    uint32_t size;
    bool complete; /* all of this host are there, as far as is known */
    bool decided;
    struct barrier_outcome verdict; /* of the stage, when decided: reason, culprit */
    uint32_t count;
    struct barrier_view_seat seats[BARRIER_SEATS_MAX];
};

/* False where there is no group, or nobody came yet. */
bool barrier_look(const struct rank_barrier *meeting,
                  uint32_t group,
                  struct barrier_view *view);
/* The word for a stage, unless it has one. planned_ns 0: now. */
bool barrier_decide(struct rank_barrier *meeting,
                    uint64_t key,
                    uint64_t stage,
                    enum barrier_reason reason,
                    uint32_t culprit,
                    uint64_t planned_ns);

/* The number in a group of a rank of the run, or BARRIER_RANK_UNKNOWN. */
uint32_t
barrier_rank_in(const struct rank_barrier *meeting, uint64_t key, uint32_t world_rank);
/* The other way round: of all ranks that have a seat here, or when the group is the
 * whole run. */
uint32_t
barrier_world_rank(const struct rank_barrier *meeting, uint64_t key, uint32_t rank);

/* `late`, `gone` ...: what a record and a text call it. */
const char *barrier_reason_word(enum barrier_reason reason);

#endif
