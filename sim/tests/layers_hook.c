/* layers_hook.c - counts the calls through both layers and prints the counts at exit,
 * like a profiler that hooks both */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int impl_calls, rt_calls;

/* Finds the function of the real library, not the one defined here. */
static void find(const char *name, void *function, size_t size)
{
    void *library = dlopen("libruntime.so", RTLD_LAZY | RTLD_NOLOAD);
    void *found = library ? dlsym(library, name) : NULL;

    if (!found)
        abort();
    memcpy(function, &found, size);
}

int aclrtMallocImpl(void **address, size_t size, int policy);
int aclrtMallocImpl(void **address, size_t size, int policy)
{
    int (*real)(void **, size_t, int);

    impl_calls++;
    find("aclrtMallocImpl", &real, sizeof(real));
    return real(address, size, policy);
}

int rtMalloc(void **address, uint64_t size, uint32_t type, const uint16_t module);
int rtMalloc(void **address, uint64_t size, uint32_t type, const uint16_t module)
{
    int (*real)(void **, uint64_t, uint32_t, const uint16_t);

    rt_calls++;
    find("rtMalloc", &real, sizeof(real));
    return real(address, size, type, module);
}

__attribute__((destructor)) static void print_counts(void)
{
    if (impl_calls + rt_calls > 0)
        fprintf(stderr, "impl=%d rt=%d\n", impl_calls, rt_calls);
}
