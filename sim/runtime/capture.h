/* capture.h - streams whose tasks are kept in a model instead of being run
 *
 * A capture begins on one stream; another one joins when it waits for an event that was
 * recorded in the capture, or when it is added to the model. At the end all who joined
 * must have been waited for, but those that were added. A capture that went wrong is
 * invalidated: all that is asked of its streams is refused until it is ended.
 *
 * Everything here stands under wait_lock(), which the functions take themselves but
 * where they say "locked". */
#ifndef SIM_RUNTIME_CAPTURE_H
#define SIM_RUNTIME_CAPTURE_H

#include <acl/acl.h>
#include <stdbool.h>
#include <stdint.h>

struct branch;
struct model;
struct stream;
struct task;

/* Where in a capture an event was recorded; part of the event. */
struct capture_mark {
    struct model *model; /* NULL: the event is in no capture */
    struct branch *branch;
    uint64_t position; /* tasks of the branch that come before it */
    struct capture_mark *next;
};

/* The task is the model's from now on. */
aclError capture_append(struct stream *stream, struct task *task);
/* 0 where the stream does not capture. Else the capture is no good any more: somebody
 * asked for something that cannot be captured. */
aclError capture_forbids(struct stream *stream);
/* For calls that wait for the card, whatever the stream: the modes tell. */
aclError capture_forbids_waiting(void);

/* Locked. */
aclError capture_record(struct stream *stream, struct capture_mark *mark);
aclError capture_wait(struct stream *stream, const struct capture_mark *mark);
void capture_forget(struct capture_mark *mark);

void capture_lose(struct stream *stream); /* it ends while it captures */

#endif
