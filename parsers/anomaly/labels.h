/* labels.h - possible causes of a gap, from the shares of what the host did
 *
 * A label is a possibility, never a verdict: the gap itself is the fact. */
#ifndef PARSERS_ANOMALY_LABELS_H
#define PARSERS_ANOMALY_LABELS_H

#include "parsers/anomaly/host_evidence.h"

enum label {
    LABEL_SYNC,
    LABEL_COMM,
    LABEL_UNTRACED,
    LABEL_LAUNCH_LAG,
    LABEL_SERIALIZATION,
    LABEL_INSUFFICIENT,
    LABEL_COUNT,
};

/* Returns bit 1 << label for each label of the gap. A share that is NaN counts as 0. */
unsigned labels_of(const struct host_share *share);
const char *label_name(enum label label);

#endif
