#include "sim/runtime/stream/running.h"

#include <stddef.h>

static _Thread_local struct {
    struct stream *stream;
    aclError error;
    uint64_t waits_since_ms; /* 0: the task has not waited */
} running;

void running_begin(struct stream *stream)
{
    running.stream = stream;
}

struct stream *running_stream(void)
{
    return running.stream;
}

void running_fail(aclError error)
{
    if (!running.error)
        running.error = error;
}

uint64_t running_waits_since(uint64_t now_ms)
{
    if (!running.waits_since_ms)
        running.waits_since_ms = now_ms;
    return running.waits_since_ms;
}

aclError running_take_error(aclError returned)
{
    aclError error = returned ? returned : running.error;

    running.error = 0;
    running.waits_since_ms = 0;
    return error;
}
