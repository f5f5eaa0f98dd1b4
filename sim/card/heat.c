#include "sim/card/heat.h"

#include <math.h>

#include "sim/fleet/soc.h"

/* The temperature of a card follows its load within half a minute. Above 95 degrees the
 * clock falls by 5 % per degree, down to 50 %. These are assumptions: no figures are
 * published. */
#define WARM_NS      20e9
#define BUSY_NS      1e9
#define LIMIT        95.0
#define FALL         0.05
#define LEAST        0.5
#define FULL_WARMING 50.0 /* degrees above the ambient at full power */

static double faded(double value, double ns, double constant_ns)
{
    return value > 0 && ns > 0 ? value * exp(-ns / constant_ns) : value;
}

struct heat heat_at(const struct heat *heat, uint64_t now_ns)
{
    struct heat now = *heat;

    if (now_ns > heat->at_ns) {
        double ns = (double)(now_ns - heat->at_ns);

        now.warm = faded(heat->warm, ns, WARM_NS);
        now.busy = faded(heat->busy, ns, BUSY_NS);
        now.at_ns = now_ns;
    }
    return now;
}

static double risen(double value, double ns, double constant_ns)
{
    return 1.0 - (1.0 - value) * exp(-ns / constant_ns);
}

void heat_add(struct heat *heat, uint64_t now_ns, uint64_t busy_ns)
{
    uint64_t began_ns = now_ns > busy_ns ? now_ns - busy_ns : 0;
    struct heat began = heat_at(heat, began_ns);

    heat->warm = risen(began.warm, (double)busy_ns, WARM_NS);
    heat->busy = risen(began.busy, (double)busy_ns, BUSY_NS);
    heat->at_ns = now_ns > heat->at_ns ? now_ns : heat->at_ns;
}

double heat_watts(const struct heat *heat, const struct soc *soc)
{
    return soc->idle_watts + heat->busy * (soc->full_watts - soc->idle_watts);
}

double heat_celsius(const struct heat *heat, const struct soc *soc, double ambient)
{
    double idle = (double)soc->idle_watts / soc->full_watts;

    return ambient + FULL_WARMING * (idle + heat->warm * (1.0 - idle));
}

double heat_throttle(double celsius)
{
    double left = celsius > LIMIT ? 1.0 - FALL * (celsius - LIMIT) : 1.0;

    return left > LEAST ? left : LEAST;
}
