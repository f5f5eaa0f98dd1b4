/* hooks_function.c - which kernel stands behind which handle
 *
 * Some of these are called before any constructor has run, so they look at the
 * environment only: nobody connects here. */
#include "inject/guest.h"
#include "inject/names.h"

#define NAME(handle, kernel) (result == 0 ? name_put(handle, kernel) : (void)0)

HOOK_TWIN(aclrtBinaryGetFunction,
          session_wanted(),
          ,
          NAME(*out, kernel),
          (void *, binary),
          (const char *, kernel),
          (void **, out))
HOOK_TWIN(aclrtRegisterCpuFunc,
          session_wanted(),
          ,
          NAME(*out, kernel),
          (void *, binary),
          (const char *, function),
          (const char *, kernel),
          (void **, out))

/* The extension is the name on the device; old programs leave it out. */
HOOK(rtFunctionRegister,
     session_wanted(),
     ,
     NAME(stub, extension ? extension : stub_name),
     (void *, binary),
     (const void *, stub),
     (const char *, stub_name),
     (const void *, extension),
     (uint32_t, mode))
HOOK(rtRegisterFuncSymbol,
     session_wanted(),
     ,
     NAME(symbol, kernel),
     (void *, binary),
     (const void *, symbol),
     (const char *, kernel),
     (void *, reserved))
