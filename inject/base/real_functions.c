#include "inject/base/real_functions.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject/base/abi.h"
#include "inject/base/real_dlsym.h"

struct real_function real_functions[HOOKED_COUNT] = {
#define X(name, layer) {#name, layer, NULL, NULL},
    HOOKED_FUNCTIONS(X)
#undef X
};

enum { LIBRARIES_MAX = 4 };
static atomic_int bypass_is_on;

/* The libraries that may define the functions of a layer, the likeliest first. */
static const char *const libraries[][LIBRARIES_MAX] = {
    [LAYER_ACL] = {"libascendcl.so", "libacl_rt.so"},
    [LAYER_IMPL] = {"libruntime.so", "libacl_rt_impl.so", "libascendcl_impl.so"},
    [LAYER_RT] = {"libruntime.so"},
    [LAYER_HCCL] = {"libhccl.so", "libhcomm.so"},
    [LAYER_PROF] = {"libprofapi.so"},
    [LAYER_DRIVER] = {"libascend_hal.so"},
    [LAYER_OPERATORS] = {"libopapi.so", "libopapi_transformer.so"},
    [LAYER_DCMI] = {"libdcmi.so"},
};

static int is_in_inject(void *address)
{
    Dl_info other, own;

    return dladdr(address, &other) != 0 && dladdr(real_functions, &own) != 0 &&
           other.dli_fbase == own.dli_fbase;
}

/* dlsym() with a handle searches that library first, so it returns no hook of inject.
 * Only when inject itself is installed under the name of the library it would; then
 * is_in_inject() is true. The handle stays open, so that the address remains valid. */
static void *find_in(const char *library, int flags, const char *name)
{
    void *handle = dlopen(library, RTLD_LAZY | flags);
    void *found = handle ? real_dlsym(handle, name) : NULL;

    return found && !is_in_inject(found) ? found : NULL;
}

static void *find_in_toolkit(const char *library, const char *name)
{
    const char *home = getenv("ASCEND_HOME_PATH");
    char path[PATH_MAX];
    int length;

    if (!home || !*home)
        return NULL;
    length = snprintf(path, sizeof(path), "%s/lib64/%s", home, library);
    return length > 0 && (size_t)length < sizeof(path) ? find_in(path, 0, name) : NULL;
}

enum { SAME_NAME_MAX = 2 };

struct search {
    const char *library;
    char paths[SAME_NAME_MAX][PATH_MAX];
    int count;
};

static int add_if_named(struct dl_phdr_info *loaded, size_t size, void *arg)
{
    struct search *search = arg;
    const char *file = strrchr(loaded->dlpi_name, '/');

    (void)size;
    if (file && strcmp(file + 1, search->library) == 0)
        snprintf(search->paths[search->count++], PATH_MAX, "%s", loaded->dlpi_name);
    return search->count == SAME_NAME_MAX;
}

/* Two loaded libraries may have this name, because stub_libraries.h adds one. The files
 * are opened after dl_iterate_phdr() returned, because it holds locks of the loader. */
static void *find_among_loaded(const char *library, const char *name)
{
    struct search search;
    void *found = NULL;

    search.library = library;
    search.count = 0;
    dl_iterate_phdr(add_if_named, &search);
    for (int i = 0; i < search.count && !found; i++)
        found = find_in(search.paths[i], RTLD_NOLOAD, name);
    return found;
}

bool real_function_owns_address(enum hooked_function id, void *address)
{
    const char *const *names = libraries[real_functions[id].layer];
    const char *file;
    Dl_info is;

    if (dladdr(address, &is) == 0 || !is.dli_fname)
        return false;
    file = strrchr(is.dli_fname, '/');
    file = file ? file + 1 : is.dli_fname;
    for (int i = 0; i < LIBRARIES_MAX && names[i]; i++)
        if (strcmp(file, names[i]) == 0)
            return true;
    return false;
}

void *real_function_lookup(enum layer layer, const char *name)
{
    const char *const *names = libraries[layer];
    int saved = errno;
    void *found = NULL;

    for (int i = 0; i < LIBRARIES_MAX && names[i] && !found; i++)
        found = find_in(names[i], RTLD_NOLOAD, name);
    for (int i = 0; i < LIBRARIES_MAX && names[i] && !found; i++)
        found = find_among_loaded(names[i], name);
    for (int i = 0; i < LIBRARIES_MAX && names[i] && !found; i++)
        found = find_in(names[i], 0, name);
    for (int i = 0; i < LIBRARIES_MAX && names[i] && !found; i++)
        found = find_in_toolkit(names[i], name);
    dlerror(); /* clears the error, so that the program does not read it */
    errno = saved;
    return found;
}

void *real_function_get(enum hooked_function id)
{
    struct real_function *function = &real_functions[id];
    void *real = atomic_load_explicit(&function->real, memory_order_acquire);

    if (!real) {
        real = real_function_lookup(function->layer, function->name);
        atomic_store_explicit(&function->real, real, memory_order_release);
    }
    if (atomic_load_explicit(&bypass_is_on, memory_order_acquire))
        atomic_store_explicit(&function->bypass, real, memory_order_release);
    return real;
}

int real_function_missing(enum hooked_function id)
{
    switch (real_functions[id].layer) {
    case LAYER_HCCL:
        return ABI_HCCL_NOT_SUPPORTED;
    case LAYER_PROF:
        return ABI_PROF_FAILED;
    default:
        return ABI_NOT_SUPPORTED;
    }
}

bool real_functions_have_impl(void)
{
    static atomic_int known; /* 0: not known yet, 1: yes, 2: no */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    int saved = errno;

    if (answer == 0) {
        const char *runtime = libraries[LAYER_RT][0], *name = "aclrtSetDeviceImpl";

        answer = find_in(runtime, RTLD_NOLOAD, name) || find_in_toolkit(runtime, name)
                     ? 1
                     : 2;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
        dlerror();
    }
    errno = saved;
    return answer == 1;
}

void hooks_set_bypass(int on)
{
    atomic_store(&bypass_is_on, on);
    for (int i = 0; i < HOOKED_COUNT; i++)
        atomic_store(&real_functions[i].bypass,
                     on ? atomic_load(&real_functions[i].real) : NULL);
}
