/* forward.c - the public libraries: aclX calls aclXImpl of another library
 *
 * Like the vendor's libraries they do nothing else, so a library that interposes
 * aclXImpl intercepts every call. */
#include "sim/runtime/calls.h"

#define DEFINE_CALL(name, parameters, arguments)                                       \
    aclError name parameters                                                           \
    {                                                                                  \
        return name##Impl arguments;                                                   \
    }
#define DEFINE_ASK(type, name, parameters, arguments)                                  \
    type name parameters                                                               \
    {                                                                                  \
        return name##Impl arguments;                                                   \
    }

#define DEFINE_VIA(name, parameters, arguments, call)                                  \
    DEFINE_CALL(name, parameters, arguments)

ACL_CALLS(DEFINE_CALL, DEFINE_ASK, DEFINE_VIA)
