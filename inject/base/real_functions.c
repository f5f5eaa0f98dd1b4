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

struct original originals[ORIGINAL_COUNT] = {
#define X(name, layer) {#name, layer, NULL, NULL},
    HOOKED(X)
#undef X
};

enum { LIBRARIES_MAX = 4 };
static atomic_int go_direct;

/* Where a layer's functions may live, the likeliest first. */
static const char *const libraries[][LIBRARIES_MAX] = {
    [LAYER_ACL] = {"libascendcl.so", "libacl_rt.so"},
    [LAYER_IMPL] = {"libruntime.so", "libacl_rt_impl.so", "libascendcl_impl.so"},
    [LAYER_RT] = {"libruntime.so"},
    [LAYER_HCCL] = {"libhccl.so", "libhcomm.so"},
    [LAYER_PROF] = {"libprofapi.so"},
    [LAYER_DRIVER] = {"libascend_hal.so"},
    [LAYER_BOARD] = {"libdcmi.so"},
};

static int is_ours(void *address)
{
    Dl_info theirs, ours;

    return dladdr(address, &theirs) != 0 && dladdr(originals, &ours) != 0 &&
           theirs.dli_fbase == ours.dli_fbase;
}

/* A handle's own scope comes first, so it is not us that we find; unless somebody put
 * us under the name of the library, which is_ours() tells. The handle stays open: the
 * address must stay good. */
static void *find_in(const char *library, int flags, const char *name)
{
    void *handle = dlopen(library, RTLD_LAZY | flags);
    void *found = handle ? real_dlsym(handle, name) : NULL;

    return found && !is_ours(found) ? found : NULL;
}

static void *find_at_home(const char *library, const char *name)
{
    const char *home = getenv("ASCEND_HOME_PATH");
    char path[PATH_MAX];
    int length;

    if (!home || !*home)
        return NULL;
    length = snprintf(path, sizeof(path), "%s/lib64/%s", home, library);
    return length > 0 && (size_t)length < sizeof(path) ? find_in(path, 0, name) : NULL;
}

enum { LIKE_NAMED_MAX = 2 };

struct search {
    const char *library;
    char paths[LIKE_NAMED_MAX][PATH_MAX];
    int count;
};

static int look_at(struct dl_phdr_info *loaded, size_t size, void *arg)
{
    struct search *search = arg;
    const char *file = strrchr(loaded->dlpi_name, '/');

    (void)size;
    if (file && strcmp(file + 1, search->library) == 0)
        snprintf(search->paths[search->count++], PATH_MAX, "%s", loaded->dlpi_name);
    return search->count == LIKE_NAMED_MAX;
}

/* Of several that have the library's name: stubs.h puts one in front. They are opened
 * when the list of what is loaded has been let go: the loader has locks of its own. */
static void *find_among_loaded(const char *library, const char *name)
{
    struct search search;
    void *found = NULL;

    search.library = library;
    search.count = 0;
    dl_iterate_phdr(look_at, &search);
    for (int i = 0; i < search.count && !found; i++)
        found = find_in(search.paths[i], RTLD_NOLOAD, name);
    return found;
}

bool original_is_at_home(enum original_id id, void *address)
{
    const char *const *names = libraries[originals[id].layer];
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

void *original_lookup(enum layer layer, const char *name)
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
        found = find_at_home(names[i], name);
    dlerror(); /* what we did not find is not the program's error */
    errno = saved;
    return found;
}

void *real_function_get(enum original_id id)
{
    struct original *original = &originals[id];
    void *real = atomic_load_explicit(&original->real, memory_order_acquire);

    if (!real) {
        real = original_lookup(original->layer, original->name);
        atomic_store_explicit(&original->real, real, memory_order_release);
    }
    if (atomic_load_explicit(&go_direct, memory_order_acquire))
        atomic_store_explicit(&original->direct, real, memory_order_release);
    return real;
}

int original_missing(enum original_id id)
{
    switch (originals[id].layer) {
    case LAYER_HCCL:
        return ABI_HCCL_NOT_SUPPORTED;
    case LAYER_PROF:
        return ABI_PROF_FAILED;
    default:
        return ABI_NOT_SUPPORTED;
    }
}

bool original_runtime_is_new(void)
{
    static atomic_int known; /* 0: not asked yet, 1: new, 2: old */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    int saved = errno;

    if (answer == 0) {
        const char *runtime = libraries[LAYER_RT][0], *mark = "aclrtSetDeviceImpl";

        answer =
            find_in(runtime, RTLD_NOLOAD, mark) || find_at_home(runtime, mark) ? 1 : 2;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
        dlerror();
    }
    errno = saved;
    return answer == 1;
}

void hooks_set_bypass(int yes)
{
    atomic_store(&go_direct, yes);
    for (int i = 0; i < ORIGINAL_COUNT; i++)
        atomic_store(&originals[i].direct,
                     yes ? atomic_load(&originals[i].real) : NULL);
}
