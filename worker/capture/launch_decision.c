#include "worker/capture/launch_decision.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/counter_schedule.h"
#include "lib/capture/format/records.h"
#include "lib/shm/control_channel.h"

_Static_assert((int)COUNTER_SCHEDULE_PASSES_MAX <= (int)CONTROL_PASSES_MAX,
               "all passes fit");
_Static_assert((int)COUNTER_SCHEDULE_SLOTS_MAX <= (int)CONTROL_EVENTS_MAX,
               "all slots fit");

void launch_decision_clear(struct launch_decision *decision)
{
    text_clear(&decision->metrics);
    text_clear(&decision->others);
    free(decision->groups);
    decision->groups = NULL;
    decision->group_count = 0;
}

static bool is_known(uint32_t chip)
{
    return chip == CHIP_310P || chip == CHIP_A2 || chip == CHIP_310B || chip == CHIP_A5;
}

static void fill_plan(const struct counter_schedule *schedule,
                      struct control_decision *answer)
{
    bool empty = schedule->metrics == METRIC_BASIC_INFO;

    answer->pass_count = (uint32_t)schedule->pass_count;
    answer->has_l2 = schedule->l2_pass || schedule->l2_in_first;
    answer->l2_alone = schedule->l2_pass;
    memcpy(answer->l2_events, schedule->l2_events, sizeof(answer->l2_events));
    for (size_t i = 0; i < schedule->pass_count; i++) {
        struct control_pass *pass = &answer->pass[i];

        pass->event_count = empty ? 0 : (uint32_t)schedule->slots;
        memcpy(pass->aic, schedule->passes[i].aic, sizeof(pass->aic));
        memcpy(pass->aiv, schedule->passes[i].aiv, sizeof(pass->aiv));
    }
}

/* Of a collective no kernel runs on the cores: its time is all there is. */
static void fill_collective(struct control_decision *answer)
{
    answer->pass_count = 1;
    answer->has_l2 = answer->l2_alone = 0;
    answer->pass[0].event_count = 0;
}

/* The L2 counters' own pass is the last one: they are a start of their own, too. */
static uint32_t units_of(const struct counter_schedule *schedule)
{
    return (uint32_t)schedule->pass_count + schedule->l2_pass;
}

int launch_decision_starts(uint32_t *starts,
                           const char *model,
                           const char *metrics,
                           struct err *err)
{
    enum chip chip = chip_of_soc(model);
    struct counter_schedule schedule;

    if (chip == CHIP_UNKNOWN)
        return err_set(err, ERR_INPUT, "no counters are known of a card called '%s'",
                       model);
    if (counter_schedule_plan(chip, metrics, &schedule, err) < 0)
        return err_wrap(err, "planning passes for %s", model);
    *starts = units_of(&schedule);
    return 0;
}

void launch_decision_again(struct launch_decision *decision)
{
    decision->start++;
    decision->matched = decision->profiled = decision->profiled_alone = 0;
    decision->group_count = 0;
    if (decision->groups)
        memset(decision->groups, 0,
               LAUNCH_DECISION_GROUPS_MAX * sizeof(*decision->groups));
}

static int plan(struct launch_decision *decision,
                const struct control_prepare *asked,
                struct control_decision *answer,
                struct err *err)
{
    const char *metrics = text_get(&decision->metrics);
    enum chip chip =
        is_known(asked->chip) ? (enum chip)asked->chip : chip_of_soc(asked->soc);
    struct counter_schedule schedule;

    if (asked->simulated && !decision->simulated)
        return err_set(err, ERR_INPUT,
                       "the program uses a simulated NPU, but the card is a real one");
    if (!asked->simulated && decision->simulated)
        return err_set(err, ERR_INPUT,
                       "the program uses a real NPU, but the card is a simulated one");
    if (chip == CHIP_UNKNOWN)
        return err_set(err, ERR_INPUT,
                       "card %u: no counters are known of chip %u, '%s'", asked->device,
                       asked->chip, asked->soc);
    if (counter_schedule_plan(chip, metrics, &schedule, err) < 0)
        return err_wrap(err, "planning passes for %s", asked->soc);

    if (decision->start > units_of(&schedule))
        return err_set(err, ERR_INPUT,
                       "%s needs %u starts of the program, and this is start %u",
                       asked->soc, units_of(&schedule), decision->start);
    if (asked->launch_kind == LAUNCH_COLLECTIVE && decision->start > 1) {
        answer->answer = CONTROL_PASS; /* its one pass was the first start's */
        return 0;
    }
    answer->answer = CONTROL_PROFILE;
    answer->once = decision->start;
    answer->warmups = decision->start ? 0 : decision->warmup;
    answer->sync_ms = decision->sync_ms;
    answer->barrier_ms = decision->barrier_ms;
    answer->share_permille = asked->group ? decision->share_permille : 0;
    snprintf(answer->metrics, sizeof(answer->metrics), "%s",
             *metrics ? metrics : "Default");
    fill_plan(&schedule, answer);
    if (asked->launch_kind == LAUNCH_COLLECTIVE)
        fill_collective(answer);
    return 0;
}

static void remember_other(struct launch_decision *decision, const char *kernel)
{
    if (decision->others.length < 200 && !strstr(text_get(&decision->others), kernel))
        text_printf(&decision->others, "%s%s", decision->others.length ? ", " : "",
                    kernel);
}

/* NULL: there are too many to be real. */
static struct launch_decision_group *find_group(struct launch_decision *decision,
                                                uint64_t key)
{
    struct launch_decision_group *group;

    for (size_t i = 0; i < decision->group_count; i++)
        if (decision->groups[i].key == key)
            return &decision->groups[i];
    if (decision->group_count == LAUNCH_DECISION_GROUPS_MAX)
        return NULL;
    if (!decision->groups)
        decision->groups =
            xcalloc(LAUNCH_DECISION_GROUPS_MAX, sizeof(*decision->groups));
    group = &decision->groups[decision->group_count++];
    group->key = key;
    return group;
}

/* Nothing of the group is wanted any more. */
static bool is_spent(const struct launch_decision *decision,
                     const struct launch_decision_group *group,
                     uint64_t number)
{
    return decision->count > 0 && group->last != 0 && number > group->last &&
           group->matched >= decision->skip + decision->count;
}

/* The first rank that comes with an operation decides for all that this worker hears;
 * who comes later with the same number gets the same answer. */
static enum control_answer decide_in_group(struct launch_decision *decision,
                                           const struct control_prepare *asked,
                                           bool in_range)
{
    struct launch_decision_group *group = find_group(decision, asked->group);
    uint64_t number = asked->sequence;

    if (!group)
        return CONTROL_PASS_GROUP;
    if (!in_range) { /* whatever a rank that comes later says */
        group->decided = number > group->decided ? number : group->decided;
    } else if (number > group->decided) {
        uint64_t place = group->matched++;

        group->decided = number;
        if (place >= decision->skip &&
            (decision->count == 0 || place - decision->skip < decision->count)) {
            group->first = group->first ? group->first : number;
            group->last = number;
            decision->profiled++;
        }
    }
    if (in_range && group->first && number >= group->first && number <= group->last)
        return CONTROL_PROFILE;
    return is_spent(decision, group, number) ? CONTROL_PASS_GROUP : CONTROL_PASS;
}

static enum control_answer decide_alone(struct launch_decision *decision, bool in_range)
{
    if (decision->count > 0 && decision->profiled_alone >= decision->count)
        return decision->group_count > 0 || decision->barrier_ms > 0
                   ? CONTROL_PASS_KERNEL
                   : CONTROL_PASS_ALL;
    if (!in_range || decision->matched++ < decision->skip)
        return CONTROL_PASS;
    return CONTROL_PROFILE;
}

/* A line each, the latest first. */
static bool is_in_range(const struct launch_decision *decision, const char *open_ranges)
{
    char name[sizeof(((struct control_prepare *)NULL)->ranges)];

    for (const char *at = open_ranges; *at;) {
        size_t length = strcspn(at, "\n");

        snprintf(name, sizeof(name), "%.*s", (int)length, at);
        if (text_matches(name, decision->range))
            return true;
        at += length + (at[length] == '\n');
    }
    return decision->range[0] == '\0';
}

static bool means_all(const char *pattern)
{
    return pattern[0] == '\0' || strcmp(pattern, "*") == 0;
}

int launch_decision_answer(struct launch_decision *decision,
                           const struct control_prepare *asked,
                           union control_message *message,
                           struct err *err)
{
    struct control_decision *answer = &message->decision;
    enum control_answer wish;
    char hint[sizeof(asked->kernel) + 64];
    bool in_range;

    control_message_init(message, CONTROL_DECISION);
    answer->launch = asked->launch;
    answer->answer = CONTROL_PASS_ALL;
    if (asked->launch_kind == LAUNCH_COLLECTIVE && means_all(decision->pattern)) {
        snprintf(hint, sizeof(hint), "%s (a collective: profile.kernel has to name it)",
                 asked->kernel);
        remember_other(decision, hint);
        answer->answer = CONTROL_PASS_KERNEL;
        return 0;
    }
    if (decision->pattern[0] && !text_matches(asked->kernel, decision->pattern)) {
        remember_other(decision, asked->kernel);
        answer->answer = CONTROL_PASS_KERNEL;
        return 0;
    }
    in_range = is_in_range(decision, asked->ranges);
    if (!in_range) {
        snprintf(hint, sizeof(hint), "%s (in no range of that name)", asked->kernel);
        remember_other(decision, hint);
    }
    wish = asked->group ? decide_in_group(decision, asked, in_range)
                        : decide_alone(decision, in_range);
    if (wish != CONTROL_PROFILE) {
        answer->answer = wish;
        return 0;
    }
    if (plan(decision, asked, answer, err) < 0)
        return -1;
    if (!asked->group) {
        decision->profiled_alone++;
        decision->profiled++;
    }
    return 0;
}
