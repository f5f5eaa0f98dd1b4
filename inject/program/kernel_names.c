#include "inject/program/kernel_names.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "inject/base/runtime.h"

enum {
    HANDLES = 1 << 13,
    KERNELS = 1 << 10,
    LETTERS = 1 << 20, /* of all names together */
};

struct handle {
    const void *handle; /* NULL: a free place */
    uint32_t name;      /* where in `letters` */
};

struct kernel {
    uint64_t hash; /* 0: a free place */
    int32_t device;
    uint32_t launches;
    bool passes;
};

/* Untouched pages of these cost nothing. */
static struct handle handles[HANDLES];
static size_t handle_count;
static struct kernel kernels[KERNELS];
static size_t kernel_count;
static char letters[LETTERS];
static size_t letter_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void kernel_names_reset(void)
{
    pthread_mutex_init(&lock, NULL);
    memset(kernels, 0, sizeof(kernels));
    kernel_count = 0;
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
    return hash ? hash : 1;
}

static struct handle *find_handle(const void *handle)
{
    size_t at = (size_t)((uintptr_t)handle * 0x9e3779b97f4a7c15u >> 40) & (HANDLES - 1);

    while (handles[at].handle && handles[at].handle != handle)
        at = (at + 1) & (HANDLES - 1);
    return &handles[at];
}

static bool keep_letters(const char *name, uint32_t *where)
{
    size_t size = strnlen(name, KERNEL_NAME_MAX - 1) + 1;

    if (size > LETTERS - letter_count)
        return false;
    *where = (uint32_t)letter_count;
    memcpy(letters + letter_count, name, size - 1);
    letters[letter_count + size - 1] = '\0';
    letter_count += size;
    return true;
}

void kernel_name_put(const void *handle, const char *kernel)
{
    struct handle *place;

    if (!handle || !kernel || !*kernel)
        return;
    pthread_mutex_lock(&lock);
    place = find_handle(handle);
    if (place->handle && strcmp(letters + place->name, kernel) == 0) {
        pthread_mutex_unlock(&lock);
        return;
    }
    if ((place->handle || handle_count < HANDLES / 2) &&
        keep_letters(kernel, &place->name)) {
        handle_count += place->handle == NULL;
        place->handle = handle;
    }
    pthread_mutex_unlock(&lock);
}

void kernel_name_get(const void *handle, char out[KERNEL_NAME_MAX])
{
    struct handle *place;

    out[0] = '\0';
    pthread_mutex_lock(&lock);
    place = handle ? find_handle(handle) : NULL;
    if (place && place->handle)
        snprintf(out, KERNEL_NAME_MAX, "%s", letters + place->name);
    pthread_mutex_unlock(&lock);

    if (!out[0] && handle &&
        runtime_function_name((void *)handle, out, KERNEL_NAME_MAX))
        out[0] = '\0';
    if (!out[0])
        snprintf(out, KERNEL_NAME_MAX, "unknown");
}

/* NULL when the table is full. */
static struct kernel *find_kernel(const char *name, int device)
{
    uint64_t hash = hash_of(name);
    size_t at = (size_t)(hash ^ (uint64_t)(device + 1) * 0x9e37) & (KERNELS - 1);

    while (kernels[at].hash != 0 &&
           (kernels[at].hash != hash || kernels[at].device != device))
        at = (at + 1) & (KERNELS - 1);
    if (kernels[at].hash == 0) {
        if (kernel_count >= KERNELS / 2)
            return NULL;
        kernels[at].hash = hash;
        kernels[at].device = device;
        kernel_count++;
    }
    return &kernels[at];
}

uint32_t kernel_name_count_launch(const char *kernel, int device)
{
    struct kernel *place;
    uint32_t before = 0;

    pthread_mutex_lock(&lock);
    place = find_kernel(kernel, device);
    if (place)
        before = place->launches++;
    pthread_mutex_unlock(&lock);
    return before;
}

/* What holds on all devices is kept under one that does not exist. */
void kernel_name_skip(const char *kernel)
{
    struct kernel *place;

    pthread_mutex_lock(&lock);
    place = find_kernel(kernel, -1);
    if (place)
        place->passes = true;
    pthread_mutex_unlock(&lock);
}

bool kernel_name_is_skipped(const char *kernel)
{
    struct kernel *place;
    bool passes;

    pthread_mutex_lock(&lock);
    place = find_kernel(kernel, -1);
    passes = place && place->passes;
    pthread_mutex_unlock(&lock);
    return passes;
}
