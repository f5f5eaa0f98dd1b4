/* model.h - captured branches of tasks, which are executed as one task of a stream
 *
 * The origin's branch runs on the stream that executes the model. Each other branch
 * runs on an inner stream of the model. Executions of one model run one after the
 * other. wait_lock() protects all data here. The functions take it themselves, except
 * those marked "locked", which require the caller to hold it. */
#ifndef SIM_RUNTIME_STREAM_MODEL_H
#define SIM_RUNTIME_STREAM_MODEL_H

#include <acl/acl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/runtime/stream/capture.h"

struct context;

enum model_state { MODEL_CAPTURING, MODEL_INVALID, MODEL_READY, MODEL_LOST };

struct branch {
    struct model *model;
    struct stream *stream; /* the captured stream, during the capture */
    struct stream *runner; /* inner stream of the model, when it is ready */
    struct task *first, **last;
    uint64_t count;
    uint64_t done;  /* tasks done in the current execution */
    uint64_t until; /* tick at which the last execution ended */
    bool added;     /* joined without an event: no wait is required */
    bool is_joined; /* another branch waits for its end */
    struct branch *next;
};

struct model {
    uint32_t magic;
    enum model_state state;
    aclmdlRICaptureMode mode;
    pthread_t owner; /* the thread that began the capture */
    struct context *context;
    struct branch *branches; /* the origin's branch is the first */
    struct branch **last;
    struct capture_mark *marks;
    uint32_t queued; /* executions that have not ended */
    bool running;
    uint32_t branches_left;
    aclError error; /* of the current execution */
    struct model *next;
};

struct model *model_create(struct context *context, aclmdlRICaptureMode mode);
struct branch *model_add_branch(struct model *model,
                                struct stream *stream); /* NULL: out of memory */
struct model *model_of(aclmdlRI handle);                /* locked; NULL: not a model */
/* Creates the inner streams of the model. */
aclError model_make_ready(struct model *model);
void model_destroy(struct model *model);
void model_lose_all_of(int32_t device);
/* Locked. Calls visit for each model until it returns true. */
bool model_any(bool (*visit)(struct model *model, void *arg), void *arg);

#endif
