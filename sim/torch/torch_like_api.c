#include "torch_like_api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct torch_like_api api;
static int missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find(const char *library, const char *name, void *into)
{
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    void *symbol = handle ? dlsym(handle, name) : NULL;

    if (!symbol) {
        fprintf(stderr, "torch_like: function %s not found in %s\n", name, library);
        missing = 1;
        return;
    }
    memcpy(into, &symbol, sizeof(symbol));
}

static void find_all(void)
{
#define FIND(library, name) find(library, #name, &api.name);
    TORCH_LIKE_CALLS(FIND)
}

const struct torch_like_api *torch_like_api(void)
{
    pthread_once(&once, find_all);
    return missing ? NULL : &api;
}
