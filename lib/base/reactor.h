/* reactor.h - one thread, one loop a program
 *
 * A callback drains what is ready (up to a bound, so that one noisy peer starves
 * nobody), never blocks, and returns nothing: it deals with its errors or stops the
 * loop. A callback may add and remove watches, its own too. Times are monotonic. */
#ifndef LIB_BASE_REACTOR_H
#define LIB_BASE_REACTOR_H

#include <stdint.h>

#include "lib/base/err.h"

struct reactor;
typedef void reactor_fn(void *arg);

struct reactor *reactor_create(void);
void reactor_destroy(struct reactor *reactor); /* NULL is welcome */

/* Readable. One watch a socket; a ZeroMQ socket is drained by its callback. */
void reactor_on_socket(struct reactor *reactor, void *zsock, reactor_fn *fn, void *arg);
void reactor_on_fd(struct reactor *reactor, int fd, reactor_fn *fn, void *arg);
void reactor_off_socket(struct reactor *reactor, void *zsock);
void reactor_off_fd(struct reactor *reactor, int fd);

/* The signal is blocked from now on and arrives as a turn of the loop. SIGCHLD too:
 * the callback reaps what it started, by pid. */
int reactor_on_signal(struct reactor *reactor,
                      int signum,
                      reactor_fn *fn,
                      void *arg,
                      struct err *err);

/* Timers; the handle is good until it fired (once) or was cancelled. */
struct reactor_timer;
struct reactor_timer *
reactor_every(struct reactor *reactor, uint64_t ms, reactor_fn *fn, void *arg);
struct reactor_timer *
reactor_once(struct reactor *reactor, uint64_t ms, reactor_fn *fn, void *arg);
void reactor_cancel(struct reactor *reactor, struct reactor_timer *timer);

/* Runs once a turn, when all that woke has been served. */
void reactor_before_sleep(struct reactor *reactor, reactor_fn *fn, void *arg);
/* Makes the next turn come at once: something is left to do. */
void reactor_again(struct reactor *reactor);

/* Until reactor_stop(). */
int reactor_run(struct reactor *reactor, struct err *err);
void reactor_stop(struct reactor *reactor);

#endif
