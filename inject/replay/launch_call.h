/* launch_call.h - one launch of the program: its kernel, its stream, and how to issue
 * it
 */
#ifndef INJECT_REPLAY_LAUNCH_CALL_H
#define INJECT_REPLAY_LAUNCH_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mc2;
struct range_launches;

struct launch {
    const void *func;   /* key for kernel_names.h */
    const char *kernel; /* or the name, when the call has it */
    void *stream;
    uint32_t blocks;
    uint64_t args_bytes;
    bool func_is_handle; /* the runtime can return the attributes of `func` */
    bool simt;           /* runs threads (950) */
    bool lccl;           /* a kernel of LCCL (kernel_binaries.h) */
    const void *words;   /* the arguments, or NULL when the host cannot read them */
    size_t word_bytes;
    uint32_t kind;         /* enum launch_kind; 0: the runtime reports it */
    const struct mc2 *mc2; /* steps that belong to the launch, or NULL */
    void **handle;         /* location of the function handle in `call`, or NULL */
    struct range_launches *range; /* the launches of a LAUNCH_RANGE, else NULL */
    int (*run)(const void *call);
    const void *call;
};

#endif
