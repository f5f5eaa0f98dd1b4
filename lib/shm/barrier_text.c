/* barrier_text.c - what happened at a meeting, for people */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/shm/barrier_page.h"

static const struct {
    const char *word, *told; /* after `rank 3` */
} words[BARRIER_REASON_END] = {
    [BARRIER_RELEASED] = {"go", ""},
    [BARRIER_FINISHED] = {"over", ""},
    [BARRIER_NOT_WANTED] = {"not-wanted", "does not replay it"},
    [BARRIER_MISMATCH] = {"mismatch", "is at another operation"},
    [BARRIER_NO_ROOM] = {"no-room", "could not save its memory"},
    [BARRIER_NOT_ARMED] = {"not-armed", "could not start its counters"},
    [BARRIER_NOT_RESTORED] = {"not-restored", "could not put its memory back"},
    [BARRIER_KERNEL_FAILED] = {"kernel-failed", "failed in its kernel"},
    [BARRIER_KERNEL_STUCK] = {"kernel-stuck", "did not end its kernel in time"},
    [BARRIER_DATA_LOST] = {"data-lost", "lost counter data"},
    [BARRIER_LATE] = {"late", "did not come in time"},
    [BARRIER_GONE] = {"gone", "has died"},
    [BARRIER_LEFT] = {"left", "has left the group"},
    [BARRIER_NO_WORD] = {"no-word", "was not heard of: no word from other hosts"},
    [BARRIER_CARDS_BUSY] = {"cards-busy", "waited for cards of another group"},
    [BARRIER_ENDED] = {"ended", "ended the run for all"},
    [BARRIER_EARLIER_WORK] = {"earlier-work", "has earlier work that does not end"},
    [BARRIER_CIRCLE] = {"circle", "waits in another group for one that waits here"},
    [BARRIER_STOPPED] = {"stopped", "was asked to stop"},
};

const char *barrier_reason_word(enum barrier_reason reason)
{
    return reason < BARRIER_REASON_END ? words[reason].word : "unknown";
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

typedef bool seat_is_fn(const struct barrier_view_seat *seat, uint64_t what);

static bool has_print(const struct barrier_view_seat *seat, uint64_t print)
{
    return seat->fingerprint == print;
}

static bool has_reason(const struct barrier_view_seat *seat, uint64_t reason)
{
    return seat->reason == (enum barrier_reason)reason;
}

/* `ranks 0-2, 5` of those that are meant. */
static void add_ranks(struct line *line,
                      const struct barrier_view *view,
                      seat_is_fn *is,
                      uint64_t what)
{
    bool there[BARRIER_RANKS_MAX + 2] = {false};
    int count = 0;

    for (uint32_t i = 0; i < view->count; i++)
        if (is(&view->seats[i], what) && view->seats[i].rank < BARRIER_RANKS_MAX) {
            there[view->seats[i].rank] = true;
            count++;
        }
    add(line, count == 1 ? "rank" : "ranks");
    for (int from = 0, said = 0; from < BARRIER_RANKS_MAX; from++) {
        int to = from;

        if (!there[from])
            continue;
        while (there[to + 1])
            to++;
        add(line, said++ ? ", %d" : " %d", from);
        if (to > from)
            add(line, "-%d", to);
        from = to;
    }
}

static const struct barrier_view_seat *seat_of(const struct barrier_view *view,
                                               uint32_t rank)
{
    for (uint32_t i = 0; i < view->count; i++)
        if (view->seats[i].rank == rank)
            return &view->seats[i];
    return NULL;
}

static void add_mismatch(struct line *line,
                         const struct barrier_view *view,
                         const struct barrier_view_seat *odd,
                         const struct barrier_view_seat *other)
{
    unsigned long long number = barrier_sequence(view->stage);

    add_ranks(line, view, has_print, odd->fingerprint);
    add(line, " %s at %s (launch %llu), ", "is", odd->what, number);
    add_ranks(line, view, has_print, other->fingerprint);
    add(line, " at %s (launch %llu)", other->what, number);
}

/* Each waited for another one, and one of them for nothing. */
static void add_stuck(struct line *line, const struct barrier_view *view)
{
    add_ranks(line, view, has_reason, BARRIER_KERNEL_STUCK);
    add(line, " did not end their kernel in time");
}

void barrier_tell(const struct rank_barrier *meeting,
                  const struct barrier_place *place,
                  uint64_t stage,
                  const struct barrier_outcome *verdict,
                  char *text,
                  size_t size)
{
    struct line line = {text, size, 0};
    const struct barrier_view_seat *odd = NULL, *other = NULL;
    struct barrier_view view;

    text[0] = '\0';
    if (barrier_is_go(verdict) || verdict->reason >= BARRIER_REASON_END)
        return;
    if (barrier_look(meeting, place->group, &view) && view.stage == stage)
        odd = seat_of(&view, verdict->culprit);
    for (uint32_t i = 0; odd && i < view.count && !other; i++)
        if (view.seats[i].fingerprint != odd->fingerprint)
            other = &view.seats[i];
    if (other && (verdict->reason == BARRIER_MISMATCH ||
                  verdict->reason == BARRIER_NOT_WANTED)) {
        add_mismatch(&line, &view, odd, other);
        return;
    }
    if (verdict->reason == BARRIER_KERNEL_STUCK &&
        verdict->culprit == BARRIER_RANK_UNKNOWN)
        add_stuck(&line, &view);
    else if (verdict->culprit == BARRIER_RANK_UNKNOWN)
        add(&line, "a rank %s", words[verdict->reason].told);
    else
        add(&line, "rank %u %s", verdict->culprit, words[verdict->reason].told);
}
