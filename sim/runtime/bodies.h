/* bodies.h - running a kernel's bodies, with or without somebody who listens */
#ifndef SIM_RUNTIME_BODIES_H
#define SIM_RUNTIME_BODIES_H

#include <acl/acl.h>
#include <npu_sim/kernel.h>
#include <stddef.h>
#include <stdint.h>

struct card_span;
struct function;
struct stream;
struct trace;

/* A launch of threads: how many blocks of how many. */
struct threads {
    struct npu_sim_dim grid, block;
};

struct bodies {
    const struct function *function;
    uint32_t card, blocks;
    void *args;
    size_t args_size;        /* as the body sees them */
    struct threads threads;  /* grid.x 0: blocks have none */
    struct trace *trace;     /* NULL: nobody listens */
    struct card_span *spans; /* for the model to fill in; NULL with the trace */
};

/* Fails where an instrumented kernel was given no good buffer. */
aclError bodies_open(struct bodies *bodies,
                     const struct function *function,
                     uint32_t card,
                     uint32_t blocks,
                     void *args,
                     size_t args_size);
void bodies_run(struct bodies *bodies);
/* What they stamped goes to the stream; they waited so long for other cards. */
void bodies_tell(struct bodies *bodies, struct stream *stream, uint64_t wait_ticks);
void bodies_close(struct bodies *bodies);

#endif
