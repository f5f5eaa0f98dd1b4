#include "inject/device/deferred_errors.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { KEPT_MAX = 64 };

static struct kept {
    int error; /* 0: free */
    int device;
    const void *stream;
} kept[KEPT_MAX];
static atomic_int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void deferred_errors_reset(void)
{
    pthread_mutex_init(&lock, NULL);
    for (int i = 0; i < KEPT_MAX; i++)
        kept[i].error = 0;
    atomic_store(&count, 0);
}

bool deferred_errors_any(void)
{
    return atomic_load_explicit(&count, memory_order_acquire) > 0;
}

void deferred_errors_put(int error, int device, const void *stream)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KEPT_MAX; i++)
        if (kept[i].error == 0) {
            kept[i] = (struct kept){error, device, stream};
            atomic_fetch_add(&count, 1);
            break;
        }
    pthread_mutex_unlock(&lock);
}

int deferred_errors_take(int result, int device, const void *stream, bool whole_device)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KEPT_MAX; i++) {
        if (kept[i].error == 0 || kept[i].device != device ||
            (!whole_device && kept[i].stream && kept[i].stream != stream))
            continue;
        if (result == 0)
            result = kept[i].error;
        kept[i].error = 0;
        atomic_fetch_sub(&count, 1);
    }
    pthread_mutex_unlock(&lock);
    return result;
}
