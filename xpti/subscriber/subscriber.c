/* subscriber.c - the functions that the dispatcher finds in this library
 *
 * The dispatcher announces each stream, calls the callbacks from any thread, finishes
 * most streams, and unloads the library. Some streams are never finished, so the
 * library also ends its output when it is unloaded. Events lie in the memory that the
 * worker reads, so nothing has to be flushed. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inject/base/thread.h"
#include "lib/capture/format/records.h"
#include "xpti/abi/abi.h"
#include "xpti/subscriber/callbacks.h"
#include "xpti/subscriber/dispatcher_calls.h"
#include "xpti/subscriber/object_numbers.h"
#include "xpti/subscriber/objects.h"
#include "xpti/subscriber/output.h"
#include "xpti/subscriber/selection.h"
#include "xpti/subscriber/streams.h"
#include "xpti/subscriber/text_numbers.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED xpti_init_fn xptiTraceInit;
EXPORTED xpti_finish_fn xptiTraceFinish;
EXPORTED xpti_detail_fn xptiQuerySubscriberStreamDetailLevel;

enum start_state { NOT_STARTED, STARTED, REFUSED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of init and finish */
static enum start_state state;
static bool has_metadata;

static uint64_t wall_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void write_process(const char *note)
{
    struct record_xpti_process record = {
        .time_ns = thread_now_ns(),
        .wall_ns = wall_ns(),
        .pid = (uint32_t)getpid(),
        .parent_pid = (uint32_t)getppid(),
        .generation = state == REFUSED ? 0 : dispatcher_calls_generation(),
        .has_metadata = has_metadata,
    };

    snprintf(record.note, sizeof(record.note), "%s", note);
    output_write(RECORD_XPTI_PROCESS, &record, sizeof(record));
}

static const char *metadata_note(void)
{
    return has_metadata ? "" : "metadata are missing: unknown layout of the dispatcher";
}

static void write_first_records(void)
{
    write_process(metadata_note());
    streams_write();
}

/* A child of fork() has one thread, and the ring belongs to its parent. */
static void reset_in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    thread_reset();
    output_reset();
    callbacks_reset();
    object_numbers_reset();
    text_numbers_reset();
}

/* Finds the dispatcher's functions and connects to the worker. */
static void start(void)
{
    const char *missing = NULL;
    char note[128];

    state = dispatcher_calls_find(&missing) ? STARTED : REFUSED;
    if (!output_open())
        return;
    if (state == REFUSED) {
        snprintf(note, sizeof(note), "the dispatcher lacks %s", missing);
        write_process(note);
        output_end();
        return;
    }
    has_metadata = dispatcher_calls_check_metadata();
    objects_read_metadata(has_metadata);
    write_process(metadata_note());
    callbacks_on_connect(write_first_records);
    pthread_atfork(NULL, NULL, reset_in_child);
}

void xptiTraceInit(unsigned major,
                   unsigned minor,
                   const char *version,
                   const char *stream)
{
    int saved = errno;
    const char *note = NULL;

    selection_read();
    if (!stream || !selection_has_stream(stream))
        return;
    pthread_mutex_lock(&lock);
    if (state == NOT_STARTED)
        start();
    if (state == STARTED && output_is_open())
        streams_add(stream, major, minor, version, callbacks_get, &note);
    if (note)
        write_process(note);
    pthread_mutex_unlock(&lock);
    errno = saved;
}

/* A finished stream stays registered: the producer may announce it again. */
void xptiTraceFinish(const char *stream)
{
    (void)stream;
}

/* Names of devices, and size and direction of transfers, are absent at the basic level.
 */
bool xptiQuerySubscriberStreamDetailLevel(const char *stream, uint8_t *level)
{
    if (!stream || !level)
        return false;
    selection_read();
    *level = !selection_has_stream(stream) ? XPTI_DETAIL_NONE
             : streams_is_verbose(stream)  ? XPTI_VERBOSE
                                           : XPTI_NORMAL;
    return true;
}

static void end(void) __attribute__((destructor));

/* A signal handler that calls exit() can have interrupted the writer of an event, which
 * then never releases its lock. The worker reads the ring to its end in any case. */
static void end(void)
{
    if (!callbacks_are_running())
        output_end();
}
