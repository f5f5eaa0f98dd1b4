#include "sim/card/card.h"

#include <ascend_hal.h>
#include <pthread.h>
#include <time.h>

#include "sim/card/card_internal.h"
#include "sim/card/channel.h"
#include "sim/card/l2.h"
#include "sim/card/ledger.h"
#include "sim/card/record.h"
#include "sim/fleet/condition.h"
#include "sim/fleet/config.h"
#include "sim/fleet/soc.h"

enum { RANK_STEPS = 4 }; /* steps of the host in one step of a rank */

static struct card cards[CARDS_MAX]; /* all zeros is an unlocked mutex */

struct card *card_of(uint32_t index)
{
    return &cards[index];
}

uint64_t npu_sim_monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t npu_sim_host_step_ns(void)
{
    return config_get()->host_step_ns;
}

uint64_t npu_sim_rank_step_ns(void)
{
    return RANK_STEPS * config_get()->host_step_ns;
}

uint64_t npu_sim_ticks_khz(void)
{
    return config_get()->soc->ticks_khz;
}

uint64_t npu_sim_ticks_at(uint64_t monotonic_ns)
{
    uint64_t khz = config_get()->soc->ticks_khz, ns;
    int64_t shown = (int64_t)monotonic_ns;

    shown += condition_clock_ns(shown);
    ns = shown > 0 ? (uint64_t)shown : 0;
    return ns / 1000000000 * khz * 1000 + ns % 1000000000 * khz / 1000000;
}

uint64_t card_now(const struct card *card)
{
    uint64_t ticks = npu_sim_ticks_at(npu_sim_monotonic_ns());

    return ticks > card->floor ? ticks : card->floor;
}

uint64_t npu_sim_ticks_of_ns(uint64_t ns)
{
    return ns * config_get()->soc->ticks_khz / 1000000;
}

static const struct soc *soc_of(uint32_t card)
{
    return card < config_get()->cards ? config_get()->card[card].soc
                                      : config_get()->soc;
}

static const struct soc_speed *speed_of(uint32_t card)
{
    return soc_speed(soc_of(card), config_get()->card[card].hbm_maker);
}

/* Creates the L2 at its first use, without the share that a planted neighbour occupies.
 */
struct l2 *card_l2(uint32_t index)
{
    struct card *card = &cards[index];
    double ours = 1.0 - condition_of(index).neighbour;

    if (!card->l2)
        card->l2 = l2_create((uint64_t)((double)npu_sim_card_l2_bytes(index) * ours));
    return card->l2;
}

static const struct fleet_host *this_host(void)
{
    static struct fleet_host unknown; /* the configuration is invalid */
    const struct config *config = config_get();

    return config->host < config->fleet.host_count ? &config->fleet.hosts[config->host]
                                                   : &unknown;
}

const char *npu_sim_host_driver(void)
{
    return this_host()->driver;
}

const char *npu_sim_host_firmware(void)
{
    return this_host()->firmware;
}

const char *npu_sim_host_cann(void)
{
    return this_host()->cann;
}

uint32_t npu_sim_card_count(void)
{
    return config_get()->cards;
}

const char *npu_sim_card_soc(uint32_t card)
{
    return soc_of(card)->name;
}

uint32_t npu_sim_card_cores(uint32_t card)
{
    return soc_of(card)->cores;
}

uint32_t npu_sim_card_vectors(uint32_t card)
{
    return soc_of(card)->cores * soc_of(card)->vectors;
}

uint32_t npu_sim_card_dies(uint32_t card)
{
    return soc_of(card)->dies;
}

uint64_t npu_sim_card_l2_bytes(uint32_t card)
{
    return (uint64_t)soc_of(card)->l2_mib << 20;
}

uint64_t npu_sim_card_ticks(uint32_t index)
{
    struct card *card = &cards[index];
    uint64_t ticks;

    pthread_mutex_lock(&card->mutex);
    ticks = card->floor = card_now(card);
    pthread_mutex_unlock(&card->mutex);
    return ticks;
}

uint64_t npu_sim_ticks_to_ns(uint64_t ticks)
{
    uint64_t khz = config_get()->soc->ticks_khz;

    return ticks / khz * 1000000 + ticks % khz * 1000000 / khz;
}

/* The caller holds the mutex. */
static void
log_other(uint32_t index, const struct card_task *task, bool is_end, uint64_t at)
{
    const struct soc *soc = soc_of(index);
    struct card_launch launch = {
        .stream = task->stream, .task = task->task, .task_kind = task->kind};
    uint8_t record[RECORD_LOG_SIZE];
    uint32_t id;

    /* records of the 310P have no task kind: only kernels are logged there */
    if ((task->kind != CARD_TASK_KERNEL && !soc_is_split(soc)) ||
        !record_log_channel(soc, index, &id))
        return;
    ledger_task(index, &launch, is_end, at);
    channel_write(index, id, record, record_log(record, soc, &launch, is_end, at));
}

void npu_sim_card_log_span(uint32_t index,
                           const struct card_task *task,
                           uint64_t start,
                           uint64_t end)
{
    struct card *card = &cards[index];

    pthread_mutex_lock(&card->mutex);
    log_other(index, task, false, start);
    log_other(index, task, true, end);
    if (end > card->floor)
        card->floor = end;
    pthread_mutex_unlock(&card->mutex);
}

bool npu_sim_card_reports(uint32_t index)
{
    uint64_t session;
    uint8_t none;

    return soc_is_split(soc_of(index)) &&
           channel_config(index, CHANNEL_AICPU, &none, 0, &session);
}

void npu_sim_card_report(uint32_t index, const void *report)
{
    if (npu_sim_card_reports(index))
        channel_write(index, CHANNEL_AICPU, report, CARD_REPORT_SIZE);
}

static void touch(struct l2 *l2, const void *address, uint64_t bytes)
{
    struct card_memory memory;

    if (address && npu_sim_memory_find(address, &memory))
        l2_touch(l2, memory.serial, (uintptr_t)address - memory.base, bytes);
}

uint64_t
npu_sim_card_copy(uint32_t index, const void *from, const void *to, uint64_t bytes)
{
    struct card *card = &cards[index];
    /* a copy has half of the memory bandwidth, because it reads and writes */
    uint64_t ns = 800 + bytes * 2 / speed_of(index)->memory_gbs;

    pthread_mutex_lock(&card->mutex);
    if (card_l2(index)) {
        touch(card->l2, from, bytes);
        touch(card->l2, to, bytes);
    }
    pthread_mutex_unlock(&card->mutex);
    return npu_sim_ticks_of_ns(ns);
}

uint64_t npu_sim_card_prefetch(uint32_t index, const void *address, uint64_t bytes)
{
    return npu_sim_card_copy(index, address, NULL, bytes);
}

void npu_sim_card_invalidate(uint32_t index, const void *address, uint64_t bytes)
{
    struct card *card = &cards[index];
    struct card_memory memory;

    pthread_mutex_lock(&card->mutex);
    if (card->l2 && npu_sim_memory_find(address, &memory))
        l2_drop(card->l2, memory.serial, (uintptr_t)address - memory.base, bytes);
    pthread_mutex_unlock(&card->mutex);
}
