/* own_thread.h - starts threads of the simulator inside the user's program
 *
 * These threads block all signals: signals go to the threads of the program. */
#ifndef SIM_RUNTIME_STREAM_OWN_THREAD_H
#define SIM_RUNTIME_STREAM_OWN_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

/* Returns 0 or an errno value. With thread NULL the thread is detached. */
static inline int
own_thread_start(pthread_t *thread, size_t stack, void *(*run)(void *), void *arg)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t detached;
    int failed;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    if (!thread)
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(thread ? thread : &detached, &attributes, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed;
}

#endif
