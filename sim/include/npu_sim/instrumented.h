/* instrumented.h - the trailer that marks a kernel file as instrumented
 *
 * The tools of a real card rewrite a kernel so that it fills a buffer while it runs.
 * They pass the address of the buffer as an additional last argument. For the simulator
 * a tool appends this struct to the kernel file instead: the body is unchanged, and its
 * calls of the recorder are written to the buffer.
 *
 * The address of the buffer, in device memory of the launch's card, is the last 8 bytes
 * of the arguments; the body does not receive these bytes. A tool that cannot add an
 * argument stores the address in this struct. A buffer that is too small or not in
 * device memory ends the launch with an AI Core exception. */
#ifndef NPU_SIM_INSTRUMENTED_H
#define NPU_SIM_INSTRUMENTED_H

#include <stdint.h>

#define NPU_SIM_INSTRUMENTED_MAGIC "NPU_SIM instr 2" /* with its NUL: 16 bytes */

/* A file has one of these flags; the bits are those of the profiler's configuration. */
#define NPU_SIM_INSTRUMENT_MEMORY 0x04u /* transfer records */
#define NPU_SIM_INSTRUMENT_MARKS                                                       \
    0x20u /* marks around instructions; two uint64_t sizes, map of marks, log */
#define NPU_SIM_INSTRUMENT_BLOCKS                                                      \
    0x40u /* basic-block counts: uint32_t each, sum of all cores */

struct npu_sim_instrumented {
    uint32_t flags;
    uint32_t cores;       /* parts of the buffer, one per core; 0: 108 */
    uint64_t core_stride; /* bytes between parts; 0: 100 MiB + 64 bytes */
    uint64_t buffer;      /* 0: the address is the last argument */
    char magic[16];       /* last member: the file ends with it */
};

#endif
