/* barrier_page.h - how the page of meeting.h lies in memory; for meeting_*.c only
 *
 * `decided` of a group is one word: stage, reason and culprit. It only grows, by
 * compare-and-swap, so a stage gets one answer, whoever is killed while giving it.
 * Who is slow may find the word of a later stage: within the same operation that means
 * GO for its own. Of an operation before, `past` or `over` has the last word, because
 * whoever replaces it puts it there first; and that says as much.
 *
 * `bell` is the futex: it is counted up after each answer. `arrived` counts seats of
 * the highest stage that somebody came to, and tells who is the last; everything else
 * is read from the seats. */
#ifndef LIB_SHM_BARRIER_PAGE_H
#define LIB_SHM_BARRIER_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

#include "lib/shm/rank_barrier.h"

enum { MEETING_MAGIC = 0x5445454d, WHAT_WORDS = BARRIER_WHAT_MAX / 8, PAST_WORDS = 16 };

enum seat_state { SEAT_FREE, SEAT_TAKING, SEAT_SITS, SEAT_LEFT, SEAT_GONE };

struct barrier_member {
    _Alignas(64) _Atomic uint32_t state; /* enum seat_state */
    _Atomic uint32_t rank, world_rank, device;
    _Atomic uint32_t pid;
    _Atomic uint32_t reason; /* at its stage */
    _Atomic uint64_t pid_space;
    _Atomic uint64_t stage, fingerprint, arrived_ns;
    _Atomic uint64_t likeness, took_ns;
    _Atomic uint32_t permille;
    _Atomic uint64_t what[WHAT_WORDS];
};

/* When to go on. The clock is the one that was used to plan: it is known better and
 * better, and an instant of two hosts is the same one only by what counted then. */
struct plan {
    _Atomic uint64_t planned_ns;
    _Atomic int64_t offset_ns; /* of this host's clock to the root's */
    _Atomic uint64_t uncertainty_ns;
};

struct group {
    _Alignas(64) _Atomic uint64_t key; /* 0: free */
    _Atomic uint32_t size;
    _Atomic uint32_t here;   /* of its ranks, when other hosts have some, too */
    _Atomic uint64_t absent; /* who need not be waited for: reason and rank; 0 */
    _Atomic uint64_t held;   /* its cards, a bit each, while it replays */
    _Atomic uint64_t wants;  /* the stage that only waits for cards */
    struct plan plans[2];    /* of the last GOs, by stage */
    _Atomic uint64_t alike;  /* the last stage at which all were */
    _Alignas(64) _Atomic uint64_t arrived;
    _Alignas(64) _Atomic uint64_t decided;
    _Atomic uint32_t bell, waiters;
    _Atomic uint64_t over;             /* the stage of the last OVER */
    _Atomic uint64_t past[PAST_WORDS]; /* last words of operations before, by number */
    struct barrier_member seats[BARRIER_SEATS_MAX];
};

struct meeting_shared {
    uint32_t magic, hosts, world, here;
    _Atomic uint64_t ended;    /* reason and world rank of the end of all; 0 */
    _Atomic uint64_t busy;     /* cards that a group replays on */
    _Atomic int64_t offset_ns; /* of this host's clock to the root's */
    _Atomic uint64_t uncertainty_ns;
    struct group groups[BARRIER_GROUPS_MAX];
};

/* decided: 44 bits of stage, 8 of reason, 12 of culprit */
static inline uint64_t word_of(uint64_t stage, uint32_t reason, uint32_t culprit)
{
    return stage << 20 | (uint64_t)(reason & 0xff) << 12 | (culprit & 0xfff);
}

static inline uint64_t word_stage(uint64_t word)
{
    return word >> 20;
}

static inline enum barrier_reason word_reason(uint64_t word)
{
    uint32_t reason = word >> 12 & 0xff;

    return reason < BARRIER_REASON_END ? (enum barrier_reason)reason : BARRIER_ENDED;
}

static inline uint32_t word_culprit(uint64_t word)
{
    return word & 0xfff;
}

/* Before the word GO or OVER of the stage is said. */
void group_plan(struct meeting_shared *shared,
                struct group *group,
                uint64_t stage,
                uint64_t planned_ns);
/* The word of a stage, unless it has one; then all are woken, and cards are free. */
bool group_decide(struct meeting_shared *shared,
                  struct group *group,
                  uint64_t stage,
                  enum barrier_reason reason,
                  uint32_t culprit);
/* Ends the meetings of the group that cannot take place any more. */
void group_miss(struct meeting_shared *shared,
                struct group *group,
                enum barrier_reason reason,
                uint32_t rank);
/* The word of a stage as somebody of that rank finds it, or 0. */
uint64_t group_word(const struct group *group, uint64_t stage, uint32_t own_rank);
/* All of this host are there: the word, when nobody else is to be asked. */
void group_settle(struct meeting_shared *shared, struct group *group, uint64_t stage);
/* Of somebody who was killed before it gave them back. */
void meeting_find_lost_cards(struct meeting_shared *shared);

/* `absent` of a group */
static inline uint64_t absence(enum barrier_reason reason, uint32_t rank)
{
    return 1ull << 63 | (uint64_t)reason << 32 | rank;
}

static inline bool sits_at(const struct barrier_member *seat, uint64_t stage)
{
    return atomic_load(&seat->stage) == stage && atomic_load(&seat->state) == SEAT_SITS;
}

/* The bell of the worker that speaks for the host, where there is one. */
void barrier_ring(const struct rank_barrier *meeting);
/* An absent rank of the group that waits in another one, for a rank that waits, over
 * any number of groups, here; or BARRIER_RANK_UNKNOWN. */
uint32_t meeting_find_circle(const struct meeting_shared *shared,
                             const struct group *group,
                             uint64_t stage);
uint64_t barrier_now_ns(void);
/* Processes of another pid namespace cannot be asked whether they live. */
uint64_t meeting_pid_space(void);

#endif
