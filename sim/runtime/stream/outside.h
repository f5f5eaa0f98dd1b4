/* outside.h - tasks that other libraries of the simulator add to a stream
 *
 * The thread of the stream runs the work in stream order. A result other than 0 becomes
 * the error of the stream. Work that waits must return when its turn is aborted. A turn
 * is the execution of one such task. */
#ifndef SIM_RUNTIME_STREAM_OUTSIDE_H
#define SIM_RUNTIME_STREAM_OUTSIDE_H

#include <acl/acl.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default) /* public in both builds of the runtime */

struct npu_sim_turn;

struct npu_sim_turn_place {
    uint32_t card;
    uint16_t stream, task;
};

/* stream_time.h explains the members. */
struct npu_sim_turn_time {
    uint64_t anchor_ns, anchor, now, slip;
};

struct npu_sim_work {
    aclError (*run)(void *data, const struct npu_sim_turn *turn);
    void (*drop)(void *data); /* called instead of run when the stream was aborted */
    void *data;
};

/* Adds work. After an error the caller still owns work->data. */
aclError npu_sim_stream_add(aclrtStream stream, const struct npu_sim_work *work);
/* Adds work to a stream that may capture: each execution of the model uses a copy of
 * the data, and the data is dropped with the model. npu_sim_stream_add() fails during a
 * capture. */
aclError npu_sim_stream_add_copied(aclrtStream stream,
                                   const struct npu_sim_work *work,
                                   void *(*copy)(const void *data));
bool npu_sim_stream_captures(aclrtStream stream);
/* turn NULL: the turn of the calling thread, if it has one. */
bool npu_sim_turn_is_aborted(const struct npu_sim_turn *turn);
/* Returns the turn of the AI CPU kernel that this thread runs; NULL in other threads.
 */
const struct npu_sim_turn *npu_sim_aicpu_turn(void);
/* Sets the error of the task that the calling thread runs. Only the first call counts.
 */
void npu_sim_turn_fail(aclError error);
/* Applies the planted faults to a task of that name. A result other than 0 is the error
 * of the task. A task that hangs is stopped after limit_ms. */
aclError npu_sim_turn_meets(const struct npu_sim_turn *turn,
                            const char *name,
                            uint64_t limit_ms);
/* Returns the modelled time of the stream, for the thread of the stream only. */
struct npu_sim_turn_time npu_sim_turn_time(const struct npu_sim_turn *turn);
/* Writes the task to the task log, from `start` to time->now, and sets the time of the
 * stream. */
void npu_sim_turn_ran(const struct npu_sim_turn *turn,
                      uint64_t start,
                      const struct npu_sim_turn_time *time);
/* Returns the numbers of the task in the task log. */
struct npu_sim_turn_place npu_sim_turn_place(const struct npu_sim_turn *turn);
/* Returns true when the bytes lie in one block of device memory. */
bool npu_sim_is_device_memory(const void *address, uint64_t bytes);
/* Returns the driver's number of the current card of the thread. */
aclError npu_sim_current_card(uint32_t *card, int32_t *device);

#pragma GCC visibility pop

#endif
