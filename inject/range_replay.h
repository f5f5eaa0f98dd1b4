/* range_replay.h - what the program launches inside a marked range, replayed as one
 *
 * The first launch inside a wanted range starts a capture of its stream: from there on
 * launches are noted, not run. At the end of the range the capture becomes a model, and
 * executing the model is replayed like a launch.
 *
 * Nothing that the program does may see that its kernels have not run yet. So whatever
 * is not a launch on that stream, or does not leave the runtime's order alone (waiting,
 * copying, freeing, events, notifies, collectives, another stream, another card), ends
 * the capture first: a range is replayed in stretches, each as one. */
#ifndef INJECT_RANGE_REPLAY_H
#define INJECT_RANGE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

struct device;
struct launch;

/* This thread's launches are noted and not run. */
extern __thread bool range_capturing __attribute__((tls_model("initial-exec")));

/* True: the launch was noted, *result is what the program gets. */
bool range_take(const struct launch *launch,
                struct device *device,
                uint64_t number,
                int *result);
/* Runs what was noted, replayed; an error waits for the program's synchronisation. */
void range_run(void);

void range_forget(void); /* in a child */

static inline void range_cut(void)
{
    if (__builtin_expect(range_capturing, 0))
        range_run();
}

#endif
