#include "inject/replay/launch_kind.h"

#include <string.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/program/mc2.h"
#include "inject/replay/launch_call.h"
#include "lib/capture/format/records.h"

uint32_t launch_kind_of(const struct launch *launch)
{
    int64_t type;

    if (launch->kind != 0)
        return launch->kind;
    type = launch->func_is_handle ? runtime_kernel_type((void *)launch->func) : -1;

    if (type == ABI_KERNEL_MIX)
        return LAUNCH_MIX;
    return type >= 0 && type <= ABI_KERNEL_VECTOR ? LAUNCH_SINGLE : LAUNCH_UNKNOWN;
}

uint32_t launch_kind_across(const struct mc2 *mc2)
{
    return !mc2 ? LAUNCH_LCCL : mc2->kind == MC2_SERVED ? LAUNCH_MC2 : LAUNCH_MTE;
}

bool launch_is_one_sided(const char *kernel)
{
    static const char *const operators[] = {"AttentionToFFN_", "FFNToAttention_"};

    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
        if (strncmp(kernel, operators[i], strlen(operators[i])) == 0)
            return true;
    return false;
}
