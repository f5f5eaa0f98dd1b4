#include "sim/fleet/condition.h"

#include <pthread.h>
#include <time.h>

#include "sim/card/usage.h"
#include "sim/fleet/config.h"

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t epoch_ns; /* second 0 of `after_s`, in CLOCK_MONOTONIC */

static void find_epoch(void)
{
    int64_t wanted = config_get()->epoch_ns;

    epoch_ns = now_ns(CLOCK_MONOTONIC);
    if (wanted >= 0)
        epoch_ns -= now_ns(CLOCK_REALTIME) - wanted;
}

static double elapsed_s(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, find_epoch);
    return (double)(now_ns(CLOCK_MONOTONIC) - epoch_ns) / 1e9;
}

struct condition condition_of(uint32_t card)
{
    struct usage_slot own = usage_of(card);

    return condition_under(card, &own.heat);
}

struct condition condition_under(uint32_t index, const struct heat *heat)
{
    const struct card_config *card = &config_get()->card[index];
    double elapsed = elapsed_s();
    struct condition now = {card->mhz, 1.0, 0.0};

    if (elapsed >= card->slow_after_s)
        now.slow = card->slow;
    if (card->throttle_mhz && elapsed >= card->throttle_after_s &&
        card->throttle_mhz < now.mhz)
        now.mhz = card->throttle_mhz;
    now.mhz = (uint32_t)(now.mhz *
                         heat_throttle(heat_celsius(heat, card->soc, card->ambient)));
    if (elapsed >= card->neighbour_after_s)
        now.neighbour = card->neighbour;
    return now;
}

int64_t condition_clock_ns(int64_t monotonic_ns)
{
    const struct config *config = config_get();
    const struct fleet_host *host;
    int64_t since = monotonic_ns;

    if (config->fleet.host_count == 0)
        return 0;
    host = &config->fleet.hosts[config->host];
    if (host->clock_drift_ppm == 0)
        return (int64_t)(host->clock_offset_us * 1000);
    if (config->epoch_ns >=
        0) { /* without an epoch the drift counts from the start of the machine */
        elapsed_s();
        since -= epoch_ns;
    }
    return (int64_t)(host->clock_offset_us * 1000 +
                     (double)since * host->clock_drift_ppm / 1e6);
}

bool condition_holds(const struct fault *fault)
{
    return fault->after_s <= 0 || elapsed_s() >= fault->after_s;
}
