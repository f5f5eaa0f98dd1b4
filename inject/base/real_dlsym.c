#include "inject/base/real_dlsym.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

_Atomic(dlsym_fn *) inject_dlsym_real;

/* The versions of the symbol in the C library, newest first. */
static const char *const versions[] = {
    "GLIBC_2.34",
#if defined(__x86_64__)
    "GLIBC_2.2.5",
#else
    "GLIBC_2.17",
#endif
};

dlsym_fn *inject_dlsym_find(void)
{
    dlsym_fn *real = atomic_load_explicit(&inject_dlsym_real, memory_order_acquire);
    int saved = errno;

    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]) && !real; i++)
        real = (dlsym_fn *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    atomic_store_explicit(&inject_dlsym_real, real, memory_order_release);
    errno = saved;
    return real;
}

void *real_dlsym(void *handle, const char *name)
{
    return inject_dlsym_find()(handle, name);
}
