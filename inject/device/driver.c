#include "inject/device/driver.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "inject/base/abi.h"
#include "inject/base/real_functions.h"
#include "inject/base/runtime.h"
#include "inject/base/thread.h"
#include "inject/device/device.h"
#include "inject/session/record_output.h"
#include "lib/capture/format/records.h"
#include "lib/shm/control_channel.h"

enum {
    TAPS_MAX = 4 * ABI_DEVICES_MAX, /* at once */
    READ_BYTES = RECORD_PIECE_MAX,
    POLL_MAX = 64,
    POLL_S = 1,
    SERVER_PERIOD = 100,
    DRAIN_MS = 2000, /* the longest that the end of a tap may take */
};

#define ASKED(X)                                                                       \
    X(halGetDeviceInfo)                                                                \
    X(halGetDeviceInfoByBuff)                                                          \
    X(prof_drv_get_channels)                                                           \
    X(prof_drv_start)                                                                  \
    X(prof_channel_poll)                                                               \
    X(prof_channel_read)                                                               \
    X(halProfDataFlush)                                                                \
    X(prof_stop)

static struct {
#define X(name) void *name;
    ASKED(X)
#undef X
} driver;

struct profiling_channel {
    pthread_mutex_t lock; /* reading, so that bytes stay in order */
    atomic_bool open;
    uint32_t device;
    uint32_t channel;
    struct profiling_label label;
    uint64_t offset;
    uint8_t *buffer; /* READ_BYTES; kept */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct profiling_channel taps[TAPS_MAX];
static pthread_mutex_t taps_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int open_taps;
static bool reader_runs;
static bool simulated; /* the runtime says so of itself */

static void find_all(void)
{
#define X(name) driver.name = real_function_lookup(LAYER_DRIVER, #name);
    ASKED(X)
#undef X
    simulated = real_function_lookup(LAYER_RT, "npu_sim_version") != NULL;
}

void driver_reset(void)
{
    pthread_mutex_init(&taps_lock, NULL);
    pthread_cond_init(&work, NULL);
    for (int i = 0; i < TAPS_MAX; i++) {
        pthread_mutex_init(&taps[i].lock, NULL);
        atomic_store(&taps[i].open, false);
    }
    open_taps = 0;
    reader_runs = false;
}

static int64_t ask(const struct device *device, int module, int info)
{
    int (*get)(uint32_t, int32_t, int32_t, int64_t *) =
        (int (*)(uint32_t, int32_t, int32_t, int64_t *))driver.halGetDeviceInfo;
    int64_t value = 0;

    return get && get((uint32_t)device->logical, module, info, &value) == 0 && value > 0
               ? value
               : 0;
}

bool driver_read_device(struct device *device)
{
    pthread_once(&once, find_all);
    if (!driver.prof_drv_start || !driver.prof_channel_read || !driver.prof_stop ||
        !driver.prof_channel_poll)
        return false;
    if (atomic_load(&device->known))
        return true;

    pthread_mutex_lock(&device->ask);
    if (!atomic_load(&device->known)) {
        device->logical = runtime_logical(device->visible);
        device->chip = (uint32_t)(ask(device, MODULE_SYSTEM, INFO_VERSION) >> 8) & 0xff;
        device->core_count = (uint32_t)ask(device, MODULE_AICORE, INFO_CORE_NUM);
        device->rated_mhz = (uint32_t)ask(device, MODULE_AICORE, INFO_FREQUENCY);
        device->ticks_khz =
            (uint32_t)ask(device, MODULE_SYSTEM, INFO_DEV_OSC_FREQUENCY);
        device->l2_bytes = (uint64_t)runtime_l2_bytes(device->visible);
        runtime_soc(device->soc, sizeof(device->soc));
        atomic_store(&device->known, true);
    }
    pthread_mutex_unlock(&device->ask);
    return true;
}

bool driver_is_simulated(void)
{
    return simulated;
}

uint32_t driver_core_mhz(const struct device *device)
{
    int (*get)(uint32_t, int32_t, int32_t, void *, int32_t *) = (int (*)(
        uint32_t, int32_t, int32_t, void *, int32_t *))driver.halGetDeviceInfoByBuff;
    int32_t mhz = 0, size = sizeof(mhz);

    return get &&
                   get((uint32_t)device->logical, MODULE_AICORE, INFO_CURRENT_FREQUENCY,
                       &mhz, &size) == 0 &&
                   mhz > 0
               ? (uint32_t)mhz
               : 0;
}

void driver_read_clocks(const struct device *device, struct record_run_clock *clock)
{
    clock->host_before_ns = thread_now_ns();
    clock->device_ticks = (uint64_t)ask(device, MODULE_SYSTEM, INFO_SYS_COUNT);
    clock->device_mono_ns = (uint64_t)ask(device, MODULE_SYSTEM, INFO_MONOTONIC_RAW);
    clock->host_after_ns = thread_now_ns();
}

static void tell_bytes(struct profiling_channel *tap, uint32_t size, bool lost)
{
    struct record_channel_bytes head = {
        .device = tap->device,
        .channel = tap->channel,
        .pass = tap->label.pass,
        .launch = tap->label.launch,
        .offset = tap->offset,
        .lost = lost,
    };

    record_output_bytes(&head, tap->buffer, size);
    tap->offset += size;
}

/* Reads until the channel has nothing more; counts what came. */
static uint64_t tap_drain(struct profiling_channel *tap)
{
    int (*read_channel)(unsigned, unsigned, char *, unsigned) =
        (int (*)(unsigned, unsigned, char *, unsigned))driver.prof_channel_read;
    uint64_t deadline = thread_now_ns() + DRAIN_MS * 1000000ULL;
    uint64_t sum = 0;

    pthread_mutex_lock(&tap->lock);
    while (atomic_load(&tap->open) && thread_now_ns() < deadline) {
        int size =
            read_channel(tap->device, tap->channel, (char *)tap->buffer, READ_BYTES);

        if (size <= 0 || size > READ_BYTES)
            break;
        tell_bytes(tap, (uint32_t)size, false);
        sum += (uint64_t)size;
    }
    pthread_mutex_unlock(&tap->lock);
    return sum;
}

static struct profiling_channel *find_tap(uint32_t device, uint32_t channel)
{
    for (int i = 0; i < TAPS_MAX; i++)
        if (atomic_load(&taps[i].open) && taps[i].device == device &&
            taps[i].channel == channel)
            return &taps[i];
    return NULL;
}

/* The one thread that polls. Between profiled launches it waits for work. */
static void *read_for_ever(void *arg)
{
    int (*poll_channels)(struct prof_poll *, int, int) =
        (int (*)(struct prof_poll *, int, int))driver.prof_channel_poll;
    static struct prof_poll ready[POLL_MAX];

    (void)arg;
    hook_depth = 1; /* whatever the driver calls is not the program's */
    for (;;) {
        pthread_mutex_lock(&taps_lock);
        while (open_taps == 0)
            pthread_cond_wait(&work, &taps_lock);
        pthread_mutex_unlock(&taps_lock);

        int count = poll_channels(ready, POLL_MAX, POLL_S);

        for (int i = 0; i < count && i < POLL_MAX; i++) {
            struct profiling_channel *tap = find_tap(ready[i].device, ready[i].channel);

            if (tap)
                tap_drain(tap);
        }
        if (count < 0) { /* nothing is open, or an error: no hot loop */
            const struct timespec moment = {.tv_nsec = 1000 * 1000};

            nanosleep(&moment, NULL);
        }
    }
    return NULL;
}

/* Without the thread the end of each tap still reads all that fits the driver. */
static void start_reader(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;

    if (reader_runs)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    reader_runs = pthread_create(&thread, &attributes, read_for_ever, NULL) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static struct profiling_channel *take_free_tap(void)
{
    struct profiling_channel *tap = NULL;

    pthread_mutex_lock(&taps_lock);
    for (int i = 0; i < TAPS_MAX && !tap; i++)
        if (!atomic_load(&taps[i].open))
            tap = &taps[i];
    if (tap && !tap->buffer) {
        void *buffer = mmap(NULL, READ_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        pthread_mutex_init(&tap->lock, NULL);
        tap->buffer = buffer == MAP_FAILED ? NULL : buffer;
    }
    if (tap && tap->buffer) {
        atomic_store(&tap->open, true);
        open_taps++;
        start_reader();
    } else {
        tap = NULL;
    }
    pthread_mutex_unlock(&taps_lock);
    return tap;
}

static void give_back_tap(struct profiling_channel *tap)
{
    pthread_mutex_lock(&tap->lock);
    pthread_mutex_lock(&taps_lock);
    atomic_store(&tap->open, false);
    open_taps--;
    pthread_mutex_unlock(&taps_lock);
    pthread_mutex_unlock(&tap->lock);
}

static struct profiling_channel *tap_open(const struct device *device,
                                          uint32_t channel,
                                          const struct profiling_label *label,
                                          struct prof_start *parameters,
                                          int *why)
{
    int (*start)(unsigned, unsigned, struct prof_start *) =
        (int (*)(unsigned, unsigned, struct prof_start *))driver.prof_drv_start;
    struct profiling_channel *tap = take_free_tap();

    *why = -1;
    if (!tap)
        return NULL;
    tap->device = (uint32_t)device->logical;
    tap->channel = channel;
    tap->label = *label;
    tap->offset = 0;
    parameters->real_time = 1;
    *why = start(tap->device, channel, parameters);
    if (*why != 0) {
        give_back_tap(tap);
        return NULL;
    }
    pthread_mutex_lock(&taps_lock);
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&taps_lock);
    return tap;
}

/* A channel of the task scheduler. */
static struct profiling_channel *tap_start(const struct device *device,
                                           uint32_t channel,
                                           const struct profiling_label *label,
                                           void *config,
                                           size_t config_size,
                                           int *why)
{
    struct prof_start parameters = {
        .channel_type = PROF_SCHEDULER,
        .user_data = config,
        .user_data_size = (uint32_t)config_size,
    };

    return tap_open(device, channel, label, &parameters, why);
}

static struct profiling_channel *counters_a5(const struct device *device,
                                             const struct profiling_label *label,
                                             const struct control_pass *pass,
                                             int *why)
{
    struct task_pmu_config_a5 config = {
        .mode = 3,
        .aic = {5, 0, UINT32_MAX, pass->event_count, {0}},
        .aiv = {5, 0, UINT32_MAX, pass->event_count, {0}},
        .block_shrink = SWITCH_OFF,
    };

    memcpy(config.aic.events, pass->aic, sizeof(config.aic.events));
    memcpy(config.aiv.events, pass->aiv, sizeof(config.aiv.events));
    return tap_start(device, PROF_TASK_PMU, label, &config, sizeof(config), why);
}

static struct profiling_channel *counters_a2(const struct device *device,
                                             const struct profiling_label *label,
                                             const struct control_pass *pass,
                                             int *why)
{
    struct task_pmu_config config = {
        .mode = 3,
        .aic = {5, 0, UINT32_MAX, 8, {0}},
        .aiv = {5, 0, UINT32_MAX, 8, {0}},
    };

    memcpy(config.aic.events, pass->aic, sizeof(config.aic.events));
    memcpy(config.aiv.events, pass->aiv, sizeof(config.aiv.events));
    return tap_start(device, PROF_TASK_PMU, label, &config, sizeof(config), why);
}

static struct profiling_channel *counters_310p(const struct device *device,
                                               const struct profiling_label *label,
                                               const struct control_pass *pass,
                                               int *why)
{
    struct aicore_config config = {.core_mask = UINT32_MAX, .count = 8};

    for (int i = 0; i < 8; i++)
        config.events[i] = pass->aic[i];
    return tap_start(device, PROF_AICORE, label, &config, sizeof(config), why);
}

struct profiling_channel *profiling_open_counters(const struct device *device,
                                                  const struct profiling_label *label,
                                                  const struct control_pass *pass,
                                                  int *why)
{
    switch (device->chip) {
    case ABI_CHIP_A5:
        return counters_a5(device, label, pass, why);
    case ABI_CHIP_310P:
        return counters_310p(device, label, pass, why);
    default:
        return counters_a2(device, label, pass, why);
    }
}

struct profiling_channel *profiling_open_task_log(const struct device *device,
                                                  const struct profiling_label *label,
                                                  int *why)
{
    struct stars_log_config stars = {
        .acsq_task = SWITCH_ON,
        .acc_pmu = SWITCH_ON,
        .cdqm = SWITCH_OFF,
        .vpc = SWITCH_OFF,
        .jpegd = SWITCH_OFF,
        .jpege = SWITCH_OFF,
        .ffts_context = SWITCH_ON,
        .ffts_block = SWITCH_OFF,
        .sdma = SWITCH_OFF,
    };
    uint32_t tag = 0;

    if (device->chip == ABI_CHIP_310P)
        return tap_start(device, PROF_HWTS_LOG, label, &tag, sizeof(tag), why);
    return tap_start(device, PROF_STARS_LOG, label, &stars, sizeof(stars), why);
}

struct profiling_channel *profiling_open_l2(const struct device *device,
                                            const struct profiling_label *label,
                                            const uint16_t events[8],
                                            int *why)
{
    struct l2_config config = {.count = 8};
    struct profiling_label without_pass = {.launch = label->launch};

    for (int i = 0; i < 8; i++)
        config.events[i] = events[i];
    return tap_start(device, PROF_L2, &without_pass, &config, sizeof(config), why);
}

struct profiling_channel *profiling_open_aicpu(const struct device *device,
                                               const struct profiling_label *label,
                                               int *why)
{
    struct prof_start parameters = {
        .channel_type = PROF_PERIPHERAL,
        .sample_period = SERVER_PERIOD,
    };

    return tap_open(device, PROF_SERVER, label, &parameters, why);
}

/* Pushes what the device still holds to the host, and reads it. */
static void flush_and_drain(struct profiling_channel *tap)
{
    int (*flush)(unsigned, unsigned, unsigned *) =
        (int (*)(unsigned, unsigned, unsigned *))driver.halProfDataFlush;
    uint64_t deadline = thread_now_ns() + DRAIN_MS * 1000000ULL;
    unsigned left = 0;

    do {
        left = 0;
        if (flush && flush(tap->device, tap->channel, &left) != 0)
            left = 0;
        tap_drain(tap);
    } while (left > 0 && thread_now_ns() < deadline);
}

void profiling_set_pass(struct profiling_channel *tap, uint32_t pass)
{
    flush_and_drain(tap);
    pthread_mutex_lock(&tap->lock);
    tap->label.pass = pass;
    tap->offset = 0;
    pthread_mutex_unlock(&tap->lock);
}

bool profiling_close(struct profiling_channel **handed)
{
    int (*stop)(unsigned, unsigned) = (int (*)(unsigned, unsigned))driver.prof_stop;
    const struct timespec settle = {.tv_nsec = 100 * 1000};
    struct profiling_channel *tap = *handed;
    bool lost;

    *handed = NULL;
    if (!tap)
        return true;
    nanosleep(&settle, NULL); /* records of the last task are still on their way */
    flush_and_drain(tap);
    lost = stop(tap->device, tap->channel) == PROF_DATA_LOST;
    tap_drain(tap);
    if (lost)
        tell_bytes(tap, 0, true);
    give_back_tap(tap);
    return !lost;
}
