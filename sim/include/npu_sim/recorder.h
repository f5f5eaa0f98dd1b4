/* recorder.h - what a kernel's body tells of itself while it runs, and to whom
 *
 * A body that moves data with copies.h and says with work.h what else it does can be
 * watched: the records of an instrumented launch, the instruction log and the time
 * stamps come out of these calls. The runtime fills in npu_sim_recorder when it
 * opens the kernel file. A program counter is an address in the kernel file as a linker
 * knows it, so that a debugger's tools find symbol, line and inlined frames.
 *
 * A file compiled with -fsanitize-coverage=trace-pc has its basic blocks counted too.
 * What stands for one instruction of the card is marked NPU_SIM_INTRINSIC: its inside
 * is silicon, and has no blocks. */
#ifndef NPU_SIM_RECORDER_H
#define NPU_SIM_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum npu_sim_memory {
    NPU_SIM_L1 = 0,
    NPU_SIM_L0A,
    NPU_SIM_L0B,
    NPU_SIM_L0C,
    NPU_SIM_UB,
    NPU_SIM_BT,
    NPU_SIM_GM,
};

enum npu_sim_pipe {
    NPU_SIM_PIPE_SCALAR = 0,
    NPU_SIM_PIPE_VECTOR,
    NPU_SIM_PIPE_CUBE,
    NPU_SIM_PIPE_MTE1,
    NPU_SIM_PIPE_MTE2,
    NPU_SIM_PIPE_MTE3,
    NPU_SIM_PIPE_FIXP,
    NPU_SIM_PIPES
};

struct npu_sim_recorder {
    uint32_t size;
    const uint32_t *listeners; /* 0: nobody wants to know, and nothing is called */
    /* The running core's own memory, its size in *bytes; NULL for GM. Its contents
     * do not outlive the body. */
    void *(*local)(enum npu_sim_memory memory, size_t *bytes);
    /* A transfer record as the card's instrumentation lays it out (copies.h), of the
     * type's fixed size. Its counter, number and core are filled in on the way. */
    void (*copy)(uint32_t type, void *record);
    void (*block)(const void *caller);
    void (*work)(enum npu_sim_pipe pipe, const char *name, uint64_t cycles);
    void (*flag)(int is_wait,
                 enum npu_sim_pipe from,
                 enum npu_sim_pipe to,
                 uint32_t event);
    void (*barrier)(void);
    void (*mark)(uint32_t number, int is_end);
    void (*stamp)(uint32_t descriptor);
};

/* One in each kernel file. */
extern const struct npu_sim_recorder *npu_sim_recorder;
__attribute__((weak)) const struct npu_sim_recorder *npu_sim_recorder;

/* What the compiler's callback is in this file; the table of its blocks is made by it.
 */
extern void (*npu_sim_block_callback)(void);

#if defined(__clang__)
#define NPU_SIM_NOT_COUNTED __attribute__((no_sanitize("coverage")))
#else
#define NPU_SIM_NOT_COUNTED __attribute__((no_sanitize_coverage))
#endif

#define NPU_SIM_INTRINSIC static NPU_SIM_NOT_COUNTED __attribute__((noinline, unused))
/* An inlined frame of its caller, so that the caller's line is known. */
#define NPU_SIM_INLINE                                                                 \
    static inline NPU_SIM_NOT_COUNTED __attribute__((always_inline, unused))

/* Behind a call of the recorder: as a body's last act it would be a jump, and its place
 * would be lost. */
#define NPU_SIM_CALLED() __asm__ volatile("")

NPU_SIM_INLINE int npu_sim_is_watched(void)
{
    return npu_sim_recorder &&
           __atomic_load_n(npu_sim_recorder->listeners, __ATOMIC_RELAXED) != 0;
}

/* The compiler calls it at the head of each basic block. */
void __sanitizer_cov_trace_pc(void);
__attribute__((weak, visibility("hidden"))) NPU_SIM_NOT_COUNTED void
__sanitizer_cov_trace_pc(void)
{
    if (npu_sim_is_watched())
        npu_sim_recorder->block(__builtin_return_address(0));
}

__attribute__((weak)) void (*npu_sim_block_callback)(void) = __sanitizer_cov_trace_pc;

/* NULL when the file was not opened by the simulator, or the memory has not that much.
 */
NPU_SIM_INLINE void *
npu_sim_local(enum npu_sim_memory memory, size_t offset, size_t bytes)
{
    size_t size = 0;
    char *base =
        npu_sim_recorder ? (char *)npu_sim_recorder->local(memory, &size) : NULL;

    return base && offset <= size && bytes <= size - offset ? base + offset : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
