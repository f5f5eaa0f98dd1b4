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

ACL_CALLS(DEFINE_CALL, DEFINE_ASK)
