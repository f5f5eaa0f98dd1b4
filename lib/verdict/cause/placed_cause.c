#include "lib/verdict/cause/placed_cause.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/verdict/cause/link_matrix.h"
#include "lib/verdict/cause/rotation.h"

struct sizes {
    size_t placements, ranks, cards;
};

static struct sizes sizes_of(const struct placed_value *values, size_t count)
{
    struct sizes sizes = {0};

    for (size_t i = 0; i < count; i++) {
        const struct placed_value *value = &values[i];

        if (value->placement >= sizes.placements)
            sizes.placements = value->placement + 1;
        if (value->rank >= sizes.ranks)
            sizes.ranks = value->rank + 1;
        if (value->card >= sizes.cards)
            sizes.cards = value->card + 1;
    }
    return sizes;
}

/* Takes the card, or the rank, that adds most to the computing times. */
static void take_largest(struct placed_cause *cause,
                         const struct rotation_fit *fit,
                         bool cards_only,
                         double margin)
{
    for (size_t i = 0; i < fit->ranks && !cards_only; i++) {
        struct rotation_effect effect = rotation_effect_of_rank(fit, i);

        if (rotation_effect_differs(&effect, margin) && effect.size > cause->size)
            *cause = (struct placed_cause){
                .cause = CAUSE_CODE, .size = effect.size, .rank = i, .card = SIZE_MAX};
    }
    for (size_t i = 0; i < fit->cards; i++) {
        struct rotation_effect effect = rotation_effect_of_card(fit, i);

        if (rotation_effect_differs(&effect, margin) && effect.size > cause->size)
            *cause = (struct placed_cause){
                .cause = CAUSE_CARD, .size = effect.size, .card = i};
    }
}

static struct placed_cause find_slow_computing(const struct placed_value *values,
                                               size_t count,
                                               bool cards_only,
                                               double margin)
{
    struct rotation_value *times = xcalloc(count + 1, sizeof(*times));
    size_t *cards = xcalloc(count + 1, sizeof(*cards)); /* with such times */
    struct placed_cause cause = {.cause = CAUSE_NONE, .card = SIZE_MAX};
    size_t used = 0, card_count = 0;
    struct rotation_fit fit;

    for (size_t i = 0; i < count; i++) {
        size_t card = 0;

        if (values[i].peer != PLACED_COMPUTING)
            continue;
        while (card < card_count && cards[card] != values[i].card)
            card++;
        if (card == card_count)
            cards[card_count++] = values[i].card;
        times[used++] = (struct rotation_value){values[i].rank, card, values[i].log};
    }
    bool separates = rotation_fit_init(&fit, times, used);
    if (separates) {
        take_largest(&cause, &fit, cards_only, margin);
        rotation_fit_clear(&fit);
    }
    if (cause.card != SIZE_MAX)
        cause.card = cards[cause.card];
    cause.peer_card = SIZE_MAX;
    cause.separates = separates;
    free(times);
    free(cards);
    return cause;
}

/* Returns the card of each rank in each placement, SIZE_MAX where it is unknown. */
static size_t *
read_members(const struct placed_value *values, size_t count, const struct sizes *sizes)
{
    size_t room = sizes->placements * sizes->ranks;
    size_t *members = xreallocarray(NULL, room + 1, sizeof(*members));

    for (size_t i = 0; i < room; i++)
        members[i] = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        members[values[i].placement * sizes->ranks + values[i].rank] = values[i].card;
    return members;
}

static double *matrix_create(size_t size)
{
    double *matrix = xreallocarray(NULL, size * size + 1, sizeof(*matrix));

    for (size_t i = 0; i < size * size; i++)
        matrix[i] = NAN;
    return matrix;
}

/* Fills the smallest transfers between cards, and between ranks. */
static void read_transfers(const struct placed_value *values,
                           size_t count,
                           const struct sizes *sizes,
                           double *of_cards,
                           double *of_ranks)
{
    size_t *members = read_members(values, count, sizes);

    for (size_t i = 0; i < count; i++) {
        const struct placed_value *value = &values[i];
        const size_t *member = &members[value->placement * sizes->ranks];

        if (value->peer >= sizes->ranks || member[value->peer] == SIZE_MAX)
            continue;
        double *cards = &of_cards[value->card * sizes->cards + member[value->peer]];
        double *ranks = &of_ranks[value->rank * sizes->ranks + value->peer];
        *cards = fmin(*cards, exp(value->log)); /* fmin() ignores NaN */
        *ranks = fmin(*ranks, exp(value->log));
    }
    free(members);
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

static struct placed_cause
find_slow_transfers(const struct placed_value *values, size_t count, double margin)
{
    struct placed_cause cause = {
        .cause = CAUSE_NONE, .card = SIZE_MAX, .peer_card = SIZE_MAX};
    struct sizes sizes = sizes_of(values, count);
    double *of_cards = matrix_create(sizes.cards);
    double *of_ranks = matrix_create(sizes.ranks);

    read_transfers(values, count, &sizes, of_cards, of_ranks);
    struct link_fault of_card = worst_of(of_cards, sizes.cards, margin);
    struct link_fault of_rank = worst_of(of_ranks, sizes.ranks, margin);
    if (of_card.size > 0 && of_card.size >= of_rank.size) {
        bool is_link = of_card.kind == LINK_FAULT_LINK;

        cause.cause = is_link ? CAUSE_LINK : CAUSE_CARD;
        cause.size = of_card.size;
        cause.card = of_card.from;
        cause.peer_card = is_link ? of_card.to : SIZE_MAX;
    } else if (of_rank.size > 0) {
        cause.cause = CAUSE_CODE;
        cause.size = of_rank.size;
        cause.rank = of_rank.from;
    }
    free(of_cards);
    free(of_ranks);
    return cause;
}

static struct placed_cause find_cause(const struct placed_value *values,
                                      size_t count,
                                      bool cards_only,
                                      double margin)
{
    struct placed_cause cause = find_slow_computing(values, count, cards_only, margin);
    bool separates = cause.separates;

    if (cause.cause == CAUSE_NONE)
        cause = find_slow_transfers(values, count, margin);
    cause.separates = separates;
    return cause;
}

struct placed_cause
placed_cause_find(const struct placed_value *values, size_t count, double margin)
{
    return find_cause(values, count, false, margin);
}

struct placed_cause
placed_cause_of_cards(const struct placed_value *values, size_t count, double margin)
{
    return find_cause(values, count, true, margin);
}
