/* gang_rotation.c - slow cards and slow ranks, from placements that rotate the ranks
 * over the cards (cards.rotate)
 *
 * The logarithm of a rank's computing time is the sum of a mean, an effect of the rank
 * and an effect of the card, which are fitted by least squares. Computing times do not
 * contain the waiting for other ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/gang/gang_analysis.h"
#include "lib/gang/point_group.h"
#include "lib/job/job.h"
#include "lib/verdict/margin.h"

enum { ROUNDS = 1000 };
static const double sure = 3; /* standard deviations */

static const struct gang_column columns[] = {
    {"series", GANG_TEXT, 0, "the other variables of the sweep"},
    {"kernel", GANG_TEXT, 0, NULL},
    {"rank", GANG_COUNT, 0, "none: the row is of a card"},
    {"card", GANG_TEXT, 0, "none: the row is of a rank"},
    {"values", GANG_COUNT, 0, "computing times of this rank or card"},
    {"effect_percent", GANG_NUMBER, 2, "slower than the median of the others"},
    {"noise_percent", GANG_NUMBER, 2, "three standard deviations of the effect"},
    {"verdict", GANG_TEXT, 0, "slower, faster or same"},
};

/* One computing time. */
struct value {
    size_t rank, card; /* positions */
    double log_us;
};

struct fit {
    const char *kernel;
    const char **cards;
    size_t card_count, rank_count;
    struct value *values;
    size_t count;
    double tick_us, *times_us;
    double *rank_effects, *card_effects;
    double deviation; /* of a value around the fit; NaN: too few values */
    bool simulated;
};

static size_t position_of(struct fit *fit, const char *card)
{
    for (size_t i = 0; i < fit->card_count; i++)
        if (fit->cards[i] == card)
            return i;
    fit->cards = xreallocarray(fit->cards, fit->card_count + 1, sizeof(*fit->cards));
    fit->cards[fit->card_count] = card;
    return fit->card_count++;
}

/* Kernels that each rank launches alone have no waiting in their duration. */
static double computing_us(const struct gang_rank *rank)
{
    bool alone = !rank->transfer_us && rank->replay_count && !rank->replays->in_step;

    return isfinite(rank->compute_us) ? rank->compute_us
           : alone                    ? rank->duration_us
                                      : NAN;
}

static void add_value(struct fit *fit, const struct gang_rank *rank)
{
    double us = computing_us(rank);

    if (rank->kernel != fit->kernel || !(us > 0))
        return;
    fit->values = xreallocarray(fit->values, fit->count + 1, sizeof(*fit->values));
    fit->times_us =
        xreallocarray(fit->times_us, fit->count + 1, sizeof(*fit->times_us));
    fit->times_us[fit->count] = us;
    fit->values[fit->count++] =
        (struct value){rank->rank, position_of(fit, rank->card), log(us)};
    if (rank->rank >= fit->rank_count)
        fit->rank_count = rank->rank + 1;
    fit->tick_us = fmax(fit->tick_us, rank->tick_us);
    fit->simulated |= rank->simulated;
}

static void read_values(struct fit *fit,
                        const struct gang_figures *figures,
                        const struct point_group *group)
{
    size_t count;
    const struct gang_rank *ranks = gang_figures_ranks(figures, &count);

    for (size_t i = 0; i < group->count; i++)
        for (size_t at = gang_figures_find_point(figures, group->points[i]);
             at < count && ranks[at].point == group->points[i]; at++)
            add_value(fit, &ranks[at]);
}

/* Returns whether every rank and card is linked to every other one by values:
 * otherwise their effects cannot be separated. */
static bool is_connected(const struct fit *fit)
{
    size_t nodes = fit->rank_count + fit->card_count, changed = 1;
    bool *reached = xcalloc(nodes + 1, sizeof(*reached)), all = true;

    reached[fit->values->rank] = true;
    while (changed) {
        changed = 0;
        for (size_t i = 0; i < fit->count; i++) {
            bool *rank = &reached[fit->values[i].rank];
            bool *card = &reached[fit->rank_count + fit->values[i].card];

            changed += *rank != *card;
            *rank = *card = *rank || *card;
        }
    }
    for (size_t i = 0; i < nodes; i++)
        all &= reached[i];
    free(reached);
    return all;
}

/* Makes the effects of one kind the means of what the other kind leaves. */
static double
improve(const struct fit *fit, double *effects, const double *others, bool cards)
{
    size_t size = cards ? fit->card_count : fit->rank_count;
    double *sums = xcalloc(size, 2 * sizeof(*sums)), *counts = sums + size;
    double moved = 0;

    for (size_t i = 0; i < fit->count; i++) {
        const struct value *value = &fit->values[i];

        sums[cards ? value->card : value->rank] +=
            value->log_us - others[cards ? value->rank : value->card];
        counts[cards ? value->card : value->rank]++;
    }
    for (size_t i = 0; i < size; i++) {
        moved = fmax(moved, fabs(sums[i] / counts[i] - effects[i]));
        effects[i] = sums[i] / counts[i];
    }
    free(sums);
    return moved;
}

static void solve(struct fit *fit)
{
    double squares = 0;

    fit->rank_effects = xcalloc(fit->rank_count, sizeof(double));
    fit->card_effects = xcalloc(fit->card_count, sizeof(double));
    for (int round = 0; round < ROUNDS; round++) {
        improve(fit, fit->rank_effects, fit->card_effects, false);
        if (improve(fit, fit->card_effects, fit->rank_effects, true) < 1e-12)
            break;
    }
    for (size_t i = 0; i < fit->count; i++) {
        double rest = fit->values[i].log_us - fit->rank_effects[fit->values[i].rank] -
                      fit->card_effects[fit->values[i].card];
        squares += rest * rest;
    }
    size_t unknown = fit->rank_count + fit->card_count - 1;
    fit->deviation =
        fit->count > unknown ? sqrt(squares / (double)(fit->count - unknown)) : NAN;
}

/* Returns the effect against the median of the others: a slow card would move a mean.
 */
static double against_others(const double *effects, size_t count, size_t at)
{
    double *others = xcalloc(count, sizeof(*others));
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (i != at)
            others[kept++] = effects[i];
    double median = stats_median(others, kept);
    free(others);
    return effects[at] - median;
}

static void add_row(const struct fit *fit,
                    const char *series,
                    bool of_card,
                    size_t at,
                    struct gang_table *table)
{
    const struct margin margin =
        margin_of(0.02, fit->tick_us, stats_median(fit->times_us, fit->count), NULL);
    double effect = of_card ? against_others(fit->card_effects, fit->card_count, at)
                            : against_others(fit->rank_effects, fit->rank_count, at);
    size_t values = 0;

    for (size_t i = 0; i < fit->count; i++)
        values += (of_card ? fit->values[i].card : fit->values[i].rank) == at;
    /* the effects of the other kind are estimates too: twice the variance of a mean */
    double noise = sure * fit->deviation * sqrt(2 / (double)values);
    bool differs = fabs(effect) >= margin.delta && fabs(effect) > noise;

    gang_table_row(table);
    gang_table_text(table, series);
    gang_table_text(table, fit->kernel);
    gang_table_number(table, of_card ? NAN : (double)at);
    gang_table_text(table, of_card ? fit->cards[at] : "");
    gang_table_number(table, (double)values);
    gang_table_number(table, 100 * expm1(effect));
    gang_table_number(table, 100 * expm1(noise));
    gang_table_text(table, !differs ? "same" : effect > 0 ? "slower" : "faster");
}

static void add_kernel(const struct gang_input *input,
                       const struct point_group *group,
                       const char *kernel,
                       struct gang_table *table)
{
    struct fit fit = {.kernel = kernel};

    read_values(&fit, input->figures, group);
    if (fit.count > 0 && fit.card_count > 1 && fit.rank_count > 1 &&
        is_connected(&fit)) {
        solve(&fit);
        for (size_t i = 0; i < fit.card_count; i++)
            add_row(&fit, group->name, true, i, table);
        for (size_t i = 0; i < fit.rank_count; i++)
            add_row(&fit, group->name, false, i, table);
        table->simulated |= fit.simulated;
    }
    free(fit.cards);
    free(fit.values);
    free(fit.times_us);
    free(fit.rank_effects);
    free(fit.card_effects);
}

/* Adds a kernel that the list does not have. */
static void list_kernel(const char ***kernels, size_t *known, const char *kernel)
{
    for (size_t i = 0; i < *known; i++)
        if ((*kernels)[i] == kernel)
            return;
    *kernels = xreallocarray(*kernels, *known + 1, sizeof(**kernels));
    (*kernels)[(*known)++] = kernel;
}

static void add_group(const struct gang_input *input,
                      const struct point_group *group,
                      struct gang_table *table)
{
    size_t count, known = 0;
    const struct gang_rank *ranks = gang_figures_ranks(input->figures, &count);
    const char **kernels = NULL;

    for (size_t i = 0; i < group->count; i++)
        for (size_t at = gang_figures_find_point(input->figures, group->points[i]);
             at < count && ranks[at].point == group->points[i]; at++)
            list_kernel(&kernels, &known, ranks[at].kernel);
    for (size_t i = 0; i < known; i++)
        add_kernel(input, group, kernels[i], table);
    free(kernels);
}

static void add_rows(const struct gang_input *input, struct gang_table *table)
{
    static const char *const left_out[] = {"shift", NULL};
    const struct job *job = gang_figures_job(input->figures);
    size_t count;

    if (!job_has_rotation(job))
        return;
    struct point_group *groups = point_groups_find(job, left_out, &count);
    for (size_t i = 0; i < count; i++)
        add_group(input, &groups[i], table);
    point_groups_destroy(groups, count);
}

const struct gang_analysis gang_rotation = {
    .name = "cards",
    .schema = "muster.cards.v1",
    .title = "Slow cards and slow ranks",
    .summary =
        "What each card and each rank adds to the computing time, from ranks that "
        "were rotated over the cards.",
    .needs = "cards.rotate of 2 or more placements, and computing times of the ranks",
    .columns = columns,
    .column_count = COUNT(columns),
    .add_rows = add_rows,
};
