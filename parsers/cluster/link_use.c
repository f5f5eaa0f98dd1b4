#include "parsers/cluster/link_use.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

static const double least_mb = 1; /* less has no meaningful bandwidth */
static const double minor_share = 0.25, good_use = 0.8, good_large_ratio = 0.8;

static const double first_generation[COMM_TRANSPORT_COUNT] =
    {[COMM_RDMA] = 12.5, [COMM_HCCS] = 18, [COMM_PCIE] = 20};
static const double second_generation[COMM_TRANSPORT_COUNT] =
    {[COMM_RDMA] = 25, [COMM_HCCS] = 28};

double link_use_standard(const char *chip, enum comm_transport transport)
{
    static const struct {
        const char *prefix;
        const double *gb_per_s;
    } chips[] = {
        {"Ascend910B", second_generation},
        {"Ascend910A", first_generation},
        {"Ascend910P", first_generation}, /* ProA, ProB, PremiumA */
    };

    if (strcmp(chip, "Ascend910") == 0)
        return first_generation[transport];
    for (size_t i = 0; i < COUNT(chips); i++)
        if (text_has_prefix(chip, chips[i].prefix))
            return chips[i].gb_per_s[transport];
    return 0;
}

/* Returns true when this transport took most of the time, or both took a part. SDMA is
 * the sum of the transports of one host. */
static bool is_dominant(const struct comm_op *op, enum comm_transport transport)
{
    double sdma = op->traffic[COMM_SDMA].time_ms;
    double rdma = op->traffic[COMM_RDMA].time_ms;

    return transport == COMM_RDMA ? minor_share * sdma <= rdma
                                  : minor_share * rdma <= sdma;
}

static void
count_op(struct link_use *use, const struct comm_traffic *traffic, double standard)
{
    use->ops++;
    if (traffic->size_mb / traffic->time_ms >= good_use * standard)
        return;
    use->low_size_mb += traffic->size_mb;
    use->low_time_ms += traffic->time_ms;
    if (traffic->large_ratio < good_large_ratio)
        use->small_packages++;
    else
        use->slow_links++;
}

void link_use_count(struct link_use use[COMM_TRANSPORT_COUNT],
                    const struct comm_ops *ops,
                    const char *chip)
{
    for (enum comm_transport i = 0; i < COMM_TRANSPORT_COUNT; i++) {
        double standard = link_use_standard(chip, i);

        use[i] = (struct link_use){0};
        for (size_t j = 0; j < ops->count && standard > 0; j++) {
            const struct comm_traffic *traffic = &ops->rows[j].traffic[i];

            if (traffic->size_mb >= least_mb && traffic->time_ms > 0 &&
                is_dominant(&ops->rows[j], i))
                count_op(&use[i], traffic, standard);
        }
    }
}
