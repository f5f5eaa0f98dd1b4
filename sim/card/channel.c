#include "sim/card/channel.h"

#include <ascend_hal.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/fleet/config.h"
#include "sim/fleet/soc.h"

#define BUFFER_MAX (32u << 20) /* holds the records of a launch of 65535 mix blocks */

struct channel {
    uint32_t card, id;
    struct channel *next; /* in the poll queue */
    bool open;
    bool queued;
    bool lost;
    uint64_t session;
    uint8_t config[PROF_USER_DATA_MAX];
    uint8_t *bytes;
    size_t from, to, room;
};

/* The channels of a card are allocated when its first channel is started. */
static struct channel *channels[CARDS_MAX];
static struct channel *queue_first, **queue_last = &queue_first;
static size_t open_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct {
    uint32_t id;
    uint32_t chip;
    const char *name;
} offered[] = {
    {CHANNEL_AICORE, CHIP_310P, "aicore"},
    {CHANNEL_HWTS_LOG, CHIP_310P, "hwts_log"},
    {CHANNEL_TSFW_L2, CHIP_310P, "tsfw_l2"},
    {CHANNEL_TSFW_L2, CHIP_A2, "tsfw_l2"},
    {CHANNEL_STARS_SOC_LOG, CHIP_A2, "stars_soc_log"},
    {CHANNEL_FFTS_PROFILE_TASK, CHIP_A2, "ffts_profile_task"},
    {CHANNEL_AICPU, CHIP_A2, "aicpu"},
    {CHANNEL_STARS_SOC_LOG, CHIP_A5, "stars_soc_log"},
    {CHANNEL_FFTS_PROFILE_TASK, CHIP_A5, "ffts_profile_task"},
    {CHANNEL_AICPU, CHIP_A5, "aicpu"},
};

#define OFFERED (sizeof(offered) / sizeof(offered[0]))

static void init_once(void)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&filled, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void lock(void)
{
    pthread_once(&once, init_once);
    pthread_mutex_lock(&mutex);
}

static bool is_core(uint32_t id)
{
    return id >= CHANNEL_CORE_FIRST && id <= CHANNEL_CORE_LAST &&
           config_get()->soc->chip == CHIP_A5;
}

static bool is_offered(uint32_t id)
{
    if (is_core(id))
        return true;
    for (size_t i = 0; i < OFFERED; i++)
        if (offered[i].id == id && offered[i].chip == config_get()->soc->chip)
            return true;
    return false;
}

static bool is_channel(uint32_t card, uint32_t id)
{
    return card < config_get()->cards && id < CHANNELS;
}

/* Returns NULL for a channel that was never started. The caller holds the mutex. */
static struct channel *find(uint32_t card, uint32_t id)
{
    return channels[card] ? &channels[card][id] : NULL;
}

/* Returns NULL when memory ran out. The caller holds the mutex. */
static struct channel *find_or_make(uint32_t card, uint32_t id)
{
    if (!channels[card]) {
        channels[card] = calloc(CHANNELS, sizeof(**channels));
        for (uint32_t i = 0; channels[card] && i < CHANNELS; i++) {
            channels[card][i].card = card;
            channels[card][i].id = i;
        }
    }
    return find(card, id);
}

static void enqueue(struct channel *channel)
{
    if (channel->queued)
        return;
    channel->queued = true;
    channel->next = NULL;
    *queue_last = channel;
    queue_last = &channel->next;
    pthread_cond_broadcast(&filled);
}

static bool make_room(struct channel *channel, size_t size)
{
    size_t held = channel->to - channel->from;
    size_t room = channel->room ? channel->room : 4096;
    uint8_t *grown;

    if (channel->room - channel->to >= size)
        return true;
    if (channel->from > 0) {
        memmove(channel->bytes, channel->bytes + channel->from, held);
        channel->from = 0;
        channel->to = held;
    }
    while (room - held < size)
        room *= 2;
    if (room > BUFFER_MAX)
        return false;
    grown = realloc(channel->bytes, room);
    if (!grown)
        return false;
    channel->bytes = grown;
    channel->room = room;
    return true;
}

bool channel_config(uint32_t card,
                    uint32_t id,
                    void *config,
                    size_t size,
                    uint64_t *session)
{
    const struct channel *channel;
    bool open;

    lock();
    channel = find(card, id);
    open = channel && channel->open;
    if (open) {
        memcpy(config, channel->config, size);
        *session = channel->session;
    }
    pthread_mutex_unlock(&mutex);
    return open;
}

void channel_write(uint32_t card, uint32_t id, const void *record, size_t size)
{
    struct channel *channel;

    lock();
    channel = find(card, id);
    if (channel && channel->open) {
        if (make_room(channel, size)) {
            memcpy(channel->bytes + channel->to, record, size);
            channel->to += size;
            enqueue(channel);
        } else {
            channel->lost = true;
        }
    }
    pthread_mutex_unlock(&mutex);
}

void channel_note_loss(uint32_t card, uint32_t id)
{
    struct channel *channel;

    lock();
    channel = find(card, id);
    if (channel)
        channel->lost = true;
    pthread_mutex_unlock(&mutex);
}

static channel_info_t *add_info(channel_list_t *list, uint32_t id)
{
    channel_info_t *info = &list->channel[list->channel_num++];

    info->channel_type = id == CHANNEL_AICPU ? PROF_PERIPHERAL_TYPE : PROF_TS_TYPE;
    info->channel_id = id;
    return info;
}

int prof_drv_get_channels(unsigned int device_id, channel_list_t *list)
{
    if (!list || device_id >= config_get()->cards)
        return PROF_ERROR;
    memset(list, 0, sizeof(*list));
    list->chip_type = config_get()->soc->chip;
    for (size_t i = 0; i < OFFERED; i++) {
        if (offered[i].chip == list->chip_type)
            strcpy(add_info(list, offered[i].id)->channel_name, offered[i].name);
    }
    for (uint32_t id = CHANNEL_CORE_FIRST; is_core(id); id++)
        snprintf(add_info(list, id)->channel_name,
                 sizeof(list->channel[0].channel_name), "biu_group%u_%s",
                 (id - CHANNEL_CORE_FIRST) / 3,
                 (const char *const[]){"aic", "aiv0",
                                       "aiv1"}[(id - CHANNEL_CORE_FIRST) % 3]);
    return PROF_OK;
}

/* Returns true for a configuration that requests samples at fixed times, which the
 * simulator does not offer. */
static bool
samples_by_time(uint32_t chip, uint32_t channel, const void *config, size_t size)
{
    prof_ffts_config_a5_t ffts = {0};
    prof_aicore_config_t aicore = {0};

    if (channel == CHANNEL_AICORE) {
        memcpy(&aicore, config, size < sizeof(aicore) ? size : sizeof(aicore));
        return aicore.type != 0;
    }
    if (channel != CHANNEL_FFTS_PROFILE_TASK)
        return false;
    memcpy(&ffts, config, size < sizeof(ffts) ? size : sizeof(ffts));
    if (ffts.core[0].type & PROF_FFTS_SAMPLE)
        return true;
    /* with fewer events, the vector cores have another offset */
    if (chip != CHIP_A5)
        memcpy(
            &ffts.core[1], (const char *)config + offsetof(prof_ffts_config_t, core[1]),
            size >= sizeof(prof_ffts_config_t) ? sizeof(prof_ffts_core_config_t) : 0);
    return ffts.core[1].type & PROF_FFTS_SAMPLE;
}

int prof_drv_start(unsigned int device_id,
                   unsigned int channel_id,
                   struct prof_start_para *start_para)
{
    struct channel *channel;
    int result = PROF_OK;

    if (!is_channel(device_id, channel_id) || !start_para ||
        start_para->user_data_size > PROF_USER_DATA_MAX ||
        (start_para->user_data_size > 0 && !start_para->user_data))
        return PROF_ERROR;
    if (!is_offered(channel_id) ||
        samples_by_time(config_get()->soc->chip, channel_id, start_para->user_data,
                        start_para->user_data_size))
        return PROF_NOT_SUPPORT;
    lock();
    channel = find_or_make(device_id, channel_id);
    if (!channel) {
        result = PROF_ERROR;
    } else if (channel->open) {
        result = PROF_STARTED_ALREADY;
    } else {
        channel->open = true;
        channel->lost = false;
        channel->from = channel->to = 0;
        channel->session++;
        memset(channel->config, 0, sizeof(channel->config));
        if (start_para->user_data_size > 0)
            memcpy(channel->config, start_para->user_data, start_para->user_data_size);
        open_count++;
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

int prof_stop(unsigned int device_id, unsigned int channel_id)
{
    struct channel *channel;
    int result;

    if (!is_channel(device_id, channel_id))
        return PROF_ERROR;
    lock();
    channel = find(device_id, channel_id);
    if (channel && channel->open) {
        channel->open = false;
        open_count--;
        result = channel->lost ? PROF_DATA_LOST : PROF_OK;
        pthread_cond_broadcast(
            &filled); /* a poll ends when the last open channel is stopped */
    } else {
        result = PROF_STOPPED_ALREADY;
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

/* Takes up to num channels out of the queue that hold unread bytes. */
static int take_queued(struct prof_poll_info *out, int num)
{
    int count = 0;

    while (count < num && queue_first) {
        struct channel *channel = queue_first;

        queue_first = channel->next;
        if (!queue_first)
            queue_last = &queue_first;
        channel->queued = false;
        if (channel->to > channel->from)
            out[count++] = (struct prof_poll_info){channel->card, channel->id};
    }
    return count;
}

int prof_channel_poll(struct prof_poll_info *out_buf, int num, int timeout)
{
    struct timespec deadline;
    int count, waited = 0;

    if (!out_buf || num < 1 || num > PROF_CHANNEL_NUM_MAX)
        return PROF_ERROR;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += timeout <= 0 || timeout > 5 ? 5 : timeout;
    lock();
    while ((count = take_queued(out_buf, num)) == 0 && open_count > 0 &&
           waited != ETIMEDOUT)
        waited = pthread_cond_timedwait(&filled, &mutex, &deadline);
    if (count == 0 && open_count == 0)
        count = PROF_STOPPED_ALREADY;
    pthread_mutex_unlock(&mutex);
    return count;
}

int prof_channel_read(unsigned int device_id,
                      unsigned int channel_id,
                      char *out_buf,
                      unsigned int buf_size)
{
    struct channel *channel;
    uint32_t at_most;
    size_t size;
    int result;

    if (!is_channel(device_id, channel_id) || !out_buf || buf_size == 0)
        return PROF_ERROR;
    at_most = config_get()->card[device_id].read_at_most;
    lock();
    channel = find(device_id, channel_id);
    size = channel ? channel->to - channel->from : 0;
    if (size == 0) {
        result = channel && channel->open ? 0 : PROF_STOPPED_ALREADY;
    } else {
        if (size > buf_size)
            size = buf_size;
        if (at_most > 0 && size > at_most)
            size = at_most;
        memcpy(out_buf, channel->bytes + channel->from, size);
        channel->from += size;
        if (channel->from < channel->to)
            enqueue(channel); /* the next poll reports the rest */
        result = (int)size;
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

static int unread(unsigned int card, unsigned int id, unsigned int *bytes)
{
    const struct channel *channel;

    if (!is_channel(card, id) || !bytes)
        return PROF_ERROR;
    lock();
    channel = find(card, id);
    *bytes = channel ? (unsigned int)(channel->to - channel->from) : 0;
    pthread_mutex_unlock(&mutex);
    return PROF_OK;
}

int halProfDataFlush(unsigned int device_id,
                     unsigned int channel_id,
                     unsigned int *data_len)
{
    return unread(device_id, channel_id, data_len);
}

int halProfQueryAvailBufLen(unsigned int device_id,
                            unsigned int channel_id,
                            unsigned int *buff_avail_len)
{
    return unread(device_id, channel_id, buff_avail_len);
}
