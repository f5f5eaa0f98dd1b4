/* replay.h - one launch of the program, run as often as it takes to count everything
 *
 * PREPARE asks the worker. Then, with the device to ourselves: snapshot; the first
 * execution, which warms what is warmed once; warm-ups; the pass for the L2 counters;
 * a pass for each group of counters. Before each but the first the memory is put back,
 * so the last pass leaves exactly what one execution leaves. Where something goes
 * wrong the memory is put back and the launch runs once, as the program meant it.
 *
 * An error of the kernel that we waited for is given to the program at its next
 * synchronisation, where it would have met it alone. */
#ifndef INJECT_REPLAY_H
#define INJECT_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    int (*run)(const void *call);
    const void *call;
};

/* Inside a hook. What the program gets. */
int replay_launch(const struct launch *launch);

/* The result of a synchronisation, or the error that a replay has kept for it. */
int replay_synchronised(int result, const void *stream, bool whole_device);

#endif
