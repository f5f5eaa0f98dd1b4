/* barrier_outcome.c - the one word that ends a stage, and who may write it when
 *
 * Cards: a group replays on its own ones. Two groups that share a card take turns, from
 * the first step of an operation to its last word; a group gets all its cards or none,
 * so groups never wait for each other in a circle. */
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/shm/barrier_page.h"

static void futex_wake_all(_Atomic uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static uint64_t cards_of(const struct group *group)
{
    uint64_t cards = 0;

    for (int i = 0; i < BARRIER_SEATS_MAX; i++)
        if (atomic_load(&group->seats[i].state) == SEAT_SITS)
            cards |= 1ull << (atomic_load(&group->seats[i].device) & 63);
    return cards;
}

static bool take_cards(struct meeting_shared *shared, struct group *group)
{
    uint64_t cards = cards_of(group), busy = atomic_load(&shared->busy);

    do
        if (busy & cards)
            return false;
    while (!atomic_compare_exchange_weak(&shared->busy, &busy, busy | cards));
    atomic_store(&group->held, cards);
    return true;
}

static void give_cards_back(struct meeting_shared *shared, struct group *group)
{
    uint64_t held = atomic_exchange(&group->held, 0);

    if (!held)
        return;
    atomic_fetch_and(&shared->busy, ~held);
    for (int i = 0; i < BARRIER_GROUPS_MAX; i++) {
        uint64_t stage = atomic_load(&shared->groups[i].wants);

        if (stage != 0)
            group_settle(shared, &shared->groups[i], stage);
    }
}

/* It has cards that no word of it explains: one that is about to say GO has just taken
 * them, and whoever sees its `wants` gone sees the GO. */
static bool has_lost_cards(const struct group *group)
{
    uint64_t held = atomic_load(&group->held), wants = atomic_load(&group->wants);
    uint64_t word = atomic_load(&group->decided);

    return held != 0 && word_reason(word) != BARRIER_RELEASED &&
           wants <= word_stage(word);
}

void meeting_find_lost_cards(struct meeting_shared *shared)
{
    for (int i = 0; i < BARRIER_GROUPS_MAX; i++)
        if (has_lost_cards(&shared->groups[i]))
            give_cards_back(shared, &shared->groups[i]);
}

static bool sits_here(const struct group *group, uint32_t rank)
{
    for (int i = 0; i < BARRIER_SEATS_MAX; i++)
        if (atomic_load(&group->seats[i].state) == SEAT_SITS &&
            atomic_load(&group->seats[i].rank) == rank)
            return true;
    return false;
}

static void raise_to(_Atomic uint64_t *word, uint64_t value)
{
    uint64_t old = atomic_load(word);

    while (old < value && !atomic_compare_exchange_weak(word, &old, value))
        ;
}

/* For those who have not read it yet. */
static void remember(struct group *group, uint64_t word)
{
    if (word == 0 || word_reason(word) == BARRIER_RELEASED)
        return;
    raise_to(&group->past[barrier_sequence(word_stage(word)) % PAST_WORDS], word);
    if (word_reason(word) == BARRIER_FINISHED)
        raise_to(&group->over, word_stage(word));
}

bool group_decide(struct meeting_shared *shared,
                  struct group *group,
                  uint64_t stage,
                  enum barrier_reason reason,
                  uint32_t culprit)
{
    uint64_t word = atomic_load(&group->decided);

    do {
        if (word_stage(word) >= stage)
            return false;
        remember(group, word);
    } while (!atomic_compare_exchange_weak(&group->decided, &word,
                                           word_of(stage, reason, culprit)));
    if (reason == BARRIER_LATE && (shared->hosts == 1 || sits_here(group, culprit)))
        group_miss(shared, group, reason, culprit);
    atomic_fetch_add(&group->bell, 1);
    if (atomic_load(&group->waiters) > 0)
        futex_wake_all(&group->bell);
    if (reason != BARRIER_RELEASED)
        give_cards_back(shared, group);
    return true;
}

void group_plan(struct meeting_shared *shared,
                struct group *group,
                uint64_t stage,
                uint64_t planned_ns)
{
    struct plan *plan = &group->plans[stage & 1];

    atomic_store(&plan->planned_ns, planned_ns);
    atomic_store(&plan->offset_ns, atomic_load(&shared->offset_ns));
    atomic_store(&plan->uncertainty_ns, atomic_load(&shared->uncertainty_ns));
}

static bool write_outcome(struct meeting_shared *shared,
                          struct group *group,
                          uint64_t stage,
                          enum barrier_reason reason,
                          uint64_t planned_ns)
{
    group_plan(shared, group, stage, planned_ns);
    return group_decide(shared, group, stage, reason, BARRIER_RANK_UNKNOWN);
}

void group_miss(struct meeting_shared *shared,
                struct group *group,
                enum barrier_reason reason,
                uint32_t rank)
{
    uint64_t waited_for = atomic_load(&group->arrived) >> 16;

    atomic_store(&group->absent, absence(reason, rank));
    if (reason != BARRIER_LATE && waited_for != 0)
        group_decide(shared, group, waited_for, reason, rank);
}

static const struct barrier_member *odd_one(const struct group *group, uint64_t stage)
{
    const struct barrier_member *first = NULL, *other = NULL;
    int same = 0, different = 0;

    for (int i = 0; i < BARRIER_SEATS_MAX; i++) {
        const struct barrier_member *seat = &group->seats[i];

        if (!sits_at(seat, stage))
            continue;
        if (!first)
            first = seat;
        if (atomic_load(&seat->fingerprint) == atomic_load(&first->fingerprint)) {
            same++;
        } else {
            other = other ? other : seat;
            different++;
        }
    }
    return !other || same >= different ? other : first;
}

static const struct barrier_member *last_good(const struct group *group, uint64_t stage)
{
    const struct barrier_member *last = NULL;

    for (int i = 0; i < BARRIER_SEATS_MAX; i++) {
        const struct barrier_member *seat = &group->seats[i];

        if (sits_at(seat, stage) && atomic_load(&seat->reason) <= BARRIER_FINISHED &&
            (!last || atomic_load(&seat->arrived_ns) > atomic_load(&last->arrived_ns)))
            last = seat;
    }
    return last;
}

/* Of those that cannot go on: who has failed rather than waited, and came first. With
 * several that hang nobody knows who made the others wait. */
static enum barrier_reason
choose_abort_reason(const struct group *group, uint64_t stage, uint32_t *culprit)
{
    enum barrier_reason worst = BARRIER_FINISHED;
    uint64_t first_ns = UINT64_MAX;
    const struct barrier_member *last;
    int stuck = 0;

    *culprit = BARRIER_RANK_UNKNOWN;
    for (int i = 0; i < BARRIER_SEATS_MAX; i++) {
        const struct barrier_member *seat = &group->seats[i];
        uint32_t reason = atomic_load(&seat->reason);
        uint64_t came_ns = atomic_load(&seat->arrived_ns);

        if (!sits_at(seat, stage) || reason == BARRIER_FINISHED)
            continue;
        stuck += reason == BARRIER_KERNEL_STUCK;
        if (reason == BARRIER_RELEASED && worst == BARRIER_FINISHED)
            worst = BARRIER_RELEASED;
        if (reason <= BARRIER_FINISHED || reason >= BARRIER_REASON_END ||
            (reason == BARRIER_KERNEL_STUCK && worst > BARRIER_FINISHED) ||
            (worst > BARRIER_FINISHED && worst != BARRIER_KERNEL_STUCK &&
             came_ns >= first_ns))
            continue;
        worst = (enum barrier_reason)reason;
        first_ns = came_ns;
        *culprit = atomic_load(&seat->rank);
    }
    if (worst != BARRIER_KERNEL_STUCK || stuck == 1)
        return worst;
    /* Several waited in vain, and this one ended its kernel after all: it began late.
     */
    last = last_good(group, stage);
    *culprit = last && atomic_load(&last->arrived_ns) > first_ns
                   ? atomic_load(&last->rank)
                   : BARRIER_RANK_UNKNOWN;
    return *culprit == BARRIER_RANK_UNKNOWN ? worst : BARRIER_LATE;
}

/* The same in all that has to be, and in time as near as the least patient wants it. */
static bool are_alike(const struct group *group, uint64_t stage)
{
    uint64_t likeness = 0, least_ns = UINT64_MAX, most_ns = 0, permille = UINT32_MAX;

    for (int i = 0; i < BARRIER_SEATS_MAX; i++) {
        const struct barrier_member *seat = &group->seats[i];
        uint64_t is = atomic_load(&seat->likeness), took = atomic_load(&seat->took_ns);
        uint32_t may = atomic_load(&seat->permille);

        if (!sits_at(seat, stage))
            continue;
        if (is == 0 || took == 0 || took > INT64_MAX || (likeness && is != likeness))
            return false;
        likeness = is;
        least_ns = took < least_ns ? took : least_ns;
        most_ns = took > most_ns ? took : most_ns;
        permille = may < permille ? may : permille;
    }
    return likeness != 0 && permille > 0 &&
           (__int128)(most_ns - least_ns) * 1000 <= (__int128)least_ns * permille;
}

void group_settle(struct meeting_shared *shared, struct group *group, uint64_t stage)
{
    const struct barrier_member *odd = odd_one(group, stage);
    enum barrier_reason reason;
    uint32_t culprit;

    if (odd) {
        group_decide(shared, group, stage, BARRIER_MISMATCH, atomic_load(&odd->rank));
        return;
    }
    if (word_stage(atomic_load(&group->decided)) >= stage) {
        atomic_compare_exchange_strong(&group->wants, &stage, 0);
        return;
    }
    reason = choose_abort_reason(group, stage, &culprit);
    if (reason > BARRIER_FINISHED) {
        group_decide(shared, group, stage, reason, culprit);
        return;
    }
    if (barrier_step(stage) == 0) {
        atomic_store(&group->wants, stage);
        if (!take_cards(shared, group))
            return;
    }
    if (are_alike(group, stage))
        atomic_store(&group->alike, stage);
    if (!write_outcome(shared, group, stage, reason, barrier_now_ns()) &&
        barrier_step(stage) == 0)
        give_cards_back(shared, group);
    if (barrier_step(stage) == 0)
        atomic_compare_exchange_strong(&group->wants, &stage, 0);
}

/* What the word of a later stage, or of this one, says of it: whoever stood at a later
 * one of the operation was let go on from here. 0: nothing. */
static uint64_t said_of(uint64_t word, uint64_t stage)
{
    if (barrier_sequence(word_stage(word)) != barrier_sequence(stage) ||
        word_stage(word) < stage)
        return 0;
    return word_stage(word) == stage
               ? word
               : word_of(stage, BARRIER_RELEASED, BARRIER_RANK_UNKNOWN);
}

uint64_t group_word(const struct group *group, uint64_t stage, uint32_t own_rank)
{
    uint64_t word = atomic_load(&group->decided), said;

    if (word_stage(word) < stage)
        return 0;
    said = said_of(word, stage);
    if (!said)
        said = said_of(atomic_load(&group->past[barrier_sequence(stage) % PAST_WORDS]),
                       stage);
    if (!said)
        said = said_of(
            word_of(atomic_load(&group->over), BARRIER_FINISHED, BARRIER_RANK_UNKNOWN),
            stage);
    return said ? said : word_of(stage, BARRIER_LATE, own_rank); /* without us */
}
