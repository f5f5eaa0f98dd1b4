#include "xpti/dispatcher/state_lock.h"

#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static __thread volatile sig_atomic_t held;

static void lock_for_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void unlock_after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

static void prepare_for_fork(void)
{
    pthread_atfork(lock_for_fork, unlock_after_fork, unlock_after_fork);
}

bool state_lock(void)
{
    if (held)
        return false;
    held = 1;
    pthread_once(&fork_once, prepare_for_fork);
    pthread_mutex_lock(&lock);
    return true;
}

void state_unlock(void)
{
    pthread_mutex_unlock(&lock);
    held = 0;
}
