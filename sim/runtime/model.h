/* model.h - what was captured: branches of tasks, run together as one task of a stream
 *
 * The origin's branch runs on the stream that the model is executed on, each other one
 * on a stream of the model's own; executions of one model follow each other. All of it
 * stands under wait_lock(); functions take it themselves but where they say "locked".
 */
#ifndef SIM_RUNTIME_MODEL_H
#define SIM_RUNTIME_MODEL_H

#include <acl/acl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/runtime/capture.h"

struct context;

enum model_state { MODEL_CAPTURING, MODEL_INVALID, MODEL_READY, MODEL_LOST };

struct branch {
    struct model *model;
    struct stream *stream; /* of the program, while it captures */
    struct stream *runner; /* of the model, once it is ready */
    struct task *first, **last;
    uint64_t count;
    uint64_t done;  /* in the execution that goes on */
    bool added;     /* without an event: needs not be waited for */
    bool is_joined; /* somebody waits for its end */
    struct branch *next;
};

struct model {
    uint32_t magic;
    enum model_state state;
    aclmdlRICaptureMode mode;
    pthread_t owner; /* who began the capture */
    struct context *context;
    struct branch *branches; /* the origin's first */
    struct branch **last;
    struct capture_mark *marks;
    uint32_t queued; /* executions that are not yet over */
    bool running;
    uint32_t branches_left;
    aclError error; /* of the execution that goes on */
    struct model *next;
};

struct model *model_create(struct context *context, aclmdlRICaptureMode mode);
struct branch *model_add_branch(struct model *model,
                                struct stream *stream); /* NULL: memory */
struct model *model_of(aclmdlRI handle);                /* locked; NULL: not one */
/* Makes the streams that it runs on. */
aclError model_make_ready(struct model *model);
void model_destroy(struct model *model);
void model_lose_all_of(int32_t device);
/* Locked. Calls visit for each model there is until it answers true. */
bool model_any(bool (*visit)(struct model *model, void *arg), void *arg);

#endif
