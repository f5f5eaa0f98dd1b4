#include "inject/program/kernel_images.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { KERNEL_IMAGES_MAX = 1024, PARTS_MAX = 8192 };
static const size_t copies_limit = (size_t)256 << 20;

struct entry {
    const void *handle; /* NULL: free */
    void *bytes;
    size_t size;
    size_t copied; /* of the limit; 0: a mapping of a file */
    uint64_t hash; /* computed at the first use; 0: not yet */
};

struct part {
    const void *part;
    const void *binary;
};

static struct entry entries[KERNEL_IMAGES_MAX];
static struct part parts[PARTS_MAX];
static size_t part_count, copied;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void kernel_images_reset(void)
{
    pthread_mutex_init(&lock, NULL);
}

static struct entry *find(const void *handle)
{
    for (size_t i = 0; i < KERNEL_IMAGES_MAX; i++)
        if (entries[i].handle == handle)
            return &entries[i];
    return NULL;
}

static void clear_entry(struct entry *entry)
{
    munmap(entry->bytes, entry->size);
    copied -= entry->copied;
    memset(entry, 0, sizeof(*entry));
}

static void *copy_of(const void *bytes, size_t size)
{
    void *copy;

    if (size > copies_limit - copied)
        return NULL;
    copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return NULL;
    memcpy(copy, bytes, size);
    return copy;
}

void kernel_image_put(const void *handle,
                      const void *bytes,
                      size_t size,
                      bool is_mapping)
{
    struct entry *entry;
    void *kept;

    pthread_mutex_lock(&lock);
    entry = handle ? find(handle) : NULL;
    if (entry)
        clear_entry(entry); /* the runtime reuses handles */
    entry = handle && bytes && size > 0 ? find(NULL) : NULL;
    kept = !entry ? NULL : is_mapping ? (void *)bytes : copy_of(bytes, size);
    if (kept) {
        *entry = (struct entry){handle, kept, size, is_mapping ? 0 : size, 0};
        copied += entry->copied;
    } else if (is_mapping && bytes) {
        munmap((void *)bytes, size);
    }
    pthread_mutex_unlock(&lock);
}

void kernel_image_put_part(const void *binary, const void *part)
{
    size_t at = 0;

    pthread_mutex_lock(&lock);
    while (at < part_count && parts[at].part != part)
        at++;
    if (part && at < PARTS_MAX) {
        parts[at] = (struct part){part, binary};
        part_count += at == part_count;
    }
    pthread_mutex_unlock(&lock);
}

void kernel_image_drop(const void *handle)
{
    struct entry *entry;

    pthread_mutex_lock(&lock);
    entry = handle ? find(handle) : NULL;
    if (entry)
        clear_entry(entry);
    for (size_t i = 0; handle && i < part_count;)
        if (parts[i].binary == handle)
            parts[i] = parts[--part_count];
        else
            i++;
    pthread_mutex_unlock(&lock);
}

static uint64_t hash_of(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

bool kernel_image_get(const void *handle, struct kernel_image *out)
{
    const void *wanted = handle;
    struct entry *entry;

    pthread_mutex_lock(&lock);
    /* A binary may be created from another object that has the bytes. */
    for (int depth = 0; depth < 4 && wanted && !find(wanted); depth++) {
        size_t at = 0;

        while (at < part_count && parts[at].part != wanted)
            at++;
        wanted = at < part_count ? parts[at].binary : NULL;
    }
    entry = wanted ? find(wanted) : NULL;
    if (entry) {
        if (entry->hash == 0)
            entry->hash = hash_of(entry->bytes, entry->size);
        *out = (struct kernel_image){entry->bytes, entry->size, entry->hash};
    }
    pthread_mutex_unlock(&lock);
    return entry != NULL;
}
