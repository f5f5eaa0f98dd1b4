/* recorder.h - the callbacks through which a running kernel body reports its
 * instructions
 *
 * A body reports its transfers through copies.h and its other work through work.h. The
 * records of an instrumented launch, the instruction log and the time stamps are made
 * from these calls. The runtime sets npu_sim_recorder when it opens the kernel file. A
 * program counter is a link-time address in the kernel file, so that debugging tools
 * find the symbol, the line and the inlined frames.
 *
 * In a file compiled with -fsanitize-coverage=trace-pc the basic blocks are counted,
 * too. NPU_SIM_INTRINSIC marks a function that models one instruction of the card: its
 * basic blocks are not counted. */
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
    const uint32_t *listeners; /* 0: no listener, no callback is called */
    /* Returns the local memory of the running core and its size; NULL for GM. The
     * contents are lost when the body ends. */
    void *(*local)(enum npu_sim_memory memory, size_t *bytes);
    /* Takes a transfer record in the layout of the card (records.h), with the fixed
     * size of its type. The recorder sets its program counter, number and core. */
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

/* Each kernel file has its own pointer. */
extern const struct npu_sim_recorder *npu_sim_recorder;
__attribute__((weak)) const struct npu_sim_recorder *npu_sim_recorder;

/* The compiler's callback in this file. The runtime finds the basic blocks by its call
 * sites. */
extern void (*npu_sim_block_callback)(void);

#if defined(__clang__)
#define NPU_SIM_NOT_COUNTED __attribute__((no_sanitize("coverage")))
#else
#define NPU_SIM_NOT_COUNTED __attribute__((no_sanitize_coverage))
#endif

#define NPU_SIM_INTRINSIC static NPU_SIM_NOT_COUNTED __attribute__((noinline, unused))
/* Inlined into its caller, so that the line of the caller can be found. */
#define NPU_SIM_INLINE                                                                 \
    static inline NPU_SIM_NOT_COUNTED __attribute__((always_inline, unused))

/* Follows each call of the recorder. Without it the compiler could turn the last call
 * of a body into a jump, and the return address would be lost. */
#define NPU_SIM_CALLED() __asm__ volatile("")

NPU_SIM_INLINE int npu_sim_is_watched(void)
{
    return npu_sim_recorder &&
           __atomic_load_n(npu_sim_recorder->listeners, __ATOMIC_RELAXED) != 0;
}

/* The compiler inserts a call at the start of each basic block. */
void __sanitizer_cov_trace_pc(void);
__attribute__((weak, visibility("hidden"))) NPU_SIM_NOT_COUNTED void
__sanitizer_cov_trace_pc(void)
{
    if (npu_sim_is_watched())
        npu_sim_recorder->block(__builtin_return_address(0));
}

__attribute__((weak)) void (*npu_sim_block_callback)(void) = __sanitizer_cov_trace_pc;

/* Returns NULL when the simulator did not open the file, or the memory is too small. */
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
