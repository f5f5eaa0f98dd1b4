#include "lib/base/reactor.h"

#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include <zmq.h>

#include "tests/support/unit.h"

static struct reactor *reactor;
static struct err err;
static int fds[2];
static int count, others;
static struct reactor_timer *timer;

static int begin(void **ctx)
{
    (void)ctx;
    reactor = reactor_create();
    count = others = 0;
    return pipe(fds);
}

static int end(void **ctx)
{
    (void)ctx;
    reactor_destroy(reactor);
    close(fds[0]);
    close(fds[1]);
    return 0;
}

static void stop(void *arg)
{
    (void)arg;
    reactor_stop(reactor);
}

static void count_and_stop(void *arg)
{
    if (++*(int *)arg == 3)
        reactor_stop(reactor);
}

static void count_only(void *arg)
{
    ++*(int *)arg;
}

static void take_byte(void *arg)
{
    char byte;

    ++*(int *)arg;
    assert_int_equal(read(fds[0], &byte, 1), 1);
    if (byte == 'q')
        reactor_stop(reactor);
}

static void run(void)
{
    assert_int_equal(reactor_run(reactor, &err), 0);
}

static void a_readable_descriptor_is_handled_until_it_is_empty(void **ctx)
{
    (void)ctx;
    reactor_on_fd(reactor, fds[0], take_byte, &count);
    assert_int_equal(write(fds[1], "abq", 3), 3);
    run();
    assert_int_equal(count, 3);
}

static void a_watch_removed_before_the_start_is_not_polled(void **ctx)
{
    void *context = zmq_ctx_new(), *gone = zmq_socket(context, ZMQ_PAIR);

    (void)ctx;
    reactor_on_socket(reactor, gone, count_only, &others);
    reactor_off_socket(reactor, gone);
    zmq_close(gone);
    reactor_once(reactor, 0, stop, NULL);
    run();
    zmq_ctx_term(context);
    assert_int_equal(others, 0);
}

static void take_own_watch_away(void *arg)
{
    reactor_off_fd(reactor, fds[0]);
    count_only(arg);
    reactor_once(reactor, 1, stop, NULL);
}

static void a_callback_can_remove_its_own_watch(void **ctx)
{
    (void)ctx;
    reactor_on_fd(reactor, fds[0], take_own_watch_away, &count);
    assert_int_equal(write(fds[1], "x", 1), 1);
    run();
    assert_int_equal(count, 1);
}

static void add_many(void *arg)
{
    count_only(arg);
    reactor_off_fd(reactor, fds[0]);
    for (int i = 0; i < 40; i++) /* makes the list of watches move */
        reactor_on_fd(reactor, fds[0], take_byte, &others);
    reactor_off_fd(reactor, fds[0]);
    reactor_on_fd(reactor, fds[0], take_byte, &others);
}

static void a_callback_can_add_watches(void **ctx)
{
    (void)ctx;
    reactor_on_fd(reactor, fds[0], add_many, &count);
    assert_int_equal(write(fds[1], "q", 1), 1);
    run();
    assert_int_equal(count, 1);
    assert_int_equal(others, 1);
}

static void timers_fire_once_or_repeatedly(void **ctx)
{
    (void)ctx;
    reactor_once(reactor, 0, count_only, &others);
    reactor_every(reactor, 1, count_and_stop, &count);
    run();
    assert_int_equal(count, 3);
    assert_int_equal(others, 1);
}

static void cancel_the_other(void *arg)
{
    (void)arg;
    reactor_cancel(reactor, timer);
}

static void a_cancelled_timer_does_not_fire(void **ctx)
{
    (void)ctx;
    /* Timers that are due in one turn fire in the order of their creation. On a busy
     * machine all three are, and a timer that was not cancelled fires before the last.
     */
    reactor_once(reactor, 0, cancel_the_other, NULL);
    timer = reactor_once(reactor, 1, count_only, &others);
    reactor_once(reactor, 1, stop, NULL);
    reactor_cancel(reactor, NULL);
    run();
    assert_int_equal(others, 0);
}

static void again(void *arg)
{
    reactor_again(reactor);
    count_and_stop(arg);
}

static void before_sleep_runs_once_per_turn(void **ctx)
{
    (void)ctx;
    reactor_before_sleep(reactor, again, &count);
    reactor_before_sleep(reactor, count_only, &others);
    run();
    assert_int_equal(count, 3);
    assert_int_equal(others, 3);
}

static void a_signal_calls_its_callback_from_the_loop(void **ctx)
{
    (void)ctx;
    assert_int_equal(reactor_on_signal(reactor, SIGUSR1, stop, NULL, &err), 0);
    raise(SIGUSR1);
    run();
}

static void take_message(void *arg)
{
    char byte;

    assert_int_equal(zmq_recv(arg, &byte, 1, ZMQ_DONTWAIT), 1);
    reactor_stop(reactor);
}

static void zeromq_sockets_are_handled(void **ctx)
{
    void *context = zmq_ctx_new();
    void *a = zmq_socket(context, ZMQ_PAIR), *b = zmq_socket(context, ZMQ_PAIR);

    (void)ctx;
    assert_int_equal(zmq_bind(a, "inproc://x"), 0);
    assert_int_equal(zmq_connect(b, "inproc://x"), 0);
    reactor_on_socket(reactor, b, take_message, b);
    assert_int_equal(zmq_send(a, "m", 1, 0), 1);
    run();
    reactor_off_socket(reactor, b);
    zmq_close(a);
    zmq_close(b);
    zmq_ctx_term(context);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_readable_descriptor_is_handled_until_it_is_empty),
        CASE(a_watch_removed_before_the_start_is_not_polled),
        CASE(a_callback_can_remove_its_own_watch),
        CASE(a_callback_can_add_watches),
        CASE(timers_fire_once_or_repeatedly),
        CASE(a_cancelled_timer_does_not_fire),
        CASE(before_sleep_runs_once_per_turn),
        CASE(a_signal_calls_its_callback_from_the_loop),
        CASE(zeromq_sockets_are_handled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
