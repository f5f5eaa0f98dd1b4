/* launch_call.h - one launch of the program: its kernel, its stream, and how to issue
 * it
 */
#ifndef INJECT_REPLAY_LAUNCH_CALL_H
#define INJECT_REPLAY_LAUNCH_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mc2;

struct launch {
    const void *func;   /* what names.h knows it by */
    const char *kernel; /* or its name, when the call tells it */
    void *stream;
    uint32_t blocks;
    uint64_t args_bytes;
    bool func_is_handle; /* the runtime can be asked about it */
    bool lccl;           /* of a library that reaches its peers by itself */
    const void *words;   /* the arguments, where the host can read them */
    size_t word_bytes;
    uint32_t kind;         /* enum launch_kind; 0: the runtime is asked */
    const struct mc2 *mc2; /* what belongs to it, or NULL */
    void **handle;         /* where `call` has the function, when that is a handle */
    int (*run)(const void *call);
    const void *call;
};

#endif
