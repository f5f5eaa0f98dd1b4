#include "inject/replay/range_replay.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/device/deferred_errors.h"
#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/program/comm.h"
#include "inject/program/kernel_names.h"
#include "inject/program/marked_ranges.h"
#include "inject/program/mc2.h"
#include "inject/program/run_ranks.h"
#include "inject/replay/group_replay.h"
#include "inject/replay/launch_call.h"
#include "inject/replay/launch_single.h"
#include "inject/replay/pass_through.h"
#include "inject/session/session.h"
#include "lib/capture/format/records.h"

__thread bool range_capturing __attribute__((tls_model("initial-exec")));

enum { DONE_MS = 10 * 1000 };

/* The captured launches of one thread. */
struct segment {
    void *stream;
    struct device *device;
    char name[RANGE_NAME_MAX];
    uint64_t number; /* of its first launch */
    uint32_t launches;
    uint64_t ranks_fingerprint; /* of all launches with other ranks; 0: none */
    bool kernel_is_missing; /* an AI CPU kernel was captured, its AI Core kernel not yet
                             */
    bool incomplete;        /* a part was not captured: it can only run once */
    void *model;
};

/* Segments of all threads. They are not thread-local variables, because the static TLS
 * space for a library that is loaded late is small. */
static struct {
    atomic_flag used;
    struct segment segment;
} pool[ABI_DEVICES_MAX];
static __thread struct segment *current __attribute__((tls_model("initial-exec")));

static struct segment *take_segment(void)
{
    for (int i = 0; i < ABI_DEVICES_MAX; i++)
        if (!atomic_flag_test_and_set(&pool[i].used)) {
            memset(&pool[i].segment, 0, sizeof(pool[i].segment));
            return &pool[i].segment;
        }
    return NULL;
}

static void release_segment(const struct segment *segment)
{
    for (int i = 0; i < ABI_DEVICES_MAX; i++)
        if (&pool[i].segment == segment)
            atomic_flag_clear(&pool[i].used);
}

/* A child process has one thread, which captures nothing. */
void range_replay_reset(void)
{
    for (int i = 0; i < ABI_DEVICES_MAX; i++)
        atomic_flag_clear(&pool[i].used);
    range_capturing = false;
    current = NULL;
}

/* Writes the name of the latest open range, which is the innermost one. */
static bool range_name(char out[RANGE_NAME_MAX])
{
    char names[RANGE_NAME_MAX + 2];

    marked_ranges_write(names, sizeof(names));
    snprintf(out, RANGE_NAME_MAX, "%.*s", (int)strcspn(names, "\n"), names);
    return out[0] != '\0';
}

static int run_model(const void *arg)
{
    const struct segment *segment = arg;

    return runtime_execute_model(segment->model, segment->stream);
}

static bool begin(void *stream, struct device *device)
{
    struct segment *segment = marked_ranges_any() ? take_segment() : NULL;

    if (!segment)
        return false;
    if (!range_name(segment->name) || kernel_name_is_skipped(segment->name) ||
        !driver_read_device(device) || runtime_is_capturing(stream) ||
        runtime_capture_begin(stream) != 0) {
        release_segment(segment);
        return false;
    }
    segment->stream = stream;
    segment->device = device;
    current = segment;
    range_capturing = true;
    return true;
}

/* Returns true when the launch belongs to the current segment. Another thread may have
 * ended the range. */
static bool continues_segment(const void *stream, const struct device *device)
{
    char name[RANGE_NAME_MAX];

    return stream == current->stream && device == current->device && range_name(name) &&
           strcmp(name, current->name) == 0;
}

/* Returns true when a capture for this stream is open, possibly a new one. */
static bool continue_or_begin(void *stream, struct device *device)
{
    if (range_capturing && !continues_segment(stream, device))
        range_run();
    return range_capturing || begin(stream, device);
}

void range_expect_operator(void *stream)
{
    struct device *device = session_has_ranges() ? device_current() : NULL;

    if (device)
        continue_or_begin(stream, device);
}

void range_on_server(void *stream)
{
    if (!range_capturing)
        return;
    if (runtime_is_capturing(stream))
        current->kernel_is_missing = true;
    else
        current->incomplete = true;
}

bool range_capture_launch(const struct launch *launch,
                          struct device *device,
                          uint64_t number,
                          uint64_t ranks_fingerprint,
                          int *result)
{
    /* The AI CPU kernel was issued outside of the capture, so its kernel must not be
     * captured alone. */
    if (launch->mc2 && launch->mc2->kind == MC2_SERVED &&
        !(range_capturing && continues_segment(launch->stream, device))) {
        range_cut();
        return false;
    }
    if (!continue_or_begin(launch->stream, device))
        return false;
    *result = launch->run(launch->call);
    if (*result != 0) { /* not captured: issue the launch after the segment */
        range_run();
        *result = launch->run(launch->call);
        return true;
    }
    if (launch->mc2)
        current->kernel_is_missing = false;
    if (current->launches++ == 0)
        current->number = number;
    if (ranks_fingerprint)
        current->ranks_fingerprint = comm_hash(
            current->ranks_fingerprint, &ranks_fingerprint, sizeof(ranks_fingerprint));
    return true;
}

/* Executes the model once for the program, replayed or not. */
static int run_segment(struct segment *segment)
{
    const struct launch launch = {
        .kernel = segment->name,
        .stream = segment->stream,
        .kind = LAUNCH_RANGE,
        .blocks = segment->launches,
        .run = run_model,
        .call = segment,
    };
    uint64_t sequence;
    struct comm all;

    if (segment->incomplete || segment->kernel_is_missing)
        return pass_through(&launch, segment->device);
    if (!segment->ranks_fingerprint)
        return launch_single(&launch, segment->device, segment->name, segment->number);
    if (!run_ranks_all(segment->device, &all, &sequence))
        return pass_through(&launch, segment->device);
    return group_launch(&launch, &all, segment->device, segment->name, segment->number,
                        sequence, segment->ranks_fingerprint, true);
}

void range_run(void)
{
    struct segment *segment = current;
    int saved = errno, result;

    range_capturing = false;
    current = NULL;
    result = runtime_capture_end(segment->stream, &segment->model);
    if (result == 0 && segment->model &&
        (segment->launches > 0 || segment->kernel_is_missing))
        result = run_segment(segment);
    /* A model that still runs must not be destroyed. */
    if (segment->model && runtime_sync_stream(segment->stream, DONE_MS) == 0)
        runtime_destroy_model(segment->model);
    if (result != 0)
        deferred_errors_put(result, segment->device->visible, segment->stream);
    release_segment(segment);
    errno = saved;
}
