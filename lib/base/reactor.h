/* reactor.h - the event loop of a program with one thread
 *
 * A callback reads what is ready, up to a bound, so that one busy peer cannot starve
 * the others. It never blocks and returns nothing: it handles its errors or stops the
 * loop. A callback may add and remove watches, also its own. Times are monotonic. */
#ifndef LIB_BASE_REACTOR_H
#define LIB_BASE_REACTOR_H

#include <stdint.h>

#include "lib/base/err.h"

struct reactor;
typedef void reactor_fn(void *arg);

struct reactor *reactor_create(void);
void reactor_destroy(struct reactor *reactor); /* NULL is allowed */

/* Calls fn when the socket is readable. One watch per socket; the callback must read a
 * ZeroMQ socket until it is empty. */
void reactor_on_socket(struct reactor *reactor, void *zsock, reactor_fn *fn, void *arg);
void reactor_on_fd(struct reactor *reactor, int fd, reactor_fn *fn, void *arg);
void reactor_off_socket(struct reactor *reactor, void *zsock);
void reactor_off_fd(struct reactor *reactor, int fd);

/* Blocks the signal and calls fn from the loop instead. For SIGCHLD the callback reaps
 * the children that it started, by pid. */
int reactor_on_signal(struct reactor *reactor,
                      int signum,
                      reactor_fn *fn,
                      void *arg,
                      struct err *err);

/* The handle is valid until the timer was cancelled or, for reactor_once(), fired. */
struct reactor_timer;
struct reactor_timer *
reactor_every(struct reactor *reactor, uint64_t ms, reactor_fn *fn, void *arg);
struct reactor_timer *
reactor_once(struct reactor *reactor, uint64_t ms, reactor_fn *fn, void *arg);
void reactor_cancel(struct reactor *reactor, struct reactor_timer *timer);

/* Calls fn once per turn, after all ready descriptors were handled. */
void reactor_before_sleep(struct reactor *reactor, reactor_fn *fn, void *arg);
/* Starts the next turn at once, because work is left. */
void reactor_again(struct reactor *reactor);

/* Runs until reactor_stop(). */
int reactor_run(struct reactor *reactor, struct err *err);
void reactor_stop(struct reactor *reactor);

#endif
