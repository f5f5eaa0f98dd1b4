#include "worker/link/rejected_log.h"

bool rejected_log_add(struct rejected_log *rejected, uint64_t now_ms)
{
    rejected->messages++;
    if (rejected->logged_ms && now_ms - rejected->logged_ms < REJECTED_LOG_MS)
        return false;
    rejected->logged_ms = now_ms;
    return true;
}
