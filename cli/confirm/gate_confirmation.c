#include "cli/confirm/gate_confirmation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/confirm/confirmation.h"
#include "cli/view/progress.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"

static enum cause cause_of(const char *word)
{
    int cause = CAUSE_COUNT - 1;

    while (cause > CAUSE_NONE && strcmp(cause_name((enum cause)cause), word) != 0)
        cause--;
    return (enum cause)cause;
}

static bool names_card_or_link(const struct gang_cause *gang)
{
    return (gang->cause == CAUSE_CARD || gang->cause == CAUSE_LINK) && gang->serial[0];
}

/* Returns the rank and card that fresh runs measure. All ranks of a fused operator
 * become slower together: the one on the slow card, or at an end of the slow link, is
 * measured. */
static struct confirmation_suspect target_of(const struct suspect *suspect)
{
    const struct comparison_row *cell = &suspect->cell;
    const struct gang_cause *gang = &suspect->gang;
    bool is_gang = names_card_or_link(gang);

    return (struct confirmation_suspect){
        .point = cell->point,
        .kernel = cell->kernel,
        .metric = cell->metric,
        .card = is_gang ? gang->serial : cell->card,
        .rank = is_gang ? gang->rank : cell->rank,
        .night_h = cell->night_noise,
        .night_w = cell->usual_night_noise,
        .nights = cell->nights_unknown ? 0 : cell->nights,
    };
}

/* Returns the suspect of the request that measures this target, or NULL. */
static struct confirmation_suspect *
find_target(const struct confirmation_request *request,
            const struct confirmation_suspect *target)
{
    for (size_t i = 0; i < request->count; i++) {
        struct confirmation_suspect *other = &request->suspects[i];

        if (other->rank == target->rank && strcmp(other->card, target->card) == 0 &&
            strcmp(other->point, target->point) == 0 &&
            strcmp(other->kernel, target->kernel) == 0 &&
            strcmp(other->metric, target->metric) == 0)
            return other;
    }
    return NULL;
}

void gate_confirmation_take(struct confirmation_request *request,
                            const struct gate *gate,
                            size_t most)
{
    size_t count;
    const struct suspect *suspects = gate_suspects(gate, &count);

    request->suspects = xcalloc(most, sizeof(*request->suspects));
    for (size_t i = 0; i < count && request->count < most; i++) {
        struct confirmation_suspect target = target_of(&suspects[i]);

        if (confirmation_has_room(request, target.kernel) &&
            !find_target(request, &target))
            request->suspects[request->count++] = target;
    }
}

static struct causes causes_of(const struct suspect *suspect,
                               const struct confirmation_suspect *answer)
{
    struct causes causes = {cause_of(answer->cause), cause_of(answer->also)};

    if (causes.first == CAUSE_CONTRADICTORY)
        return causes;
    if (answer->outcome != CONFIRMATION_CONFIRMED)
        return (struct causes){CAUSE_NONE, CAUSE_NONE};
    /* without this card the launch is as fast as before, and only one of the card's
     * transfers is slower */
    if (causes.first == CAUSE_CARD && suspect->gang.cause == CAUSE_LINK &&
        !*answer->slow_card)
        causes.first = CAUSE_LINK;
    return causes;
}

static bool is_pair(const char *card, const char *peer, const char *a, const char *b)
{
    return strcmp(card, a) == 0 && strcmp(peer, b) == 0;
}

/* Returns true when rotated ranks showed that another card or link is slow. */
static bool names_another(const struct suspect *suspect,
                          const struct confirmation_suspect *answer)
{
    const struct gang_cause *gang = &suspect->gang;
    const char *expected = names_card_or_link(gang) ? gang->serial
                           : suspect->cell.placed_serial[0]
                               ? suspect->cell.placed_serial
                               : suspect->cell.card;

    if (!*answer->slow_card)
        return false;
    if (!*answer->slow_peer)
        return strcmp(answer->slow_card, expected) != 0;
    return gang->cause != CAUSE_LINK ||
           (!is_pair(gang->serial, gang->peer_serial, answer->slow_card,
                     answer->slow_peer) &&
            !is_pair(gang->peer_serial, gang->serial, answer->slow_card,
                     answer->slow_peer));
}

static void become_unknown(struct confirmation_suspect *answer)
{
    bool is_link = *answer->slow_peer;

    answer->outcome = CONFIRMATION_UNKNOWN;
    snprintf(answer->reason, sizeof(answer->reason), "they name another %s%.48s%s%.48s",
             is_link ? "link, from card " : "card, ", answer->slow_card,
             is_link ? " to card " : "", answer->slow_peer);
}

void gate_confirmation_apply(struct gate *gate, struct confirmation_request *request)
{
    static const enum suspect_state states[] = {
        [CONFIRMATION_UNKNOWN] = SUSPECT_UNDECIDED,
        [CONFIRMATION_CONFIRMED] = SUSPECT_CONFIRMED,
        [CONFIRMATION_NOT_REPRODUCED] = SUSPECT_NOT_REPRODUCED,
        [CONFIRMATION_BASE_GONE] = SUSPECT_BASE_GONE,
    };
    size_t count;
    const struct suspect *suspects = gate_suspects(gate, &count);

    for (size_t i = 0; i < count; i++) {
        const struct confirmation_suspect target = target_of(&suspects[i]);
        struct confirmation_suspect *answer = find_target(request, &target);

        if (answer && names_another(&suspects[i], answer))
            become_unknown(answer);
        if (answer)
            gate_confirm(gate, i, states[answer->outcome],
                         causes_of(&suspects[i], answer));
    }
}

/* Prints why fresh runs did not decide, each reason once. */
static void print_reasons(const struct confirmation_request *request)
{
    const char *last = "";

    for (size_t i = 0; i < request->count; i++) {
        const struct confirmation_suspect *suspect = &request->suspects[i];

        if ((suspect->outcome != CONFIRMATION_UNKNOWN &&
             suspect->outcome != CONFIRMATION_BASE_GONE) ||
            strcmp(suspect->reason, last) == 0)
            continue;
        last = suspect->reason;
        fprintf(stderr, "muster: fresh runs did not decide: %s\n", last);
    }
}

static bool is_contradictory(const struct confirmation_suspect *suspect)
{
    return cause_of(suspect->cause) == CAUSE_CONTRADICTORY;
}

/* Has the suspects measured. Those whose answers contradict themselves are measured
 * once more; what contradicts itself again stays unknown. */
static int run_twice(struct client *client,
                     struct confirmation_request *request,
                     struct progress *progress,
                     struct err *err)
{
    struct confirmation_request second;
    uint64_t job_id;

    if (confirmation_run(client, request, progress, &job_id, err) < 0)
        return -1;
    second = *request;
    second.round = 1;
    second.count = 0;
    second.suspects = xcalloc(request->count + 1, sizeof(*second.suspects));
    for (size_t i = 0; i < request->count; i++)
        if (is_contradictory(&request->suspects[i]))
            second.suspects[second.count++] = request->suspects[i];
    int result = second.count > 0
                     ? confirmation_run(client, &second, progress, &job_id, err)
                     : 0;
    if (result == 0)
        for (size_t i = 0, from = 0; i < request->count; i++)
            if (is_contradictory(&request->suspects[i]))
                request->suspects[i] = second.suspects[from++];
    free(second.suspects);
    return result;
}

int gate_confirmation_run(struct gate *gate,
                          const struct gate_confirm_jobs *jobs,
                          void *arg,
                          struct err *err)
{
    const struct job_confirm *settings = jobs->settings;
    struct client *client = row_source_client(jobs->source);
    struct confirmation_request request = {.job_id = jobs->job_id,
                                           .base_job_id = jobs->base_job_id,
                                           .pairs = settings->pairs,
                                           .sessions = settings->sessions,
                                           .cards = settings->cards,
                                           .time_ms = settings->time_ms,
                                           .tolerance = jobs->tolerance};

    (void)arg;
    if (!client) {
        fprintf(stderr, "muster: suspects are not confirmed, because no coordinator is "
                        "named\n");
        return 0;
    }
    gate_confirmation_take(&request, gate, settings->suspects);
    struct progress *progress = progress_create(jobs->quiet);
    int result = run_twice(client, &request, progress, err);
    progress_destroy(progress);
    if (result == 0) {
        gate_confirmation_apply(gate, &request);
        print_reasons(&request);
    }
    free(request.suspects);
    if (result < 0 && err->code == ERR_INPUT) {
        fprintf(stderr, "muster: suspects are not confirmed: %s\n", err->text);
        return 0;
    }
    return result;
}
