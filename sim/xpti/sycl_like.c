/* sycl_like.c - a program that publishes the trace events of a SYCL application
 *
 * usage: sycl_like [SCENARIO] [threads=N] [kernels=N] [task_us=N] [year=N]
 *
 * `smallest` is one kernel after one allocation. `app` runs, on each thread, the number
 * of transfers and kernels on a queue of its own. Each task takes at least task_us
 * microseconds. `listing` and `copies` call Unified Runtime without tasks. The other
 * scenarios are those of rough.h. `year` is the age of the program: 2020, 2021, 2023,
 * 2024 or 2026. The program ends with the number of notifications of each type. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/xpti/producer.h"
#include "sim/xpti/rough.h"

enum { THREADS_MAX = 64, BLOCK_BYTES = 4096 };

struct options {
    const char *scenario;
    unsigned threads, kernels, task_us, year;
};

struct work {
    struct producer *producer;
    const struct options *options;
    uint64_t queue;
};

static void smallest(struct producer *producer)
{
    static const char *const calls[] = {"urEnqueueKernelLaunchWithArgsExp"};
    struct node allocation, kernel;
    struct queue queue;

    queue_create(producer, &queue, 1);
    node_allocation(producer, &allocation, &queue, 20);
    node_kernel(producer, &kernel, &queue, "VecAdd", 33);
    edge_create(producer, &allocation, &kernel);
    task_run(producer, &kernel, &queue, calls, 1, 0);
}

static void *run_thread(void *arg)
{
    static const char *const copy[] = {"urEnqueueUSMMemcpy"};
    static const char *const launch[] = {"urEnqueueKernelLaunchWithArgsExp",
                                         "urProgramBuild"};
    const struct work *work = arg;
    struct producer *producer = work->producer;
    const uint64_t address = 0x10000 * work->queue;
    struct node allocation, transfer, kernel;
    struct queue queue;

    queue_create(producer, &queue, work->queue);
    memory_allocate(producer, address, BLOCK_BYTES);
    memory_objects(producer, address);
    node_allocation(producer, &allocation, &queue, 20);
    for (unsigned i = 0; i < work->options->kernels; i++) {
        node_transfer(producer, &transfer, &queue, BLOCK_BYTES);
        edge_create(producer, &allocation, &transfer);
        task_run(producer, &transfer, &queue, copy, 1, 0);
        node_kernel(producer, &kernel, &queue, i % 2 ? "VecMul" : "VecAdd", 33 + i % 2);
        edge_create(producer, &transfer, &kernel);
        if (i == 0)
            node_barrier(producer, &kernel);
        task_run(producer, &kernel, &queue, launch, i == 0 ? 2 : 1,
                 work->options->task_us);
        node_release(&transfer);
        node_release(&kernel);
    }
    queue_wait(producer, &queue);
    memory_release(producer, address);
    queue_destroy(producer, &queue);
    return NULL;
}

static void app(struct producer *producer, const struct options *options)
{
    pthread_t threads[THREADS_MAX];
    struct work work[THREADS_MAX];

    for (unsigned i = 0; i < options->threads; i++) {
        work[i] = (struct work){producer, options, i + 1};
        if (pthread_create(&threads[i], NULL, run_thread, &work[i]) != 0)
            exit(3);
    }
    for (unsigned i = 0; i < options->threads; i++)
        pthread_join(threads[i], NULL);
}

static void print_counts(void)
{
    for (uint16_t type = 0; type < PRODUCER_TYPES; type++)
        if (producer_sent(type) > 0)
            printf("type %u: %llu\n", type, producer_sent(type));
}

static int read_options(struct options *options, char **args)
{
    for (; *args; args++) {
        if (sscanf(*args, "threads=%u", &options->threads) == 1 ||
            sscanf(*args, "kernels=%u", &options->kernels) == 1 ||
            sscanf(*args, "task_us=%u", &options->task_us) == 1 ||
            sscanf(*args, "year=%u", &options->year) == 1)
            continue;
        if (strchr(*args, '='))
            return -1;
        options->scenario = *args;
    }
    return options->threads >= 1 && options->threads <= THREADS_MAX ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct options options = {
        .scenario = "app", .threads = 1, .kernels = 4, .year = PROXY_YEAR};
    struct producer producer;

    (void)argc;
    if (read_options(&options, argv + 1) < 0) {
        fprintf(stderr,
                "usage: sycl_like [SCENARIO] [threads=N] [kernels=N] [task_us=N] "
                "[year=N]\n");
        return 2;
    }
    proxy_open(options.year);
    producer_start(&producer, options.year);
    if (strcmp(options.scenario, "smallest") == 0) {
        smallest(&producer);
    } else if (strcmp(options.scenario, "listing") == 0) {
        calls_of_listing(&producer);
    } else if (strcmp(options.scenario, "copies") == 0) {
        calls_of_copies(&producer, options.kernels);
    } else if (strcmp(options.scenario, "app") == 0) {
        app(&producer, &options);
    } else if (!rough_run(&producer, options.scenario)) {
        fprintf(stderr, "unknown scenario '%s'\n", options.scenario);
        return 2;
    }
    producer_end(&producer);
    print_counts();
    return 0;
}
