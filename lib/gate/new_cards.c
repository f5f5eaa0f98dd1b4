#include "lib/gate/new_cards.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/verdict/margin.h"
#include "lib/verdict/shift.h"
#include "lib/verdict/verdict.h"

/* The difference of one cell of a new card from the other cards. */
struct difference {
    const struct comparison_row *cell;
    size_t others;
    double shift, margin;
};

struct search {
    struct difference *found;
    size_t count, room;
};

static bool is_same_place(const struct comparison_row *a,
                          const struct comparison_row *b)
{
    return a->rank == b->rank && strcmp(a->kernel, b->kernel) == 0 &&
           strcmp(a->point, b->point) == 0 && strcmp(a->metric, b->metric) == 0;
}

static bool is_known(const struct comparison_row *row)
{
    return row->outcome <= OUTCOME_INCONCLUSIVE && row->new_median > 0 &&
           row->base_median > 0;
}

static bool is_new(const struct comparison_row *row)
{
    return row->outcome == OUTCOME_ADDED && row->card[0] && row->new_median > 0;
}

static void add(struct search *search, const struct difference *difference)
{
    if (search->count == search->room) {
        search->room = search->room ? 2 * search->room : 16;
        search->found =
            xreallocarray(search->found, search->room, sizeof(*search->found));
    }
    search->found[search->count++] = *difference;
}

/* Compares the new cards among the cells of one place with the known ones. */
static void
compare_place(struct search *search, const struct comparison_row *rows, size_t count)
{
    double *medians = xcalloc(count, sizeof(*medians));
    double *margins = xcalloc(count, sizeof(*margins));
    size_t known = 0;

    for (size_t i = 0; i < count; i++)
        if (is_known(&rows[i])) {
            medians[known] = rows[i].new_median;
            margins[known++] = rows[i].margin;
        }
    double usual = stats_median(medians, known), margin = stats_median(margins, known);
    for (size_t i = 0; known > 0 && i < count; i++)
        if (is_new(&rows[i])) {
            double shift = log(rows[i].new_median / usual);

            add(search,
                &(struct difference){&rows[i], known,
                                     rows[i].more_is_better ? -shift : shift, margin});
        }
    free(margins);
    free(medians);
}

static int by_card(const void *left, const void *right)
{
    const struct difference *a = left, *b = right;
    int order = strcmp(a->cell->metric, b->cell->metric);

    order = order ? order : text_compare_names(a->cell->card, b->cell->card);
    return order ? order : (a->cell > b->cell) - (a->cell < b->cell);
}

static struct new_card judge(const struct difference *first, size_t count)
{
    static const enum comparison_outcome outcomes[] = {
        [VERDICT_INCONCLUSIVE] = OUTCOME_INCONCLUSIVE,
        [VERDICT_SAME] = OUTCOME_SAME,
        [VERDICT_IMPROVED] = OUTCOME_IMPROVED,
        [VERDICT_REGRESSED] = OUTCOME_REGRESSED,
    };
    double *shifts = xcalloc(count, sizeof(*shifts));
    double *margins = xcalloc(count, sizeof(*margins));
    struct new_card card = {first->cell->metric, first->cell->placed_serial,
                            first->cell->placed_host, .cells = count};

    for (size_t i = 0; i < count; i++) {
        shifts[i] = first[i].shift;
        margins[i] = first[i].margin;
        if (first[i].others > card.others)
            card.others = first[i].others;
    }
    struct shift shift = shift_of_pairs(shifts, count);
    struct margin margin = margin_of(expm1(stats_median(margins, count)), 0, NAN, NULL);
    struct verdict verdict = verdict_judge(&shift, &margin, &verdict_limits_default,
                                           shift.p_worse, shift.p_better);

    card.shift = shift.theta;
    card.outcome = outcomes[verdict.kind];
    free(margins);
    free(shifts);
    return card;
}

struct new_card *new_cards_find(const struct comparison_row *rows,
                                size_t row_count,
                                const char *metric,
                                size_t *count)
{
    struct search search = {0};
    struct new_card *cards;
    size_t end;

    for (size_t first = 0; first < row_count; first = end) {
        for (end = first + 1;
             end < row_count && is_same_place(&rows[first], &rows[end]);)
            end++;
        if (text_matches_any(rows[first].metric, metric))
            compare_place(&search, rows + first, end - first);
    }
    if (search.count > 0)
        qsort(search.found, search.count, sizeof(*search.found), by_card);
    cards = xcalloc(search.count + 1, sizeof(*cards));
    *count = 0;
    for (size_t first = 0; first < search.count; first = end) {
        const struct comparison_row *cell = search.found[first].cell;

        for (end = first + 1;
             end < search.count &&
             strcmp(search.found[end].cell->card, cell->card) == 0 &&
             strcmp(search.found[end].cell->metric, cell->metric) == 0;)
            end++;
        cards[(*count)++] = judge(&search.found[first], end - first);
    }
    free(search.found);
    return cards;
}

char *new_card_sentence(const struct new_card *card)
{
    struct text text = {0};
    double percent = 100 * expm1(fabs(card->shift));
    bool duration = text_matches(card->metric, "*duration*");

    text_printf(&text, "new card %s of host %s ", card->serial, card->host);
    switch (card->outcome) {
    case OUTCOME_REGRESSED:
        text_printf(&text, "is %.1f %% %s than", percent,
                    duration ? "slower" : "worse");
        break;
    case OUTCOME_IMPROVED:
        text_printf(&text, "is %.1f %% %s than", percent,
                    duration ? "faster" : "better");
        break;
    case OUTCOME_SAME:
        text_printf(&text, "is as %s as", duration ? "fast" : "good");
        break;
    default:
        text_printf(&text, "differs by %+.1f %%, which may be chance, from",
                    100 * expm1(card->shift));
        break;
    }
    text_printf(&text, " %zu other card%s at %zu point%s", card->others,
                card->others == 1 ? "" : "s", card->cells, card->cells == 1 ? "" : "s");
    if (!duration)
        text_printf(&text, " (metric %s)", card->metric);
    return text_take(&text);
}
