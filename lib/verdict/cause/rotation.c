#include "lib/verdict/cause/rotation.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"

enum { ROUNDS = 1000 };
static const double sure = 3; /* standard deviations */

static size_t gcd(size_t a, size_t b)
{
    while (b) {
        size_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

bool rotation_is_identified(size_t ranks, const size_t *shifts, size_t count)
{
    size_t divisor = ranks;

    if (!ranks || !count)
        return false;
    for (size_t i = 1; i < count; i++) {
        size_t a = shifts[i] % ranks, b = shifts[0] % ranks;

        divisor = gcd(divisor, a > b ? a - b : b - a);
    }
    return divisor == 1;
}

/* The times form circulant matrices. Elimination of the rank effects leaves, for the
 * card effects of frequency f, the information k - |sum of e^(2 pi i f s / N)|^2 / k.
 */
double rotation_deviation(size_t ranks, const size_t *shifts, size_t count)
{
    double n = (double)ranks, k = (double)count, sum = 0;

    if (ranks < 2 || !count)
        return NAN;
    if (!rotation_is_identified(ranks, shifts, count))
        return INFINITY;
    for (size_t f = 1; f < ranks; f++) {
        double re = 0, im = 0;

        for (size_t i = 0; i < count; i++) {
            double angle = 2 * M_PI * (double)f * (double)(shifts[i] % ranks) / n;

            re += cos(angle);
            im += sin(angle);
        }
        sum += 1 / (k - (re * re + im * im) / k);
    }
    return n / (n - 1) * sqrt(sum / n);
}

static size_t add_shift(size_t *shifts, size_t used, size_t room, size_t shift)
{
    for (size_t i = 0; i < used; i++)
        if (shifts[i] == shift)
            return used;
    if (used < room)
        shifts[used++] = shift;
    return used;
}

size_t rotation_default_shifts(size_t ranks,
                               size_t cards_per_host,
                               size_t count,
                               size_t *shifts)
{
    size_t room = count < ranks ? count : ranks, used = 0;
    size_t third =
        cards_per_host && cards_per_host < ranks ? cards_per_host : ranks / 2;

    for (size_t i = 0; i < 2 && i < ranks; i++)
        used = add_shift(shifts, used, room, i);
    if (ranks)
        used = add_shift(shifts, used, room, third);
    for (size_t shift = 2; used < room; shift++)
        used = add_shift(shifts, used, room, shift);
    return used;
}

static bool is_connected(const struct rotation_fit *fit,
                         const struct rotation_value *values,
                         size_t count)
{
    size_t nodes = fit->ranks + fit->cards, changed = 1;
    bool *reached = xcalloc(nodes + 1, sizeof(*reached)), all = true;

    reached[values->rank] = true;
    while (changed) {
        changed = 0;
        for (size_t i = 0; i < count; i++) {
            bool *rank = &reached[values[i].rank];
            bool *card = &reached[fit->ranks + values[i].card];

            changed += *rank != *card;
            *rank = *card = *rank || *card;
        }
    }
    for (size_t i = 0; i < nodes; i++)
        all &= reached[i];
    free(reached);
    return all;
}

/* Makes the effects of the cards, or of the ranks, the means of what the other kind
 * leaves. Returns the largest change. */
static double improve(struct rotation_fit *fit,
                      const struct rotation_value *values,
                      size_t count,
                      bool of_cards)
{
    double *effects = of_cards ? fit->card_effects : fit->rank_effects;
    const double *others = of_cards ? fit->rank_effects : fit->card_effects;
    const size_t *counts = of_cards ? fit->card_values : fit->rank_values;
    size_t size = of_cards ? fit->cards : fit->ranks;
    double *sums = xcalloc(size, sizeof(*sums)), moved = 0;

    for (size_t i = 0; i < count; i++)
        sums[of_cards ? values[i].card : values[i].rank] +=
            values[i].log - others[of_cards ? values[i].rank : values[i].card];
    for (size_t i = 0; i < size; i++) {
        double effect = sums[i] / (double)counts[i];

        moved = fmax(moved, fabs(effect - effects[i]));
        effects[i] = effect;
    }
    free(sums);
    return moved;
}

static void
solve(struct rotation_fit *fit, const struct rotation_value *values, size_t count)
{
    size_t unknown = fit->ranks + fit->cards - 1;
    double squares = 0;

    for (int round = 0; round < ROUNDS; round++) {
        improve(fit, values, count, false);
        if (improve(fit, values, count, true) < 1e-12)
            break;
    }
    for (size_t i = 0; i < count; i++) {
        double rest = values[i].log - fit->rank_effects[values[i].rank] -
                      fit->card_effects[values[i].card];
        squares += rest * rest;
    }
    fit->deviation = count > unknown ? sqrt(squares / (double)(count - unknown)) : NAN;
}

bool rotation_fit_init(struct rotation_fit *fit,
                       const struct rotation_value *values,
                       size_t count)
{
    *fit = (struct rotation_fit){0};
    for (size_t i = 0; i < count; i++) {
        fit->ranks = values[i].rank >= fit->ranks ? values[i].rank + 1 : fit->ranks;
        fit->cards = values[i].card >= fit->cards ? values[i].card + 1 : fit->cards;
    }
    if (fit->ranks < 2 || fit->cards < 2 || !is_connected(fit, values, count)) {
        *fit = (struct rotation_fit){0};
        return false;
    }
    fit->rank_effects = xcalloc(fit->ranks, sizeof(double));
    fit->card_effects = xcalloc(fit->cards, sizeof(double));
    fit->rank_values = xcalloc(fit->ranks, sizeof(size_t));
    fit->card_values = xcalloc(fit->cards, sizeof(size_t));
    for (size_t i = 0; i < count; i++) {
        fit->rank_values[values[i].rank]++;
        fit->card_values[values[i].card]++;
    }
    solve(fit, values, count);
    return true;
}

void rotation_fit_clear(struct rotation_fit *fit)
{
    free(fit->rank_effects);
    free(fit->card_effects);
    free(fit->rank_values);
    free(fit->card_values);
    *fit = (struct rotation_fit){0};
}

static struct rotation_effect effect_of(const struct rotation_fit *fit,
                                        const double *effects,
                                        const size_t *values,
                                        size_t count,
                                        size_t at)
{
    double *others = xcalloc(count, sizeof(*others));
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (i != at)
            others[kept++] = effects[i];
    double median = stats_median(others, kept);
    free(others);
    /* the effects of the other kind are estimates too: twice the variance of a mean */
    return (struct rotation_effect){
        .size = effects[at] - median,
        .noise = sure * fit->deviation * sqrt(2 / (double)values[at]),
        .values = values[at],
    };
}

struct rotation_effect rotation_effect_of_card(const struct rotation_fit *fit,
                                               size_t card)
{
    return effect_of(fit, fit->card_effects, fit->card_values, fit->cards, card);
}

struct rotation_effect rotation_effect_of_rank(const struct rotation_fit *fit,
                                               size_t rank)
{
    return effect_of(fit, fit->rank_effects, fit->rank_values, fit->ranks, rank);
}

bool rotation_effect_differs(const struct rotation_effect *effect, double margin)
{
    return fabs(effect->size) >= margin && fabs(effect->size) > effect->noise;
}
