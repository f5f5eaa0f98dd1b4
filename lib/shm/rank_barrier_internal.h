/* rank_barrier_internal.h - memory layout of the shared page of the barrier
 *
 * Only the files of the barrier include this header.
 *
 * `decided` of a group packs stage, reason and culprit into 64 bits. It only grows, by
 * compare-and-swap. Each stage therefore gets one outcome, even when the writer is
 * killed. A slow rank may find the outcome of a later stage. In the same operation that
 * means its own stage was released. For an earlier operation it reads `past` or
 * `finished`: a writer copies the old outcome there before it replaces it.
 *
 * `wakes` is a futex that counts outcomes. `arrived` counts the members at the highest
 * stage so far and identifies the last one. Everything else is read from the members.
 */
#ifndef LIB_SHM_RANK_BARRIER_INTERNAL_H
#define LIB_SHM_RANK_BARRIER_INTERNAL_H

#include <stdatomic.h>
#include <stdint.h>

#include "lib/shm/core_share.h"
#include "lib/shm/rank_barrier.h"

enum {
    BARRIER_PAGE_MAGIC = 0x5445454d,
    WHAT_WORDS = BARRIER_WHAT_MAX / 8,
    PAST_OUTCOMES = 16,
    HELD_CARDS_BITS = 48, /* two cards of a host with more share a bit */
    HOLD_MASK = 0xffff,
    BARRIER_SPIN_NS = 500000, /* longest time without sleep after an arrival */
    BARRIER_WAKE_NS = 150000, /* enough for a rank to wake */
};

#define HELD_CARDS_MASK ((UINT64_C(1) << HELD_CARDS_BITS) - 1)

enum member_state {
    MEMBER_FREE,
    MEMBER_TAKING, /* a process fills the entry */
    MEMBER_PRESENT,
    MEMBER_LEFT,
    MEMBER_GONE /* its process ended */
};

struct barrier_member {
    _Alignas(64) _Atomic uint32_t state; /* enum member_state */
    _Atomic uint32_t rank, world_rank, device;
    _Atomic uint32_t pid;
    _Atomic uint32_t reason; /* of its arrival at `stage` */
    _Atomic uint64_t pid_namespace;
    _Atomic uint64_t stage, fingerprint, arrived_ns;
    _Atomic uint64_t likeness, took_ns;
    _Atomic uint32_t permille;
    _Atomic uint64_t what[WHAT_WORDS];
    _Atomic uint64_t cores_checked_ns; /* last time at which has_core was chosen */
    _Atomic uint32_t has_core;         /* each rank of this host has one of its own */
    _Atomic uint32_t core_quota;
    _Atomic uint64_t sleep_until_ns, pause_ns; /* see barrier_spin.c */
    _Atomic uint64_t cores[CORE_WORDS];        /* on which the rank may run */
};

/* Planned time of a release, with the clock offset that was used for the plan. The
 * offset is estimated better over time, so times of two hosts compare only with it. */
struct release_time {
    _Atomic uint64_t planned_ns;
    _Atomic int64_t offset_ns; /* of this host's clock to the clock of rank 0's host */
    _Atomic uint64_t uncertainty_ns;
};

struct group {
    _Alignas(64) _Atomic uint64_t key; /* 0: free */
    _Atomic uint32_t size;
    _Atomic uint32_t ranks_here;  /* known after the first release; for several hosts */
    _Atomic uint64_t absent;      /* rank that will not arrive: absence(), or 0 */
    _Atomic uint64_t held_cards;  /* its cards while it replays (48 bits), operation */
    _Atomic uint64_t cards_stage; /* the stage that waits only for cards */
    struct release_time releases[2]; /* of the last two releases, by stage */
    _Atomic uint64_t compared; /* the last stage at which the ranks were compared */
    _Atomic uint32_t likeness; /* result of that; so are the next two */
    _Atomic uint64_t least_ns, most_ns;
    _Alignas(64) _Atomic uint64_t arrived;
    _Alignas(64) _Atomic uint64_t decided;
    _Atomic uint32_t wakes, waiters;
    _Atomic uint64_t finished;            /* the last stage with BARRIER_FINISHED */
    _Atomic uint64_t past[PAST_OUTCOMES]; /* last outcomes of earlier operations */
    struct barrier_member members[BARRIER_MEMBERS_MAX];
};

struct barrier_page {
    uint32_t magic, hosts, world, ranks_here;
    _Atomic uint64_t ended;      /* absence() of the rank that ended the gang; or 0 */
    _Atomic uint64_t busy_cards; /* bit set of the cards on which a group replays */
    _Atomic int64_t offset_ns; /* of this host's clock to the clock of rank 0's host */
    _Atomic uint64_t uncertainty_ns;
    struct group groups[BARRIER_GROUPS_MAX];
};

/* `decided`: 44 bits of stage, 8 of reason, 12 of culprit. */
static inline uint64_t outcome_pack(uint64_t stage, uint32_t reason, uint32_t culprit)
{
    return stage << 20 | (uint64_t)(reason & 0xff) << 12 | (culprit & 0xfff);
}

static inline uint64_t outcome_stage(uint64_t packed)
{
    return packed >> 20;
}

static inline enum barrier_reason outcome_reason(uint64_t packed)
{
    uint32_t reason = packed >> 12 & 0xff;

    return reason < BARRIER_REASON_END ? (enum barrier_reason)reason : BARRIER_ENDED;
}

static inline uint32_t outcome_culprit(uint64_t packed)
{
    return packed & 0xfff;
}

/* Call it before an outcome RELEASED or FINISHED of the stage is written. */
void group_set_release_time(struct barrier_page *shared,
                            struct group *group,
                            uint64_t stage,
                            uint64_t planned_ns);
/* Writes the outcome of a stage, wakes all waiting ranks and frees the cards after an
 * abort. Returns false, without any change, when the stage has an outcome. */
bool group_write_outcome(struct barrier_page *shared,
                         struct group *group,
                         uint64_t stage,
                         enum barrier_reason reason,
                         uint32_t culprit);
/* Marks a rank as absent and aborts the stage at which others wait for it. */
void group_mark_absent(struct barrier_page *shared,
                       struct group *group,
                       enum barrier_reason reason,
                       uint32_t rank);
/* Returns the packed outcome of a stage for the rank `own_rank`, or 0. */
uint64_t
group_read_outcome(const struct group *group, uint64_t stage, uint32_t own_rank);
/* Writes the outcome after the last rank arrived. For groups on one host only. */
void group_choose_outcome(struct barrier_page *shared,
                          struct group *group,
                          uint64_t stage);
/* Frees the cards of ranks that were killed while their group held cards. */
void barrier_free_lost_cards(struct barrier_page *shared);

/* Packs a reason and a rank for `absent` of a group and `ended` of the page; never 0.
 */
static inline uint64_t absence(enum barrier_reason reason, uint32_t rank)
{
    return 1ull << 63 | (uint64_t)reason << 32 | rank;
}

static inline bool is_at_stage(const struct barrier_member *member, uint64_t stage)
{
    return atomic_load(&member->stage) == stage &&
           atomic_load(&member->state) == MEMBER_PRESENT;
}

/* Stores the cores of a new member. */
void barrier_read_cores(struct barrier_member *member);
/* Returns true when the rank may spin now: each rank of this host has a core of its
 * own, and no other thread used the core of this rank lately. */
bool barrier_may_spin(struct barrier_page *shared, struct barrier_member *member);
/* Spins until `is_over` returns true or the time is reached, and returns the last
 * answer. Ends early when another thread used the core. `is_over` NULL: only the time
 * counts. */
bool barrier_spin(struct barrier_member *member,
                  uint64_t until_ns,
                  bool (*is_over)(void *arg),
                  void *arg);

/* Returns the time at which the ranks continue after the last one arrived: now, or
 * BARRIER_WAKE_NS later when a rank with a core of its own sleeps. All ranks are then
 * awake at that time and continue together. */
uint64_t barrier_release_time(const struct group *group,
                              uint64_t stage,
                              enum barrier_reason reason);

/* Wakes the worker that connects this host to the others, if there is one. */
void barrier_wake_worker(const struct rank_barrier *barrier);
/* Returns an absent rank of the group that waits in another group, over any number of
 * groups, for a rank that waits in this one; or BARRIER_RANK_UNKNOWN. */
uint32_t barrier_find_deadlock(const struct barrier_page *shared,
                               const struct group *group,
                               uint64_t stage);
/* Returns the inode of the PID namespace, or 0. A process of another namespace cannot
 * be checked with kill(). */
uint64_t barrier_pid_namespace(void);

#endif
