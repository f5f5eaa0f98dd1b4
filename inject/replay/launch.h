/* launch.h - one launch of the program, run as often as it takes to count everything
 *
 * What belongs to this card alone is replayed by itself (alone.h); what other ranks
 * take part in, together with them (group_replay.h), or not at all. PREPARE asks the
 * worker.
 *
 * An error of the kernel that we waited for is given to the program at its next
 * synchronisation, where it would have met it alone. */
#ifndef INJECT_REPLAY_LAUNCH_H
#define INJECT_REPLAY_LAUNCH_H

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
    uint32_t kind;         /* enum launch_kind; 0: the runtime is asked */
    const struct mc2 *mc2; /* what belongs to it, or NULL */
    void **handle;         /* where `call` has the function, when that is a handle */
    int (*run)(const void *call);
    const void *call;
};

/* Inside a hook. What the program gets. */
int replay_launch(const struct launch *launch);

/* For those who lead a replay. */
union control_message;
struct device;

void replay_fill_question(union control_message *question,
                          const struct launch *launch,
                          const struct device *device,
                          const char *kernel,
                          uint64_t number);
/* The worker's word; what it says for later is remembered. True: profile it. */
bool ask_worker(union control_message *question, union control_message *answer);
/* What belongs to this card alone, under the name by which the worker knows it. */
int replay_launch_alone(const struct launch *launch,
                        struct device *device,
                        const char *kernel,
                        uint64_t number);
/* As if we were not there, but never during a replay of the device. */
int replay_pass_through(const struct launch *launch, struct device *device);

void replay_count_anew(void); /* launches, from 1 */
/* The result of a synchronisation, or the error that a replay has kept for it. */
int replay_synchronised(int result, const void *stream, bool whole_device);

#endif
