/* hooks_function.c - functions that load kernel binaries and return function handles
 *
 * Some of these hooks run before any constructor. They only read the environment and do
 * not connect to the worker. The bytes of a binary belong to the caller and are valid
 * during the call only. */
#include "inject/hooks/hook_frame.h"
#include "inject/program/kernel_binaries.h"
#include "inject/program/kernel_names.h"

struct registered { /* rtDevBinary_t */
    uint32_t magic, version;
    const void *bytes;
    uint64_t size;
};

#define BYTES(handle, bytes, size)                                                     \
    (result == 0 ? kernel_binary_add_bytes(handle, bytes, size) : (void)0)
#define PART(binary, part)                                                             \
    (result == 0 ? kernel_binary_add_part(binary, part) : (void)0)

HOOK(rtDevBinaryRegister,
     lifecycle_is_requested(),
     ,
     BYTES(*out, from->bytes, from->size),
     (const struct registered *, from),
     (void **, out))
HOOK(rtRegisterAllKernel,
     lifecycle_is_requested(),
     ,
     BYTES(*out, from->bytes, from->size),
     (const struct registered *, from),
     (void **, out))
HOOK(rtDevBinaryUnRegister,
     lifecycle_is_requested(),
     kernel_binary_remove(binary),
     ,
     (void *, binary))
HOOK_WITH_IMPL(aclrtBinaryLoadFromData,
               lifecycle_is_requested(),
               ,
               BYTES(*out, bytes, size),
               (const void *, bytes),
               (size_t, size),
               (const void *, options),
               (void **, out))
HOOK_WITH_IMPL(aclrtBinaryLoadFromFile,
               lifecycle_is_requested(),
               ,
               (result == 0 ? kernel_binary_add_file(*out, path) : (void)0),
               (const char *, path),
               (void *, options),
               (void **, out))
HOOK_WITH_IMPL(aclrtBinaryLoad,
               lifecycle_is_requested(),
               ,
               PART(binary, *out),
               (void *, binary),
               (void **, out))
HOOK_WITH_IMPL(aclrtBinaryUnLoad,
               lifecycle_is_requested(),
               kernel_binary_remove(binary),
               ,
               (void *, binary))

#define NAME(binary, handle, kernel)                                                   \
    (result == 0                                                                       \
         ? (kernel_name_put(handle, kernel), kernel_binary_add_part(binary, handle))   \
         : (void)0)

HOOK_WITH_IMPL(aclrtBinaryGetFunction,
               lifecycle_is_requested(),
               ,
               NAME(binary, *out, kernel),
               (void *, binary),
               (const char *, kernel),
               (void **, out))
HOOK_WITH_IMPL(aclrtBinaryGetFunctionByEntry,
               lifecycle_is_requested(),
               ,
               PART(binary, *out),
               (void *, binary),
               (uint64_t, entry),
               (void **, out))
HOOK_WITH_IMPL(aclrtGetFuncBySymbol,
               lifecycle_is_requested(),
               ,
               PART(symbol, *out),
               (const void *, symbol),
               (void **, out))
HOOK_WITH_IMPL(aclrtRegisterCpuFunc,
               lifecycle_is_requested(),
               ,
               NAME(binary, *out, kernel),
               (void *, binary),
               (const char *, function),
               (const char *, kernel),
               (void **, out))

/* `extension` is the name of the kernel on the device; old programs pass NULL. */
HOOK(rtFunctionRegister,
     lifecycle_is_requested(),
     ,
     NAME(binary, stub, extension ? extension : stub_name),
     (void *, binary),
     (const void *, stub),
     (const char *, stub_name),
     (const void *, extension),
     (uint32_t, mode))
HOOK(rtRegisterFuncSymbol,
     lifecycle_is_requested(),
     ,
     NAME(binary, symbol, kernel),
     (void *, binary),
     (const void *, symbol),
     (const char *, kernel),
     (void *, reserved))

/* A hook of a function that returns a pointer, for which HOOK cannot be used. */
#define HOOK_CREATE(name)                                                              \
    typedef void *name##_fn(const void *bytes, size_t size);                           \
    EXPORT void *name(const void *bytes, size_t size);                                 \
    EXPORT void *name(const void *bytes, size_t size)                                  \
    {                                                                                  \
        int saved = errno;                                                             \
        name##_fn *real = (name##_fn *)real_function_get(HOOKED_##name);               \
        void *binary;                                                                  \
                                                                                       \
        errno = saved;                                                                 \
        binary = real ? real(bytes, size) : NULL;                                      \
        saved = errno;                                                                 \
        if (binary && hook_depth == 0 && lifecycle_is_requested())                     \
            kernel_binary_add_bytes(binary, bytes, size);                              \
        errno = saved;                                                                 \
        return binary;                                                                 \
    }

HOOK_CREATE(aclrtCreateBinary)
HOOK_CREATE(aclrtCreateBinaryImpl)
