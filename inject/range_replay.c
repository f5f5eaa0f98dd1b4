#include "inject/range_replay.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "capture/records.h"
#include "inject/abi.h"
#include "inject/alone.h"
#include "inject/channel.h"
#include "inject/device.h"
#include "inject/driver.h"
#include "inject/names.h"
#include "inject/passes.h"
#include "inject/pending.h"
#include "inject/ranges.h"
#include "inject/replay.h"
#include "inject/runtime.h"
#include "inject/session.h"

__thread bool range_capturing __attribute__((tls_model("initial-exec")));

enum { DONE_MS = 10 * 1000 };

/* What is noted: one stretch of one thread. */
struct stretch {
    void *stream;
    struct device *device;
    char name[RANGE_NAME_MAX];
    uint32_t launches;
    void *model;
    union channel_message question, answer;
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
void range_forget(void)
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

    ranges_write(names, sizeof(names));
    snprintf(out, RANGE_NAME_MAX, "%.*s", (int)strcspn(names, "\n"), names);
    return out[0] != '\0';
}

static int run_model(const void *arg)
{
    const struct stretch *stretch = arg;

    return runtime_execute_model(stretch->model, stretch->stream);
}

static bool is_wanted(struct stretch *stretch,
                      const struct launch *launch,
                      struct device *device,
                      uint64_t number)
{
    const struct launch range = {
        .kernel = stretch->name, .stream = launch->stream, .kind = LAUNCH_RANGE};

    if (name_passes(stretch->name) || !driver_learn(device))
        return false;
    replay_fill_question(&stretch->question, &range, device, stretch->name, number);
    return replay_decide(&stretch->question, &stretch->answer);
}

static bool begin(const struct launch *launch, struct device *device, uint64_t number)
{
    struct stretch *stretch = ranges_any() ? take_stretch() : NULL;

    if (!stretch)
        return false;
    if (!range_name(stretch->name) || runtime_is_capturing(launch->stream) ||
        !is_wanted(stretch, launch, device, number) ||
        runtime_capture_begin(launch->stream) != 0) {
        give_stretch(stretch);
        return false;
    }
    stretch->stream = launch->stream;
    stretch->device = device;
    own = stretch;
    range_capturing = true;
    return true;
}

/* A range may have been ended by another thread, and a stream belongs to one card. */
static bool goes_on(const struct launch *launch, const struct device *device)
{
    char name[RANGE_NAME_MAX];

    return launch->stream == own->stream && device == own->device && range_name(name) &&
           strcmp(name, own->name) == 0;
}

bool range_take(const struct launch *launch,
                struct device *device,
                uint64_t number,
                int *result)
{
    if (range_capturing && !goes_on(launch, device))
        range_run();
    if (!range_capturing && !begin(launch, device, number))
        return false;
    *result = launch->run(launch->call);
    if (*result == 0)
        own->launches++;
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
    struct replay replay;
    int result;

    if (!device_claim(stretch->device))
        return replay_pass_through(&launch, stretch->device);
    stretch->question.prepare.block_dim = stretch->launches;
    replay_init(&replay, &launch, stretch->device, &stretch->question.prepare,
                &stretch->answer.decision);
    result = replay_alone(&replay);
    device_release(stretch->device);
    return result;
}

void range_run(void)
{
    struct stretch *stretch = own;
    int saved = errno, result;

    range_capturing = false;
    own = NULL;
    result = runtime_capture_end(stretch->stream, &stretch->model);
    if (result == 0 && stretch->model && stretch->launches > 0)
        result = run_noted(stretch);
    /* What still runs needs its model: then that stays. */
    if (stretch->model && runtime_sync_stream(stretch->stream, DONE_MS) == 0)
        runtime_destroy_model(stretch->model);
    if (result != 0)
        pending_put(result, stretch->device->visible, stretch->stream);
    give_stretch(stretch);
    errno = saved;
}
