#include "inject/launch/range_replay.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/base/thread.h"
#include "inject/device/deferred_errors.h"
#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/launch/launch_numbers.h"
#include "inject/launch/launch_single.h"
#include "inject/launch/unmeasured.h"
#include "inject/program/comm.h"
#include "inject/program/marked_ranges.h"
#include "inject/program/mc2.h"
#include "inject/program/run_ranks.h"
#include "inject/replay/ask_worker.h"
#include "inject/replay/group_replay.h"
#include "inject/replay/launch_call.h"
#include "inject/replay/pass_through.h"
#include "inject/replay/range_launches.h"
#include "inject/session/session.h"
#include "lib/capture/format/records.h"

__thread bool range_capturing __attribute__((tls_model("initial-exec")));

enum { DONE_MS = 10 * 1000 };

/* The captured launches of one thread. */
struct segment {
    void *stream;
    struct device *device;
    struct range range;
    uint64_t ranks_fingerprint; /* of all launches with other ranks; 0: none */
    bool kernel_is_missing; /* an AI CPU kernel was captured, its AI Core kernel not yet
                             */
    const char *why_not;    /* reason for which it can only run once, or NULL */
    void *model;
    struct range_launches launches; /* last: most of it is never touched */
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
            memset(&pool[i].segment, 0, offsetof(struct segment, launches.rows));
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

/* Finds the innermost open range that is selected by its name: one of this thread, or
 * else one of another thread, which may mark ranges for this one. */
static bool find_range(struct range *out)
{
    struct range range;
    bool found = false;

    for (size_t n = 0; marked_range_nth(n, &range); n++) {
        bool own = range.thread == thread_number();

        if (!range.name[0] || (found && !own) || !ask_worker_about_range(range.name))
            continue;
        *out = range;
        found = true;
        if (own)
            break;
    }
    return found;
}

static int run_model(const void *arg)
{
    const struct segment *segment = arg;

    return runtime_execute_model(segment->model, segment->stream);
}

/* Begins a capture. Otherwise *why_not is the reason, or NULL outside of all selected
 * ranges. */
static bool begin(void *stream, struct device *device, const char **why_not)
{
    struct segment *segment;
    struct range range;

    *why_not = NULL;
    if (!marked_ranges_any() || !find_range(&range) || !driver_read_device(device))
        return false;
    *why_not = "the program itself captures the stream";
    if (runtime_is_capturing(stream))
        return false;
    *why_not = "too many threads are in ranges";
    segment = take_segment();
    if (!segment)
        return false;
    *why_not = "the runtime does not capture this stream";
    if (runtime_capture_begin(stream) != 0) {
        release_segment(segment);
        return false;
    }
    segment->stream = stream;
    segment->device = device;
    segment->range = range;
    current = segment;
    range_capturing = true;
    return true;
}

/* Returns true when the launch belongs to the current segment. Another thread may have
 * ended the range. */
static bool continues_segment(const void *stream, const struct device *device)
{
    struct range range;

    return stream == current->stream && device == current->device &&
           !range_launches_is_full(&current->launches) && find_range(&range) &&
           range.id == current->range.id;
}

/* Returns true when a capture for this stream is open, possibly a new one. */
static bool continue_or_begin(void *stream, struct device *device, const char **why_not)
{
    if (range_capturing && !continues_segment(stream, device))
        range_run();
    return range_capturing || begin(stream, device, why_not);
}

void range_on_start(const char *name)
{
    if (range_capturing && name && *name && ask_worker_about_range(name))
        range_run();
}

void range_on_end(uint64_t id)
{
    if (range_capturing && current->range.id == id)
        range_run();
}

void range_expect_operator(void *stream)
{
    struct device *device = session_has_ranges() ? device_current() : NULL;
    const char *why_not;

    if (device)
        continue_or_begin(stream, device, &why_not);
}

void range_on_server(void *stream)
{
    if (!range_capturing)
        return;
    if (runtime_is_capturing(stream))
        current->kernel_is_missing = true;
    else
        current->why_not = "an AI CPU kernel was issued outside of the capture";
}

/* Counts the segment in its range. Returns the choice for earlier segments. */
static enum range_choice begin_segment(struct segment *segment, enum range_scope scope)
{
    enum range_choice choice;

    segment->launches.segment =
        marked_range_begin_segment(segment->range.id, scope, &choice);
    segment->launches.selected = choice == RANGE_SELECTED;
    return choice;
}

static void end_segment(const struct segment *segment, enum range_scope scope)
{
    marked_range_choose(segment->range.id, scope,
                        segment->launches.selected ? RANGE_SELECTED : RANGE_DECLINED);
}

static struct launch launch_of(struct segment *segment)
{
    return (struct launch){
        .kernel = segment->range.name,
        .stream = segment->stream,
        .kind = LAUNCH_RANGE,
        .blocks = segment->launches.count,
        .range = &segment->launches,
        .run = run_model,
        .call = segment,
    };
}

static void record_miss(struct segment *segment, const char *why)
{
    const struct launch launch = launch_of(segment);
    char text[128];

    snprintf(text, sizeof(text), "%.60s: %s",
             segment->launches.count ? segment->launches.rows[0].kernel : "no launch",
             why);
    unmeasured_record(&launch, segment->device, segment->range.name,
                      launch_numbers_next(), text);
}

void range_miss_launch(const struct launch *launch,
                       struct device *device,
                       const char *kernel,
                       uint64_t number,
                       const char *why)
{
    struct segment *segment;
    struct range range;
    int saved = errno;

    if (!marked_ranges_any() || !find_range(&range) || !(segment = take_segment()))
        return;
    segment->stream = launch->stream;
    segment->device = device;
    segment->range = range;
    if (begin_segment(segment, RANGE_ALONE) != RANGE_DECLINED) {
        range_launches_add(&segment->launches, launch, device, kernel, number);
        record_miss(segment, why);
        end_segment(segment, RANGE_ALONE);
    }
    release_segment(segment);
    errno = saved;
}

bool range_capture_launch(const struct launch *launch,
                          struct device *device,
                          const char *kernel,
                          uint64_t number,
                          uint64_t ranks_fingerprint,
                          int *result)
{
    const char *why_not = NULL;

    /* The AI CPU kernel was issued outside of the capture, so its kernel must not be
     * captured alone. */
    if (launch->mc2 && launch->mc2->kind == MC2_SERVED &&
        !(range_capturing && continues_segment(launch->stream, device))) {
        range_cut();
        range_miss_launch(launch, device, kernel, number,
                          "its AI CPU kernel was issued outside of the capture");
        return false;
    }
    if (!continue_or_begin(launch->stream, device, &why_not)) {
        if (why_not)
            range_miss_launch(launch, device, kernel, number, why_not);
        return false;
    }
    *result = launch->run(launch->call);
    if (*result != 0) { /* not captured: issue the launch after the segment */
        range_run();
        range_miss_launch(launch, device, kernel, number,
                          "the runtime refused to capture it");
        *result = launch->run(launch->call);
        return true;
    }
    if (launch->mc2)
        current->kernel_is_missing = false;
    range_launches_add(&current->launches, launch, device, kernel, number);
    if (ranks_fingerprint)
        current->ranks_fingerprint = comm_hash(
            current->ranks_fingerprint, &ranks_fingerprint, sizeof(ranks_fingerprint));
    return true;
}

/* Runs a segment in which other ranks take part. */
static int run_with_ranks(struct segment *segment, enum range_choice choice)
{
    const struct launch launch = launch_of(segment);
    uint64_t sequence;
    struct comm all;

    if (!run_ranks_all(segment->device, &all, &sequence)) {
        segment->why_not = "the other ranks are not known";
        return pass_through(&launch, segment->device);
    }
    return group_launch(&launch, &all, segment->device, segment->range.name,
                        launch_numbers_next(), sequence, segment->ranks_fingerprint,
                        choice != RANGE_DECLINED && !segment->why_not);
}

/* Executes the model once for the program, replayed or not. */
static int run_segment(struct segment *segment)
{
    const struct launch launch = launch_of(segment);
    enum range_scope scope = segment->ranks_fingerprint ? RANGE_ACROSS : RANGE_ALONE;
    enum range_choice choice = begin_segment(segment, scope);
    int result;

    if (segment->kernel_is_missing)
        segment->why_not = "its AI Core kernel was not captured";
    if (scope == RANGE_ACROSS)
        result = run_with_ranks(segment, choice);
    else if (choice == RANGE_DECLINED || segment->why_not)
        result = pass_through(&launch, segment->device);
    else
        result = launch_single(&launch, segment->device, segment->range.name,
                               launch_numbers_next());
    if (choice != RANGE_DECLINED && segment->why_not)
        record_miss(segment, segment->why_not);
    end_segment(segment, scope);
    return result;
}

void range_run(void)
{
    struct segment *segment = current;
    int saved = errno, result;

    range_capturing = false;
    current = NULL;
    result = runtime_capture_end(segment->stream, &segment->model);
    if (result == 0 && segment->model &&
        (segment->launches.count > 0 || segment->kernel_is_missing))
        result = run_segment(segment);
    /* A model that still runs must not be destroyed. */
    if (segment->model && runtime_sync_stream(segment->stream, DONE_MS) == 0)
        runtime_destroy_model(segment->model);
    if (result != 0)
        deferred_errors_put(result, segment->device->visible, segment->stream);
    release_segment(segment);
    errno = saved;
}
