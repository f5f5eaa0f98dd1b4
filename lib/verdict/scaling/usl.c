#include "lib/verdict/scaling/usl.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/verdict/statistics/theil_sen.h"

static bool is_usable(const struct usl_size *size)
{
    return size->ranks >= 1 && isfinite(size->ranks) && size->throughput > 0 &&
           isfinite(size->throughput);
}

/* Returns the throughput of one rank, or NaN. */
static double throughput_of_one(const struct usl_size *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_usable(&sizes[i]) && sizes[i].ranks == 1)
            return sizes[i].throughput;
    return NAN;
}

/* Fits all usable sizes but the one of this index. */
static bool fit_without(struct usl *usl,
                        const struct usl_size *sizes,
                        size_t count,
                        size_t left_out)
{
    double one = throughput_of_one(sizes, count);
    double *n = xreallocarray(NULL, count + 1, 2 * sizeof(double)), *z = n + count;
    size_t kept = 0;

    for (size_t i = 0; i < count && !isnan(one); i++) {
        if (i == left_out || !is_usable(&sizes[i]) || sizes[i].ranks == 1)
            continue;
        n[kept] = sizes[i].ranks;
        z[kept] = (n[kept] / (sizes[i].throughput / one) - 1) / (n[kept] - 1);
        kept++;
    }
    bool enough = kept + 1 >= USL_FEWEST;
    if (enough) {
        struct line line = theil_sen_fit(n, z, kept);

        enough = isfinite(line.slope);
        if (enough) {
            usl->kappa = fmax(line.slope, 0);
            usl->sigma = fmax(line.intercept, 0);
            usl->best =
                usl->kappa > 0 ? sqrt(fmax(1 - usl->sigma, 0) / usl->kappa) : INFINITY;
        }
    }
    free(n);
    return enough;
}

bool usl_fit(struct usl *usl, const struct usl_size *sizes, size_t count)
{
    return fit_without(usl, sizes, count, count);
}

double usl_capacity(const struct usl *usl, double ranks)
{
    return ranks / (1 + usl->sigma * (ranks - 1) + usl->kappa * ranks * (ranks - 1));
}

static double loss_of(const struct usl *usl, const struct usl_size *size, double one)
{
    return log(usl_capacity(usl, size->ranks) / (size->throughput / one));
}

/* Returns the standard deviation of the other sizes around the curve. */
static double deviation_of(const struct usl *usl,
                           const struct usl_size *sizes,
                           size_t count,
                           size_t left_out,
                           double one)
{
    double squares = 0;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if (i == left_out || !is_usable(&sizes[i]) || sizes[i].ranks == 1)
            continue;
        double loss = loss_of(usl, &sizes[i], one);
        squares += loss * loss;
        kept++;
    }
    return sqrt(squares / (double)(kept - 2)); /* two parameters; kept is at least 3 */
}

bool usl_find_bend(struct usl_bend *bend,
                   const struct usl_size *sizes,
                   size_t count,
                   double delta)
{
    double one = throughput_of_one(sizes, count), least = INFINITY;
    struct usl_bend found = {0};

    for (size_t i = 0; i < count; i++) {
        struct usl usl;

        if (!is_usable(&sizes[i]) || sizes[i].ranks == 1 ||
            !fit_without(&usl, sizes, count, i))
            continue;
        double deviation = deviation_of(&usl, sizes, count, i, one);
        if (!(deviation < least))
            continue;
        least = deviation;
        found = (struct usl_bend){.index = i,
                                  .predicted = usl_capacity(&usl, sizes[i].ranks),
                                  .loss = loss_of(&usl, &sizes[i], one),
                                  .without = usl};
    }
    if (!isfinite(least) || !(fabs(found.loss) > fmax(delta, 3 * least)))
        return false;
    *bend = found;
    return true;
}
