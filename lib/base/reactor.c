#include "lib/base/reactor.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <zmq.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"

struct watch {
    void *zsock; /* NULL: watch fd */
    int fd;      /* of a ZeroMQ socket: becomes readable when its state may differ */
    bool ready;
    reactor_fn *fn; /* NULL: removed during this turn */
    void *arg;
};

struct reactor_timer {
    struct reactor_timer *next;
    uint64_t due_ms;
    uint64_t every_ms; /* 0: once */
    reactor_fn *fn;    /* NULL: cancelled */
    void *arg;
};

struct on_signal {
    int signum;
    int fd;
    reactor_fn *fn;
    void *arg;
};

struct reactor {
    struct watch *watches;
    size_t watch_count, watch_room;
    struct pollfd *items;
    struct reactor_timer *timers;
    struct on_signal **signals;
    size_t signal_count;
    struct watch *sleepers; /* run before sleep; only fn and arg are used */
    size_t sleeper_count;
    bool stopped;
    bool again;
};

struct reactor *reactor_create(void)
{
    return xcalloc(1, sizeof(struct reactor));
}

void reactor_destroy(struct reactor *reactor)
{
    if (!reactor)
        return;
    for (size_t i = 0; i < reactor->signal_count; i++) {
        close(reactor->signals[i]->fd);
        free(reactor->signals[i]);
    }
    for (struct reactor_timer *timer = reactor->timers, *next; timer; timer = next) {
        next = timer->next;
        free(timer);
    }
    free(reactor->signals);
    free(reactor->sleepers);
    free(reactor->watches);
    free(reactor->items);
    free(reactor);
}

static void
add_watch(struct reactor *reactor, void *zsock, int fd, reactor_fn *fn, void *arg)
{
    if (reactor->watch_count == reactor->watch_room) {
        reactor->watch_room = reactor->watch_room ? reactor->watch_room * 2 : 16;
        reactor->watches = xreallocarray(reactor->watches, reactor->watch_room,
                                         sizeof(*reactor->watches));
        reactor->items =
            xreallocarray(reactor->items, reactor->watch_room, sizeof(*reactor->items));
    }
    reactor->watches[reactor->watch_count++] =
        (struct watch){.zsock = zsock, .fd = fd, .fn = fn, .arg = arg};
}

void reactor_on_socket(struct reactor *reactor, void *zsock, reactor_fn *fn, void *arg)
{
    int fd = -1;
    size_t size = sizeof(fd);

    zmq_getsockopt(zsock, ZMQ_FD, &fd, &size);
    add_watch(reactor, zsock, fd, fn, arg);
}

void reactor_on_fd(struct reactor *reactor, int fd, reactor_fn *fn, void *arg)
{
    add_watch(reactor, NULL, fd, fn, arg);
}

void reactor_off_socket(struct reactor *reactor, void *zsock)
{
    for (size_t i = 0; i < reactor->watch_count; i++)
        if (reactor->watches[i].zsock == zsock)
            reactor->watches[i].fn = NULL;
}

void reactor_off_fd(struct reactor *reactor, int fd)
{
    for (size_t i = 0; i < reactor->watch_count; i++)
        if (!reactor->watches[i].zsock && reactor->watches[i].fd == fd)
            reactor->watches[i].fn = NULL;
}

static void signal_arrived(void *arg)
{
    struct on_signal *on = arg;
    struct signalfd_siginfo info;

    while (read(on->fd, &info, sizeof(info)) == sizeof(info))
        continue; /* several signals of one number call fn once */
    on->fn(on->arg);
}

int reactor_on_signal(struct reactor *reactor,
                      int signum,
                      reactor_fn *fn,
                      void *arg,
                      struct err *err)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, signum);
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return err_errno(err, "blocking signal %d", signum);
    int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (fd < 0)
        return err_errno(err, "watching signal %d", signum);

    struct on_signal *on = xmalloc(sizeof(*on));
    *on = (struct on_signal){.signum = signum, .fd = fd, .fn = fn, .arg = arg};
    reactor->signals = xreallocarray(reactor->signals, reactor->signal_count + 1,
                                     sizeof(*reactor->signals));
    reactor->signals[reactor->signal_count++] = on;
    reactor_on_fd(reactor, fd, signal_arrived, on);
    return 0;
}

static struct reactor_timer *add_timer(struct reactor *reactor,
                                       uint64_t ms,
                                       uint64_t every_ms,
                                       reactor_fn *fn,
                                       void *arg)
{
    struct reactor_timer *timer = xmalloc(sizeof(*timer));

    *timer = (struct reactor_timer){
        .due_ms = clock_mono_ms() + ms, .every_ms = every_ms, .fn = fn, .arg = arg};
    struct reactor_timer **link = &reactor->timers;
    while (*link) /* timers that are due together fire in the order of their creation */
        link = &(*link)->next;
    *link = timer;
    return timer;
}

struct reactor_timer *
reactor_every(struct reactor *reactor, uint64_t ms, reactor_fn *fn, void *arg)
{
    return add_timer(reactor, ms, ms ? ms : 1, fn, arg);
}

struct reactor_timer *
reactor_once(struct reactor *reactor, uint64_t ms, reactor_fn *fn, void *arg)
{
    return add_timer(reactor, ms, 0, fn, arg);
}

void reactor_cancel(struct reactor *reactor, struct reactor_timer *timer)
{
    (void)reactor;
    if (timer)
        timer->fn = NULL; /* removed before the next turn */
}

void reactor_before_sleep(struct reactor *reactor, reactor_fn *fn, void *arg)
{
    reactor->sleepers = xreallocarray(reactor->sleepers, reactor->sleeper_count + 1,
                                      sizeof(*reactor->sleepers));
    reactor->sleepers[reactor->sleeper_count++] =
        (struct watch){.fd = -1, .fn = fn, .arg = arg};
}

void reactor_again(struct reactor *reactor)
{
    reactor->again = true;
}

void reactor_stop(struct reactor *reactor)
{
    reactor->stopped = true;
}

static void sweep(struct reactor *reactor)
{
    size_t kept = 0;

    for (size_t i = 0; i < reactor->watch_count; i++)
        if (reactor->watches[i].fn)
            reactor->watches[kept++] = reactor->watches[i];
    reactor->watch_count = kept;

    for (struct reactor_timer **link = &reactor->timers; *link;) {
        struct reactor_timer *timer = *link;

        if (timer->fn) {
            link = &timer->next;
        } else {
            *link = timer->next;
            free(timer);
        }
    }
}

static long time_to_wait_ms(const struct reactor *reactor)
{
    uint64_t now = clock_mono_ms();
    long wait = -1;

    if (reactor->again)
        return 0;
    for (const struct reactor_timer *timer = reactor->timers; timer;
         timer = timer->next) {
        long left = timer->due_ms > now ? (long)(timer->due_ms - now) : 0;

        if (wait < 0 || left < wait)
            wait = left;
    }
    return wait;
}

static void fire_timers(struct reactor *reactor)
{
    uint64_t now = clock_mono_ms();
    struct reactor_timer *last = reactor->timers, *timer = NULL;

    while (last && last->next)
        last = last->next;
    while (timer != last) { /* timers created by a callback are for the next turn */
        timer = timer ? timer->next : reactor->timers;
        reactor_fn *fn = timer->fn;

        if (!fn || timer->due_ms > now)
            continue;
        if (timer->every_ms)
            timer->due_ms = now + timer->every_ms;
        else
            timer->fn = NULL;
        fn(timer->arg);
    }
}

static bool socket_is_readable(void *zsock)
{
    int events = 0;
    size_t size = sizeof(events);

    return zmq_getsockopt(zsock, ZMQ_EVENTS, &events, &size) == 0 &&
           (events & ZMQ_POLLIN) != 0;
}

/* Marks the watches that are ready. The descriptor of a ZeroMQ socket becomes readable
 * once per change, and stays unreadable while messages are left, so the state of each
 * socket is read before the sleep too. zmq_poll() would read each state twice. */
static int wait_for_events(struct reactor *reactor, struct err *err)
{
    long wait = time_to_wait_ms(reactor);

    for (size_t i = 0; i < reactor->watch_count; i++) {
        struct watch *watch = &reactor->watches[i];

        reactor->items[i] = (struct pollfd){.fd = watch->fd, .events = POLLIN};
        watch->ready = watch->zsock && socket_is_readable(watch->zsock);
        if (watch->ready)
            wait = 0;
    }
    int got = poll(reactor->items, reactor->watch_count,
                   wait > INT_MAX ? INT_MAX : (int)wait);
    if (got < 0)
        return errno == EINTR ? 0 : err_errno(err, "waiting for events");
    for (size_t i = 0; i < reactor->watch_count; i++) {
        struct watch *watch = &reactor->watches[i];

        if (!watch->ready && reactor->items[i].revents)
            watch->ready = !watch->zsock || socket_is_readable(watch->zsock);
    }
    return 0;
}

static int turn(struct reactor *reactor, struct err *err)
{
    sweep(reactor); /* first, because removed descriptors may be closed */
    size_t count = reactor->watch_count;

    if (wait_for_events(reactor, err) < 0)
        return -1;
    reactor->again = false;
    fire_timers(reactor);
    for (size_t i = 0; i < count; i++) {
        struct watch watch = reactor->watches[i]; /* a callback may move the list */

        if (watch.fn && watch.ready)
            watch.fn(watch.arg);
    }
    for (size_t i = 0; i < reactor->sleeper_count; i++)
        reactor->sleepers[i].fn(reactor->sleepers[i].arg);
    return 0;
}

int reactor_run(struct reactor *reactor, struct err *err)
{
    reactor->stopped = false;
    reactor->again = true; /* sockets may have received messages before the start */
    while (!reactor->stopped)
        if (turn(reactor, err) < 0)
            return -1;
    return 0;
}
