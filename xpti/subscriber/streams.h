/* streams.h - the streams that the subscriber records
 *
 * A callback does not receive its stream. Each recorded stream therefore has callbacks
 * of its own (callbacks.h), found by its place in the list. */
#ifndef XPTI_SUBSCRIBER_STREAMS_H
#define XPTI_SUBSCRIBER_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "xpti/abi/abi.h"

enum { STREAMS_MAX = 16 };

enum stream_kind {
    STREAM_GRAPH,  /* nodes, tasks, queues: sycl */
    STREAM_CALLS,  /* calls with their arguments: ur.call, sycl.pi.debug */
    STREAM_NAMES,  /* names of calls only: sycl.pi */
    STREAM_MEMORY, /* allocations */
    STREAM_BUFFER,
    STREAM_IMAGE,
    STREAM_OTHER, /* of an application: all types */
};

/* Returns the callback of the stream at this place of the list. */
typedef xpti_callback_fn *stream_callback_fn(unsigned stream);

/* Registers the callbacks of an announced stream and writes its record. `note` gets the
 * reason when the stream is not recorded although it is selected. */
void streams_add(const char *name,
                 uint32_t major,
                 uint32_t minor,
                 const char *version,
                 stream_callback_fn *callback,
                 const char **note);
/* Writes the records of all streams again, for a new connection. */
void streams_write(void);
enum stream_kind streams_kind(unsigned stream);
/* Returns true for the variants of a stream with all metadata. */
bool streams_is_verbose(const char *name);

#endif
