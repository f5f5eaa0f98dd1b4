/* aicpu_library.c - the shared objects with AI CPU kernels
 *
 * Each is opened at its first use and never closed, as on a card. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/runtime/launch/aicpu.h"

struct library {
    char *name;
    void *object;
    struct library *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct library *libraries;

bool aicpu_folder(char *path, size_t size)
{
    Dl_info own;
    const char *slash;

    if (!dladdr((void *)&libraries, &own) || !own.dli_fname)
        return false;
    slash = strrchr(own.dli_fname, '/');
    return slash && snprintf(path, size, "%.*s/../aicpu", (int)(slash - own.dli_fname),
                             own.dli_fname) < (int)size;
}

static void *open_beside(const char *name)
{
    char folder[4000], path[4096];

    if (strchr(name, '/') || !aicpu_folder(folder, sizeof(folder)) ||
        snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* The caller holds the mutex. */
static void *object_of(const char *name)
{
    struct library *library = libraries;

    while (library && strcmp(library->name, name) != 0)
        library = library->next;
    if (library)
        return library->object;
    library = malloc(sizeof(*library));
    if (!library)
        return NULL;
    library->name = strdup(name);
    library->object = open_beside(name);
    if (!library->object)
        library->object = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library->name || !library->object) {
        free(library->name);
        free(library);
        return NULL;
    }
    library->next = libraries;
    libraries = library;
    return library->object;
}

npu_sim_aicpu_fn *aicpu_find(const char *library, const char *kernel)
{
    npu_sim_aicpu_fn *entry = NULL;
    void *object, *symbol;

    pthread_mutex_lock(&mutex);
    object = object_of(library);
    symbol = object ? dlsym(object, kernel) : NULL;
    pthread_mutex_unlock(&mutex);
    if (symbol)
        memcpy(&entry, &symbol, sizeof(symbol));
    else
        fprintf(stderr, "npu_sim: AI CPU: library %s has no kernel %s\n", library,
                kernel);
    return entry;
}
