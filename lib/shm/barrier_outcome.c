/* barrier_outcome.c - chooses and writes the outcome of a stage
 *
 * Two groups that share a card take turns. A group holds its cards from the release of
 * step 0 to the last outcome of the operation. It takes all of its cards or none, so
 * groups cannot deadlock on cards. */
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/shm/rank_barrier_internal.h"
#include "lib/shm/shm_clock.h"

static void futex_wake_all(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static uint64_t cards_of(const struct group *group)
{
    uint64_t cards = 0;

    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++)
        if (atomic_load(&group->members[i].state) == MEMBER_PRESENT)
            cards |= 1ull << atomic_load(&group->members[i].device) % HELD_CARDS_BITS;
    return cards;
}

/* Names the operation of a stage within `held_cards`, so that a late rank does not free
 * the cards of a later operation. */
static uint64_t hold_of(uint64_t stage)
{
    return (barrier_sequence(stage) & HOLD_MASK) << HELD_CARDS_BITS;
}

static bool is_hold_of(uint64_t held, uint64_t stage)
{
    return (held & ~HELD_CARDS_MASK) == hold_of(stage);
}

static bool take_cards(struct barrier_page *shared, struct group *group, uint64_t stage)
{
    uint64_t cards = cards_of(group), busy = atomic_load(&shared->busy_cards);

    do
        if (busy & cards)
            return false;
    while (!atomic_compare_exchange_weak(&shared->busy_cards, &busy, busy | cards));
    atomic_store(&group->held_cards, hold_of(stage) | cards);
    return true;
}

static void
choose_outcome(struct barrier_page *shared, struct group *group, uint64_t stage);

/* Frees the cards `held` unless another caller did, and releases groups that waited for
 * them. */
static void free_held(struct barrier_page *shared, struct group *group, uint64_t held)
{
    if (!(held & HELD_CARDS_MASK) ||
        !atomic_compare_exchange_strong(&group->held_cards, &held, 0))
        return;
    atomic_fetch_and(&shared->busy_cards, ~(held & HELD_CARDS_MASK));
    for (int i = 0; i < BARRIER_GROUPS_MAX; i++) {
        uint64_t stage = atomic_load(&shared->groups[i].cards_stage);

        if (stage != 0)
            choose_outcome(shared, &shared->groups[i], stage);
    }
}

/* Frees the cards that the group holds for the operation of the stage. */
static void free_cards(struct barrier_page *shared, struct group *group, uint64_t stage)
{
    uint64_t held = atomic_load(&group->held_cards);

    if (is_hold_of(held, stage))
        free_held(shared, group, held);
}

/* Returns true when the group holds cards for an operation that is neither released nor
 * about to be released. */
static bool has_lost_cards(const struct group *group, uint64_t held)
{
    uint64_t cards_stage = atomic_load(&group->cards_stage);
    uint64_t decided = atomic_load(&group->decided);

    if (cards_stage > outcome_stage(decided) && is_hold_of(held, cards_stage))
        return false;
    return outcome_reason(decided) != BARRIER_RELEASED ||
           !is_hold_of(held, outcome_stage(decided));
}

void barrier_free_lost_cards(struct barrier_page *shared)
{
    for (int i = 0; i < BARRIER_GROUPS_MAX; i++) {
        struct group *group = &shared->groups[i];
        uint64_t held = atomic_load(&group->held_cards);

        if (has_lost_cards(group, held))
            free_held(shared, group, held);
    }
}

static bool is_member(const struct group *group, uint32_t rank)
{
    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++)
        if (atomic_load(&group->members[i].state) == MEMBER_PRESENT &&
            atomic_load(&group->members[i].rank) == rank)
            return true;
    return false;
}

static void raise_to(_Atomic uint64_t *word, uint64_t value)
{
    uint64_t old = atomic_load(word);

    while (old < value && !atomic_compare_exchange_weak(word, &old, value))
        ;
}

/* Keeps the last outcome of an operation for ranks that did not read it yet. */
static void keep_outcome(struct group *group, uint64_t packed)
{
    uint64_t stage = outcome_stage(packed);

    if (packed == 0 || outcome_reason(packed) == BARRIER_RELEASED)
        return;
    raise_to(&group->past[barrier_sequence(stage) % PAST_OUTCOMES], packed);
    if (outcome_reason(packed) == BARRIER_FINISHED)
        raise_to(&group->finished, stage);
}

bool group_write_outcome(struct barrier_page *shared,
                         struct group *group,
                         uint64_t stage,
                         enum barrier_reason reason,
                         uint32_t culprit)
{
    uint64_t decided = atomic_load(&group->decided);

    do {
        if (outcome_stage(decided) >= stage)
            return false;
        keep_outcome(group, decided);
    } while (!atomic_compare_exchange_weak(&group->decided, &decided,
                                           outcome_pack(stage, reason, culprit)));
    if (reason == BARRIER_LATE && (shared->hosts == 1 || is_member(group, culprit)))
        group_mark_absent(shared, group, reason, culprit);
    atomic_fetch_add(&group->wakes, 1);
    if (atomic_load(&group->waiters) > 0)
        futex_wake_all(&group->wakes);
    if (reason != BARRIER_RELEASED)
        free_cards(shared, group, stage);
    return true;
}

void group_set_release_time(struct barrier_page *shared,
                            struct group *group,
                            uint64_t stage,
                            uint64_t planned_ns)
{
    struct release_time *release = &group->releases[stage & 1];

    atomic_store(&release->planned_ns, planned_ns);
    atomic_store(&release->offset_ns, atomic_load(&shared->offset_ns));
    atomic_store(&release->uncertainty_ns, atomic_load(&shared->uncertainty_ns));
}

/* Writes RELEASED or FINISHED with the present time, or a little later. */
static bool release(struct barrier_page *shared,
                    struct group *group,
                    uint64_t stage,
                    enum barrier_reason reason)
{
    group_set_release_time(shared, group, stage,
                           barrier_release_time(group, stage, reason));
    return group_write_outcome(shared, group, stage, reason, BARRIER_RANK_UNKNOWN);
}

void group_mark_absent(struct barrier_page *shared,
                       struct group *group,
                       enum barrier_reason reason,
                       uint32_t rank)
{
    uint64_t waited_for = atomic_load(&group->arrived) >> 16;

    atomic_store(&group->absent, absence(reason, rank));
    if (reason != BARRIER_LATE && waited_for != 0)
        group_write_outcome(shared, group, waited_for, reason, rank);
}

/* Returns the first member of the minority when the fingerprints differ, else NULL. */
static const struct barrier_member *find_mismatch(const struct group *group,
                                                  uint64_t stage)
{
    const struct barrier_member *first = NULL, *other = NULL;
    int same = 0, different = 0;

    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++) {
        const struct barrier_member *member = &group->members[i];

        if (!is_at_stage(member, stage))
            continue;
        if (!first)
            first = member;
        if (atomic_load(&member->fingerprint) == atomic_load(&first->fingerprint)) {
            same++;
        } else {
            other = other ? other : member;
            different++;
        }
    }
    return !other || same >= different ? other : first;
}

/* Returns the member without a failure that arrived last, or NULL. */
static const struct barrier_member *last_without_failure(const struct group *group,
                                                         uint64_t stage)
{
    const struct barrier_member *last = NULL;

    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++) {
        const struct barrier_member *member = &group->members[i];

        if (is_at_stage(member, stage) &&
            atomic_load(&member->reason) <= BARRIER_FINISHED &&
            (!last ||
             atomic_load(&member->arrived_ns) > atomic_load(&last->arrived_ns)))
            last = member;
    }
    return last;
}

/* The arrivals at a stage by the reason that they report. */
enum arrival_class { ARRIVED_FINISHED, ARRIVED_READY, ARRIVED_STUCK, ARRIVED_FAILED };

static enum arrival_class classify(uint32_t reason)
{
    switch (reason) {
    case BARRIER_RELEASED:
        return ARRIVED_READY;
    case BARRIER_KERNEL_STUCK:
        return ARRIVED_STUCK;
    default: /* values beyond the last reason come from an overwritten page */
        return reason > BARRIER_FINISHED && reason < BARRIER_REASON_END
                   ? ARRIVED_FAILED
                   : ARRIVED_FINISHED;
    }
}

/* Returns the reason of the failed member that arrived first, or BARRIER_FINISHED when
 * none failed. A stuck kernel is no failure here: it may only wait for another rank. */
static enum barrier_reason
earliest_failure(const struct group *group, uint64_t stage, uint32_t *culprit)
{
    enum barrier_reason found = BARRIER_FINISHED;
    uint64_t first_ns = 0;

    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++) {
        const struct barrier_member *member = &group->members[i];
        uint32_t reason = atomic_load(&member->reason);
        uint64_t arrived_ns = atomic_load(&member->arrived_ns);

        if (!is_at_stage(member, stage) || classify(reason) != ARRIVED_FAILED ||
            (found != BARRIER_FINISHED && arrived_ns >= first_ns))
            continue;
        found = (enum barrier_reason)reason;
        first_ns = arrived_ns;
        *culprit = atomic_load(&member->rank);
    }
    return found;
}

/* Chooses the reason when several kernels were stuck. A rank that ended its kernel
 * after the others gave up started late. Otherwise the cause is unknown. */
static enum barrier_reason resolve_stuck(const struct group *group,
                                         uint64_t stage,
                                         const struct barrier_member *stuck,
                                         uint32_t *culprit)
{
    const struct barrier_member *last = last_without_failure(group, stage);

    *culprit = BARRIER_RANK_UNKNOWN;
    if (!last || atomic_load(&last->arrived_ns) <= atomic_load(&stuck->arrived_ns))
        return BARRIER_KERNEL_STUCK;
    *culprit = atomic_load(&last->rank);
    return *culprit == BARRIER_RANK_UNKNOWN ? BARRIER_KERNEL_STUCK : BARRIER_LATE;
}

/* Chooses the outcome of a stage at which all ranks arrived with the same operation:
 * RELEASED, FINISHED, or the reason of an abort. */
static enum barrier_reason
choose_abort_reason(const struct group *group, uint64_t stage, uint32_t *culprit)
{
    const struct barrier_member *stuck = NULL;
    enum barrier_reason reason;
    bool ready = false;
    int stuck_count = 0;

    *culprit = BARRIER_RANK_UNKNOWN;
    reason = earliest_failure(group, stage, culprit);
    if (reason != BARRIER_FINISHED)
        return reason;
    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++) {
        const struct barrier_member *member = &group->members[i];
        enum arrival_class class = classify(atomic_load(&member->reason));

        if (!is_at_stage(member, stage))
            continue;
        ready = ready || class == ARRIVED_READY;
        if (class == ARRIVED_STUCK && stuck_count++ == 0)
            stuck = member;
    }
    if (stuck_count == 0)
        return ready ? BARRIER_RELEASED : BARRIER_FINISHED;
    if (stuck_count > 1)
        return resolve_stuck(group, stage, stuck, culprit);
    *culprit = atomic_load(&stuck->rank);
    return BARRIER_KERNEL_STUCK;
}

/* Compares kernel, blocks and arguments, then the durations with the smallest
 * tolerance. */
static enum barrier_likeness compare(const struct group *group,
                                     uint64_t stage,
                                     uint64_t *least_ns,
                                     uint64_t *most_ns)
{
    uint64_t likeness = 0, permille = UINT32_MAX;
    bool has_durations = true;

    *least_ns = UINT64_MAX;
    *most_ns = 0;
    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++) {
        const struct barrier_member *member = &group->members[i];
        uint64_t own = atomic_load(&member->likeness);
        uint64_t took_ns = atomic_load(&member->took_ns);
        uint32_t tolerance = atomic_load(&member->permille);

        if (!is_at_stage(member, stage))
            continue;
        if (own == 0)
            return BARRIER_NOT_COMPARED;
        if (likeness && own != likeness)
            return BARRIER_OTHER_KERNELS;
        if (took_ns == 0 || took_ns > INT64_MAX)
            has_durations = false;
        likeness = own;
        *least_ns = took_ns < *least_ns ? took_ns : *least_ns;
        *most_ns = took_ns > *most_ns ? took_ns : *most_ns;
        permille = tolerance < permille ? tolerance : permille;
    }
    if (likeness == 0 || permille == 0)
        return BARRIER_NOT_COMPARED;
    if (!has_durations)
        return BARRIER_NO_DURATION;
    return (__int128)(*most_ns - *least_ns) * 1000 <= (__int128)*least_ns * permille
               ? BARRIER_ALIKE
               : BARRIER_OTHER_DURATIONS;
}

/* All ranks that choose the outcome of a stage store the same values. */
static void store_likeness(struct group *group, uint64_t stage)
{
    uint64_t least_ns, most_ns;
    enum barrier_likeness likeness = compare(group, stage, &least_ns, &most_ns);

    if (likeness == BARRIER_NOT_COMPARED)
        return;
    atomic_store(&group->likeness, likeness);
    atomic_store(&group->least_ns, likeness == BARRIER_OTHER_KERNELS ? 0 : least_ns);
    atomic_store(&group->most_ns, likeness == BARRIER_OTHER_KERNELS ? 0 : most_ns);
    atomic_store(&group->compared, stage);
}

static void
choose_outcome(struct barrier_page *shared, struct group *group, uint64_t stage)
{
    const struct barrier_member *mismatch = find_mismatch(group, stage);
    enum barrier_reason reason;
    uint32_t culprit;

    if (mismatch) {
        group_write_outcome(shared, group, stage, BARRIER_MISMATCH,
                            atomic_load(&mismatch->rank));
        return;
    }
    if (outcome_stage(atomic_load(&group->decided)) >= stage) {
        atomic_compare_exchange_strong(&group->cards_stage, &stage, 0);
        return;
    }
    reason = choose_abort_reason(group, stage, &culprit);
    if (reason > BARRIER_FINISHED) {
        group_write_outcome(shared, group, stage, reason, culprit);
        return;
    }
    if (barrier_step(stage) == 0 && !take_cards(shared, group, stage))
        return;
    store_likeness(group, stage);
    if (!release(shared, group, stage, reason) && barrier_step(stage) == 0)
        free_cards(shared, group, stage);
    if (barrier_step(stage) == 0)
        atomic_compare_exchange_strong(&group->cards_stage, &stage, 0);
}

/* Asks for the cards, unless the stage has an outcome: `cards_stage` then belongs to a
 * later stage. Only a rank that arrives asks. A rank of another group that frees cards
 * may be late, and would overwrite the request of a later stage. */
static void ask_for_cards(struct group *group, uint64_t stage)
{
    uint64_t asked;

    do {
        asked = atomic_load(&group->cards_stage);
        if (outcome_stage(atomic_load(&group->decided)) >= stage)
            return;
    } while (!atomic_compare_exchange_weak(&group->cards_stage, &asked, stage));
}

void group_choose_outcome(struct barrier_page *shared,
                          struct group *group,
                          uint64_t stage)
{
    if (barrier_step(stage) == 0)
        ask_for_cards(group, stage);
    choose_outcome(shared, group, stage);
}

/* Returns the outcome of `stage` that follows from the outcome of the same or a later
 * stage, or 0. A later stage of the same operation means that this one was released. */
static uint64_t derive_outcome(uint64_t packed, uint64_t stage)
{
    if (barrier_sequence(outcome_stage(packed)) != barrier_sequence(stage) ||
        outcome_stage(packed) < stage)
        return 0;
    return outcome_stage(packed) == stage
               ? packed
               : outcome_pack(stage, BARRIER_RELEASED, BARRIER_RANK_UNKNOWN);
}

uint64_t
group_read_outcome(const struct group *group, uint64_t stage, uint32_t own_rank)
{
    const _Atomic uint64_t *past =
        &group->past[barrier_sequence(stage) % PAST_OUTCOMES];
    uint64_t decided = atomic_load(&group->decided), outcome;

    if (outcome_stage(decided) < stage)
        return 0;
    outcome = derive_outcome(decided, stage);
    if (!outcome)
        outcome = derive_outcome(atomic_load(past), stage);
    if (!outcome)
        outcome = derive_outcome(outcome_pack(atomic_load(&group->finished),
                                              BARRIER_FINISHED, BARRIER_RANK_UNKNOWN),
                                 stage);
    /* The other ranks went on to another operation without this rank. */
    return outcome ? outcome : outcome_pack(stage, BARRIER_LATE, own_rank);
}
