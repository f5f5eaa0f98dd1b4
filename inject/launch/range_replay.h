/* range_replay.h - replays the launches inside a marked range as one
 *
 * The first launch inside a range starts a capture of its stream: launches are then
 * recorded and not run. At the end of the range the capture becomes a model. The
 * execution of the model is replayed like a launch, when the worker requests it.
 *
 * The program must not notice that its kernels have not run yet. Any call that is no
 * launch on this stream therefore ends the capture first: a synchronization, copy,
 * free, event, notify, another stream or another card. A range is thus replayed in one
 * or more segments. The worker selects all segments of a range or none. A launch that
 * cannot be captured gets records that name it and say why.
 *
 * Of nested ranges the innermost one whose name is selected counts.
 *
 * A segment may contain work of other cards: a collective, an MC2 operator, or a kernel
 * that accesses the memory of its peers. All ranks of the gang replay such a segment
 * together. The library of an MC2 operator issues notifies and the AI CPU kernel before
 * its kernel (mc2.h). They are captured too: the library sees the capture and adds its
 * other stream to it. */
#ifndef INJECT_LAUNCH_RANGE_REPLAY_H
#define INJECT_LAUNCH_RANGE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

struct device;
struct launch;

/* True while the launches of this thread are captured and not run. */
extern __thread bool range_capturing __attribute__((tls_model("initial-exec")));

/* Captures a launch. Returns false when the caller must issue the launch itself;
 * otherwise *result is the result for the program. `ranks_fingerprint` must be equal on
 * all ranks when other ranks take part in the launch; else it is 0. */
bool range_capture_launch(const struct launch *launch,
                          struct device *device,
                          const char *kernel,
                          uint64_t number,
                          uint64_t ranks_fingerprint,
                          int *result);
/* Records a launch of a selected range that the caller issues itself, outside of any
 * capture. Does nothing outside of selected ranges. */
void range_miss_launch(const struct launch *launch,
                       struct device *device,
                       const char *kernel,
                       uint64_t number,
                       const char *why);
/* Called before the program marks the start of a range, or the end of one. */
void range_on_start(const char *name);
void range_on_end(uint64_t id);
/* Begins a capture before an MC2 operator, whose kernel will be on this stream. */
void range_expect_operator(void *stream);
/* Reports the AI CPU kernel of the operator; its stream should be in the capture. */
void range_on_server(void *stream);
/* Ends the capture and replays the segment. The program's next synchronization returns
 * an error of it. */
void range_run(void);

void range_replay_reset(void); /* in a child process */

static inline void range_cut(void)
{
    if (__builtin_expect(range_capturing, 0))
        range_run();
}

#endif
