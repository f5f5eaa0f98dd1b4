#include "worker/decide.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "capture/schedule.h"
#include "inject/channel.h"

_Static_assert((int)SCHEDULE_PASSES_MAX <= (int)CHANNEL_PASSES_MAX, "all passes fit");
_Static_assert((int)SCHEDULE_SLOTS_MAX <= (int)CHANNEL_EVENTS_MAX, "all slots fit");

void decide_clear(struct decide *decide)
{
    text_clear(&decide->metrics);
    text_clear(&decide->others);
}

static bool is_known(uint32_t chip)
{
    return chip == CHIP_310P || chip == CHIP_A2 || chip == CHIP_310B || chip == CHIP_A5;
}

static void fill_plan(const struct schedule *schedule, struct channel_decision *answer)
{
    bool empty = schedule->metrics == METRIC_BASIC_INFO;

    answer->pass_count = (uint32_t)schedule->pass_count;
    answer->has_l2 = schedule->l2_pass || schedule->l2_in_first;
    answer->l2_alone = schedule->l2_pass;
    memcpy(answer->l2_events, schedule->l2_events, sizeof(answer->l2_events));
    for (size_t i = 0; i < schedule->pass_count; i++) {
        struct channel_pass *pass = &answer->pass[i];

        pass->event_count = empty ? 0 : (uint32_t)schedule->slots;
        memcpy(pass->aic, schedule->passes[i].aic, sizeof(pass->aic));
        memcpy(pass->aiv, schedule->passes[i].aiv, sizeof(pass->aiv));
    }
}

static int plan(struct decide *decide,
                const struct channel_prepare *asked,
                struct channel_decision *answer,
                struct err *err)
{
    const char *metrics = text_get(&decide->metrics);
    enum chip chip =
        is_known(asked->chip) ? (enum chip)asked->chip : chip_of_soc(asked->soc);
    struct schedule schedule;

    if (asked->simulated && !decide->simulated)
        return err_set(err, ERR_INPUT,
                       "the program uses a simulated NPU, but the card is a real one");
    if (!asked->simulated && decide->simulated)
        return err_set(err, ERR_INPUT,
                       "the program uses a real NPU, but the card is a simulated one");
    if (chip == CHIP_UNKNOWN)
        return err_set(err, ERR_INPUT,
                       "card %u: no counters are known of chip %u, '%s'", asked->device,
                       asked->chip, asked->soc);
    if (schedule_plan(chip, metrics, &schedule, err) < 0)
        return err_wrap(err, "planning passes for %s", asked->soc);

    answer->answer = CHANNEL_PROFILE;
    answer->warmups = decide->warmup;
    answer->sync_ms = decide->sync_ms;
    snprintf(answer->metrics, sizeof(answer->metrics), "%s",
             *metrics ? metrics : "Default");
    fill_plan(&schedule, answer);
    return 0;
}

static void remember_other(struct decide *decide, const char *kernel)
{
    if (decide->others.length < 200)
        text_printf(&decide->others, "%s%s", decide->others.length ? ", " : "", kernel);
}

int decide_answer(struct decide *decide,
                  const struct channel_prepare *asked,
                  union channel_message *message,
                  struct err *err)
{
    struct channel_decision *answer = &message->decision;

    channel_message_init(message, CHANNEL_DECISION);
    answer->launch = asked->launch;
    answer->answer = CHANNEL_PASS_ALL;
    if (decide->pattern[0] && !text_matches(asked->kernel, decide->pattern)) {
        remember_other(decide, asked->kernel);
        answer->answer = CHANNEL_PASS_KERNEL;
        return 0;
    }
    if (decide->count > 0 && decide->profiled >= decide->count)
        return 0;
    if (decide->matched++ < decide->skip) {
        answer->answer = CHANNEL_PASS;
        return 0;
    }
    if (plan(decide, asked, answer, err) < 0)
        return -1;
    decide->profiled++;
    return 0;
}
