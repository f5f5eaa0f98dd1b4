/* outside.h - work that other libraries of the simulator put on a stream
 *
 * The work is done in stream order by the stream's thread; what it returns other than 0
 * is the stream's error. Who waits in it must come back when the turn is aborted. */
#ifndef SIM_RUNTIME_OUTSIDE_H
#define SIM_RUNTIME_OUTSIDE_H

#include <acl/acl.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default) /* wherever it is built */

struct npu_sim_turn;

struct npu_sim_turn_place {
    uint32_t card;
    uint16_t stream, task;
};

struct npu_sim_work {
    aclError (*run)(void *data, const struct npu_sim_turn *turn);
    void (*drop)(void *data); /* instead of run, when the stream was aborted */
    void *data;
};

/* 0, or an error and the work is still the caller's. */
aclError npu_sim_stream_add(aclrtStream stream, const struct npu_sim_work *work);
/* The same where the stream may capture: each run of the model works on a copy, and the
 * data is dropped with the model. What is only added is refused there. */
aclError npu_sim_stream_add_copied(aclrtStream stream,
                                   const struct npu_sim_work *work,
                                   void *(*copy)(const void *data));
bool npu_sim_stream_captures(aclrtStream stream);
/* NULL: that of the calling thread, which need not have one. */
bool npu_sim_turn_is_aborted(const struct npu_sim_turn *turn);
/* The turn of the AI CPU kernel that this thread runs; NULL in other threads. */
const struct npu_sim_turn *npu_sim_aicpu_turn(void);
/* The task that the calling thread runs ends with this error; the first one counts. */
void npu_sim_turn_fail(aclError error);
/* What the fleet plants happens to a task of that name, now; other than 0 is how it
 * ends. One that never comes is given up after the limit. */
aclError npu_sim_turn_meets(const struct npu_sim_turn *turn,
                            const char *name,
                            uint64_t limit_ms);
/* What a card's task log would hold of it: the second one is ns after now. */
void npu_sim_turn_begins(const struct npu_sim_turn *turn);
void npu_sim_turn_ends(const struct npu_sim_turn *turn, uint64_t ns);
/* Where it stands in the task log. */
struct npu_sim_turn_place npu_sim_turn_place(const struct npu_sim_turn *turn);
/* True when the bytes lie in one block of device memory. */
bool npu_sim_is_device_memory(const void *address, uint64_t bytes);
/* The driver's number of the thread's current card. */
aclError npu_sim_current_card(uint32_t *card, int32_t *device);

#pragma GCC visibility pop

#endif
