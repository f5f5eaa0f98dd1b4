#include "inject/replay/range_replay.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/program/comm.h"
#include "inject/program/kernel_names.h"
#include "inject/program/marked_ranges.h"
#include "inject/program/mc2.h"
#include "inject/program/run_ranks.h"
#include "inject/replay/deferred_errors.h"
#include "inject/replay/group_replay.h"
#include "inject/replay/launch_call.h"
#include "inject/replay/launch_single.h"
#include "inject/replay/pass_through.h"
#include "inject/session/session.h"
#include "lib/capture/format/records.h"

__thread bool range_capturing __attribute__((tls_model("initial-exec")));

enum { DONE_MS = 10 * 1000 };

/* What is noted: one stretch of one thread. */
struct stretch {
    void *stream;
    struct device *device;
    char name[RANGE_NAME_MAX];
    uint64_t number; /* of its first launch */
    uint32_t launches;
    uint64_t across; /* what other cards take part in, all of it; 0: nothing */
    bool half;       /* an operator's AI CPU half was noted, its kernel was not yet */
    bool torn;       /* part of it was not noted: it can be run once only */
    void *model;
};

/* In use as long as their thread notes; a thread's own memory for libraries is small.
 */
static struct {
    atomic_flag used;
    struct stretch stretch;
} pool[ABI_DEVICES_MAX];
static __thread struct stretch *own __attribute__((tls_model("initial-exec")));

static struct stretch *take_stretch(void)
{
    for (int i = 0; i < ABI_DEVICES_MAX; i++)
        if (!atomic_flag_test_and_set(&pool[i].used)) {
            memset(&pool[i].stretch, 0, sizeof(pool[i].stretch));
            return &pool[i].stretch;
        }
    return NULL;
}

static void give_stretch(const struct stretch *stretch)
{
    for (int i = 0; i < ABI_DEVICES_MAX; i++)
        if (&pool[i].stretch == stretch)
            atomic_flag_clear(&pool[i].used);
}

/* In a child: its one thread notes nothing, and the others are not there. */
void range_replay_reset(void)
{
    for (int i = 0; i < ABI_DEVICES_MAX; i++)
        atomic_flag_clear(&pool[i].used);
    range_capturing = false;
    own = NULL;
}

/* The latest open range: the innermost, where they nest. */
static bool range_name(char out[RANGE_NAME_MAX])
{
    char names[RANGE_NAME_MAX + 2];

    marked_ranges_write(names, sizeof(names));
    snprintf(out, RANGE_NAME_MAX, "%.*s", (int)strcspn(names, "\n"), names);
    return out[0] != '\0';
}

static int run_model(const void *arg)
{
    const struct stretch *stretch = arg;

    return runtime_execute_model(stretch->model, stretch->stream);
}

static bool begin(void *stream, struct device *device)
{
    struct stretch *stretch = marked_ranges_any() ? take_stretch() : NULL;

    if (!stretch)
        return false;
    if (!range_name(stretch->name) || kernel_name_is_skipped(stretch->name) ||
        !driver_read_device(device) || runtime_is_capturing(stream) ||
        runtime_capture_begin(stream) != 0) {
        give_stretch(stretch);
        return false;
    }
    stretch->stream = stream;
    stretch->device = device;
    own = stretch;
    range_capturing = true;
    return true;
}

/* A range may have been ended by another thread, and a stream belongs to one card. */
static bool goes_on(const void *stream, const struct device *device)
{
    char name[RANGE_NAME_MAX];

    return stream == own->stream && device == own->device && range_name(name) &&
           strcmp(name, own->name) == 0;
}

/* In a capture that goes on, or in a new one. */
static bool be_in(void *stream, struct device *device)
{
    if (range_capturing && !goes_on(stream, device))
        range_run();
    return range_capturing || begin(stream, device);
}

void range_expect_operator(void *stream)
{
    struct device *device = session_has_ranges() ? device_current() : NULL;

    if (device)
        be_in(stream, device);
}

void range_on_server(void *stream)
{
    if (!range_capturing)
        return;
    if (runtime_is_capturing(stream))
        own->half = true;
    else
        own->torn = true;
}

bool range_capture_launch(const struct launch *launch,
                          struct device *device,
                          uint64_t number,
                          uint64_t across,
                          int *result)
{
    /* a kernel whose other half is under way already is not to be noted without it */
    if (launch->mc2 && launch->mc2->kind == MC2_SERVED &&
        !(range_capturing && goes_on(launch->stream, device))) {
        range_cut();
        return false;
    }
    if (!be_in(launch->stream, device))
        return false;
    *result = launch->run(launch->call);
    if (*result != 0) { /* it may be that it cannot be noted: as it is, then */
        range_run();
        *result = launch->run(launch->call);
        return true;
    }
    if (launch->mc2)
        own->half = false;
    if (own->launches++ == 0)
        own->number = number;
    if (across)
        own->across = comm_hash(own->across, &across, sizeof(across));
    return true;
}

/* Exactly once, with or without us. */
static int run_noted(struct stretch *stretch)
{
    const struct launch launch = {
        .kernel = stretch->name,
        .stream = stretch->stream,
        .kind = LAUNCH_RANGE,
        .blocks = stretch->launches,
        .run = run_model,
        .call = stretch,
    };
    uint64_t sequence;
    struct comm all;

    if (stretch->torn || stretch->half)
        return pass_through(&launch, stretch->device);
    if (!stretch->across)
        return launch_single(&launch, stretch->device, stretch->name, stretch->number);
    if (!run_ranks_all(stretch->device, &all, &sequence))
        return pass_through(&launch, stretch->device);
    return group_launch(&launch, &all, stretch->device, stretch->name, stretch->number,
                        sequence, stretch->across, true);
}

void range_run(void)
{
    struct stretch *stretch = own;
    int saved = errno, result;

    range_capturing = false;
    own = NULL;
    result = runtime_capture_end(stretch->stream, &stretch->model);
    if (result == 0 && stretch->model && (stretch->launches > 0 || stretch->half))
        result = run_noted(stretch);
    /* What still runs needs its model: then that stays. */
    if (stretch->model && runtime_sync_stream(stretch->stream, DONE_MS) == 0)
        runtime_destroy_model(stretch->model);
    if (result != 0)
        deferred_errors_put(result, stretch->device->visible, stretch->stream);
    give_stretch(stretch);
    errno = saved;
}
