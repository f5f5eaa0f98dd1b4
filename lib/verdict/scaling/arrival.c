#include "lib/verdict/scaling/arrival.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"

static const double share_of_excess = 0.7;       /* that one cause must explain */
static const double share_of_uncertainty = 0.25; /* of what it is compared with */
static const double transfer_slack = 0.1; /* between the two measures of a transfer */

bool arrival_measure(struct arrival *arrival,
                     const double *arrivals,
                     const double *ends,
                     size_t ranks)
{
    struct arrival result = {.least_duration = INFINITY};

    for (size_t rank = 0; rank < ranks; rank++) {
        double duration = ends[rank] - arrivals[rank];

        if (!isfinite(duration) || duration < 0)
            return false;
        if (arrivals[rank] > arrivals[result.last])
            result.last = rank;
        result.least_duration = fmin(result.least_duration, duration);
        result.duration = fmax(result.duration, duration);
    }
    if (!ranks)
        return false;
    double last = arrivals[result.last];
    double *transfers = xreallocarray(NULL, ranks, sizeof(*transfers));
    for (size_t rank = 0; rank < ranks; rank++)
        transfers[rank] = ends[rank] - last;
    result.skew = last - stats_min(arrivals, ranks);
    result.transfer = stats_median(transfers, ranks);
    free(transfers);
    *arrival = result;
    return true;
}

static double median_of(const struct arrival *collectives, size_t count, size_t offset)
{
    double *values = xreallocarray(NULL, count + 1, sizeof(*values));

    for (size_t i = 0; i < count; i++)
        values[i] = *(const double *)((const char *)&collectives[i] + offset);
    double median = stats_median(values, count);
    free(values);
    return median;
}

static int by_rank(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;

    return (a > b) - (a < b);
}

/* Sets the rank that was last most often; the lowest number when several were. */
static void find_last(struct arrival_answer *answer,
                      const struct arrival *collectives,
                      size_t count)
{
    size_t *last = xreallocarray(NULL, count + 1, sizeof(*last));

    for (size_t i = 0; i < count; i++)
        last[i] = collectives[i].last;
    qsort(last, count, sizeof(*last), by_rank);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && last[end] == last[first]; end++)
            ;
        if (end - first > answer->times_last) {
            answer->times_last = end - first;
            answer->medians.last = last[first];
        }
    }
    free(last);
}

static enum arrival_verdict verdict_of(const struct arrival_answer *answer,
                                       double calibration,
                                       double uncertainty,
                                       double tolerance)
{
    const struct arrival *m = &answer->medians;
    double beyond = m->transfer - calibration;

    if (!(calibration > 0) || !isfinite(calibration) || !(uncertainty >= 0) ||
        fabs(m->transfer - m->least_duration) >
            2 * uncertainty + transfer_slack * m->transfer)
        return ARRIVAL_INCONCLUSIVE;
    bool is_uncertain =
        uncertainty > share_of_uncertainty * fmax(m->skew, fabs(beyond));
    /* Ranks in step have next to no skew, which is no reason for doubt. */
    if (m->duration <= calibration * (1 + tolerance) &&
        (!is_uncertain || uncertainty <= calibration * tolerance))
        return ARRIVAL_AS_CALIBRATED;
    if (is_uncertain)
        return ARRIVAL_INCONCLUSIVE;
    if (m->skew >= share_of_excess * answer->excess &&
        m->transfer <= calibration * (1 + tolerance))
        return ARRIVAL_SKEW;
    if (beyond >= share_of_excess * answer->excess)
        return ARRIVAL_TRANSFER;
    return ARRIVAL_MIXED;
}

struct arrival_answer arrival_judge(const struct arrival *collectives,
                                    size_t count,
                                    double calibration,
                                    double uncertainty,
                                    double tolerance)
{
    struct arrival_answer answer = {.verdict = ARRIVAL_INCONCLUSIVE};
    struct arrival *medians = &answer.medians;

    tolerance = isfinite(tolerance) && tolerance > 0 ? tolerance : 0;
    medians->skew = median_of(collectives, count, offsetof(struct arrival, skew));
    medians->transfer =
        median_of(collectives, count, offsetof(struct arrival, transfer));
    medians->least_duration =
        median_of(collectives, count, offsetof(struct arrival, least_duration));
    medians->duration =
        median_of(collectives, count, offsetof(struct arrival, duration));
    find_last(&answer, collectives, count);
    answer.excess = medians->duration - calibration;
    if (answer.excess > 0) {
        answer.skew_share = medians->skew / answer.excess;
        answer.transfer_share =
            fmax(0, medians->transfer - calibration) / answer.excess;
    }
    if (count >= ARRIVAL_FEWEST)
        answer.verdict = verdict_of(&answer, calibration, uncertainty, tolerance);
    return answer;
}

const char *arrival_verdict_name(enum arrival_verdict verdict)
{
    static const char *const names[] = {
        [ARRIVAL_INCONCLUSIVE] = "inconclusive",
        [ARRIVAL_AS_CALIBRATED] = "as-calibrated",
        [ARRIVAL_SKEW] = "arrival-skew",
        [ARRIVAL_TRANSFER] = "transfer",
        [ARRIVAL_MIXED] = "mixed",
    };

    assert((size_t)verdict < COUNT(names));
    return names[verdict];
}
