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

/* The libraries that define dlsym(): libdl.so.2 before glibc 2.34. */
static const char *const libraries[] = {"libc.so.6", "libdl.so.2"};

static dlsym_fn *find_version(void *handle)
{
    void *real = NULL;

    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]) && !real; i++)
        real = dlvsym(handle, "dlsym", versions[i]);
    return (dlsym_fn *)real;
}

/* A program that links a stub library loads the C library before inject, so that
 * RTLD_NEXT does not reach it. The handle stays open; the library is never unloaded. */
static dlsym_fn *find_by_library(void)
{
    dlsym_fn *real = NULL;

    for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]) && !real; i++) {
        void *handle = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

        real = handle ? find_version(handle) : NULL;
    }
    return real;
}

dlsym_fn *inject_dlsym_find(void)
{
    dlsym_fn *real = atomic_load_explicit(&inject_dlsym_real, memory_order_acquire);
    int saved = errno;

    if (!real) {
        real = find_version(RTLD_NEXT); /* the hook of another preloaded library too */
        if (!real)
            real = find_by_library();
        dlerror(); /* clears the error, so that the program does not read it */
        atomic_store_explicit(&inject_dlsym_real, real, memory_order_release);
    }
    errno = saved;
    return real;
}

void *real_dlsym(void *handle, const char *name)
{
    return inject_dlsym_find()(handle, name);
}
