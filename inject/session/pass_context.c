#include "inject/session/pass_context.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#include "inject/base/abi.h"

static __thread const struct pass_context *own
    __attribute__((tls_model("initial-exec")));

/* One entry per device, because a device is in one pass at a time. */
static struct pass_context contexts[ABI_DEVICES_MAX]; /* launch 0: free */
static atomic_int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void pass_context_reset(void)
{
    pthread_mutex_init(&lock, NULL);
    for (int i = 0; i < ABI_DEVICES_MAX; i++)
        contexts[i].launch = 0;
    atomic_store(&count, 0);
    own = NULL;
}

void pass_context_begin(const struct pass_context *context)
{
    if (context->device >= ABI_DEVICES_MAX)
        return;
    pthread_mutex_lock(&lock);
    if (contexts[context->device].launch == 0)
        atomic_fetch_add(&count, 1);
    contexts[context->device] = *context;
    own = &contexts[context->device];
    pthread_mutex_unlock(&lock);
}

void pass_context_end(void)
{
    if (!own)
        return;
    pthread_mutex_lock(&lock);
    contexts[own->device].launch = 0;
    own = NULL;
    atomic_fetch_sub(&count, 1);
    pthread_mutex_unlock(&lock);
}

bool pass_context_get(struct pass_context *out)
{
    const struct pass_context *found = own;

    if (found) {
        *out = *found;
        return true;
    }
    if (atomic_load_explicit(&count, memory_order_acquire) != 1)
        return false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ABI_DEVICES_MAX && !found; i++)
        if (contexts[i].launch != 0)
            found = &contexts[i];
    if (found)
        *out = *found;
    pthread_mutex_unlock(&lock);
    return found != NULL;
}
