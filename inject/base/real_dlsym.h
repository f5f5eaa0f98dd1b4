/* real_dlsym.h - calls the dlsym() of the C library, not the hook of inject */
#ifndef INJECT_BASE_REAL_DLSYM_H
#define INJECT_BASE_REAL_DLSYM_H

#include <stdatomic.h>

typedef void *dlsym_fn(void *handle, const char *name);

/* The assembly of hooks_dlsym.c uses both symbols by these names. */
extern __attribute__((visibility("hidden"))) _Atomic(dlsym_fn *) inject_dlsym_real;
/* Finds the real dlsym() and stores it in inject_dlsym_real. Never returns NULL: a
 * process that calls dlsym() has a C library with dlsym(). */
__attribute__((visibility("hidden"))) dlsym_fn *inject_dlsym_find(void);

void *real_dlsym(void *handle, const char *name);

#endif
