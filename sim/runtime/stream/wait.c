#include "sim/runtime/stream/wait.h"

#include <errno.h>

static pthread_mutex_t wait_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wait_cond;
static pthread_once_t wait_init_once = PTHREAD_ONCE_INIT;

void wait_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void wait_init(void)
{
    wait_cond_init(&wait_cond);
}

void wait_lock(void)
{
    pthread_once(&wait_init_once, wait_init);
    pthread_mutex_lock(&wait_mutex);
}

void wait_unlock(void)
{
    pthread_mutex_unlock(&wait_mutex);
}

void wait_wake_all(void)
{
    pthread_cond_broadcast(&wait_cond);
}

bool wait_once(const struct timespec *deadline)
{
    if (deadline)
        return pthread_cond_timedwait(&wait_cond, &wait_mutex, deadline) != ETIMEDOUT;
    pthread_cond_wait(&wait_cond, &wait_mutex);
    return true;
}

struct timespec wait_deadline(uint64_t timeout_ms)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += (time_t)(timeout_ms / 1000);
    at.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_nsec -= 1000000000;
        at.tv_sec++;
    }
    return at;
}
