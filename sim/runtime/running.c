#include "sim/runtime/running.h"

#include <stddef.h>

static _Thread_local struct {
    struct stream *stream;
    aclError error;
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

aclError running_take_error(aclError returned)
{
    aclError error = returned ? returned : running.error;

    running.error = 0;
    return error;
}
