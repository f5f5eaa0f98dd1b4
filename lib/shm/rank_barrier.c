#include "lib/shm/rank_barrier.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/shm/rank_barrier_internal.h"
#include "lib/shm/shm_clock.h"

enum {
    CHECK_MS = 100, /* period in which a waiting rank checks the other processes */
    REMOTE_DELAY_MS = 500,   /* extra time for the outcome from another host */
    DEADLOCK_CHECKS = 5,     /* consecutive checks that confirm a deadlock */
    CARDS_FACTOR = 6,        /* times the limit: the longest replay of another group */
    SPIN_BEFORE_NS = 100000, /* the end of a sleep may be late by most of this */
};

static const uint64_t ms_ns = 1000000;

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

static bool
is_absent(const struct group *group, enum barrier_reason *reason, uint32_t *rank)
{
    uint64_t absent = atomic_load(&group->absent);

    *reason = (enum barrier_reason)(absent >> 32 & 0xff);
    *rank = (uint32_t)absent & 0xfff;
    return absent != 0;
}

/* Returns how many ranks of this host will arrive, or 0 while that is unknown. */
static uint32_t expected_ranks(const struct barrier_page *shared,
                               const struct group *group,
                               uint64_t stage)
{
    uint32_t size = atomic_load(&group->size);

    if (shared->hosts == 1)
        return size;
    if (size == shared->world)
        return shared->ranks_here;
    return barrier_step(stage) == 0 ? 0 : atomic_load(&group->ranks_here);
}

/* Counts one arrival at the stage. Returns true for the last of `expected` ranks; with
 * 0 expected ranks for each. */
static bool count_arrival(struct group *group, uint64_t stage, uint32_t expected)
{
    uint64_t arrived = atomic_load(&group->arrived), next;

    do {
        if (arrived >> 16 > stage)
            return false;
        next = arrived >> 16 == stage ? arrived + 1 : stage << 16 | 1;
    } while (!atomic_compare_exchange_weak(&group->arrived, &arrived, next));
    return expected == 0 || (next & 0xffff) >= expected;
}

void barrier_wake_worker(const struct rank_barrier *barrier)
{
    const uint64_t one = 1;

    if (barrier->wake_fd >= 0 && write(barrier->wake_fd, &one, sizeof(one)) < 0)
        return; /* the counter of the eventfd is full, so the worker wakes anyway */
}

static void write_what(struct barrier_member *member, const char *what)
{
    uint64_t words[WHAT_WORDS] = {0};

    strncpy((char *)words, what ? what : "", sizeof(words) - 1);
    for (int i = 0; i < WHAT_WORDS; i++)
        atomic_store_explicit(&member->what[i], words[i], memory_order_relaxed);
}

static void write_arrival(struct barrier_member *member,
                          const struct barrier_arrival *arrival,
                          uint64_t now_ns)
{
    atomic_store(&member->fingerprint, arrival->fingerprint);
    atomic_store(&member->reason, arrival->reason);
    atomic_store(&member->likeness, arrival->likeness);
    atomic_store(&member->took_ns, arrival->took_ns);
    atomic_store(&member->permille, arrival->permille);
    atomic_store(&member->arrived_ns, now_ns);
    if (barrier_step(arrival->stage) == 0)
        write_what(member, arrival->what);
    atomic_store(&member->stage, arrival->stage);
}

/* Removes the mark of an earlier late arrival of this rank. */
static void clear_late_mark(struct group *group, uint32_t rank)
{
    uint64_t late = absence(BARRIER_LATE, rank);

    atomic_compare_exchange_strong(&group->absent, &late, 0);
}

/* Returns true for a reason that another rank may have caused: a kernel fails or hangs
 * when it waits for the kernel of another rank. The outcome is then chosen after all
 * ranks arrived and ended processes are known. */
static bool may_have_other_cause(enum barrier_reason reason)
{
    return reason == BARRIER_KERNEL_FAILED || reason == BARRIER_KERNEL_STUCK;
}

static void arrive(struct rank_barrier *barrier,
                   struct group *group,
                   struct barrier_member *member,
                   const struct barrier_arrival *arrival,
                   uint64_t now_ns)
{
    struct barrier_page *shared = barrier->shared;
    uint32_t rank = atomic_load(&member->rank), missing;
    enum barrier_reason why;

    write_arrival(member, arrival, now_ns);
    clear_late_mark(group, rank);
    if (arrival->reason > BARRIER_FINISHED && !may_have_other_cause(arrival->reason)) {
        group_write_outcome(shared, group, arrival->stage, arrival->reason, rank);
        barrier_wake_worker(barrier);
    } else if (atomic_load(&shared->ended) != 0) {
        group_write_outcome(shared, group, arrival->stage, BARRIER_ENDED,
                            BARRIER_RANK_UNKNOWN);
    } else if (is_absent(group, &why, &missing)) {
        group_write_outcome(shared, group, arrival->stage, why, missing);
        barrier_wake_worker(barrier);
    } else if (count_arrival(group, arrival->stage,
                             expected_ranks(shared, group, arrival->stage))) {
        if (shared->hosts == 1)
            group_choose_outcome(shared, group, arrival->stage);
        else
            barrier_wake_worker(barrier);
    }
}

static void read_release_time(const struct release_time *release,
                              struct barrier_outcome *outcome)
{
    outcome->planned_ns = atomic_load(&release->planned_ns);
    outcome->root_offset_ns = atomic_load(&release->offset_ns);
    outcome->root_uncertainty_ns = atomic_load(&release->uncertainty_ns);
}

/* The members do not change before this rank arrives at the next stage. */
static void read_likeness(const struct group *group,
                          uint64_t stage,
                          struct barrier_outcome *outcome)
{
    outcome->likeness = BARRIER_NOT_COMPARED;
    outcome->least_ns = outcome->most_ns = 0;
    if (atomic_load(&group->compared) != stage)
        return;
    outcome->likeness = (enum barrier_likeness)atomic_load(&group->likeness);
    outcome->least_ns = atomic_load(&group->least_ns);
    outcome->most_ns = atomic_load(&group->most_ns);
}

static bool read_outcome(const struct group *group,
                         uint64_t stage,
                         uint32_t own_rank,
                         struct barrier_outcome *outcome)
{
    uint64_t packed = group_read_outcome(group, stage, own_rank);

    if (packed == 0)
        return false;
    outcome->reason = outcome_reason(packed);
    outcome->culprit = outcome_culprit(packed);
    if (barrier_is_released(outcome))
        read_release_time(&group->releases[stage & 1], outcome);
    read_likeness(group, stage, outcome);
    return true;
}

static bool is_dead(const struct barrier_member *member, uint64_t own_namespace)
{
    pid_t pid = (pid_t)atomic_load(&member->pid);

    return atomic_load(&member->state) == MEMBER_PRESENT && own_namespace != 0 &&
           atomic_load(&member->pid_namespace) == own_namespace && pid > 0 &&
           kill(pid, 0) < 0 && errno == ESRCH;
}

/* Marks ranks whose process ended, and frees their cards. All workers of the host may
 * have been killed, so each waiting rank checks the others itself. */
static void check_members(struct barrier_page *shared, struct group *group)
{
    uint64_t own_namespace = barrier_pid_namespace();

    barrier_free_lost_cards(shared);
    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++) {
        struct barrier_member *member = &group->members[i];
        uint32_t present = MEMBER_PRESENT;

        if (is_dead(member, own_namespace) &&
            atomic_compare_exchange_strong(&member->state, &present, MEMBER_GONE))
            group_mark_absent(shared, group, BARRIER_GONE, atomic_load(&member->rank));
    }
}

/* Returns the lowest rank of the group that did not arrive, or BARRIER_RANK_UNKNOWN.
 * For groups on one host. */
static uint32_t first_absent_rank(const struct group *group, uint64_t stage)
{
    uint32_t size = atomic_load(&group->size);
    uint8_t arrived[(BARRIER_RANKS_MAX + 8) / 8] = {0};

    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++) {
        uint32_t rank = atomic_load(&group->members[i].rank);

        if (rank < BARRIER_RANKS_MAX && is_at_stage(&group->members[i], stage))
            arrived[rank / 8] |= (uint8_t)(1 << rank % 8);
    }
    for (uint32_t rank = 0; rank < size && rank < BARRIER_RANKS_MAX; rank++)
        if (!(arrived[rank / 8] & 1 << rank % 8))
            return rank;
    return BARRIER_RANK_UNKNOWN;
}

/* Returns the lowest member that did not arrive, or BARRIER_RANK_UNKNOWN. For groups on
 * several hosts: a rank that is no member here may be on another host. */
static uint32_t first_absent_member(const struct group *group, uint64_t stage)
{
    uint32_t lowest = BARRIER_RANK_UNKNOWN;

    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++) {
        const struct barrier_member *member = &group->members[i];
        uint32_t rank = atomic_load(&member->rank);

        if (atomic_load(&member->state) == MEMBER_PRESENT &&
            atomic_load(&member->stage) < stage && rank < lowest)
            lowest = rank;
    }
    return lowest;
}

static void give_up(struct rank_barrier *barrier, struct group *group, uint64_t stage)
{
    struct barrier_page *shared = barrier->shared;
    uint32_t rank = shared->hosts == 1 ? first_absent_rank(group, stage)
                                       : first_absent_member(group, stage);
    enum barrier_reason reason = BARRIER_LATE;

    if (rank == BARRIER_RANK_UNKNOWN)
        reason = shared->hosts > 1 ? BARRIER_NO_ANSWER : BARRIER_CARDS_BUSY;
    group_write_outcome(shared, group, stage, reason, rank);
    barrier_wake_worker(barrier);
}

static void check_deadlock(struct rank_barrier *barrier,
                           struct group *group,
                           uint64_t stage,
                           int *seen)
{
    uint32_t rank = barrier_find_deadlock(barrier->shared, group, stage);

    *seen = rank == BARRIER_RANK_UNKNOWN ? 0 : *seen + 1;
    if (*seen < DEADLOCK_CHECKS)
        return;
    group_write_outcome(barrier->shared, group, stage, BARRIER_DEADLOCK, rank);
    barrier_wake_worker(barrier);
}

/* Returns the limit of a wait in nanoseconds. When all ranks of this host arrived,
 * another host identifies the late rank; its answer needs REMOTE_DELAY_MS more. */
static uint64_t wait_limit_ns(const struct barrier_page *shared,
                              const struct group *group,
                              uint64_t stage,
                              uint32_t limit_ms)
{
    bool waits_for_hosts =
        shared->hosts > 1 && first_absent_member(group, stage) == BARRIER_RANK_UNKNOWN;

    return (limit_ms + (waits_for_hosts ? REMOTE_DELAY_MS : 0)) * ms_ns *
           (atomic_load(&group->cards_stage) == stage ? CARDS_FACTOR : 1);
}

struct outcome_wait {
    const struct group *group;
    uint64_t stage;
    uint32_t own_rank;
    struct barrier_outcome *outcome;
};

static bool has_outcome(void *arg)
{
    const struct outcome_wait *wait = arg;

    return read_outcome(wait->group, wait->stage, wait->own_rank, wait->outcome);
}

static void sleep_for_outcome(struct rank_barrier *barrier,
                              struct group *group,
                              const struct barrier_arrival *arrival,
                              uint32_t own_rank,
                              uint32_t limit_ms,
                              struct barrier_outcome *outcome)
{
    uint64_t check_ns = outcome->arrived_ns + CHECK_MS * ms_ns;
    int deadlocks = 0;

    atomic_fetch_add(&group->waiters, 1);
    for (;;) {
        uint32_t wakes = atomic_load(&group->wakes);
        uint64_t end_ns, now_ns;

        if (read_outcome(group, arrival->stage, own_rank, outcome))
            break;
        end_ns = outcome->arrived_ns +
                 wait_limit_ns(barrier->shared, group, arrival->stage, limit_ms);
        now_ns = shm_now_ns();
        if (now_ns >= end_ns) {
            give_up(barrier, group, arrival->stage);
        } else if (now_ns >= check_ns) {
            check_members(barrier->shared, group);
            check_deadlock(barrier, group, arrival->stage, &deadlocks);
            check_ns = now_ns + CHECK_MS * ms_ns;
        } else {
            futex_wait(&group->wakes, wakes, check_ns < end_ns ? check_ns : end_ns);
        }
    }
    atomic_fetch_sub(&group->waiters, 1);
}

static void wait_for_outcome(struct rank_barrier *barrier,
                             struct group *group,
                             struct barrier_member *member,
                             const struct barrier_arrival *arrival,
                             uint32_t limit_ms,
                             struct barrier_outcome *outcome)
{
    uint32_t own_rank = atomic_load(&member->rank);
    struct outcome_wait wait = {group, arrival->stage, own_rank, outcome};

    if (has_outcome(&wait) ||
        (barrier_may_spin(barrier->shared, member) &&
         barrier_spin(member, outcome->arrived_ns + BARRIER_SPIN_NS, has_outcome,
                      &wait)))
        return;
    sleep_for_outcome(barrier, group, arrival, own_rank, limit_ms, outcome);
}

/* Sleeps with the smallest timer slack; the kernel's default may add 50 us. */
static void sleep_until(uint64_t ns)
{
    struct timespec until = as_time(ns);
    int slack = prctl(PR_GET_TIMERSLACK);

    prctl(PR_SET_TIMERSLACK, 1ul);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
    prctl(PR_SET_TIMERSLACK, slack > 0 ? (unsigned long)slack : 0ul);
}

/* Spins for the last part, because a sleep ends late. */
static void
wait_until(struct barrier_page *shared, struct barrier_member *member, uint64_t ns)
{
    if (barrier_may_spin(shared, member)) {
        if (ns > shm_now_ns() + SPIN_BEFORE_NS)
            sleep_until(ns - SPIN_BEFORE_NS);
        barrier_spin(member, ns, NULL, NULL);
    }
    if (ns > shm_now_ns())
        sleep_until(ns);
}

uint32_t barrier_remote_delay_ms(const struct rank_barrier *barrier)
{
    return barrier->shared && barrier->shared->hosts > 1 ? REMOTE_DELAY_MS : 0;
}

/* Returns NULL when another communicator uses the entry now. */
static struct group *find_place(struct rank_barrier *barrier,
                                const struct barrier_place *place,
                                struct barrier_member **member)
{
    struct group *group;

    if (!barrier->shared)
        return NULL;
    group = &barrier->shared->groups[place->group];
    *member = &group->members[place->member];
    return atomic_load(&group->key) == place->key ? group : NULL;
}

void barrier_decline(struct rank_barrier *barrier,
                     const struct barrier_place *place,
                     const struct barrier_arrival *arrival,
                     bool notify_hosts)
{
    struct barrier_member *member;
    struct group *group = find_place(barrier, place, &member);
    uint32_t rank;

    if (!group)
        return;
    rank = atomic_load(&member->rank);
    write_arrival(member, arrival, shm_now_ns());
    clear_late_mark(group, rank);
    group_write_outcome(barrier->shared, group, arrival->stage, BARRIER_NOT_WANTED,
                        rank);
    if (notify_hosts && barrier->shared->hosts > 1)
        barrier_wake_worker(barrier);
}

void barrier_wait(struct rank_barrier *barrier,
                  const struct barrier_place *place,
                  const struct barrier_arrival *arrival,
                  uint32_t limit_ms,
                  struct barrier_outcome *outcome)
{
    int saved = errno;
    uint64_t now_ns = shm_now_ns(), last_ns = now_ns + limit_ms * ms_ns;
    struct barrier_member *member;
    struct group *group = find_place(barrier, place, &member);

    *outcome = (struct barrier_outcome){
        .reason = BARRIER_ENDED,
        .culprit = BARRIER_RANK_UNKNOWN,
        .arrived_ns = now_ns,
        .root_uncertainty_ns = UINT64_MAX,
    };
    if (!group)
        return;
    outcome->root_offset_ns = atomic_load(&barrier->shared->offset_ns);
    outcome->root_uncertainty_ns = atomic_load(&barrier->shared->uncertainty_ns);
    arrive(barrier, group, member, arrival, now_ns);
    wait_for_outcome(barrier, group, member, arrival, limit_ms, outcome);
    if (outcome->planned_ns > last_ns + limit_ms * ms_ns)
        outcome->planned_ns = 0; /* an overwritten page: no plan is that far ahead */
    outcome->released_ns = shm_now_ns();
    if (outcome->planned_ns > outcome->released_ns) {
        wait_until(barrier->shared, member, outcome->planned_ns);
        outcome->released_ns = shm_now_ns();
    }
    errno = saved;
}
