/* ledger_failure.c - why an attempt failed: which rank and which class of failure */
#include <inttypes.h>
#include <stdio.h>

#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/clock.h"
#include "lib/job/job.h"
#include "lib/store/store.h"

/* Returns how much a failure explains. Ranks that ended because of another rank explain
 * least. */
static int weight(const struct failure *failure)
{
    static const int of_status[] = {
        [RANK_DONE] = 0,   [RANK_CANCELLED] = 1,        [RANK_NOT_INJECTED] = 3,
        [RANK_FAILED] = 4, [RANK_NOT_STARTED] = 6,      [RANK_TIMEOUT] = 5,
        [RANK_LOST] = 8,   [RANK_NOTHING_PROFILED] = 3, [RANK_TOO_FEW_LAUNCHES] = 3,
    };

    switch (failure->state) {
    case RANK_STATE_REFUSED:
        return 2;
    case RANK_STATE_LOST:
        return 8;
    case RANK_STATE_ENDED:
        if (failure->left) /* the other ranks waited for this one in vain */
            return 6;
        /* RANK_CANCELLED has a signal as well, so only RANK_FAILED counts here */
        return failure->status == RANK_FAILED && failure->by_signal
                   ? 7
                   : of_status[failure->status];
    default:
        return -1;
    }
}

bool ledger_failure_is_harmless(const struct failure *failure)
{
    return failure->state == RANK_STATE_ENDED && failure->exit_was_good &&
           (failure->status == RANK_FAILED || failure->status == RANK_NOT_INJECTED ||
            failure->status == RANK_NOTHING_PROFILED ||
            failure->status == RANK_TOO_FEW_LAUNCHES);
}

void ledger_record_failure(struct attempt *attempt, const struct failure *failure)
{
    int before = weight(&attempt->failure), now = weight(failure);

    attempt->must_end |= !ledger_failure_is_harmless(failure);
    if (failure->left && attempt->rank_count > 1 && !attempt->stay_until_ms)
        attempt->stay_until_ms =
            clock_mono_ms() + job_settings(attempt->task->job->job)->barrier_ms;
    if (now > before ||
        (now == before && failure->ended_wall_ns < attempt->failure.ended_wall_ns))
        attempt->failure = *failure;
}

unsigned ledger_retry_class(const struct failure *failure)
{
    if (failure->state == RANK_STATE_LOST || failure->status == RANK_LOST)
        return JOB_RETRY_WORKER_LOST;
    if (failure->status == RANK_TIMEOUT)
        return JOB_RETRY_TIMEOUT;
    if (failure->status == RANK_NOT_INJECTED)
        return JOB_RETRY_FAILED | JOB_RETRY_NOT_INJECTED;
    if (failure->status == RANK_NOTHING_PROFILED)
        return JOB_RETRY_FAILED | JOB_RETRY_NOTHING_PROFILED;
    if (failure->status == RANK_TOO_FEW_LAUNCHES)
        return JOB_RETRY_FAILED | JOB_RETRY_TOO_FEW_LAUNCHES;
    if (ledger_failure_is_harmless(failure))
        return JOB_RETRY_FAILED | JOB_RETRY_RANK_MISSING;
    if (failure->status == RANK_FAILED)
        return JOB_RETRY_FAILED |
               (failure->by_signal ? JOB_RETRY_SIGNAL : JOB_RETRY_EXIT_CODE);
    return JOB_RETRY_FAILED;
}

void ledger_describe_rank(char *out,
                          size_t size,
                          enum rank_status status,
                          const char *reason,
                          int64_t signal,
                          int64_t exit_code)
{
    if (*reason)
        snprintf(out, size, "%s", reason);
    else if (signal)
        snprintf(out, size, "ended by signal %" PRId64, signal);
    else if (status == RANK_FAILED)
        snprintf(out, size, "exit code %" PRId64, exit_code);
    else
        snprintf(out, size, "%s", rank_status_word(status));
}

struct failure ledger_failure_of_rank(const struct store_rank *row)
{
    struct failure how = {.state = RANK_STATE_ENDED,
                          .rank = row->rank,
                          .by_signal = row->signal != 0,
                          .exit_was_good = row->signal == 0 && row->exit_code == 0,
                          .ended_wall_ns = row->ended_wall_ns};

    if (!rank_status_parse(row->status, &how.status))
        how.status = RANK_FAILED;
    how.left = ledger_failure_is_harmless(&how) && row->launches == 0;
    how.waited = how.status == RANK_TIMEOUT && row->launches == 0;
    ledger_describe_rank(how.reason, sizeof(how.reason), how.status, row->reason,
                         row->signal, row->exit_code);
    return how;
}
