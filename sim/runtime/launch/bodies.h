/* bodies.h - runs the bodies of a kernel launch, with or without a trace */
#ifndef SIM_RUNTIME_LAUNCH_BODIES_H
#define SIM_RUNTIME_LAUNCH_BODIES_H

#include <acl/acl.h>
#include <npu_sim/kernel.h>
#include <stddef.h>
#include <stdint.h>

struct card_span;
struct function;
struct stream;
struct trace;

/* a launch of threads: number of blocks, threads per block */
struct threads {
    struct npu_sim_dim grid, block;
};

struct bodies {
    const struct function *function;
    uint32_t card, blocks;
    void *args;
    size_t args_size;        /* without the buffer argument */
    struct threads threads;  /* grid.x 0: not a launch of threads */
    struct trace *trace;     /* NULL: nothing is recorded */
    struct card_span *spans; /* output of the model; NULL without a trace */
};

/* Fails when an instrumented kernel has no valid buffer. */
aclError bodies_open(struct bodies *bodies,
                     const struct function *function,
                     uint32_t card,
                     uint32_t blocks,
                     void *args,
                     size_t args_size);
void bodies_run(struct bodies *bodies);
/* Passes the time stamps of the bodies to the stream. The launch began move_ticks later
 * than its spans say, and waited wait_ticks for other cards. */
void bodies_store_stamps(struct bodies *bodies,
                         struct stream *stream,
                         uint64_t move_ticks,
                         uint64_t wait_ticks);
void bodies_close(struct bodies *bodies);

#endif
