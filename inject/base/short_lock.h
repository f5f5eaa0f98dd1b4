/* short_lock.h - a lock for a few instructions, in a program's hottest calls
 *
 * Half the price of a mutex where nobody else wants it. Who finds it closed looks again
 * for a moment and then lies down for as long as its holder may be off the processor;
 * nothing is called while it is held. */
#ifndef INJECT_BASE_SHORT_LOCK_H
#define INJECT_BASE_SHORT_LOCK_H

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

struct short_lock {
    atomic_int closed;
};

static inline void short_lock_wait(struct short_lock *latch)
{
    const struct timespec moment = {.tv_nsec = 20 * 1000};
    int saved = errno;

    for (int i = 0; i < 100; i++)
        if (atomic_load_explicit(&latch->closed, memory_order_relaxed) == 0)
            return;
    nanosleep(&moment, NULL);
    errno = saved;
}

static inline void short_lock_close(struct short_lock *latch)
{
    while (atomic_exchange_explicit(&latch->closed, 1, memory_order_acquire) != 0)
        short_lock_wait(latch);
}

static inline void short_lock_open(struct short_lock *latch)
{
    atomic_store_explicit(&latch->closed, 0, memory_order_release);
}

#endif
