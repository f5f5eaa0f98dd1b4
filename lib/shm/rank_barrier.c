#include "lib/shm/rank_barrier.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/shm/barrier_page.h"

enum {
    SLICE_MS = 100,   /* so often who waits looks whether the others live */
    WORD_MS = 500,    /* the way of a word from another host, beyond the limit */
    CIRCLE_LOOKS = 5, /* so often a circle is seen before it is believed */
    CARDS_WAIT = 6,   /* times the limit: what another group's replay may take */
};

static const uint64_t ms_ns = 1000000;

uint64_t barrier_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct timespec as_time(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
}

static void futex_wait(_Atomic uint32_t *word, uint32_t value, uint64_t until_ns)
{
    struct timespec until = as_time(until_ns);

    syscall(SYS_futex, word, FUTEX_WAIT_BITSET, value, &until, NULL,
            FUTEX_BITSET_MATCH_ANY);
}

/* Arriving. */

static bool
is_absent(const struct group *group, enum barrier_reason *reason, uint32_t *rank)
{
    uint64_t absent = atomic_load(&group->absent);

    *reason = (enum barrier_reason)(absent >> 32 & 0xff);
    *rank = (uint32_t)absent & 0xfff;
    return absent != 0;
}

/* How many of this host come; 0: nobody knows before all have. */
static uint32_t
expected(const struct meeting_shared *shared, const struct group *group, uint64_t stage)
{
    uint32_t size = atomic_load(&group->size);

    if (shared->hosts == 1)
        return size;
    if (size == shared->world)
        return shared->here;
    return barrier_step(stage) == 0 ? 0 : atomic_load(&group->here);
}

/* One more; true for the last one. */
static bool count_in(struct group *group, uint64_t stage, uint32_t all)
{
    uint64_t word = atomic_load(&group->arrived), next;

    do {
        if (word >> 16 > stage)
            return false;
        next = word >> 16 == stage ? word + 1 : stage << 16 | 1;
    } while (!atomic_compare_exchange_weak(&group->arrived, &word, next));
    return all == 0 || (next & 0xffff) >= all;
}

void barrier_ring(const struct rank_barrier *meeting)
{
    const uint64_t one = 1;

    if (meeting->bell >= 0 && write(meeting->bell, &one, sizeof(one)) < 0)
        return; /* full: it rings already */
}

static void keep_what(struct barrier_member *seat, const char *what)
{
    uint64_t words[WHAT_WORDS] = {0};

    strncpy((char *)words, what ? what : "", sizeof(words) - 1);
    for (int i = 0; i < WHAT_WORDS; i++)
        atomic_store_explicit(&seat->what[i], words[i], memory_order_relaxed);
}

static void write_arrival(struct barrier_member *seat,
                          const struct barrier_arrival *arrival,
                          uint64_t now_ns)
{
    atomic_store(&seat->fingerprint, arrival->fingerprint);
    atomic_store(&seat->reason, arrival->reason);
    atomic_store(&seat->likeness, arrival->likeness);
    atomic_store(&seat->took_ns, arrival->took_ns);
    atomic_store(&seat->permille, arrival->permille);
    atomic_store(&seat->arrived_ns, now_ns);
    if (barrier_step(arrival->stage) == 0)
        keep_what(seat, arrival->what);
    atomic_store(&seat->stage, arrival->stage);
}

/* It is here: nobody has to think that it is missing. */
static void clear_stale_reason(struct group *group, uint32_t rank)
{
    uint64_t late = absence(BARRIER_LATE, rank);

    atomic_compare_exchange_strong(&group->absent, &late, 0);
}

/* A kernel that fails or hangs may only have waited for another rank's: all are heard
 * first, and who has died meanwhile is known. */
static bool may_be_anothers_fault(enum barrier_reason reason)
{
    return reason == BARRIER_KERNEL_FAILED || reason == BARRIER_KERNEL_STUCK;
}

static void arrive(struct rank_barrier *meeting,
                   struct group *group,
                   struct barrier_member *seat,
                   const struct barrier_arrival *arrival,
                   uint64_t now_ns)
{
    struct meeting_shared *shared = meeting->shared;
    uint32_t rank = atomic_load(&seat->rank), missing;
    enum barrier_reason why;

    write_arrival(seat, arrival, now_ns);
    clear_stale_reason(group, rank);
    if (arrival->reason > BARRIER_FINISHED && !may_be_anothers_fault(arrival->reason)) {
        group_decide(shared, group, arrival->stage, arrival->reason, rank);
        barrier_ring(meeting);
    } else if (atomic_load(&shared->ended) != 0) {
        group_decide(shared, group, arrival->stage, BARRIER_ENDED,
                     BARRIER_RANK_UNKNOWN);
    } else if (is_absent(group, &why, &missing)) {
        group_decide(shared, group, arrival->stage, why, missing);
        barrier_ring(meeting);
    } else if (count_in(group, arrival->stage,
                        expected(shared, group, arrival->stage))) {
        if (shared->hosts == 1)
            group_settle(shared, group, arrival->stage);
        else
            barrier_ring(meeting);
    }
}

/* Waiting. */

static void read_plan(const struct plan *plan, struct barrier_outcome *verdict)
{
    verdict->planned_ns = atomic_load(&plan->planned_ns);
    verdict->root_offset_ns = atomic_load(&plan->offset_ns);
    verdict->root_uncertainty_ns = atomic_load(&plan->uncertainty_ns);
}

static bool read_word(const struct group *group,
                      uint64_t stage,
                      uint32_t own_rank,
                      struct barrier_outcome *verdict)
{
    uint64_t word = group_word(group, stage, own_rank);

    if (word == 0)
        return false;
    verdict->reason = word_reason(word);
    verdict->culprit = word_culprit(word);
    if (barrier_is_go(verdict))
        read_plan(&group->plans[stage & 1], verdict);
    verdict->alike = atomic_load(&group->alike) == stage;
    return true;
}

static bool is_dead(const struct barrier_member *seat, uint64_t own_space)
{
    pid_t pid = (pid_t)atomic_load(&seat->pid);

    return atomic_load(&seat->state) == SEAT_SITS && own_space != 0 &&
           atomic_load(&seat->pid_space) == own_space && pid > 0 && kill(pid, 0) < 0 &&
           errno == ESRCH;
}

/* Nobody else may be there to tell who has died. */
static void check_members(struct meeting_shared *shared, struct group *group)
{
    uint64_t own_space = meeting_pid_space();

    meeting_find_lost_cards(shared);
    for (int i = 0; i < BARRIER_SEATS_MAX; i++) {
        struct barrier_member *seat = &group->seats[i];
        uint32_t sits = SEAT_SITS;

        if (is_dead(seat, own_space) &&
            atomic_compare_exchange_strong(&seat->state, &sits, SEAT_GONE))
            group_miss(shared, group, BARRIER_GONE, atomic_load(&seat->rank));
    }
}

/* The lowest rank of this host's that is not there, or nobody. */
static uint32_t first_absent(const struct group *group, uint64_t stage)
{
    uint32_t size = atomic_load(&group->size);
    uint8_t there[(BARRIER_RANKS_MAX + 8) / 8] = {0};

    for (int i = 0; i < BARRIER_SEATS_MAX; i++) {
        uint32_t rank = atomic_load(&group->seats[i].rank);

        if (rank < BARRIER_RANKS_MAX && sits_at(&group->seats[i], stage))
            there[rank / 8] |= (uint8_t)(1 << rank % 8);
    }
    for (uint32_t rank = 0; rank < size && rank < BARRIER_RANKS_MAX; rank++)
        if (!(there[rank / 8] & 1 << rank % 8))
            return rank;
    return BARRIER_RANK_UNKNOWN;
}

/* Of the ranks that sit here, one that has not come: only for several hosts, where who
 * never sat here may be on another one. */
static uint32_t first_seat_absent(const struct group *group, uint64_t stage)
{
    uint32_t lowest = BARRIER_RANK_UNKNOWN;

    for (int i = 0; i < BARRIER_SEATS_MAX; i++) {
        const struct barrier_member *seat = &group->seats[i];
        uint32_t rank = atomic_load(&seat->rank);

        if (atomic_load(&seat->state) == SEAT_SITS &&
            atomic_load(&seat->stage) < stage && rank < lowest)
            lowest = rank;
    }
    return lowest;
}

static void give_up(struct rank_barrier *meeting, struct group *group, uint64_t stage)
{
    struct meeting_shared *shared = meeting->shared;
    uint32_t rank = shared->hosts == 1 ? first_absent(group, stage)
                                       : first_seat_absent(group, stage);
    enum barrier_reason reason = BARRIER_LATE;

    if (rank == BARRIER_RANK_UNKNOWN)
        reason = shared->hosts > 1 ? BARRIER_NO_WORD : BARRIER_CARDS_BUSY;
    group_decide(shared, group, stage, reason, rank);
    barrier_ring(meeting);
}

/* Where all of this host are there, another host knows who is late: its word may take
 * its way. */
static void look_for_circle(struct rank_barrier *meeting,
                            struct group *group,
                            uint64_t stage,
                            int *seen)
{
    uint32_t rank = meeting_find_circle(meeting->shared, group, stage);

    *seen = rank == BARRIER_RANK_UNKNOWN ? 0 : *seen + 1;
    if (*seen < CIRCLE_LOOKS)
        return;
    group_decide(meeting->shared, group, stage, BARRIER_CIRCLE, rank);
    barrier_ring(meeting);
}

static uint64_t wait_limit(const struct meeting_shared *shared,
                           const struct group *group,
                           uint64_t stage,
                           uint32_t limit_ms)
{
    bool for_others =
        shared->hosts > 1 && first_seat_absent(group, stage) == BARRIER_RANK_UNKNOWN;

    return (limit_ms + (for_others ? WORD_MS : 0)) * ms_ns *
           (atomic_load(&group->wants) == stage ? CARDS_WAIT : 1);
}

static void wait_for_word(struct rank_barrier *meeting,
                          struct group *group,
                          const struct barrier_arrival *arrival,
                          uint32_t own_rank,
                          uint32_t limit_ms,
                          struct barrier_outcome *verdict)
{
    uint64_t look_ns = verdict->arrived_ns + SLICE_MS * ms_ns;
    int circles = 0;

    atomic_fetch_add(&group->waiters, 1);
    for (;;) {
        uint32_t bell = atomic_load(&group->bell);
        uint64_t end_ns, now_ns;

        if (read_word(group, arrival->stage, own_rank, verdict))
            break;
        end_ns = verdict->arrived_ns +
                 wait_limit(meeting->shared, group, arrival->stage, limit_ms);
        now_ns = barrier_now_ns();
        if (now_ns >= end_ns) {
            give_up(meeting, group, arrival->stage);
        } else if (now_ns >= look_ns) {
            check_members(meeting->shared, group);
            look_for_circle(meeting, group, arrival->stage, &circles);
            look_ns = now_ns + SLICE_MS * ms_ns;
        } else {
            futex_wait(&group->bell, bell, look_ns < end_ns ? look_ns : end_ns);
        }
    }
    atomic_fetch_sub(&group->waiters, 1);
}

/* To the instant: the slack of timers is 50 us otherwise. */
static void sleep_until(uint64_t ns)
{
    struct timespec until = as_time(ns);
    int slack = prctl(PR_GET_TIMERSLACK);

    prctl(PR_SET_TIMERSLACK, 1ul);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
    prctl(PR_SET_TIMERSLACK, slack > 0 ? (unsigned long)slack : 0ul);
}

uint32_t barrier_word_ms(const struct rank_barrier *meeting)
{
    return meeting->shared && meeting->shared->hosts > 1 ? WORD_MS : 0;
}

/* NULL when the group is not there any more. */
static struct group *group_at(struct rank_barrier *meeting,
                              const struct barrier_place *place,
                              struct barrier_member **seat)
{
    struct group *group;

    if (!meeting->shared)
        return NULL;
    group = &meeting->shared->groups[place->group];
    *seat = &group->seats[place->seat];
    return atomic_load(&group->key) == place->key ? group : NULL;
}

void barrier_decline(struct rank_barrier *meeting,
                     const struct barrier_place *place,
                     const struct barrier_arrival *arrival,
                     bool loud)
{
    struct barrier_member *seat;
    struct group *group = group_at(meeting, place, &seat);
    uint32_t rank;

    if (!group)
        return;
    rank = atomic_load(&seat->rank);
    write_arrival(seat, arrival, barrier_now_ns());
    clear_stale_reason(group, rank);
    group_decide(meeting->shared, group, arrival->stage, BARRIER_NOT_WANTED, rank);
    if (loud && meeting->shared->hosts > 1)
        barrier_ring(meeting);
}

void barrier_meet(struct rank_barrier *meeting,
                  const struct barrier_place *place,
                  const struct barrier_arrival *arrival,
                  uint32_t limit_ms,
                  struct barrier_outcome *verdict)
{
    int saved = errno;
    uint64_t now_ns = barrier_now_ns(), last_ns = now_ns + limit_ms * ms_ns;
    struct barrier_member *seat;
    struct group *group = group_at(meeting, place, &seat);

    *verdict = (struct barrier_outcome){
        .reason = BARRIER_ENDED,
        .culprit = BARRIER_RANK_UNKNOWN,
        .arrived_ns = now_ns,
        .root_uncertainty_ns = UINT64_MAX,
    };
    if (!group)
        return;
    verdict->root_offset_ns = atomic_load(&meeting->shared->offset_ns);
    verdict->root_uncertainty_ns = atomic_load(&meeting->shared->uncertainty_ns);
    arrive(meeting, group, seat, arrival, now_ns);
    wait_for_word(meeting, group, arrival, atomic_load(&seat->rank), limit_ms, verdict);
    if (verdict->planned_ns > last_ns + limit_ms * ms_ns)
        verdict->planned_ns = 0; /* nobody plans so far ahead */
    verdict->released_ns = barrier_now_ns();
    if (verdict->planned_ns > verdict->released_ns) {
        sleep_until(verdict->planned_ns);
        verdict->released_ns = barrier_now_ns();
    }
    errno = saved;
}
