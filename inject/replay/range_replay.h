/* range_replay.h - what the program launches inside a marked range, replayed as one
 *
 * The first launch inside a range starts a capture of its stream: from there on
 * launches are noted, not run. At the end of the range the capture becomes a model, and
 * executing the model is replayed like a launch, where the worker wants it.
 *
 * Nothing that the program does may see that its kernels have not run yet. So whatever
 * is not a launch on that stream, or does not leave the runtime's order alone (waiting,
 * copying, freeing, events, notifies, another stream, another card), ends the capture
 * first: a range is replayed in stretches, each as one.
 *
 * A stretch with something in it that other cards take part in (a collective, an
 * operator with an AI CPU half, a kernel that reaches into its peers' memory) is
 * replayed by all ranks of the run together. An operator's library issues notifies and
 * the AI CPU half before its kernel; while it does so (mc2.h) these are noted as well,
 * and the library is told of the capture, so that its other stream joins it. */
#ifndef INJECT_REPLAY_RANGE_REPLAY_H
#define INJECT_REPLAY_RANGE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

struct device;
struct launch;

/* This thread's launches are noted and not run. */
extern __thread bool range_capturing __attribute__((tls_model("initial-exec")));

/* True: the launch was noted, *result is what the program gets. `across` is what all
 * ranks must have alike where others take part in it, else 0. */
bool range_capture_launch(const struct launch *launch,
                          struct device *device,
                          uint64_t number,
                          uint64_t across,
                          int *result);
/* An operator over several cards is about to be issued: its kernel will be on this
 * stream. */
void range_expect_operator(void *stream);
/* Its AI CPU half was issued, on a stream that should be in the capture by now. */
void range_on_server(void *stream);
/* Runs what was noted, replayed; an error waits for the program's synchronisation. */
void range_run(void);

void range_replay_reset(void); /* in a child */

static inline void range_cut(void)
{
    if (__builtin_expect(range_capturing, 0))
        range_run();
}

#endif
