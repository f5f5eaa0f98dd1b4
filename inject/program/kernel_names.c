#include "inject/program/kernel_names.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "inject/base/runtime.h"

enum {
    HANDLES = 1 << 13,
    KERNELS = 1 << 10,
    TEXT_BYTES = 1 << 20, /* for all names together */
    ALL_DEVICES = -1,
};

/* The answer of the worker for all launches, or ranges, of a name. */
enum choice { CHOICE_OPEN, CHOICE_SKIP, CHOICE_SELECT };

struct handle {
    const void *handle; /* NULL: free */
    uint32_t name;      /* offset in `name_text` */
};

struct kernel {
    uint64_t hash; /* 0: free */
    int32_t device;
    uint32_t launches;
    enum choice choice;
};

/* Untouched pages of these arrays take no memory. */
static struct handle handles[HANDLES];
static size_t handle_count;
static struct kernel kernels[KERNELS];
static size_t kernel_count;
static char name_text[TEXT_BYTES];
static size_t text_used;
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

static bool store_name(const char *name, uint32_t *where)
{
    size_t size = strnlen(name, KERNEL_NAME_MAX - 1) + 1;

    if (size > TEXT_BYTES - text_used)
        return false;
    *where = (uint32_t)text_used;
    memcpy(name_text + text_used, name, size - 1);
    name_text[text_used + size - 1] = '\0';
    text_used += size;
    return true;
}

void kernel_name_put(const void *handle, const char *kernel)
{
    struct handle *entry;

    if (!handle || !kernel || !*kernel)
        return;
    pthread_mutex_lock(&lock);
    entry = find_handle(handle);
    if (entry->handle && strcmp(name_text + entry->name, kernel) == 0) {
        pthread_mutex_unlock(&lock);
        return;
    }
    if ((entry->handle || handle_count < HANDLES / 2) &&
        store_name(kernel, &entry->name)) {
        handle_count += entry->handle == NULL;
        entry->handle = handle;
    }
    pthread_mutex_unlock(&lock);
}

void kernel_name_get(const void *handle, char out[KERNEL_NAME_MAX])
{
    struct handle *entry;

    out[0] = '\0';
    pthread_mutex_lock(&lock);
    entry = handle ? find_handle(handle) : NULL;
    if (entry && entry->handle)
        snprintf(out, KERNEL_NAME_MAX, "%s", name_text + entry->name);
    pthread_mutex_unlock(&lock);

    if (!out[0] && handle &&
        runtime_function_name((void *)handle, out, KERNEL_NAME_MAX))
        out[0] = '\0';
    if (!out[0])
        snprintf(out, KERNEL_NAME_MAX, "unknown");
}

/* Returns NULL when the table is full. */
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
    struct kernel *entry;
    uint32_t before = 0;

    pthread_mutex_lock(&lock);
    entry = find_kernel(kernel, device);
    if (entry)
        before = entry->launches++;
    pthread_mutex_unlock(&lock);
    return before;
}

static void set_choice(const char *kernel, enum choice choice)
{
    struct kernel *entry;

    pthread_mutex_lock(&lock);
    entry = find_kernel(kernel, ALL_DEVICES);
    if (entry)
        entry->choice = choice;
    pthread_mutex_unlock(&lock);
}

static bool has_choice(const char *kernel, enum choice choice)
{
    struct kernel *entry;
    bool has;

    pthread_mutex_lock(&lock);
    entry = find_kernel(kernel, ALL_DEVICES);
    has = entry && entry->choice == choice;
    pthread_mutex_unlock(&lock);
    return has;
}

void kernel_name_skip(const char *kernel)
{
    set_choice(kernel, CHOICE_SKIP);
}

bool kernel_name_is_skipped(const char *kernel)
{
    return has_choice(kernel, CHOICE_SKIP);
}

void kernel_name_select(const char *kernel)
{
    set_choice(kernel, CHOICE_SELECT);
}

bool kernel_name_is_selected(const char *kernel)
{
    return has_choice(kernel, CHOICE_SELECT);
}
