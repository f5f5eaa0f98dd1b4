#include "sim/runtime/stream/timeout.h"

#include "sim/runtime/calls.h"

#define SECONDS_MAX 3600

static uint32_t execute_ms = TIMEOUT_NEVER;
static uint32_t wait_ms;

uint32_t op_execute_timeout_ms(void)
{
    return __atomic_load_n(&execute_ms, __ATOMIC_RELAXED);
}

uint32_t op_wait_timeout_ms(void)
{
    return __atomic_load_n(&wait_ms, __ATOMIC_RELAXED);
}

aclError sim_aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
    if (timeout > SECONDS_MAX)
        return ACL_ERROR_RT_PARAM_INVALID;
    __atomic_store_n(&execute_ms, timeout == 0 ? TIMEOUT_NEVER : timeout * 1000,
                     __ATOMIC_RELAXED);
    return 0;
}

aclError sim_aclrtSetOpWaitTimeout(uint32_t timeout)
{
    if (timeout > SECONDS_MAX)
        return ACL_ERROR_RT_PARAM_INVALID;
    __atomic_store_n(&wait_ms, timeout * 1000, __ATOMIC_RELAXED);
    return 0;
}

aclError sim_aclrtGetOpExecuteTimeout(uint32_t *const timeoutMs)
{
    if (!timeoutMs)
        return ACL_ERROR_RT_PARAM_INVALID;
    *timeoutMs = op_execute_timeout_ms();
    return 0;
}
