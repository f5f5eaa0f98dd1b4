#include "lib/verdict/cause/link_matrix.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/verdict/cause/median_polish.h"

/* Three standard deviations of normal residuals, from their MAD. */
static const double residual_limit = 3 * 1.4826;

static double *log_times(const double *times, size_t cards)
{
    double *logs = xreallocarray(NULL, cards * cards + 1, sizeof(*logs));

    for (size_t i = 0; i < cards * cards; i++) {
        bool measured = i / cards != i % cards && times[i] > 0 && isfinite(times[i]);

        logs[i] = measured ? log(times[i]) : NAN;
    }
    return logs;
}

static double largest_noise(const struct median_polish *polish, size_t cards)
{
    double *kept = xreallocarray(NULL, cards * cards + 1, sizeof(*kept));
    size_t count = 0;

    for (size_t i = 0; i < cards * cards; i++)
        if (!isnan(polish->residuals[i]))
            kept[count++] = polish->residuals[i];
    double noise = residual_limit * stats_mad(kept, count);
    free(kept);
    return isnan(noise) ? 0 : noise;
}

static size_t
find_cards(const struct median_polish *polish, double delta, struct link_fault *out)
{
    size_t count = 0;

    for (size_t card = 0; card < polish->row_count; card++) {
        double sends = polish->rows[card], receives = polish->columns[card];

        if (sends >= delta && receives >= delta)
            out[count++] = (struct link_fault){LINK_FAULT_CARD, card, card,
                                               sends < receives ? sends : receives};
        else if (sends >= delta)
            out[count++] = (struct link_fault){LINK_FAULT_SENDER, card, card, sends};
        else if (receives >= delta)
            out[count++] =
                (struct link_fault){LINK_FAULT_RECEIVER, card, card, receives};
    }
    return count;
}

static int by_size(const void *left, const void *right)
{
    const struct link_fault *a = left, *b = right;

    return (a->size < b->size) - (a->size > b->size);
}

struct link_fault *
link_matrix_faults(const double *times, size_t cards, double delta, size_t *count)
{
    double *logs = log_times(times, cards);
    struct link_fault *faults =
        xreallocarray(NULL, cards * cards + cards + 1, sizeof(*faults));
    struct median_polish polish;

    median_polish_init(&polish, logs, cards, cards);
    size_t found = find_cards(&polish, delta, faults), first_link = found;
    double limit = fmax(delta, largest_noise(&polish, cards));
    for (size_t i = 0; i < cards * cards; i++)
        if (polish.residuals[i] > limit)
            faults[found++] = (struct link_fault){LINK_FAULT_LINK, i / cards, i % cards,
                                                  polish.residuals[i]};
    qsort(faults + first_link, found - first_link, sizeof(*faults), by_size);
    median_polish_clear(&polish);
    free(logs);
    *count = found;
    return faults;
}
