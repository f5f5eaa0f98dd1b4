/* capture.h - stream capture: tasks are stored in a model instead of being run
 *
 * A capture begins on one stream. Another stream joins when it waits for an event that
 * was recorded in the capture, or when the program adds it to the model. When the
 * capture ends, the origin must have waited for all joined streams, except the added
 * ones. After an error the capture is invalid: its streams refuse every call until it
 * is ended.
 *
 * wait_lock() protects all data here. The functions take it themselves, except those
 * marked "locked", which require the caller to hold it. */
#ifndef SIM_RUNTIME_STREAM_CAPTURE_H
#define SIM_RUNTIME_STREAM_CAPTURE_H

#include <acl/acl.h>
#include <stdbool.h>
#include <stdint.h>

struct branch;
struct model;
struct stream;
struct task;

/* the place in a capture at which an event was recorded; a member of the event */
struct capture_mark {
    struct model *model; /* NULL: not recorded in a capture */
    struct branch *branch;
    uint64_t position; /* number of earlier tasks in the branch */
    struct capture_mark *next;
};

/* Transfers the task to the model. */
aclError capture_append(struct stream *stream, struct task *task);
/* Checks a call that cannot be captured. Returns 0 when the stream does not capture.
 * Otherwise invalidates the capture and returns an error. */
aclError capture_forbids(struct stream *stream);
/* Checks a call that waits for the whole card. The capture modes decide the result. */
aclError capture_forbids_waiting(void);

/* Locked. */
aclError capture_record(struct stream *stream, struct capture_mark *mark);
aclError capture_wait(struct stream *stream, const struct capture_mark *mark);
void capture_forget(struct capture_mark *mark);

void capture_lose(
    struct stream *stream); /* invalidates the capture of a stream that is destroyed */

#endif
