#include "coordinator/confirmation/rotated_times.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"

struct item {
    struct rotated_time time;
    size_t card;
};

struct items {
    struct item *items;
    size_t count;
};

struct rotated_times {
    struct items all;
    char **cards;
    size_t card_count;
};

struct rotated_times *rotated_times_create(void)
{
    return xcalloc(1, sizeof(struct rotated_times));
}

void rotated_times_destroy(struct rotated_times *times)
{
    if (!times)
        return;
    for (size_t i = 0; i < times->card_count; i++)
        free(times->cards[i]);
    free(times->cards);
    free(times->all.items);
    free(times);
}

static void push(struct items *items, struct item item)
{
    if ((items->count & (items->count - 1)) == 0) /* doubles at powers of two */
        items->items = xreallocarray(items->items, items->count ? 2 * items->count : 1,
                                     sizeof(*items->items));
    items->items[items->count++] = item;
}

void rotated_times_add(struct rotated_times *times,
                       const struct rotated_time *time,
                       const char *card)
{
    size_t i = 0;

    if (!(time->us > 0) || !isfinite(time->us))
        return;
    while (i < times->card_count && strcmp(times->cards[i], card) != 0)
        i++;
    if (i == times->card_count) {
        times->cards = xreallocarray(times->cards, i + 1, sizeof(*times->cards));
        times->cards[times->card_count++] = xstrdup(card);
    }
    push(&times->all, (struct item){*time, i});
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_pair(const void *left, const void *right)
{
    const struct rotated_time *a = &((const struct item *)left)->time;
    const struct rotated_time *b = &((const struct item *)right)->time;
    int rank = order(a->rank, b->rank);

    return rank ? rank : order(a->peer, b->peer);
}

static int by_place(const void *left, const void *right)
{
    const struct rotated_time *a = &((const struct item *)left)->time;
    const struct rotated_time *b = &((const struct item *)right)->time;
    int placement = order(a->placement, b->placement);

    return placement ? placement : by_pair(left, right);
}

static int by_repeat(const void *left, const void *right)
{
    const struct rotated_time *a = &((const struct item *)left)->time;
    const struct rotated_time *b = &((const struct item *)right)->time;
    int place = by_place(left, right);

    return place ? place : order(a->repeat, b->repeat);
}

typedef int order_fn(const void *left, const void *right);

/* Sorts the items, and replaces those that are equal in this order by their median. */
static void reduce(struct items *items, order_fn *fn)
{
    double *equal = xcalloc(items->count + 1, sizeof(*equal));
    size_t kept = 0;

    if (items->count > 0)
        qsort(items->items, items->count, sizeof(*items->items), fn);
    for (size_t i = 0, end; i < items->count; i = end) {
        for (end = i;
             end < items->count && fn(&items->items[i], &items->items[end]) == 0; end++)
            equal[end - i] = items->items[end].time.us;
        items->items[kept] = items->items[i];
        items->items[kept++].time.us = stats_median(equal, end - i);
    }
    items->count = kept;
    free(equal);
}

/* Returns the computing times, or the transfers, of one side, reduced in this order.
 * The caller frees the items. */
static struct items select_times(const struct rotated_times *times,
                                 enum rotated_side side,
                                 bool computing,
                                 order_fn *fn)
{
    struct items chosen = {0};

    for (size_t i = 0; i < times->all.count; i++) {
        const struct rotated_time *time = &times->all.items[i].time;

        if (time->side == side && (time->peer == PLACED_COMPUTING) == computing)
            push(&chosen, times->all.items[i]);
    }
    reduce(&chosen, fn);
    return chosen;
}

struct changes {
    struct placed_value *values;
    size_t count;
};

/* Adds the change of each time against the one that is equal to it in this order. Both
 * lists are reduced in orders that contain it; the base in this order itself. */
static void add_changes(struct changes *changes,
                        const struct items *now,
                        const struct items *base,
                        order_fn *fn)
{
    changes->values = xreallocarray(changes->values, changes->count + now->count + 1,
                                    sizeof(*changes->values));
    for (size_t i = 0; i < now->count; i++) {
        const struct item *item = &now->items[i];
        const struct item *from =
            base->count == 0
                ? NULL
                : bsearch(item, base->items, base->count, sizeof(*base->items), fn);

        if (from)
            changes->values[changes->count++] = (struct placed_value){
                item->time.placement, item->time.rank, item->card, item->time.peer,
                log(item->time.us / from->time.us)};
    }
}

static void add_side(struct changes *changes,
                     const struct rotated_times *times,
                     enum rotated_side now_side,
                     enum rotated_side base_side,
                     bool computing)
{
    bool in_pairs = base_side != ROTATED_BEFORE; /* A and B ran in the same repeat */
    struct items now =
        select_times(times, now_side, computing, computing ? by_repeat : by_place);
    struct items base =
        select_times(times, base_side, computing, in_pairs ? by_repeat : by_pair);

    add_changes(changes, &now, &base, in_pairs ? by_repeat : by_pair);
    free(now.items);
    free(base.items);
}

/* Returns true when the computing time on the card has risen where the suspect ran:
 * a card that was always slow has not. */
static bool has_risen(const struct changes *computing, size_t card, double margin)
{
    double *rises = xcalloc(computing->count + 1, sizeof(*rises));
    size_t count = 0;

    for (size_t i = 0; i < computing->count; i++)
        if (computing->values[i].placement == 0 && computing->values[i].card == card)
            rises[count++] = computing->values[i].log;
    bool risen = count > 0 && stats_median(rises, count) >= margin;
    free(rises);
    return risen;
}

/* Keeps the values of other cards. */
static void leave_out(struct changes *changes, size_t card)
{
    size_t kept = 0;

    for (size_t i = 0; i < changes->count; i++)
        if (changes->values[i].card != card)
            changes->values[kept++] = changes->values[i];
    changes->count = kept;
}

static struct placed_cause find_drift(const struct rotated_times *times, double margin)
{
    struct changes computing = {0}, transfers = {0};

    add_side(&computing, times, ROTATED_BASE, ROTATED_BEFORE, true);
    add_side(&transfers, times, ROTATED_BASE, ROTATED_BEFORE, false);
    struct placed_cause found =
        placed_cause_of_cards(computing.values, computing.count, margin);
    while (found.cause == CAUSE_CARD && !has_risen(&computing, found.card, margin)) {
        leave_out(&computing, found.card);
        found = placed_cause_of_cards(computing.values, computing.count, margin);
    }
    if (found.cause == CAUSE_NONE)
        found = placed_cause_of_cards(transfers.values, transfers.count, margin);
    free(computing.values);
    free(transfers.values);
    return found;
}

static const char *name_of(const struct rotated_times *times, size_t card)
{
    return card < times->card_count ? times->cards[card] : "";
}

static void sort_names(const char **first, const char **second)
{
    if (**second && strcmp(*second, *first) < 0) {
        const char *swap = *first;

        *first = *second;
        *second = swap;
    }
}

struct rotated_answer rotated_times_judge(const struct rotated_times *times,
                                          double margin)
{
    struct rotated_answer answer = {
        .code_card = "", .drift_card = "", .drift_peer = ""};
    struct changes changes = {0};

    add_side(&changes, times, ROTATED_FRESH, ROTATED_BASE, true);
    struct placed_cause code = placed_cause_find(changes.values, changes.count, margin);
    struct placed_cause drift = find_drift(times, margin);
    free(changes.values);
    if (code.cause == CAUSE_CARD) {
        answer.code = CAUSE_CARD;
        answer.code_card = name_of(times, code.card);
    }
    if (drift.cause == CAUSE_CARD || drift.cause == CAUSE_LINK) {
        answer.drift = drift.cause;
        answer.drift_card = name_of(times, drift.card);
        answer.drift_peer = name_of(times, drift.peer_card);
        sort_names(&answer.drift_card, &answer.drift_peer);
    }
    return answer;
}
