/* short_lock.h - spin lock for a few instructions in frequently called hooks
 *
 * Without contention it costs half as much as a mutex. With contention a thread reads
 * the lock 100 times and then sleeps for 20 us, because the holder may not be
 * scheduled. Do not call functions of other libraries while you hold it. */
#ifndef INJECT_BASE_SHORT_LOCK_H
#define INJECT_BASE_SHORT_LOCK_H

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

struct short_lock {
    atomic_int locked;
};

static inline void short_lock_wait(struct short_lock *lock)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000};
    int saved = errno;

    for (int i = 0; i < 100; i++)
        if (atomic_load_explicit(&lock->locked, memory_order_relaxed) == 0)
            return;
    nanosleep(&pause, NULL);
    errno = saved;
}

static inline void short_lock_acquire(struct short_lock *lock)
{
    while (atomic_exchange_explicit(&lock->locked, 1, memory_order_acquire) != 0)
        short_lock_wait(lock);
}

static inline void short_lock_release(struct short_lock *lock)
{
    atomic_store_explicit(&lock->locked, 0, memory_order_release);
}

#endif
