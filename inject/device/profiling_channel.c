#include "inject/device/profiling_channel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "inject/base/abi.h"
#include "inject/base/real_functions.h"
#include "inject/base/thread.h"
#include "inject/device/device.h"
#include "inject/session/record_output.h"
#include "lib/capture/format/records.h"
#include "lib/shm/control_channel.h"

enum {
    CHANNELS_MAX = 4 * ABI_DEVICES_MAX, /* open at the same time */
    READ_BYTES = RECORD_PIECE_MAX,
    POLL_MAX = 64,
    POLL_S = 1,
    AICPU_PERIOD = 100,
    CORE_PERIOD = 32, /* cycles between two samples */
    DRAIN_MS = 2000,  /* longest time to read a channel when it is closed */
};

#define PROFILING_FUNCTIONS(X)                                                         \
    X(prof_drv_start)                                                                  \
    X(prof_channel_poll)                                                               \
    X(prof_channel_read)                                                               \
    X(halProfDataFlush)                                                                \
    X(halGetAPIVersion)                                                                \
    X(prof_stop)

static struct {
#define X(name) void *name;
    PROFILING_FUNCTIONS(X)
#undef X
} driver;

struct profiling_channel {
    pthread_mutex_t lock; /* held while reading, so that the bytes stay in order */
    atomic_bool open;
    uint32_t device;
    uint32_t number;
    struct profiling_label label;
    uint64_t offset;
    uint8_t *buffer; /* READ_BYTES; mapped at the first use and never unmapped */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct profiling_channel channels[CHANNELS_MAX];
static pthread_mutex_t channels_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int open_count;
static bool reader_runs;

static void find_functions(void)
{
#define X(name) driver.name = real_function_lookup(LAYER_DRIVER, #name);
    PROFILING_FUNCTIONS(X)
#undef X
}

bool profiling_is_available(void)
{
    pthread_once(&once, find_functions);
    return driver.prof_drv_start && driver.prof_channel_read && driver.prof_stop &&
           driver.prof_channel_poll;
}

void profiling_reset(void)
{
    pthread_mutex_init(&channels_lock, NULL);
    pthread_cond_init(&opened, NULL);
    for (int i = 0; i < CHANNELS_MAX; i++) {
        pthread_mutex_init(&channels[i].lock, NULL);
        atomic_store(&channels[i].open, false);
    }
    open_count = 0;
    reader_runs = false;
}

static void write_bytes(struct profiling_channel *channel, uint32_t size, bool lost)
{
    struct record_channel_bytes head = {
        .device = channel->device,
        .channel = channel->number,
        .pass = channel->label.pass,
        .launch = channel->label.launch,
        .offset = channel->offset,
        .lost = lost,
    };

    record_output_bytes(&head, channel->buffer, size);
    channel->offset += size;
}

/* Reads until the channel is empty. */
static void drain_channel(struct profiling_channel *channel)
{
    int (*read_channel)(unsigned, unsigned, char *, unsigned) =
        (int (*)(unsigned, unsigned, char *, unsigned))driver.prof_channel_read;
    uint64_t deadline = thread_now_ns() + DRAIN_MS * 1000000ULL;

    pthread_mutex_lock(&channel->lock);
    while (atomic_load(&channel->open) && thread_now_ns() < deadline) {
        int size = read_channel(channel->device, channel->number,
                                (char *)channel->buffer, READ_BYTES);

        if (size <= 0 || size > READ_BYTES)
            break;
        write_bytes(channel, (uint32_t)size, false);
    }
    pthread_mutex_unlock(&channel->lock);
}

static struct profiling_channel *find_channel(uint32_t device, uint32_t number)
{
    for (int i = 0; i < CHANNELS_MAX; i++)
        if (atomic_load(&channels[i].open) && channels[i].device == device &&
            channels[i].number == number)
            return &channels[i];
    return NULL;
}

/* The thread that polls all channels. It waits while no channel is open. */
static void *read_channels(void *arg)
{
    int (*poll_channels)(struct prof_poll *, int, int) =
        (int (*)(struct prof_poll *, int, int))driver.prof_channel_poll;
    static struct prof_poll ready[POLL_MAX];

    (void)arg;
    hook_depth = 1; /* calls of the driver are not calls of the program */
    for (;;) {
        pthread_mutex_lock(&channels_lock);
        while (open_count == 0)
            pthread_cond_wait(&opened, &channels_lock);
        pthread_mutex_unlock(&channels_lock);

        int count = poll_channels(ready, POLL_MAX, POLL_S);

        for (int i = 0; i < count && i < POLL_MAX; i++) {
            struct profiling_channel *channel =
                find_channel(ready[i].device, ready[i].channel);

            if (channel)
                drain_channel(channel);
        }
        if (count < 0) { /* no open channel, or an error: do not poll in a busy loop */
            const struct timespec pause = {.tv_nsec = 1000 * 1000};

            nanosleep(&pause, NULL);
        }
    }
    return NULL;
}

/* When the thread cannot be created, profiling_close() still reads what the buffers of
 * the driver hold. */
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
    reader_runs = pthread_create(&thread, &attributes, read_channels, NULL) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static struct profiling_channel *take_channel(void)
{
    struct profiling_channel *channel = NULL;

    pthread_mutex_lock(&channels_lock);
    for (int i = 0; i < CHANNELS_MAX && !channel; i++)
        if (!atomic_load(&channels[i].open))
            channel = &channels[i];
    if (channel && !channel->buffer) {
        void *buffer = mmap(NULL, READ_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        pthread_mutex_init(&channel->lock, NULL);
        channel->buffer = buffer == MAP_FAILED ? NULL : buffer;
    }
    if (channel && channel->buffer) {
        atomic_store(&channel->open, true);
        open_count++;
        start_reader();
    } else {
        channel = NULL;
    }
    pthread_mutex_unlock(&channels_lock);
    return channel;
}

static void release_channel(struct profiling_channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    pthread_mutex_lock(&channels_lock);
    atomic_store(&channel->open, false);
    open_count--;
    pthread_mutex_unlock(&channels_lock);
    pthread_mutex_unlock(&channel->lock);
}

static struct profiling_channel *start_channel(const struct device *device,
                                               uint32_t number,
                                               const struct profiling_label *label,
                                               struct prof_start *parameters,
                                               int *why)
{
    int (*start)(unsigned, unsigned, struct prof_start *) =
        (int (*)(unsigned, unsigned, struct prof_start *))driver.prof_drv_start;
    struct profiling_channel *channel = take_channel();

    *why = -1;
    if (!channel)
        return NULL;
    channel->device = (uint32_t)device->logical;
    channel->number = number;
    channel->label = *label;
    channel->offset = 0;
    parameters->real_time = 1;
    *why = start(channel->device, number, parameters);
    if (*why != 0) {
        release_channel(channel);
        return NULL;
    }
    pthread_mutex_lock(&channels_lock);
    pthread_cond_signal(&opened);
    pthread_mutex_unlock(&channels_lock);
    return channel;
}

/* A channel of the task scheduler. */
static struct profiling_channel *
start_scheduler_channel(const struct device *device,
                        uint32_t number,
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

    return start_channel(device, number, label, &parameters, why);
}

static struct profiling_channel *open_counters_a5(const struct device *device,
                                                  const struct profiling_label *label,
                                                  const struct control_pass *pass,
                                                  bool partial,
                                                  int *why)
{
    struct task_pmu_config_a5 config = {
        .mode = 3,
        .aic = {5, 0, UINT32_MAX, pass->event_count, {0}},
        .aiv = {5, 0, UINT32_MAX, pass->event_count, {0}},
        .block_shrink = SWITCH_OFF,
        .scale = partial,
    };

    memcpy(config.aic.events, pass->aic, sizeof(config.aic.events));
    memcpy(config.aiv.events, pass->aiv, sizeof(config.aiv.events));
    return start_scheduler_channel(device, PROF_TASK_PMU, label, &config,
                                   sizeof(config), why);
}

static struct profiling_channel *open_counters_a2(const struct device *device,
                                                  const struct profiling_label *label,
                                                  const struct control_pass *pass,
                                                  bool partial,
                                                  int *why)
{
    struct task_pmu_config config = {
        .mode = 3,
        .aic = {5, 0, UINT32_MAX, 8, {0}},
        .aiv = {5, 0, UINT32_MAX, 8, {0}},
        .scale = partial,
    };

    memcpy(config.aic.events, pass->aic, sizeof(config.aic.events));
    memcpy(config.aiv.events, pass->aiv, sizeof(config.aiv.events));
    return start_scheduler_channel(device, PROF_TASK_PMU, label, &config,
                                   sizeof(config), why);
}

static struct profiling_channel *open_counters_310p(const struct device *device,
                                                    const struct profiling_label *label,
                                                    const struct control_pass *pass,
                                                    int *why)
{
    struct aicore_config config = {.core_mask = UINT32_MAX, .count = 8};

    for (int i = 0; i < 8; i++)
        config.events[i] = pass->aic[i];
    return start_scheduler_channel(device, PROF_AICORE, label, &config, sizeof(config),
                                   why);
}

struct profiling_channel *profiling_open_counters(const struct device *device,
                                                  const struct profiling_label *label,
                                                  const struct control_pass *pass,
                                                  bool partial,
                                                  int *why)
{
    switch (device->chip) {
    case ABI_CHIP_A5:
        return open_counters_a5(device, label, pass, partial, why);
    case ABI_CHIP_310P:
        return open_counters_310p(device, label, pass, why);
    default:
        return open_counters_a2(device, label, pass, partial, why);
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
        return start_scheduler_channel(device, PROF_HWTS_LOG, label, &tag, sizeof(tag),
                                       why);
    return start_scheduler_channel(device, PROF_STARS_LOG, label, &stars, sizeof(stars),
                                   why);
}

struct profiling_channel *profiling_open_l2(const struct device *device,
                                            const struct profiling_label *label,
                                            const uint16_t events[8],
                                            int *why)
{
    struct l2_config config = {.count = 8};
    struct profiling_label launch_label = {.launch = label->launch};

    for (int i = 0; i < 8; i++)
        config.events[i] = events[i];
    return start_scheduler_channel(device, PROF_L2, &launch_label, &config,
                                   sizeof(config), why);
}

static size_t core_config_bytes(void)
{
    int (*get)(int *) = (int (*)(int *))driver.halGetAPIVersion;
    size_t bytes = sizeof(struct core_channel_config);
    int version = 0;

    return get && get(&version) == 0 && version >= PROF_LONG_CORE_CONFIG ? bytes
                                                                         : bytes - 1;
}

struct profiling_channel *profiling_open_core(const struct device *device,
                                              const struct profiling_label *label,
                                              uint32_t channel,
                                              uint32_t mode,
                                              int *why)
{
    struct core_channel_config config = {.period = CORE_PERIOD, .mode = mode};

    return start_scheduler_channel(device, PROF_CORE_FIRST + channel, label, &config,
                                   core_config_bytes(), why);
}

struct profiling_channel *profiling_open_aicpu(const struct device *device,
                                               const struct profiling_label *label,
                                               int *why)
{
    struct prof_start parameters = {
        .channel_type = PROF_PERIPHERAL,
        .sample_period = AICPU_PERIOD,
    };

    return start_channel(device, PROF_SERVER, label, &parameters, why);
}

/* Makes the device send its buffered records to the host, and reads them. */
static void flush_and_drain(struct profiling_channel *channel)
{
    int (*flush)(unsigned, unsigned, unsigned *) =
        (int (*)(unsigned, unsigned, unsigned *))driver.halProfDataFlush;
    uint64_t deadline = thread_now_ns() + DRAIN_MS * 1000000ULL;
    unsigned left = 0;

    do {
        left = 0;
        if (flush && flush(channel->device, channel->number, &left) != 0)
            left = 0;
        drain_channel(channel);
    } while (left > 0 && thread_now_ns() < deadline);
}

void profiling_set_pass(struct profiling_channel *channel, uint32_t pass)
{
    flush_and_drain(channel);
    pthread_mutex_lock(&channel->lock);
    channel->label.pass = pass;
    channel->offset = 0;
    pthread_mutex_unlock(&channel->lock);
}

/* Returns true when no data was lost. */
static bool stop_channel(struct profiling_channel *channel)
{
    int (*stop)(unsigned, unsigned) = (int (*)(unsigned, unsigned))driver.prof_stop;

    flush_and_drain(channel);
    bool lost = stop(channel->device, channel->number) == PROF_DATA_LOST;
    drain_channel(channel);
    if (lost)
        write_bytes(channel, 0, true);
    release_channel(channel);
    return !lost;
}

bool profiling_close(struct profiling_channel **taken, size_t count)
{
    const struct timespec pause = {.tv_nsec = 100 * 1000};
    bool whole = true, paused = false;

    for (size_t i = 0; i < count; i++) {
        struct profiling_channel *channel = taken[i];

        taken[i] = NULL;
        if (!channel)
            continue;
        if (!paused) /* the records of the last task may still arrive */
            nanosleep(&pause, NULL);
        paused = true;
        whole = stop_channel(channel) && whole;
    }
    return whole;
}
