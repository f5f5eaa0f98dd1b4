#include "parsers/anomaly/labels.h"

#include <math.h>

static double known(double share)
{
    return isnan(share) ? 0 : share;
}

unsigned labels_of(const struct host_share *share)
{
    double host = known(share->host);
    unsigned labels = 0;

    if (known(share->sync) >= 0.20)
        labels |= 1u << LABEL_SYNC;
    if (known(share->comm) >= 0.20)
        labels |= 1u << LABEL_COMM;
    if (host < 0.05)
        labels |= 1u << LABEL_UNTRACED;
    if (labels)
        return labels;
    if (host >= 0.10)
        return 1u << LABEL_LAUNCH_LAG;
    if (!isnan(share->parallelism) && share->parallelism < 1.2)
        return 1u << LABEL_SERIALIZATION;
    return 1u << LABEL_INSUFFICIENT;
}

const char *label_name(enum label label)
{
    static const char *const names[] = {
        [LABEL_SYNC] = "possible_sync_or_h2d",
        [LABEL_COMM] = "possible_comm_wait",
        [LABEL_UNTRACED] = "possible_untraced_host_blocking",
        [LABEL_LAUNCH_LAG] = "possible_host_launch_lag",
        [LABEL_SERIALIZATION] = "possible_python_serialization_or_lock",
        [LABEL_INSUFFICIENT] = "insufficient_evidence",
    };

    return names[label];
}
