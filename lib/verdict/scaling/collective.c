#include "lib/verdict/scaling/collective.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/verdict/statistics/theil_sen.h"

static double once(double n)
{
    (void)n;
    return 1;
}

static double ring_steps(double n)
{
    return n - 1;
}

static double two_ring_steps(double n)
{
    return 2 * (n - 1);
}

static double ring_share(double n)
{
    return (n - 1) / n;
}

static double two_ring_shares(double n)
{
    return 2 * (n - 1) / n;
}

static double tree_steps(double n)
{
    return log2(n);
}

static double two_tree_steps(double n)
{
    return 2 * log2(n);
}

static double two_steps(double n)
{
    (void)n;
    return 2;
}

static double mesh_share(double n)
{
    return 1 / n;
}

static double two_mesh_shares(double n)
{
    return 2 / n;
}

static const struct model {
    double (*steps)(double ranks); /* NULL: no model */
    double (*share)(double ranks); /* of the bytes on a link */
    double (*bus)(double ranks);   /* bus bandwidth / (bytes / time) */
} models[] = {
    [COLLECTIVE_ALLREDUCE_RING] = {two_ring_steps, two_ring_shares, two_ring_shares},
    [COLLECTIVE_ALLREDUCE_HALVING_DOUBLING] = {two_tree_steps, two_ring_shares,
                                               two_ring_shares},
    [COLLECTIVE_ALLREDUCE_RECURSIVE_DOUBLING] = {tree_steps, tree_steps,
                                                 two_ring_shares},
    [COLLECTIVE_ALLREDUCE_TREE] = {two_tree_steps, two_tree_steps, two_ring_shares},
    [COLLECTIVE_ALLGATHER] = {ring_steps, ring_share, ring_share},
    [COLLECTIVE_REDUCE_SCATTER] = {ring_steps, ring_share, ring_share},
    [COLLECTIVE_ALLTO_ALL] = {ring_steps, ring_share, ring_share},
    [COLLECTIVE_ALLREDUCE_MESH] = {two_steps, two_mesh_shares, two_ring_shares},
    [COLLECTIVE_ALLGATHER_MESH] = {once, mesh_share, ring_share},
    [COLLECTIVE_BROADCAST] = {NULL, NULL, once},
};

static const struct model *model_of(enum collective collective)
{
    assert((size_t)collective < COUNT(models));
    return &models[collective];
}

double collective_time(enum collective collective,
                       double ranks,
                       double bytes,
                       double alpha,
                       double beta)
{
    const struct model *model = model_of(collective);

    if (!model->steps || !(ranks >= 2))
        return NAN;
    return model->steps(ranks) * alpha + bytes * model->share(ranks) * beta;
}

bool collective_fit(struct collective_fit *fit,
                    enum collective collective,
                    double ranks,
                    const double *bytes,
                    const double *times,
                    size_t count)
{
    const struct model *model = model_of(collective);
    double *x = xreallocarray(NULL, count + 1, 2 * sizeof(double)), *y = x + count;
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (bytes[i] > 0 && isfinite(bytes[i]) && times[i] > 0 && isfinite(times[i])) {
            x[kept] = bytes[i];
            y[kept++] = times[i];
        }
    struct line line = theil_sen_fit(x, y, kept);
    free(x);
    if (!model->steps || !(ranks >= 2) || !isfinite(ranks) || !isfinite(line.slope))
        return false;
    fit->alpha = line.intercept / model->steps(ranks);
    fit->beta = line.slope / model->share(ranks);
    return true;
}

double collective_bus_bandwidth(enum collective collective,
                                double ranks,
                                double bytes,
                                double time)
{
    if (!(ranks >= 2) || !(time > 0))
        return NAN;
    return bytes / time * model_of(collective)->bus(ranks);
}
