/* impl.c - aclXImpl: what the public libraries call, and where profilers hook */
#include "sim/runtime/calls.h"
#include "sim/runtime/failure.h"

#define DEFINE_CALL(name, parameters, arguments)                                       \
    aclError name##Impl parameters                                                     \
    {                                                                                  \
        return failure_note(#name, sim_##name arguments);                              \
    }
#define DEFINE_ASK(type, name, parameters, arguments)                                  \
    type name##Impl parameters                                                         \
    {                                                                                  \
        return sim_##name arguments;                                                   \
    }

#define DEFINE_VIA(name, parameters, arguments, call)                                  \
    aclError name##Impl parameters                                                     \
    {                                                                                  \
        return failure_note(#name, call);                                              \
    }

/* Converts a value to the older layer, which refuses values out of its range. */
static uint32_t rt_size(size_t size)
{
    return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

static rtMemType_t rt_memory_type(aclrtMemMallocPolicy policy)
{
    static const rtMemType_t types[] = {
        [ACL_MEM_MALLOC_HUGE_FIRST] = RT_MEMORY_POLICY_HUGE_PAGE_FIRST,
        [ACL_MEM_MALLOC_HUGE_ONLY] = RT_MEMORY_POLICY_HUGE_PAGE_ONLY,
        [ACL_MEM_MALLOC_NORMAL_ONLY] = RT_MEMORY_POLICY_DEFAULT_PAGE_ONLY,
        [ACL_MEM_MALLOC_HUGE_FIRST_P2P] = RT_MEMORY_POLICY_HUGE_PAGE_FIRST_P2P,
        [ACL_MEM_MALLOC_HUGE_ONLY_P2P] = RT_MEMORY_POLICY_HUGE_PAGE_ONLY_P2P,
        [ACL_MEM_MALLOC_NORMAL_ONLY_P2P] = RT_MEMORY_POLICY_DEFAULT_PAGE_ONLY_P2P,
        [ACL_MEM_MALLOC_HUGE1G_ONLY] = RT_MEMORY_POLICY_HUGE1G_PAGE_ONLY,
        [ACL_MEM_MALLOC_HUGE1G_ONLY_P2P] = RT_MEMORY_POLICY_HUGE1G_PAGE_ONLY_P2P,
    };
    unsigned page = policy & 0xFFu;

    return page < sizeof(types) / sizeof(types[0]) ? types[page] : RT_MEMORY_RESERVED;
}

ACL_CALLS(DEFINE_CALL, DEFINE_ASK, DEFINE_VIA)
