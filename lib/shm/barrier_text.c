/* barrier_text.c - names of reasons, and the cause of an abort as text */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/shm/rank_barrier_internal.h"

static const struct {
    const char *name, *text; /* the text follows `rank 3` */
} reasons[BARRIER_REASON_END] = {
    [BARRIER_RELEASED] = {"go", ""},
    [BARRIER_FINISHED] = {"over", ""},
    [BARRIER_NOT_WANTED] = {"not-wanted", "does not replay it"},
    [BARRIER_MISMATCH] = {"mismatch", "is at another operation"},
    [BARRIER_NO_ROOM] = {"no-room", "could not save its memory"},
    [BARRIER_NOT_ARMED] = {"not-armed", "could not start its counters"},
    [BARRIER_NOT_RESTORED] = {"not-restored", "could not restore its memory"},
    [BARRIER_KERNEL_FAILED] = {"kernel-failed", "failed in its kernel"},
    [BARRIER_KERNEL_STUCK] = {"kernel-stuck", "did not end its kernel in time"},
    [BARRIER_DATA_LOST] = {"data-lost", "lost counter data"},
    [BARRIER_LATE] = {"late", "did not come in time"},
    [BARRIER_GONE] = {"gone", "has died"},
    [BARRIER_LEFT] = {"left", "has left the group"},
    [BARRIER_NO_ANSWER] = {"no-word", "on another host did not answer"},
    [BARRIER_CARDS_BUSY] = {"cards-busy", "waited for cards of another group"},
    [BARRIER_ENDED] = {"ended", "ended the attempt of all ranks"},
    [BARRIER_EARLIER_WORK] = {"earlier-work", "has earlier work that does not end"},
    [BARRIER_DEADLOCK] = {"circle",
                          "waits in another group for a rank that waits here"},
    [BARRIER_STOPPED] = {"stopped", "stopped on request"},
};

const char *barrier_reason_name(enum barrier_reason reason)
{
    return reason < BARRIER_REASON_END ? reasons[reason].name : "unknown";
}

struct line {
    char *text;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void
add(struct line *line, const char *format, ...)
{
    va_list list;
    int length;

    va_start(list, format);
    length = vsnprintf(line->text + line->used, line->size - line->used, format, list);
    va_end(list);
    if (length > 0)
        line->used += (size_t)length < line->size - line->used
                          ? (size_t)length
                          : line->size - line->used - 1;
}

typedef bool matches_fn(const struct barrier_view_member *member, uint64_t value);

static bool has_fingerprint(const struct barrier_view_member *member, uint64_t value)
{
    return member->fingerprint == value;
}

static bool has_reason(const struct barrier_view_member *member, uint64_t reason)
{
    return member->reason == (enum barrier_reason)reason;
}

/* Appends the ranks of the members that match, for example `ranks 0-2, 5`. Returns how
 * many match. */
static int add_ranks(struct line *line,
                     const struct barrier_view *view,
                     matches_fn *matches,
                     uint64_t value)
{
    bool listed[BARRIER_RANKS_MAX + 2] = {false};
    int count = 0;

    for (uint32_t i = 0; i < view->count; i++)
        if (matches(&view->members[i], value) &&
            view->members[i].rank < BARRIER_RANKS_MAX) {
            listed[view->members[i].rank] = true;
            count++;
        }
    add(line, count == 1 ? "rank" : "ranks");
    for (int from = 0, ranges = 0; from < BARRIER_RANKS_MAX; from++) {
        int to = from;

        if (!listed[from])
            continue;
        while (listed[to + 1])
            to++;
        add(line, ranges++ ? ", %d" : " %d", from);
        if (to > from)
            add(line, "-%d", to);
        from = to;
    }
    return count;
}

static const struct barrier_view_member *find_member(const struct barrier_view *view,
                                                     uint32_t rank)
{
    for (uint32_t i = 0; i < view->count; i++)
        if (view->members[i].rank == rank)
            return &view->members[i];
    return NULL;
}

static void add_mismatch(struct line *line,
                         const struct barrier_view *view,
                         const struct barrier_view_member *culprit,
                         const struct barrier_view_member *other)
{
    unsigned long long number = barrier_sequence(view->stage);
    int count = add_ranks(line, view, has_fingerprint, culprit->fingerprint);

    add(line, " %s at %s (launch %llu), ", count == 1 ? "is" : "are", culprit->what,
        number);
    add_ranks(line, view, has_fingerprint, other->fingerprint);
    add(line, " at %s (launch %llu)", other->what, number);
}

static void add_stuck(struct line *line, const struct barrier_view *view)
{
    add_ranks(line, view, has_reason, BARRIER_KERNEL_STUCK);
    add(line, " did not end their kernel in time");
}

void barrier_describe(const struct rank_barrier *barrier,
                      const struct barrier_place *place,
                      uint64_t stage,
                      const struct barrier_outcome *outcome,
                      char *text,
                      size_t size)
{
    struct line line = {text, size, 0};
    const struct barrier_view_member *culprit = NULL, *other = NULL;
    struct barrier_view view;

    text[0] = '\0';
    if (barrier_is_released(outcome) || outcome->reason >= BARRIER_REASON_END)
        return;
    if (barrier_read_group(barrier, place->group, &view) && view.stage == stage)
        culprit = find_member(&view, outcome->culprit);
    for (uint32_t i = 0; culprit && i < view.count && !other; i++)
        if (view.members[i].fingerprint != culprit->fingerprint)
            other = &view.members[i];
    if (other && (outcome->reason == BARRIER_MISMATCH ||
                  outcome->reason == BARRIER_NOT_WANTED)) {
        add_mismatch(&line, &view, culprit, other);
        return;
    }
    if (outcome->reason == BARRIER_KERNEL_STUCK &&
        outcome->culprit == BARRIER_RANK_UNKNOWN)
        add_stuck(&line, &view);
    else if (outcome->culprit == BARRIER_RANK_UNKNOWN)
        add(&line, "a rank %s", reasons[outcome->reason].text);
    else
        add(&line, "rank %u %s", outcome->culprit, reasons[outcome->reason].text);
}
