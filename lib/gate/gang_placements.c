/* gang_placements.c - the card, the link or the rank that slows down a launch whose
 * ranks were rotated over the cards
 *
 * Changes of computing times are divided into effects of ranks and of cards. A pair of
 * cards is as slow as in its best placement: a slow link is slow with each pair of
 * ranks, and a slow pair of ranks between each pair of cards. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/compare/point_key.h"
#include "lib/gate/gang_cause.h"
#include "lib/verdict/cause/link_matrix.h"
#include "lib/verdict/cause/rotation.h"

struct card {
    const char *serial, *host;
};

struct placements {
    const struct comparison_row **rows; /* of the launch in all its placements */
    size_t *numbers;                    /* placement of each row */
    size_t count, placement_count;
    struct card *cards;
    size_t card_count;
    uint64_t ranks;
    double margin;
};

static size_t position_of(struct placements *all, const struct comparison_row *row)
{
    size_t i = 0;

    while (i < all->card_count && strcmp(all->cards[i].serial, row->placed_serial) != 0)
        i++;
    if (i == all->card_count) {
        all->cards = xreallocarray(all->cards, i + 1, sizeof(*all->cards));
        all->cards[all->card_count++] =
            (struct card){row->placed_serial, row->placed_host};
    }
    return i;
}

static void read_placements(struct placements *all,
                            struct launch_rows launch,
                            struct launch_rows kernel)
{
    const char *point = NULL; /* the rows of a placement follow each other */

    all->rows = xcalloc(kernel.count + 1, sizeof(struct comparison_row *));
    all->numbers = xcalloc(kernel.count + 1, sizeof(*all->numbers));
    for (size_t i = 0; i < kernel.count; i++) {
        const struct comparison_row *row = &kernel.rows[i];

        if (!isfinite(row->shift) || !row->placed_serial[0] ||
            row->rank >= GANG_CAUSE_RANKS_MAX ||
            !point_key_differs_in_placement(row->point, launch.rows->point))
            continue;
        all->placement_count += !point || strcmp(point, row->point) != 0;
        point = row->point;
        all->numbers[all->count] = all->placement_count - 1;
        all->rows[all->count++] = row;
        if (row->rank >= all->ranks)
            all->ranks = row->rank + 1;
    }
}

static void keep_larger(struct gang_cause *cause, struct gang_cause other)
{
    if (other.size > cause->size)
        *cause = other;
}

/* Finds the card or rank that adds most to the computing times. `separates`: the
 * placements separate cards from ranks. */
static struct gang_cause
find_slow_computing(struct placements *all, size_t *card, bool *separates)
{
    struct rotation_value *values = xcalloc(all->count + 1, sizeof(*values));
    struct gang_cause cause = {.cause = CAUSE_NONE};
    struct rotation_fit fit;
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->rows[i]->metric, "compute_us") == 0)
            values[count++] = (struct rotation_value){all->rows[i]->rank,
                                                      position_of(all, all->rows[i]),
                                                      all->rows[i]->shift};
    *separates = rotation_fit_init(&fit, values, count);
    if (*separates) {
        for (size_t i = 0; i < fit.ranks; i++) {
            struct rotation_effect effect = rotation_effect_of_rank(&fit, i);

            if (rotation_effect_differs(&effect, all->margin))
                keep_larger(&cause, (struct gang_cause){.cause = CAUSE_CODE,
                                                        .size = effect.size,
                                                        .rank = i});
        }
        for (size_t i = 0; i < fit.cards; i++) {
            struct rotation_effect effect = rotation_effect_of_card(&fit, i);

            if (!rotation_effect_differs(&effect, all->margin) ||
                effect.size <= cause.size)
                continue;
            cause = (struct gang_cause){.cause = CAUSE_CARD, .size = effect.size};
            *card = i;
        }
        rotation_fit_clear(&fit);
    }
    free(values);
    return cause;
}

/* Returns the card of each rank in each placement, SIZE_MAX where it is unknown. */
static size_t *read_members(struct placements *all)
{
    size_t count = all->placement_count * all->ranks;
    size_t *members = xreallocarray(NULL, count + 1, sizeof(*members));

    for (size_t i = 0; i < count; i++)
        members[i] = SIZE_MAX;
    for (size_t i = 0; i < all->count; i++)
        members[all->numbers[i] * all->ranks + all->rows[i]->rank] =
            position_of(all, all->rows[i]);
    return members;
}

static double *matrix_create(size_t size)
{
    double *matrix = xreallocarray(NULL, size * size + 1, sizeof(*matrix));

    for (size_t i = 0; i < size * size; i++)
        matrix[i] = NAN;
    return matrix;
}

/* Fills the smallest changes of the transfers between cards, and between ranks. */
static void read_transfers(const struct placements *all,
                           const size_t *members,
                           double *of_cards,
                           double *of_ranks)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct comparison_row *row = all->rows[i];
        const size_t *member = &members[all->numbers[i] * all->ranks];
        uint64_t peer;

        if (!gang_cause_is_transfer(row, &peer) || peer >= all->ranks ||
            member[peer] == SIZE_MAX)
            continue;
        double *cards = &of_cards[member[row->rank] * all->card_count + member[peer]];
        double *ranks = &of_ranks[row->rank * all->ranks + peer];
        *cards = fmin(*cards, exp(row->shift)); /* fmin() ignores NaN */
        *ranks = fmin(*ranks, exp(row->shift));
    }
}

/* Returns the largest fault; its size is 0 when there is none. */
static struct link_fault worst_of(const double *matrix, size_t size, double margin)
{
    struct link_fault worst = {.size = 0};
    size_t count;
    struct link_fault *faults = link_matrix_faults(matrix, size, margin, &count);

    for (size_t i = 0; i < count; i++)
        if (faults[i].size > worst.size)
            worst = faults[i];
    free(faults);
    return worst;
}

/* Finds the link, card or rank whose transfers became slower. */
static struct gang_cause
find_slow_transfers(struct placements *all, size_t *card, size_t *peer_card)
{
    struct gang_cause cause = {.cause = CAUSE_NONE};
    size_t *members = read_members(all);
    double *of_cards = matrix_create(all->card_count);
    double *of_ranks = matrix_create(all->ranks);
    read_transfers(all, members, of_cards, of_ranks);
    struct link_fault of_card = worst_of(of_cards, all->card_count, all->margin);
    struct link_fault of_rank = worst_of(of_ranks, all->ranks, all->margin);
    if (of_card.size > 0 && of_card.size >= of_rank.size) {
        bool is_link = of_card.kind == LINK_FAULT_LINK;

        cause = (struct gang_cause){.cause = is_link ? CAUSE_LINK : CAUSE_CARD,
                                    .size = of_card.size};
        *card = of_card.from;
        *peer_card = is_link ? of_card.to : SIZE_MAX;
    } else if (of_rank.size > 0)
        cause = (struct gang_cause){
            .cause = CAUSE_CODE, .size = of_rank.size, .rank = of_rank.from};
    free(members);
    free(of_cards);
    free(of_ranks);
    return cause;
}

/* Returns the rank that the launch has on a card; 0 when it has none. */
static uint64_t rank_on(struct launch_rows launch, const struct card *card)
{
    for (size_t i = 0; i < launch.count; i++)
        if (strcmp(launch.rows[i].placed_serial, card->serial) == 0)
            return launch.rows[i].rank;
    return 0;
}

/* Sets the cards of a cause. Those of a link are sorted, so that it has the same name
 * in each placement. */
static void set_cards(struct gang_cause *cause,
                      struct launch_rows launch,
                      const struct card *card,
                      const struct card *peer)
{
    if (peer && strcmp(peer->serial, card->serial) < 0) {
        set_cards(cause, launch, peer, card);
        return;
    }
    cause->rank = rank_on(launch, card);
    cause->serial = card->serial;
    cause->host = card->host;
    if (peer) {
        cause->peer = rank_on(launch, peer);
        cause->peer_serial = peer->serial;
        cause->peer_host = peer->host;
    }
}

struct gang_cause gang_cause_of_placements(struct launch_rows launch,
                                           struct launch_rows kernel,
                                           double margin)
{
    struct placements all = {.margin = margin};
    size_t card = SIZE_MAX, peer = SIZE_MAX;
    bool separates;

    read_placements(&all, launch, kernel);
    struct gang_cause cause = find_slow_computing(&all, &card, &separates);
    if (cause.cause == CAUSE_NONE)
        cause = find_slow_transfers(&all, &card, &peer);
    cause.serial = cause.host = cause.peer_serial = cause.peer_host = "";
    if (cause.cause == CAUSE_NONE && !separates)
        cause = gang_cause_find(launch, margin); /* too few placements have values */
    else if (card != SIZE_MAX &&
             (cause.cause == CAUSE_CARD || cause.cause == CAUSE_LINK))
        set_cards(&cause, launch, &all.cards[card],
                  peer != SIZE_MAX ? &all.cards[peer] : NULL);
    free(all.cards);
    free(all.rows);
    free(all.numbers);
    return cause;
}
