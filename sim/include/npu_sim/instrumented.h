/* instrumented.h - how a kernel file says that it was instrumented
 *
 * A card's tools rewrite a kernel so that it fills a buffer while it runs, and give the
 * buffer's address as one more argument behind the kernel's own. Here the rewriting is
 * done by appending this to the file's bytes: the body is the same, what it tells is
 * written down. The address of the buffer, in device memory of the launch's card, is
 * the last 8 bytes of the arguments, which the body does not see; or it stands here,
 * for a tool that launches with the arguments as they are. A buffer that is no device
 * memory or too small ends the launch as an AI Core exception. */
#ifndef NPU_SIM_INSTRUMENTED_H
#define NPU_SIM_INSTRUMENTED_H

#include <stdint.h>

#define NPU_SIM_INSTRUMENTED_MAGIC "NPU_SIM instr 2" /* with its NUL: 16 bytes */

/* One of them in a file: bits as in the profiler's configuration. */
#define NPU_SIM_INSTRUMENT_MEMORY 0x04u /* transfer records */
#define NPU_SIM_INSTRUMENT_BLOCKS 0x40u /* basic-block counts: u32 each, all cores */

struct npu_sim_instrumented {
    uint32_t flags;
    uint32_t cores;       /* parts of the buffer, one a core; 0: 108 */
    uint64_t core_stride; /* bytes from part to part; 0: 100 MiB and 64 bytes */
    uint64_t buffer;      /* 0: it is the last argument */
    char magic[16];       /* last, so that it ends the file */
};

#endif
