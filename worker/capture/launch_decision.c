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
    text_clear(&decision->other_kernels);
    free(decision->communicators);
    decision->communicators = NULL;
    decision->communicator_count = 0;
}

bool launch_decision_is_short(const struct launch_decision *decision,
                              uint64_t *found,
                              uint64_t *wanted,
                              char range[LAUNCH_RANGE_BYTES_MAX])
{
    size_t count = launch_ranges_count(decision->ranges);

    *wanted = decision->count == 0 && count > 1 ? 1 : decision->count;
    range[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        *found = decision->in[i].profiled;
        if (*found >= *wanted)
            continue;
        if (count > 1)
            launch_ranges_get(decision->ranges, i, range);
        return true;
    }
    return false;
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
    answer->partial = (schedule->metrics & METRIC_KERNEL_SCALE) != 0;
    answer->plain = schedule->plain_pass;
    memcpy(answer->l2_events, schedule->l2_events, sizeof(answer->l2_events));
    for (size_t i = 0; i < schedule->pass_count; i++) {
        struct control_pass *pass = &answer->pass[i];

        pass->event_count = empty ? 0 : (uint32_t)schedule->slots;
        memcpy(pass->aic, schedule->passes[i].aic, sizeof(pass->aic));
        memcpy(pass->aiv, schedule->passes[i].aiv, sizeof(pass->aiv));
    }
}

static bool is_without_counters(const struct control_prepare *request)
{
    return request->launch_kind == LAUNCH_COLLECTIVE ||
           request->launch_kind == LAUNCH_POINT_TO_POINT;
}

/* A collective runs no kernel on the cores, so one pass measures its time. */
static void fill_collective(struct control_decision *answer)
{
    answer->pass_count = 1;
    answer->has_l2 = answer->l2_alone = answer->plain = 0;
    answer->pass[0].event_count = 0;
}

/* Only two ranks call a message, so it is measured as the program executes it. */
static void fill_message(struct control_decision *answer)
{
    answer->once = 1;
    answer->warmups = 0;
}

/* Returns the number of program starts, one for each execution. */
static uint32_t starts_of(const struct counter_schedule *schedule)
{
    return (uint32_t)counter_schedule_executions(schedule);
}

int launch_decision_count_starts(uint32_t *starts,
                                 const char *model,
                                 const char *metrics,
                                 struct err *err)
{
    enum chip chip = chip_of_soc(model);
    struct counter_schedule schedule;

    if (chip == CHIP_UNKNOWN)
        return err_set(err, ERR_INPUT,
                       "no counters are known for the card model '%s'; pass --model",
                       model);
    if (counter_schedule_plan(chip, metrics, &schedule, err) < 0)
        return err_wrap(err, "planning passes for %s", model);
    *starts = starts_of(&schedule);
    return 0;
}

void launch_decision_next_start(struct launch_decision *decision)
{
    decision->start++;
    memset(decision->in, 0, sizeof(decision->in));
    decision->communicator_count = 0;
    if (decision->communicators)
        memset(decision->communicators, 0,
               LAUNCH_DECISION_COMMUNICATORS_MAX * sizeof(*decision->communicators));
}

static int plan(struct launch_decision *decision,
                const struct control_prepare *request,
                struct control_decision *answer,
                struct err *err)
{
    const char *metrics = text_get(&decision->metrics);
    enum chip chip =
        is_known(request->chip) ? (enum chip)request->chip : chip_of_soc(request->soc);
    struct counter_schedule schedule;

    if (request->simulated && !decision->simulated)
        return err_set(err, ERR_INPUT,
                       "the operator uses a simulated NPU, but the card is real");
    if (!request->simulated && decision->simulated)
        return err_set(err, ERR_INPUT,
                       "the operator uses a real NPU, but the card is simulated");
    if (chip == CHIP_UNKNOWN)
        return err_set(err, ERR_INPUT,
                       "device %u: no counters are known for chip %u, '%s'",
                       request->device, request->chip, request->soc);
    if (counter_schedule_plan(chip, metrics, &schedule, err) < 0)
        return err_wrap(err, "planning passes for %s", request->soc);

    if (decision->start > starts_of(&schedule))
        return err_set(err, ERR_INPUT,
                       "%s needs %u starts of the program, and this is start %u",
                       request->soc, starts_of(&schedule), decision->start);
    if (is_without_counters(request) && decision->start > 1) {
        answer->answer = CONTROL_PASS; /* the first start measured its only pass */
        return 0;
    }
    answer->answer = CONTROL_PROFILE;
    answer->once = decision->start;
    answer->warmups = decision->start ? 0 : decision->warmup;
    answer->sync_ms = decision->sync_ms;
    answer->barrier_ms = decision->barrier_ms;
    answer->share_permille = request->group ? decision->share_permille : 0;
    snprintf(answer->metrics, sizeof(answer->metrics), "%s",
             *metrics ? metrics : "Default");
    fill_plan(&schedule, answer);
    if (request->launch_kind == LAUNCH_RANGE)
        answer->plain = 0; /* its launches have durations of their counter passes */
    if (is_without_counters(request))
        fill_collective(answer);
    if (request->launch_kind == LAUNCH_POINT_TO_POINT)
        fill_message(answer);
    return 0;
}

static void note_other_kernel(struct launch_decision *decision, const char *kernel)
{
    if (decision->other_kernels.length < 200 &&
        !strstr(text_get(&decision->other_kernels), kernel))
        text_printf(&decision->other_kernels, "%s%s",
                    decision->other_kernels.length ? ", " : "", kernel);
}

/* Returns NULL when a process names more communicators than the limit. */
static struct communicator_progress *find_communicator(struct launch_decision *decision,
                                                       uint64_t key)
{
    struct communicator_progress *communicator;

    for (size_t i = 0; i < decision->communicator_count; i++)
        if (decision->communicators[i].key == key)
            return &decision->communicators[i];
    if (decision->communicator_count == LAUNCH_DECISION_COMMUNICATORS_MAX)
        return NULL;
    if (!decision->communicators)
        decision->communicators = xcalloc(LAUNCH_DECISION_COMMUNICATORS_MAX,
                                          sizeof(*decision->communicators));
    communicator = &decision->communicators[decision->communicator_count++];
    communicator->key = key;
    return communicator;
}

/* Returns true when no later operation of the communicator can be selected. */
static bool is_finished(const struct launch_decision *decision,
                        const struct communicator_progress *communicator,
                        uint64_t number)
{
    if (decision->count == 0)
        return false;
    for (size_t i = 0; i < launch_ranges_count(decision->ranges); i++)
        if (communicator->in[i].last == 0 || number <= communicator->in[i].last ||
            communicator->in[i].matched < decision->skip + decision->count)
            return false;
    return true;
}

/* Decides about the operation `number`, which no rank has asked about before. */
static void decide_operation(struct launch_decision *decision,
                             struct operations_of_range *operations,
                             uint64_t number,
                             bool later_segment,
                             struct range_progress *range)
{
    if (!later_segment) { /* a later segment is selected with the first one */
        uint64_t place = operations->matched++;

        if (place < decision->skip ||
            (decision->count > 0 && place - decision->skip >= decision->count))
            return;
        range->profiled++;
    }
    operations->first = operations->first ? operations->first : number;
    operations->last = number;
}

/* Decides about an operation. The first request for a sequence number decides; requests
 * of other ranks with the same number get the same answer. `range` -1: in no range. */
static enum control_answer decide_in_communicator(struct launch_decision *decision,
                                                  const struct control_prepare *request,
                                                  int range)
{
    struct communicator_progress *communicator =
        find_communicator(decision, request->group);
    uint64_t number = request->sequence;
    const struct operations_of_range *operations;

    if (!communicator)
        return CONTROL_PASS_GROUP;
    if (number > communicator->decided) { /* without a range: also for later ranks */
        communicator->decided = number;
        if (range >= 0)
            decide_operation(decision, &communicator->in[range], number,
                             request->about == CONTROL_LATER_SEGMENT,
                             &decision->in[range]);
    }
    operations = range >= 0 ? &communicator->in[range] : NULL;
    if (operations && operations->first && number >= operations->first &&
        number <= operations->last)
        return CONTROL_PROFILE;
    return is_finished(decision, communicator, number) ? CONTROL_PASS_GROUP
                                                       : CONTROL_PASS;
}

/* Returns true when this launch cannot be selected in any range. */
static bool is_finished_alone(const struct launch_decision *decision)
{
    for (size_t i = 0; i < launch_ranges_count(decision->ranges); i++)
        if (decision->count == 0 || decision->in[i].profiled_alone < decision->count)
            return false;
    return true;
}

static enum control_answer decide_alone(struct launch_decision *decision,
                                        const struct control_prepare *request,
                                        int range)
{
    if (request->about == CONTROL_LATER_SEGMENT)
        return CONTROL_PROFILE;
    if (is_finished_alone(decision))
        return decision->communicator_count > 0 || decision->barrier_ms > 0
                   ? CONTROL_PASS_KERNEL
                   : CONTROL_PASS_ALL;
    if (range < 0 || decision->in[range].matched++ < decision->skip)
        return CONTROL_PASS;
    return decision->count > 0 && decision->in[range].profiled_alone >= decision->count
               ? CONTROL_PASS
               : CONTROL_PROFILE;
}

/* Returns true when profile.kernel selects the name. Without patterns it selects all
 * kernels and fused operators, but no collectives and messages. */
static bool
is_selected(const struct launch_decision *decision, const char *name, uint32_t kind)
{
    if (decision->pattern[0])
        return text_matches_any(name, decision->pattern);
    return kind != LAUNCH_COLLECTIVE && kind != LAUNCH_POINT_TO_POINT;
}

/* Notes a launch that is not selected, with the way to select it. */
static void
note_not_selected(struct launch_decision *decision, const char *name, uint32_t kind)
{
    char hint[sizeof(((struct control_prepare *)NULL)->kernel) + 64];
    const char *what = decision->pattern[0]            ? NULL
                       : kind == LAUNCH_COLLECTIVE     ? "a collective"
                       : kind == LAUNCH_POINT_TO_POINT ? "point-to-point"
                                                       : NULL;

    snprintf(hint, sizeof(hint), what ? "%s (%s; name it in profile.kernel)" : "%s",
             name, what);
    note_other_kernel(decision, hint);
}

static enum control_answer answer_range_name(struct launch_decision *decision,
                                             const char *name)
{
    if (is_selected(decision, name, LAUNCH_RANGE))
        return CONTROL_PROFILE;
    note_other_kernel(decision, name);
    return CONTROL_PASS_KERNEL;
}

int launch_decision_answer(struct launch_decision *decision,
                           const struct control_prepare *request,
                           union control_message *message,
                           struct err *err)
{
    struct control_decision *answer = &message->decision;
    enum control_answer decided;
    char hint[sizeof(request->kernel) + 64];
    int range;

    control_message_init(message, CONTROL_DECISION);
    answer->launch = request->launch;
    answer->answer = CONTROL_PASS_ALL;
    if (request->about == CONTROL_RANGE_NAME) {
        answer->answer = answer_range_name(decision, request->kernel);
        return 0;
    }
    if (!is_selected(decision, request->kernel, request->launch_kind)) {
        note_not_selected(decision, request->kernel, request->launch_kind);
        answer->answer = CONTROL_PASS_KERNEL;
        return 0;
    }
    range = launch_ranges_find(decision->ranges, request->ranges);
    if (range < 0) {
        snprintf(hint, sizeof(hint), "%s (in no range of that name)", request->kernel);
        note_other_kernel(decision, hint);
    }
    decided = request->group ? decide_in_communicator(decision, request, range)
                             : decide_alone(decision, request, range);
    if (decided != CONTROL_PROFILE) {
        answer->answer = decided;
        return 0;
    }
    if (plan(decision, request, answer, err) < 0)
        return -1;
    if (!request->group && request->about != CONTROL_LATER_SEGMENT) {
        decision->in[range].profiled_alone++;
        decision->in[range].profiled++;
    }
    return 0;
}
