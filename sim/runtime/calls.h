/* calls.h - the runtime's own functions: sim_X does what aclX and aclXImpl promise
 *
 * aclXImpl notes the error for the thread and calls sim_X; rtX calls sim_X as well. */
#ifndef SIM_RUNTIME_CALLS_H
#define SIM_RUNTIME_CALLS_H

#include <acl/acl.h>

#include "sim/acl/calls.h"
#include "sim/runtime/exported.h"

#define DECLARE_CALL(name, parameters, arguments)                                      \
    aclError sim_##name parameters;                                                    \
    EXPORTED aclError name##Impl parameters;
#define DECLARE_ASK(type, name, parameters, arguments)                                 \
    type sim_##name parameters;                                                        \
    EXPORTED type name##Impl parameters;

#define DECLARE_VIA(name, parameters, arguments, call)                                 \
    DECLARE_CALL(name, parameters, arguments)

ACL_CALLS(DECLARE_CALL, DECLARE_ASK, DECLARE_VIA)

#undef DECLARE_CALL
#undef DECLARE_ASK
#undef DECLARE_VIA

#endif
