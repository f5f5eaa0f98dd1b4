#include "lib/verdict/cause/effects.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/verdict/cause/median_polish.h"
#include "lib/verdict/statistics/signed_rank.h"

static const double share_of_sign = 0.8;
static const double alpha = 0.01;
enum { FEWEST_FOR_TEST = 7 };

/* Returns true when the effect explains its cells. `residuals` are those of its cells,
 * `step` apart. */
static bool
is_named(double size, double delta, const double *residuals, size_t count, size_t step)
{
    double *cells = xreallocarray(NULL, count + 1, sizeof(*cells));
    size_t measured = 0, same_sign = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(residuals[i * step])) {
            cells[measured] = size + residuals[i * step];
            same_sign += cells[measured++] * size > 0;
        }
    bool named = measured && fabs(size) >= delta && size != 0 &&
                 (double)same_sign >= share_of_sign * (double)measured;
    if (named && measured >= FEWEST_FOR_TEST) {
        struct signed_rank_p p = signed_rank_test(cells, measured, 0);

        named = (size > 0 ? p.above : p.below) <= alpha;
    }
    free(cells);
    return named;
}

/* Replaces the cards of a host from out[first] on by the host when all are named. */
static size_t join_cards(const struct median_polish *polish,
                         const size_t *hosts,
                         struct effect *out,
                         size_t first,
                         size_t count)
{
    double *sizes = xreallocarray(NULL, polish->column_count + 1, sizeof(*sizes));
    size_t kept = first;

    for (size_t i = first; i < count; i++) {
        size_t host = hosts[out[i].index], cards = 0, named = 0;
        bool is_first = true;

        for (size_t column = 0; column < polish->column_count; column++)
            cards += hosts[column] == host && !isnan(polish->columns[column]);
        for (size_t j = 0; j < polish->column_count; j++) {
            if (hosts[j] == host && !isnan(polish->columns[j]) && j < out[i].index)
                is_first = false;
        }
        for (size_t j = i; j < count; j++)
            if (hosts[out[j].index] == host && out[j].size * out[i].size > 0)
                sizes[named++] = out[j].size;
        if (!is_first || cards < 2 || named < cards) {
            out[kept++] = out[i];
            continue;
        }
        struct effect joined = {EFFECT_HOST, host, stats_median(sizes, named)};
        size_t rest = i + 1;
        for (size_t j = i + 1; j < count; j++)
            if (hosts[out[j].index] != host)
                out[rest++] = out[j];
        count = rest;
        out[kept++] = joined;
    }
    free(sizes);
    return kept;
}

size_t effects_find(const struct median_polish *polish,
                    const size_t *hosts,
                    double delta,
                    struct effect *out)
{
    size_t rows = polish->row_count, columns = polish->column_count, count = 0;

    if (is_named(polish->overall, delta, polish->residuals, rows * columns, 1))
        out[count++] = (struct effect){EFFECT_ALL, 0, polish->overall};
    for (size_t row = 0; row < rows; row++)
        if (is_named(polish->rows[row], delta, polish->residuals + row * columns,
                     columns, 1))
            out[count++] = (struct effect){EFFECT_POINT, row, polish->rows[row]};
    size_t first_card = count;
    for (size_t column = 0; column < columns; column++)
        if (is_named(polish->columns[column], delta, polish->residuals + column, rows,
                     columns))
            out[count++] =
                (struct effect){EFFECT_CARD, column, polish->columns[column]};
    return hosts ? join_cards(polish, hosts, out, first_card, count) : count;
}
