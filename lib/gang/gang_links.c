/* gang_links.c - slow links and cards, from the transfers between each pair of cards */
#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/gang/gang_analysis.h"
#include "lib/gang/point_group.h"
#include "lib/job/job.h"
#include "lib/verdict/cause/link_matrix.h"
#include "lib/verdict/margin.h"

enum { CARDS_FEWEST = 3, CARDS_MOST = 1024 };

static const struct gang_column columns[] = {
    {"series", GANG_TEXT, 0, "the other variables of the sweep"},
    {"from", GANG_TEXT, 0, "card that measured the transfers"},
    {"to", GANG_TEXT, 0, "the other card"},
    {"values", GANG_COUNT, 0, "launches of all repeats"},
    {"transfer_us", GANG_NUMBER, 2, "all copies of the pair in a launch, median"},
    {"verdict", GANG_TEXT, 0,
     "slow-link, slow-card, slow-sender, slow-receiver or same"},
    {"slower_percent", GANG_NUMBER, 1, "of the verdict"},
};

/* The transfers between all cards of a group of points, row by row. */
struct matrix {
    const char *cards[CARDS_MOST];
    size_t count;
    struct cell {
        double *us;
        size_t count;
    } * cells;
    double tick_us;
    bool simulated;
};

/* Returns the position of a card; CARDS_MOST: there is no room. */
static size_t position_of(struct matrix *matrix, const char *card)
{
    size_t at = 0;

    while (at < matrix->count && matrix->cards[at] != card)
        at++;
    if (at == matrix->count && at < CARDS_MOST)
        matrix->cards[matrix->count++] = card;
    return at;
}

static void list_cards(struct matrix *matrix,
                       const struct gang_figures *figures,
                       const struct point_group *group)
{
    size_t count;
    const struct gang_rank *ranks = gang_figures_ranks(figures, &count);

    for (size_t i = 0; i < group->count; i++)
        for (size_t at = gang_figures_find_point(figures, group->points[i]);
             at < count && ranks[at].point == group->points[i]; at++)
            if (ranks[at].transfer_us)
                position_of(matrix, ranks[at].card);
}

static void add_launch(struct matrix *matrix, const struct gang_launch *launch)
{
    for (size_t i = 0; i < launch->count; i++) {
        const struct gang_rank *rank = &launch->ranks[i];

        for (size_t peer = 0; peer < launch->count && peer < rank->transfer_count;
             peer++) {
            size_t from = position_of(matrix, rank->card);
            size_t to = position_of(matrix, launch->ranks[peer].card);

            if (peer == i || !isfinite(rank->transfer_us[peer]) || from >= CARDS_MOST ||
                to >= CARDS_MOST)
                continue;
            struct cell *cell = &matrix->cells[from * matrix->count + to];
            cell->us = xreallocarray(cell->us, cell->count + 1, sizeof(*cell->us));
            cell->us[cell->count++] = rank->transfer_us[peer];
        }
        matrix->tick_us = fmax(matrix->tick_us, rank->tick_us);
        matrix->simulated |= rank->simulated;
    }
}

/* Returns whether all ranks of the launch are complete and have transfers. */
static bool has_transfers(const struct gang_launch *launch)
{
    for (size_t i = 0; i < launch->count; i++)
        if (!launch->ranks[i].transfer_us)
            return false;
    return launch->is_whole;
}

static void read_transfers(struct matrix *matrix,
                           const struct gang_figures *figures,
                           const struct point_group *group)
{
    struct gang_launch launch;

    list_cards(matrix, figures, group);
    matrix->cells = xcalloc(matrix->count * matrix->count + 1, sizeof(*matrix->cells));
    for (size_t i = 0; i < group->count; i++) {
        size_t at = gang_figures_find_point(figures, group->points[i]);

        while (gang_figures_next_launch(figures, &at, &launch) &&
               launch.ranks->point == group->points[i])
            if (has_transfers(&launch))
                add_launch(matrix, &launch);
    }
}

static bool concerns(const struct link_fault *fault, size_t from, size_t to)
{
    switch (fault->kind) {
    case LINK_FAULT_SENDER:
        return fault->from == from;
    case LINK_FAULT_RECEIVER:
        return fault->from == to;
    case LINK_FAULT_CARD:
        return fault->from == from || fault->from == to;
    default:
        return fault->from == from && fault->to == to;
    }
}

static const char *name_of(const struct link_fault *fault)
{
    static const char *const names[] = {
        [LINK_FAULT_SENDER] = "slow-sender",
        [LINK_FAULT_RECEIVER] = "slow-receiver",
        [LINK_FAULT_CARD] = "slow-card",
        [LINK_FAULT_LINK] = "slow-link",
    };

    return names[fault->kind];
}

static void add_pair(const struct matrix *matrix,
                     const char *series,
                     size_t from,
                     size_t to,
                     double time_us,
                     const struct link_fault *fault,
                     struct gang_table *table)
{
    gang_table_row(table);
    gang_table_text(table, series);
    gang_table_text(table, matrix->cards[from]);
    gang_table_text(table, matrix->cards[to]);
    gang_table_number(table, (double)matrix->cells[from * matrix->count + to].count);
    gang_table_number(table, time_us);
    gang_table_text(table, fault ? name_of(fault) : "same");
    gang_table_number(table, fault ? 100 * expm1(fault->size) : NAN);
}

static void
add_matrix(const struct matrix *matrix, const char *series, struct gang_table *table)
{
    size_t cards = matrix->count, fault_count;
    double *times = xcalloc(cards * cards, sizeof(*times));

    for (size_t i = 0; i < cards * cards; i++)
        times[i] = stats_median(matrix->cells[i].us, matrix->cells[i].count);
    const struct margin margin = margin_of(0.02, matrix->tick_us, times[1], NULL);
    struct link_fault *faults =
        link_matrix_faults(times, cards, margin.delta, &fault_count);
    for (size_t from = 0; from < cards; from++)
        for (size_t to = 0; to < cards; to++) {
            const struct link_fault *fault = NULL;

            if (!isfinite(times[from * cards + to]))
                continue;
            for (size_t i = 0; i < fault_count && !fault; i++)
                if (concerns(&faults[i], from, to))
                    fault = &faults[i];
            add_pair(matrix, series, from, to, times[from * cards + to], fault, table);
        }
    table->simulated |= matrix->simulated;
    free(faults);
    free(times);
}

static void add_rows(const struct gang_input *input, struct gang_table *table)
{
    static const char *const left_out[] = {"shift", "pair", NULL};
    const struct job *job = gang_figures_job(input->figures);
    size_t count;
    struct point_group *groups = point_groups_find(job, left_out, &count);

    for (size_t i = 0; i < count; i++) {
        struct matrix *matrix = xcalloc(1, sizeof(*matrix));

        read_transfers(matrix, input->figures, &groups[i]);
        if (matrix->count >= CARDS_FEWEST)
            add_matrix(matrix, groups[i].name, table);
        for (size_t k = 0; k < matrix->count * matrix->count; k++)
            free(matrix->cells[k].us);
        free(matrix->cells);
        free(matrix);
    }
    point_groups_destroy(groups, count);
}

const struct gang_analysis gang_links = {
    .name = "links",
    .schema = "muster.links.v1",
    .title = "Slow links",
    .summary = "The transfers between each pair of cards, and the links and cards that "
               "are slower than the rest.",
    .needs = "times of transfers between three or more cards: cards.pairs, or a launch "
             "on several ranks",
    .columns = columns,
    .column_count = COUNT(columns),
    .add_rows = add_rows,
};
