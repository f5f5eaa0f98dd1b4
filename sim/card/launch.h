/* launch.h - the descriptions of a launch and of a task that card.h times and logs */
#ifndef SIM_CARD_LAUNCH_H
#define SIM_CARD_LAUNCH_H

#include <npu_sim/kernel.h>
#include <stddef.h>
#include <stdint.h>

/* the kinds of tasks in the task log, with the numbers that the cards use */
enum card_task_kind {
    CARD_TASK_KERNEL = 0,
    CARD_TASK_AI_CPU = 1,
    CARD_TASK_NOTIFY_RECORD = 6,
    CARD_TASK_NOTIFY_WAIT = 7,
    CARD_TASK_SDMA = 11,
};

/* a task that is not a launch */
struct card_task {
    uint16_t stream, task;
    enum card_task_kind kind;
};

/* the time in which a core ran its part of a block, in ticks */
struct card_span {
    uint64_t start, end;
    uint32_t core; /* number among the cores of its kind */
};

struct card_launch {
    const char *kernel;
    const struct npu_sim_kernel *info; /* NULL: a vector kernel that declares no work */
    npu_sim_cost_fn *counted; /* work of the marked part; NULL: none is marked */
    uint32_t blocks;
    uint16_t stream;
    uint16_t task;
    enum card_task_kind task_kind;
    uint64_t number; /* index of the kernel in its stream; input of the noise */
    /* The earliest start: the stream is free and the submission has arrived. The
     * host's time at the anchor is comparable between ranks (runtime/stream_time.h). */
    uint64_t ready;     /* ticks */
    uint64_t anchor;    /* ticks; at most `ready` */
    uint64_t anchor_ns; /* the same moment, in CLOCK_MONOTONIC */
    const void *args;
    size_t args_size;
    /* Output, three entries per block: the cube core and the vector cores of a mix
     * kernel, else only the first entry. NULL: the caller needs no spans. */
    struct card_span *spans;
};

#endif
