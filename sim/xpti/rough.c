#include "sim/xpti/rough.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/xpti/producer.h"

enum {
    NO_STREAM = 255,
    STREAMS = 100000,
    HANDLER_SIGNALS = 2000,
    EXIT_SIGNALS = 5,
    TASKS = 8,
    THREADS = 3
};

static struct producer *handled; /* of the signal handler */
static struct node handled_node;
static volatile sig_atomic_t handler_runs;

static void run_tasks(struct producer *producer, const char *kernel)
{
    static const char *const calls[] = {"urEnqueueKernelLaunchWithArgsExp"};
    struct queue queue;
    struct node node;

    queue_create(producer, &queue, 1);
    for (int i = 0; i < TASKS; i++) {
        node_kernel(producer, &node, &queue, kernel, 33);
        task_run(producer, &node, &queue, calls, 1, 0);
        node_release(&node);
    }
    queue_destroy(producer, &queue);
}

/* Finishes all and unloads the dispatcher, and works on. */
static void unload(struct producer *producer)
{
    run_tasks(producer, "Before");
    producer_end(producer);
    proxy_close();
    run_tasks(producer, "After");
}

static void fork_and_work(struct producer *producer)
{
    int status = 0;
    pid_t child;

    run_tasks(producer, "Parent");
    fflush(stdout);
    child = fork();
    if (child == 0) {
        run_tasks(producer, "Child");
        producer_end(producer);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    run_tasks(producer, "Parent");
    if (status != 0)
        fprintf(stderr, "the child ended with status %d\n", status);
}

/* The child is another program, which inherits the variables. */
static void fork_and_exec(struct producer *producer)
{
    char *const args[] = {"sycl_like", "smallest", NULL};
    int status = 0;
    pid_t child;

    run_tasks(producer, "Parent");
    fflush(stdout);
    child = fork();
    if (child == 0) {
        execv("/proc/self/exe", args);
        _exit(127);
    }
    if (child > 0)
        waitpid(child, &status, 0);
    if (status != 0)
        fprintf(stderr, "the child ended with status %d\n", status);
}

static void exit_at_once(struct producer *producer)
{
    run_tasks(producer, "Exit");
    fflush(stdout);
    _exit(0);
}

static void *work_for_ever(void *producer)
{
    for (;;)
        run_tasks(producer, "Late");
    return NULL;
}

/* Runs the destructors of all libraries while other threads send events. */
static void exit_beside_threads(struct producer *producer)
{
    pthread_t thread;

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread, NULL, work_for_ever, producer) != 0)
            abort();
    run_tasks(producer, "Exit");
    fflush(stdout);
    exit(0);
}

/* Ends tracing while other threads send events, and works on. */
static void finish_beside_threads(struct producer *producer)
{
    pthread_t thread;

    run_tasks(producer, "Main");
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread, NULL, work_for_ever, producer) != 0)
            abort();
    for (int i = 0; i < TASKS; i++)
        run_tasks(producer, "Main");
    producer_end(producer);
    for (int i = 0; i < TASKS; i++)
        run_tasks(producer, "Untraced");
    fflush(stdout);
    _exit(0);
}

static void on_signal(int number)
{
    (void)number;
    handler_runs++;
    producer_send(handled->sycl, 16, handled->graph, handled_node.event, 1,
                  (const void *)1);
}

/* Two timers interrupt notifications and each other's handlers, which notify, too. */
static void signals(struct producer *producer)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    const struct itimerspec second = {{0, 70000}, {0, 70000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct queue queue;
    timer_t timer;

    queue_create(producer, &queue, 1);
    node_kernel(producer, &handled_node, &queue, "Handler", 33);
    handled = producer;
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) < 0 ||
        timer_settime(timer, 0, &second, NULL) < 0)
        abort();
    setitimer(ITIMER_REAL, &often, NULL);
    while (handler_runs < HANDLER_SIGNALS)
        producer_send(producer->sycl, 10, producer->graph, handled_node.event, 1, NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    timer_delete(timer);
}

static void exit_at_last(int number)
{
    on_signal(number);
    if (handler_runs == EXIT_SIGNALS)
        exit(0);
}

/* A handler that interrupts notifications ends the program. */
static void exit_in_handler(struct producer *producer)
{
    const struct sigaction action = {.sa_handler = exit_at_last};
    const struct itimerval often = {{0, 100}, {0, 100}};
    struct queue queue;

    queue_create(producer, &queue, 1);
    node_kernel(producer, &handled_node, &queue, "Handler", 33);
    handled = producer;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (;;)
        producer_send(producer->sycl, 10, producer->graph, handled_node.event, 1, NULL);
}

static void streams(struct producer *producer)
{
    int good = 0;
    char name[32];

    for (int i = 0; i < STREAMS && proxy_is_open; i++) {
        snprintf(name, sizeof(name), "stream.%d", i);
        good += proxy_get()->register_stream(name) != NO_STREAM;
        proxy_get()->initialize(name, 1, 0, "1.0");
    }
    printf("streams %d\n", good);
    run_tasks(producer, "Streams");
}

static void null_payloads(struct producer *producer)
{
    struct place nothing = {0};
    struct event *event;

    if (!proxy_is_open)
        return;
    event = proxy_get()->make_event(NULL, NULL, 2, 1, NULL);
    producer_send(producer->sycl, 4, producer->graph, event, 1, NULL);
    event = proxy_get()->make_event(NULL, &nothing, 2, 1, NULL);
    producer_send(producer->sycl, 4, NULL, event, 1, NULL);
    if (event)
        event->place = NULL;
    producer_send(producer->sycl, 10, NULL, event, 1, NULL);
    producer_send(producer->sycl, 11, NULL, event, 1, NULL);
    producer_send(producer->sycl, 10, NULL, NULL, 1, NULL); /* refused */
    producer_send(producer->sycl, 22, NULL, event, 1, NULL);
    producer_send(producer->ur, 28, NULL, event, 1, NULL);
    proxy_get()->release_event(NULL);
    proxy_get()->release_event(event);
    proxy_get()->release_event(event); /* again */
    run_tasks(producer, "Null");
}

static void bad_texts(struct producer *producer)
{
    char *large = malloc(1 << 20);
    struct queue queue;
    struct node node;

    queue_create(producer, &queue, 1);
    node_kernel(producer, &node, &queue, "bad\xff\xc3(\n\x01name", 33);
    task_run(producer, &node, &queue, NULL, 0, 0);
    memset(large, 'x', (1 << 20) - 1);
    large[(1 << 20) - 1] = '\0';
    node_kernel(producer, &node, &queue, large, 34);
    task_run(producer, &node, &queue, NULL, 0, 0);
    diagnose(producer, "\xf0\x28\x8c\x28 thrown");
    free(large);
}

static const struct {
    const char *name;
    void (*run)(struct producer *producer);
} scenarios[] = {
    {"exec", fork_and_exec},
    {"unload", unload},
    {"fork", fork_and_work},
    {"exit", exit_at_once},
    {"signal", signals},
    {"streams", streams},
    {"null", null_payloads},
    {"text", bad_texts},
    {"threads", exit_beside_threads},
    {"finish", finish_beside_threads},
    {"handler", exit_in_handler},
};

bool rough_run(struct producer *producer, const char *name)
{
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
        if (strcmp(name, scenarios[i].name) == 0) {
            scenarios[i].run(producer);
            return true;
        }
    return false;
}
