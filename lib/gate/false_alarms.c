#include "lib/gate/false_alarms.h"

#include <math.h>

double false_alarms_rate(const struct baseline *baseline,
                         uint64_t job_id,
                         const struct gate *gate)
{
    struct gate_equal_cells equal = gate_count_equal(gate);
    uint64_t cells = equal.cells, wrong = equal.false_alarms;
    size_t nights = 1; /* the job itself */

    for (size_t i = baseline ? baseline_night_count(baseline) : 0;
         i-- > 0 && nights < FALSE_ALARM_NIGHTS;) {
        const struct baseline_night *night = baseline_night(baseline, i);

        if (!night->gated || night->job_id >= job_id)
            continue;
        cells += night->equal_cells;
        wrong += night->false_alarms;
        nights++;
    }
    return nights < FALSE_ALARM_NIGHTS || cells == 0 ? NAN
                                                     : (double)wrong / (double)cells;
}
