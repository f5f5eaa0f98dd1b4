/* gate_drift.h - slow changes: compares the job with a second base, the anchor
 *
 * A rolling baseline follows a slow change. The anchor, a frozen baseline or a job,
 * does not. A drift is shown and does not make the gate fail, since it stays until the
 * job file names another anchor. */
#ifndef CLI_GATE_GATE_DRIFT_H
#define CLI_GATE_GATE_DRIFT_H

#include "cli/compare/compared_jobs.h"
#include "cli/gate/gate_settings.h"

struct gate_drift {
    char **texts; /* a sentence for each point and card that is worse than there */
    size_t count;
    bool is_missing; /* the job file names an anchor that does not exist */
};

/* Does nothing when the job file names no anchor. */
int gate_drift_read(struct gate_drift *drift,
                    struct row_source *source,
                    const struct gate_settings *settings,
                    const struct compared_job *fresh,
                    struct err *err);
void gate_drift_clear(struct gate_drift *drift);

#endif
