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
#include "lib/verdict/cause/rotation.h"
#include "lib/verdict/margin.h"

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

/* The computing times of a kernel. */
struct times {
    const char *kernel;
    const char **cards;
    size_t card_count;
    struct rotation_value *values;
    size_t count;
    double tick_us, *times_us;
    bool simulated;
};

static size_t position_of(struct times *times, const char *card)
{
    for (size_t i = 0; i < times->card_count; i++)
        if (times->cards[i] == card)
            return i;
    times->cards =
        xreallocarray(times->cards, times->card_count + 1, sizeof(*times->cards));
    times->cards[times->card_count] = card;
    return times->card_count++;
}

/* Kernels that each rank launches alone have no waiting in their duration. */
static double computing_us(const struct gang_rank *rank)
{
    bool alone = !rank->transfer_us && rank->replay_count && !rank->replays->in_step;

    return isfinite(rank->compute_us) ? rank->compute_us
           : alone                    ? rank->duration_us
                                      : NAN;
}

static void add_value(struct times *times, const struct gang_rank *rank)
{
    double us = computing_us(rank);

    if (rank->kernel != times->kernel || !(us > 0))
        return;
    times->values =
        xreallocarray(times->values, times->count + 1, sizeof(*times->values));
    times->times_us =
        xreallocarray(times->times_us, times->count + 1, sizeof(*times->times_us));
    times->times_us[times->count] = us;
    times->values[times->count++] =
        (struct rotation_value){rank->rank, position_of(times, rank->card), log(us)};
    times->tick_us = fmax(times->tick_us, rank->tick_us);
    times->simulated |= rank->simulated;
}

static void read_values(struct times *times,
                        const struct gang_figures *figures,
                        const struct point_group *group)
{
    size_t count;
    const struct gang_rank *ranks = gang_figures_ranks(figures, &count);

    for (size_t i = 0; i < group->count; i++)
        for (size_t at = gang_figures_find_point(figures, group->points[i]);
             at < count && ranks[at].point == group->points[i]; at++)
            add_value(times, &ranks[at]);
}

static void add_row(const struct times *times,
                    const struct rotation_fit *fit,
                    const char *series,
                    bool of_card,
                    size_t at,
                    struct gang_table *table)
{
    const struct margin margin = margin_of(
        0.02, times->tick_us, stats_median(times->times_us, times->count), NULL);
    const struct rotation_effect effect =
        of_card ? rotation_effect_of_card(fit, at) : rotation_effect_of_rank(fit, at);

    gang_table_row(table);
    gang_table_text(table, series);
    gang_table_text(table, times->kernel);
    gang_table_number(table, of_card ? NAN : (double)at);
    gang_table_text(table, of_card ? times->cards[at] : "");
    gang_table_number(table, (double)effect.values);
    gang_table_number(table, 100 * expm1(effect.size));
    gang_table_number(table, 100 * expm1(effect.noise));
    gang_table_text(table, !rotation_effect_differs(&effect, margin.delta) ? "same"
                           : effect.size > 0                               ? "slower"
                                                                           : "faster");
}

static void add_kernel(const struct gang_input *input,
                       const struct point_group *group,
                       const char *kernel,
                       struct gang_table *table)
{
    struct times times = {.kernel = kernel};
    struct rotation_fit fit;

    read_values(&times, input->figures, group);
    if (rotation_fit_init(&fit, times.values, times.count)) {
        for (size_t i = 0; i < fit.cards; i++)
            add_row(&times, &fit, group->name, true, i, table);
        for (size_t i = 0; i < fit.ranks; i++)
            add_row(&times, &fit, group->name, false, i, table);
        table->simulated |= times.simulated;
        rotation_fit_clear(&fit);
    }
    free(times.cards);
    free(times.values);
    free(times.times_us);
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
