/* passes.h - the executions of one launch under the profiler, step by step
 *
 * For whoever leads them: one card alone (alone.c), or the ranks of a group together
 * (group_replay.c). A pass is opened (memory put back, caches flushed, counters armed),
 * run, and closed (counters read, the record told). */
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
                 const struct control_prepare *asked,
                 const struct control_decision *plan);
/* Records around all passes: the launch, clocks and health before and after. */
void replay_write_begin_record(struct replay *replay, enum snapshot_answer saved);
void replay_write_end_record(struct replay *replay, int result);

/* The first reason counts. Always -1. */
int replay_give_up(struct replay *replay, const char *reason);
int replay_give_up_with(struct replay *replay, const char *reason, int code);

/* The runtime's profiler is told, before the first pass that counts and after the last
 */
void replay_profile(const struct replay *replay, bool start);

/* How many executions there are after the first one, and which is the n-th. */
uint32_t passes_count(const struct replay *replay);
void passes_nth(const struct replay *replay,
                uint32_t n,
                enum pass_kind *kind,
                uint32_t *number);

enum pass_opening { PASS_OPEN, PASS_NOT_RESTORED, PASS_NOT_ARMED };

/* Close it in any case. */
enum pass_opening pass_open(struct replay *replay,
                            struct pass *pass,
                            enum pass_kind kind,
                            uint32_t number);
/* Issues all halves of the launch and waits. 0, or the runtime's error. */
int pass_run(struct replay *replay, struct pass *pass);
/* The program's own execution instead: the half that it has not queued yet. *result is
 * what the launch call returned; 0, or the error of the wait. */
int pass_run_own(struct replay *replay, struct pass *pass, int *result);
/* False when data was lost. */
bool pass_close(struct replay *replay, struct pass *pass);

/* The program's own execution: the half that the program has not queued yet. *result is
 * what the launch call returns to the program; an error that shows only when waiting is
 * kept for the program's synchronisation, and in *status. 0, or -1 and given up. */
int pass_first(struct replay *replay, int *result, int *status);

/* The launch's streams are made to end; all of them. */
void replay_abort(struct replay *replay);
/* Waits for all streams of the launch. 0, or the runtime's error. */
int replay_wait(const struct replay *replay);

#endif
