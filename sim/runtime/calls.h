/* calls.h - the functions that implement the runtime: sim_X implements aclX
 *
 * aclXImpl calls sim_X and stores its error for the thread. rtX calls sim_X, too. */
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
