/* passes.h - the steps of a pass: open, run, close
 *
 * single_replay.c and group_replay.c call them. To open a pass restores the memory,
 * flushes the caches and starts the counters. To close it reads the counters and writes
 * the record. */
#ifndef INJECT_REPLAY_PASSES_H
#define INJECT_REPLAY_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "inject/replay/snapshot.h"
#include "lib/capture/format/records.h"

struct control_decision;
struct control_prepare;
struct device;
struct launch;
struct pass;
struct replay;

void replay_init(struct replay *replay,
                 const struct launch *launch,
                 struct device *device,
                 const struct control_prepare *prepare,
                 const struct control_decision *plan);
/* Write the records before and after all passes: launch, clocks, health. */
void replay_write_begin_record(struct replay *replay, enum snapshot_answer saved);
void replay_write_end_record(struct replay *replay, int result);

/* Store the reason why the replay ends early, unless one is stored. Always return -1.
 */
int replay_give_up(struct replay *replay, const char *reason);
int replay_give_up_with(struct replay *replay, const char *reason, int code);

/* Starts or stops the runtime's profiler around the counter passes. */
void replay_profile(const struct replay *replay, bool start);

/* Returns the number of executions after the first one, and describes the n-th of them.
 */
uint32_t passes_count(const struct replay *replay);
void passes_nth(const struct replay *replay,
                uint32_t n,
                enum pass_kind *kind,
                uint32_t *number);

enum pass_opening { PASS_OPEN, PASS_NOT_RESTORED, PASS_NOT_ARMED };

/* The caller closes the pass, whatever the result. */
enum pass_opening pass_open(struct replay *replay,
                            struct pass *pass,
                            enum pass_kind kind,
                            uint32_t number);
/* Issues the launch, with the AI CPU kernels of an MC2 operator, and waits for it.
 * Returns 0, or the error of the runtime. */
int pass_run(struct replay *replay, struct pass *pass);
/* Runs the program's own execution; the program itself has queued the AI CPU kernels.
 * *result is the result of the launch. Returns 0, or the error of the wait. */
int pass_run_own(struct replay *replay, struct pass *pass, int *result);
/* Returns false when data was lost. */
bool pass_close(struct replay *replay, struct pass *pass);

/* Runs the program's own execution before the passes. *result is the result of the
 * launch for the program. An error of the wait is stored in *status and for the
 * program's next synchronization. Returns 0, or -1 with a stored reason. */
int pass_first(struct replay *replay, int *result, int *status);

/* Aborts all streams of the launch. */
void replay_abort(struct replay *replay);
/* Waits for all streams of the launch. Returns 0, or the error of the runtime. */
int replay_wait(const struct replay *replay);

#endif
