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

/* The suspects of a gate that are confirmed; places[i] is the one of suspects[i]. */
struct taken {
    struct confirmation_request request;
    size_t places[CONFIRMATION_SUSPECTS_MOST];
};

/* Takes the largest changes; the others stay open. */
static void take_suspects(struct taken *taken, const struct gate *gate, size_t most)
{
    struct confirmation_request *request = &taken->request;
    size_t count;
    const struct suspect *suspects = gate_suspects(gate, &count);

    request->suspects = xcalloc(most, sizeof(*request->suspects));
    for (size_t i = 0; i < count && request->count < most; i++) {
        const struct comparison_row *cell = &suspects[i].cell;

        if (!confirmation_has_room(request, cell->kernel))
            continue;
        taken->places[request->count] = i;
        request->suspects[request->count++] = (struct confirmation_suspect){
            .point = cell->point,
            .kernel = cell->kernel,
            .metric = cell->metric,
            .card = cell->card,
            .rank = cell->rank,
            .night_h = cell->night_noise,
            .night_w = cell->usual_night_noise,
            .nights = cell->nights_unknown ? 0 : cell->nights,
        };
    }
}

static void apply(struct gate *gate, const struct taken *taken)
{
    static const enum suspect_state states[] = {
        [CONFIRMATION_UNKNOWN] = SUSPECT_UNDECIDED,
        [CONFIRMATION_CONFIRMED] = SUSPECT_CONFIRMED,
        [CONFIRMATION_NOT_REPRODUCED] = SUSPECT_NOT_REPRODUCED,
    };

    for (size_t i = 0; i < taken->request.count; i++) {
        const struct confirmation_suspect *suspect = &taken->request.suspects[i];
        struct causes causes = {CAUSE_NONE, CAUSE_NONE};

        if (suspect->outcome == CONFIRMATION_CONFIRMED)
            causes = (struct causes){cause_of(suspect->cause), cause_of(suspect->also)};
        gate_confirm(gate, taken->places[i], states[suspect->outcome], causes);
    }
}

/* Prints why fresh runs did not decide, each reason once. */
static void print_reasons(const struct confirmation_request *request)
{
    const char *last = "";

    for (size_t i = 0; i < request->count; i++) {
        const struct confirmation_suspect *suspect = &request->suspects[i];

        if (suspect->outcome != CONFIRMATION_UNKNOWN ||
            strcmp(suspect->reason, last) == 0)
            continue;
        last = suspect->reason;
        fprintf(stderr, "muster: fresh runs did not decide: %s\n", last);
    }
}

int gate_confirmation_run(struct gate *gate,
                          const struct gate_confirm_jobs *jobs,
                          void *arg,
                          struct err *err)
{
    const struct job_confirm *settings = jobs->settings;
    struct client *client = row_source_client(jobs->source);
    struct taken taken = {.request = {.job_id = jobs->job_id,
                                      .base_job_id = jobs->base_job_id,
                                      .pairs = settings->pairs,
                                      .sessions = settings->sessions,
                                      .cards = settings->cards,
                                      .time_ms = settings->time_ms,
                                      .tolerance = jobs->tolerance}};
    struct confirmation_request *request = &taken.request;
    uint64_t confirmation_job_id;

    (void)arg;
    if (!client) {
        fprintf(stderr, "muster: suspects are not confirmed, because no coordinator is "
                        "named\n");
        return 0;
    }
    take_suspects(&taken, gate, settings->suspects);
    struct progress *progress = progress_create(jobs->quiet);
    int result = confirmation_run(client, request, progress, &confirmation_job_id, err);
    progress_destroy(progress);
    if (result == 0) {
        apply(gate, &taken);
        print_reasons(request);
    }
    free(request->suspects);
    if (result < 0 && err->code == ERR_INPUT) {
        fprintf(stderr, "muster: suspects are not confirmed: %s\n", err->text);
        return 0;
    }
    return result;
}
